import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import type { Services } from '../domain/services.ts'
import { handleError } from '../rest/errors.ts'
import { restPlugin } from '../rest/plugin.ts'
import { createSessionCookie } from '../rest/sessionCookie.ts'

const HEADERS_TIMEOUT_MS = 10_000
const KEEP_ALIVE_TIMEOUT_MS = 10_000
const CONNECTION_CHECK_MS = 5_000
const BODY_LIMIT_BYTES = 1024 * 1024

export type HttpDeps = {
  readonly services: Services
  readonly logger: FastifyBaseLogger
  /** Where people reach this server; null: by whatever name the request uses. */
  readonly publicUrl: URL | null
  /** Fastify's trustProxy: false, or the proxies whose X-Forwarded-* headers count. */
  readonly trustProxy: boolean | string
  /** The GraphQL door, made by `graphqlPlugin(deps)`; finds the caller in `request.viewer`. */
  readonly graphql: FastifyPluginAsync
}

/** The whole HTTP side, ready to listen. */
export async function createHttpApp(deps: HttpDeps): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: deps.logger,
    disableRequestLogging: true,
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: deps.trustProxy,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: 0,
    forceCloseConnections: true,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CONNECTION_CHECK_MS },
    routerOptions: { maxParamLength: 200 },
  })
  app.setErrorHandler(handleError)
  const sessionCookie = createSessionCookie(deps.publicUrl?.protocol === 'https:')
  app.decorateRequest('viewer', null)
  app.addHook('onRequest', async (request) => {
    const token = sessionCookie.read(request.headers.cookie)
    if (token) request.viewer = await deps.services.users.viewerOf(token)
  })
  await app.register(restPlugin, { prefix: '/api/v1', services: deps.services, sessionCookie })
  await app.register(deps.graphql)
  return app
}
