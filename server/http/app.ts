import type { IncomingMessage } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { UnauthenticatedError } from '../domain/errors.ts'
import type { Services } from '../domain/services.ts'
import type { Viewer } from '../domain/viewer.ts'
import { createDeviceCookie, createProofCookie, createSessionCookie, type SessionCookie } from '../rest/cookies.ts'
import { handleError, problemOf, sendProblem } from '../rest/errors.ts'
import { acceptEmptyJson } from '../rest/input.ts'
import { restPlugin } from '../rest/plugin.ts'
import { rateHeaders } from '../rest/request.ts'
import { serveAvatars } from './avatars.ts'
import { CONNECTION_RULES, type ConnectionRules, createSlowCount, guardConnections } from './connections.ts'
import { allowOrigins, type CorsOrigins } from './cors.ts'
import { createRequestIds, followRequests, type RequestWatch } from './following.ts'
import { drainBeforeClose, type ReadyChecks, serveHealth } from './lifecycle.ts'
import { createTrust, hintAtProxy } from './proxies.ts'
import {
  applyHeaders,
  BODY_RATE,
  type BodyRate,
  createClientErrorHandler,
  createOriginCheck,
  guardBodies,
  redirectToHttps,
  securityHeaders,
} from './security.ts'
import { pageFor, readWebFiles, sendWebFile, serveWebFiles, type WebFiles } from './webFiles.ts'

const HEADERS_TIMEOUT_MS = 10_000
/** Longer than proxies keep connections (60 s): otherwise one of them sends a request on a connection that is being closed here. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
const CONNECTION_CHECK_MS = 5_000
/** Interval (ms) between log lines that count closed slow connections. */
const SLOW_LOG_INTERVAL_MS = 60_000
const MAX_HEADERS_BYTES = 16 * 1024
export const BODY_LIMIT_BYTES = 1024 * 1024
const MAX_PARAM_LENGTH = 200
const BEARER = /^bearer +(\S+) *$/i
const TUS_METHODS: ReadonlySet<string> = new Set(['POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS'])
const TUS_PATHS = /^\/api\/v1\/uploads(\/|$|\?)/
/** Paths for programs: unknown ones below them get a 404 problem, never the page of the web client. */
const PROGRAM_PATHS = /^\/(api|graphql|avatars|health|ready|assets)(\/|$|\?)/

export type HttpDeps = {
  readonly services: Services
  readonly logger: FastifyBaseLogger
  /** The address people use for this server; null: taken from the request, if its host name is trusted. */
  readonly publicUrl: URL | null
  /** Origins of other sites whose pages may read responses (CORS). */
  readonly corsOrigins?: CorsOrigins
  /** The address this server listens on (HOST). */
  readonly host: string
  /** Fastify's trustProxy: false, or the proxies whose X-Forwarded-* headers are trusted. */
  readonly trustProxy: boolean | string
  /** The GraphQL API, made by `graphqlPlugin(deps)`; reads the caller from `request.viewer`. */
  readonly graphql: FastifyPluginAsync
  /** Vite's output; null: no web client is served (tests, development with Vite's own server). */
  readonly webDirectory: string | null
  /** Base URL of a Gravatar-compatible service; null: initials only. */
  readonly avatarUrl: URL | null
  readonly readyChecks: ReadyChecks
  readonly bodyRate?: BodyRate
  readonly connections?: ConnectionRules
  /** Called with every request, for metrics and traces. */
  readonly watch?: RequestWatch | null
  /** What requests lead to is logged with their id. Default: false, because it costs time. */
  readonly followsCauses?: boolean
}

/** Builds the Fastify app with all routes and hooks, ready to listen. */
export async function createHttpApp(deps: HttpDeps): Promise<FastifyInstance> {
  const https = deps.publicUrl?.protocol === 'https:'
  const sessionCookie = createSessionCookie(https)
  const headers = Object.entries(securityHeaders(https))
  const trusts = createTrust(deps.trustProxy)
  const app = createServer(deps, headers)
  const webFiles: WebFiles = deps.webDirectory ? readWebFiles(deps.webDirectory) : new Map()
  const methodsOf = watchRoutes(app)

  app.removeContentTypeParser('text/plain')
  acceptEmptyJson(app)
  app.setErrorHandler(handleError)
  app.decorateRequest('viewer', null)
  app.decorateRequest('ownOrigin', '')
  app.decorateRequest('linkOrigin', '')
  followRequests(app, { watch: deps.watch ?? null, followsCauses: deps.followsCauses ?? false, trusts })
  app.addHook('onRequest', async (request, reply) => {
    applyHeaders(reply, headers)
    reply.header('x-request-id', request.id)
  })
  drainBeforeClose(app)
  const slow = createSlowCount(app, SLOW_LOG_INTERVAL_MS)
  guardConnections(app, { rules: deps.connections ?? CONNECTION_RULES, trusts, slow })
  // Before any hook that may refuse a request: its body keeps arriving after the refusal.
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
  await app.register(async (scope) => serveAuthenticated(scope, deps, sessionCookie))
  return app
}

