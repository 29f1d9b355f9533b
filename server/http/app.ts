import type { IncomingMessage } from 'node:http'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync, LogController } from 'fastify'
import type { Services } from '../domain/services.ts'
import { handleError, rateHeaders } from '../rest/errors.ts'
import { restPlugin } from '../rest/plugin.ts'
import { createDeviceCookie, createProofCookie } from '../rest/proofCookie.ts'
import { createSessionCookie, type SessionCookie } from '../rest/sessionCookie.ts'
import { serveAvatars } from './avatars.ts'
import { BODY_RATE, type BodyRate, guardBodies } from './bodyGuard.ts'
import { createCallerOf } from './caller.ts'
import { createClientErrorHandler } from './clientError.ts'
import { CONNECTION_RULES, type ConnectionRules, guardConnections } from './connections.ts'
import { allowOrigins, type CorsOrigins } from './cors.ts'
import { drainBeforeClose } from './drain.ts'
import { applyHeaders, securityHeaders } from './headers.ts'
import { type ReadyChecks, serveHealth } from './health.ts'
import { sendNotFound, watchRoutes } from './notFound.ts'
import { createOriginCheck } from './origin.ts'
import { hintAtProxy } from './proxyHint.ts'
import { redirectToHttps } from './redirectToHttps.ts'
import { createRequestLogger } from './requestLogger.ts'
import { createSlowCount } from './slowCount.ts'
import { createTrust } from './trustedProxies.ts'
import { pageFor, readWebFiles, sendWebFile, serveWebFiles, type WebFiles } from './webFiles.ts'

const HEADERS_TIMEOUT_MS = 10_000
const KEEP_ALIVE_TIMEOUT_MS = 10_000
const CONNECTION_CHECK_MS = 5_000
/** How often slow connections that were closed are told in the log. */
const TELL_SLOW_MS = 60_000
const LARGEST_HEADERS_BYTES = 16 * 1024
export const BODY_LIMIT_BYTES = 1024 * 1024
const LONGEST_PARAM = 200
const TUS_METHODS: ReadonlySet<string> = new Set(['POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS'])
const TUS_PATHS = /^\/api\/v1\/uploads(\/|$|\?)/
/** What is below these is for programs: never answered with the page of the web client. */
const PROGRAM_PATHS = /^\/(api|graphql|avatars|health|ready|assets)(\/|$|\?)/

export type HttpDeps = {
  readonly services: Services
  readonly logger: FastifyBaseLogger
  /** Where people reach this server; null: by whatever known name the request uses. */
  readonly publicUrl: URL | null
  /** Other sites whose pages may read answers. */
  readonly corsOrigins?: CorsOrigins
  /** The address that this server listens on. */
  readonly host: string
  /** Fastify's trustProxy: false, or the proxies whose X-Forwarded-* headers count. */
  readonly trustProxy: boolean | string
  /** The GraphQL door, made by `graphqlPlugin(deps)`; finds the caller in `request.viewer`. */
  readonly graphql: FastifyPluginAsync
  /** Vite's output; null serves no web client (tests, development with Vite's own server). */
  readonly webDirectory: string | null
  /** The e-mail-hash picture service; null: initials only. */
  readonly avatarUrl: URL | null
  readonly readyChecks: ReadyChecks
  readonly bodyRate?: BodyRate
  readonly connections?: ConnectionRules
}

/** The whole HTTP side, ready to listen. */
export async function createHttpApp(deps: HttpDeps): Promise<FastifyInstance> {
  const https = deps.publicUrl?.protocol === 'https:'
  const sessionCookie = createSessionCookie(https)
  const headers = Object.entries(securityHeaders(https))
  const app = createServer(deps, headers)
  const webFiles: WebFiles = deps.webDirectory ? readWebFiles(deps.webDirectory) : new Map()
  const methodsOf = watchRoutes(app)

  app.removeContentTypeParser('text/plain')
  app.setErrorHandler(handleError)
  app.decorateRequest('viewer', null)
  app.decorateRequest('ownOrigin', '')
  app.decorateRequest('linkOrigin', '')
  app.addHook('onRequest', async (_request, reply) => applyHeaders(reply, headers))
  drainBeforeClose(app)
  const slow = createSlowCount(app, TELL_SLOW_MS)
  guardConnections(app, { rules: deps.connections ?? CONNECTION_RULES, trusts: createTrust(deps.trustProxy), slow })
  // Before whatever may refuse a request: its body goes on coming.
  guardBodies(app, { rate: deps.bodyRate ?? BODY_RATE, slow, headers })
  redirectToHttps(app, deps.publicUrl)
  allowOrigins(app, deps.corsOrigins ?? new Set())
  app.addHook('onRequest', createOriginCheck(deps, sessionCookie))
  hintAtProxy(app, deps.trustProxy)
  app.setNotFoundHandler((request, reply) => {
    const page = PROGRAM_PATHS.test(request.url) ? null : pageFor(webFiles, request)
    return page ? sendWebFile(page, request, reply) : sendNotFound(request, reply, methodsOf(pathOf(request.url)))
  })

  await serveHealth(app, deps.readyChecks)
  await serveWebFiles(app, webFiles)
  await app.register(async (scope) => serveSignedIn(scope, deps, sessionCookie))
  return app
}

/** What knows its caller: both doors and the avatars. */
async function serveSignedIn(app: FastifyInstance, deps: HttpDeps, sessionCookie: SessionCookie): Promise<void> {
  const { users } = deps.services
  const https = deps.publicUrl?.protocol === 'https:'
  const cookies = { sessionCookie, proofCookie: createProofCookie(https), deviceCookie: createDeviceCookie(https) }
  const callerOf = createCallerOf(deps.services, sessionCookie)
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.config.visitors) request.viewer = await callerOf(request)
    reply.headers(rateHeaders(request.viewer?.key?.rate))
  })
  await app.register(restPlugin, { prefix: '/api/v1', services: deps.services, ...cookies })
  await app.register(deps.graphql)
  await serveAvatars(app, users, deps.avatarUrl)
}

function createServer({ logger, trustProxy }: HttpDeps, headers: readonly [string, string][]): FastifyInstance {
  return Fastify({
    loggerInstance: logger,
    childLoggerFactory: createRequestLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Of the whole request, so it would cut long uploads; stalled bodies are ended by guardBodies.
    requestTimeout: 0,
    forceCloseConnections: true,
    // drainBeforeClose answers as every refusal is answered.
    return503OnClosing: false,
    clientErrorHandler: createClientErrorHandler(headers),
    frameworkErrors: (error, request, reply) => {
      applyHeaders(reply, headers)
      return handleError(error, request, reply)
    },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
      maxHeaderSize: LARGEST_HEADERS_BYTES,
    },
    rewriteUrl: overrideMethod,
    routerOptions: { maxParamLength: LONGEST_PARAM },
  })
}

/**
 * tus lets clients whose surroundings know no PATCH send POST with the method in a header (X-HTTP-Method-Override). Before
 * routing, so that all that looks at the method sees that one. Returns the address as it is.
 */
function overrideMethod(request: IncomingMessage): string {
  const method = String(request.headers['x-http-method-override'] ?? '').toUpperCase()
  const url = request.url ?? '/'
  if (TUS_METHODS.has(method) && TUS_PATHS.test(url)) request.method = method
  return url
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url
}