/** The app of a server that answers no requests of users: health and readiness only. */
export async function createWorkerApp(deps: Pick<HttpDeps, 'logger' | 'readyChecks'>): Promise<FastifyInstance> {
  const headers = Object.entries(securityHeaders(false))
  const app = createServer({ ...deps, trustProxy: false }, headers)
  app.setErrorHandler(handleError)
  app.addHook('onRequest', async (_request, reply) => applyHeaders(reply, headers))
  drainBeforeClose(app)
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(reply, problemOf('NOT_FOUND', 'This server only works in the background (ROLES=worker).')),
  )
  await serveHealth(app, deps.readyChecks)
  return app
}

/** Routes that need to know the caller: REST, GraphQL and avatars. */
async function serveAuthenticated(app: FastifyInstance, deps: HttpDeps, sessionCookie: SessionCookie): Promise<void> {
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

/**
 * Authenticates a request by the key in `Authorization`, else by the session cookie; null: anonymous. When `Authorization`
 * is present the cookie is ignored, so a browser's cookie never makes up for an invalid key.
 * @throws UnauthenticatedError for anything in `Authorization` except a valid key, TooManyRequestsError
 */
function createCallerOf({ users, keys }: Pick<Services, 'users' | 'keys'>, sessionCookie: SessionCookie) {
  return async ({ headers: { authorization, cookie }, ip }: FastifyRequest): Promise<Viewer | null> => {
    if (authorization === undefined) {
      const token = sessionCookie.read(cookie)
      return token === null ? null : users.viewerOf(token)
    }
    const key = BEARER.exec(authorization)?.[1]
    const viewer = key === undefined ? null : await keys.viewerOf(key, ip)
    if (viewer) return viewer
    throw new UnauthenticatedError('This API key is not valid. It may have been revoked, or it has expired.')
  }
}

function createServer(
  { logger, trustProxy }: Pick<HttpDeps, 'logger' | 'trustProxy'>,
  headers: readonly [string, string][],
): FastifyInstance {
  return Fastify({
    genReqId: createRequestIds(createTrust(trustProxy)),
    loggerInstance: logger,
    childLoggerFactory: createRequestLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // 0 (no limit): it applies to the whole request and would cut long uploads. guardBodies ends stalled bodies.
    requestTimeout: 0,
    forceCloseConnections: true,
    // drainBeforeClose answers instead, with problem+json like every other refusal.
    return503OnClosing: false,
    clientErrorHandler: createClientErrorHandler(headers),
    frameworkErrors: (error, request, reply) => {
      applyHeaders(reply, headers)
      reply.header('x-request-id', request.id)
      return handleError(error, request, reply)
    },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
      maxHeaderSize: MAX_HEADERS_BYTES,
    },
    rewriteUrl: overrideMethod,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
  })
}

/**
 * Applies X-HTTP-Method-Override to tus requests, for clients that cannot send PATCH. Runs before routing, so that every
 * later check of the method sees the overridden one. Returns the URL unchanged.
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

type Route = { readonly method: string; readonly pattern: RegExp }

/** Records every route as it is registered, to distinguish a wrong method (405 with Allow) from an unknown path (404). */
function watchRoutes(app: FastifyInstance): (path: string) => string[] {
  const routes: Route[] = []
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(
      `^${url
        .replace(/[.$^+?()[\]{}|\\]/g, '\\$&')
        .replace(/:\w+/g, '[^/]+')
        .replace(/\*$/, '.*')}$`,
    )
    for (const name of [method].flat()) routes.push({ method: name, pattern })
  })
  return (path) => [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
}

/** The response for programs when no route matches. */
function sendNotFound(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): FastifyReply {
  if (allowed.length === 0) return sendProblem(reply, problemOf('NOT_FOUND', 'There is nothing at this address.'))
  const detail = `${request.method} is not possible here. Possible: ${allowed.join(', ')}.`
  return sendProblem(reply.header('allow', allowed.join(', ')), problemOf('METHOD_NOT_ALLOWED', detail))
}

type Level = Exclude<keyof FastifyBaseLogger, 'child' | 'level' | 'msgPrefix'>

/**
 * Fastify's child logger factory. A request's logger is created on first use: few requests log anything, and a logger with
 * redaction is a tenth of all that a small upload allocates.
 */
export function createRequestLogger(
  parent: FastifyBaseLogger,
  bindings: Parameters<FastifyBaseLogger['child']>[0],
  options?: Parameters<FastifyBaseLogger['child']>[1],
): FastifyBaseLogger {
  let created: FastifyBaseLogger | null = null
  const own = () => {
    created ??= parent.child(bindings, options)
    return created
  }
  const write =
    (level: Level) =>
    (...args: readonly unknown[]): void => {
      Reflect.apply(own()[level], own(), args)
    }
  return {
    get level() {
      return own().level
    },
    set level(level) {
      own().level = level
    },
    fatal: write('fatal'),
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
    trace: write('trace'),
    silent: write('silent'),
    child: (more, itsOptions) => own().child(more, itsOptions),
  }
}
