import type { ServerResponse } from 'node:http'
import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { GraphQLError, NoSchemaIntrospectionCustomRule, parse } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { TooManyRequestsError, UnauthenticatedError } from '../domain/errors.ts'
import { watchValidity } from '../lib/concurrency.ts'
import { languageCookie, languageFor } from '../lib/languages.ts'
import type { SharedSlots } from '../lib/limits.ts'
import { logTrouble, troubleOf } from '../lib/trouble.ts'
import { type Caller, type Context, type ContextDeps, createContext, requireViewer } from './context.ts'
import { publicError, type Report } from './errors.ts'
import { createStreamCount, documentLimits, MAX_QUERY_LENGTH, MAX_TOKENS } from './limits.ts'
import { readMultipart } from './multipart.ts'
import { schema } from './schema.ts'

/** An HTML form on any site can send multipart, but none of these headers: with one of them a script sent the request, after a CORS preflight. */
const PREFLIGHT_HEADERS = ['graphql-require-preflight', 'apollo-require-preflight', 'x-apollo-operation-name'] as const
/** Hop-by-hop headers (RFC 9110 7.6.1) are set by Node: the engine's own could contradict a Content-Length. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
])

/** Media ranges that match a response format of the engine. */
const ANSWER_TYPES = [
  /^(\*|application)\/(\*|json|graphql-response\+json)$/,
  /^(\*|text)\/(\*|event-stream)$/,
  /^(\*|multipart)\/(\*|mixed)$/,
] as const

export type GraphqlDeps = Omit<ContextDeps, 'streams'> &
  Pick<EngineDeps, 'persisted'> & {
    /** Limits live streams over all servers. Null: this process is the only one. */
    readonly slots: Pick<SharedSlots, 'tryTake'> | null
    /** The values of `Set-Cookie`. */
    readonly sessionCookie: { write(token: string, expiresAt: Date | null): string; clear(): string }
    readonly proofCookie: {
      read(header: string | undefined, shareId: string): string | null
      write(shareId: string, proof: string): string
    }
    readonly deviceCookie: {
      read(header: string | undefined, userId: string): string | null
      write(userId: string, device: string): string
    }
    readonly logger: Readonly<Record<'warn' | 'error', (details: object, message: string) => void>>
  }

/** The GraphQL endpoint, /graphql. Reads the caller from `request.viewer`; aborts its streams when the app closes. */
export function graphqlPlugin({
  persisted,
  sessionCookie,
  proofCookie,
  deviceCookie,
  logger,
  slots,
  ...deps
}: GraphqlDeps): FastifyPluginAsync {
  const report: Report = (err, trouble) =>
    trouble ? logTrouble(trouble, logger) : logger.error({ err }, 'A GraphQL operation failed')
  const engine = createEngine({ persisted, report })
  const contextDeps = { ...deps, streams: createStreamCount(slots) }
  const open = new Set<ServerResponse>()
  const cookies = { sessionCookie, proofCookie, deviceCookie }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const context = createContext(contextDeps, callerOf(request, reply, cookies))
    if (request.body === '') throw refusal('MALFORMED_BODY', 400, 'The request has no body.')
    checkQueryString(request.query)
    checkAccept(request.headers.accept)
    const release = isMultipart(request) ? await takeOperation(request, reply, context) : () => {}
    try {
      const response = await engine.handleNodeRequestAndResponse(request, reply.raw, context)
      // For a subscription: only the engine knows that the operation is one.
      if (response.status === 406) throw notAcceptable()
      const headers = [...response.headers].filter(([name]) => !CONNECTION_HEADERS.has(name.toLowerCase()))
      reply.code(response.status).header('cache-control', 'no-store').headers(Object.fromEntries(headers))
      if (!isEventStream(response)) return reply.send(await response.text())
      open.add(reply.raw)
      reply.raw.once('close', () => open.delete(reply.raw))
      return reply.send(response.body?.pipeThrough(withEventIds()))
    } finally {
      release()
    }
  }

  return async (app) => {
    parseBodiesHere(app)
    answerRefusedCallers(app, report)
    // Clients reconnect after an aborted stream, but not after a completed one.
    app.addHook('preClose', async () => {
      for (const response of open) response.destroy()
    })
    app.route({
      url: '/graphql',
      method: ['GET', 'POST'],
      schema: { hide: true },
      handler: (request, reply) => answer(request, reply).catch((error) => refuse(reply, publicError(error, report))),
    })
  }
}

/** Errors before the operation is parsed (invalid keys, rate limits, an unreachable database) in the format of GraphQL errors. */
function answerRefusedCallers(app: FastifyInstance, report: Report): void {
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof UnauthenticatedError) {
      return refuse(reply.header('www-authenticate', 'Bearer'), refusal(error.code, 401, error.message))
    }
    if (error instanceof TooManyRequestsError) {
      const { retryAfterSeconds } = error
      const refused = refusal(error.code, 429, error.message, { retryAfterSeconds })
      return refuse(reply.header('retry-after', retryAfterSeconds), refused)
    }
    if (troubleOf(error)) return refuse(reply, publicError(error, report))
    throw error
  })
}

/** JSON stays text, so that parse errors have the GraphQL format; multipart stays a stream; any other type is refused (415). */
function parseBodiesHere(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null))
}

function callerOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessionCookie, proofCookie, deviceCookie }: Pick<GraphqlDeps, 'sessionCookie' | 'proofCookie' | 'deviceCookie'>,
): Caller {
  const disconnected = new AbortController()
  if (reply.raw.destroyed) disconnected.abort()
  reply.raw.once('close', () => disconnected.abort())
  return {
    viewer: request.viewer,
    origin: request.ownOrigin,
    linkOrigin: request.linkOrigin,
    client: {
      address: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
      language: languageFor(request.headers),
      deviceOf: (userId) => deviceCookie.read(request.headers.cookie, userId),
    },
    signal: disconnected.signal,
    lastEventId: request.headers['last-event-id']?.toString() ?? null,
    idempotencyKey: request.headers['idempotency-key']?.toString(),
    writeCookie: (token, expiresAt) => reply.header('set-cookie', sessionCookie.write(token, expiresAt)),
    clearCookie: () => reply.header('set-cookie', sessionCookie.clear()),
    writeDevice: (userId, device) => reply.header('set-cookie', deviceCookie.write(userId, device)),
    writeLanguage: (language) => reply.header('set-cookie', languageCookie(language)),
    readShareProof: (id) => proofCookie.read(request.headers.cookie, id),
    writeShareProof: (id, proof) => reply.header('set-cookie', proofCookie.write(id, proof)),
  }
}

/** For GET. The engine would report invalid JSON here as an internal error. @throws GraphQLError */
function checkQueryString(query: unknown): void {
  for (const [name, value] of Object.entries(query as Readonly<Record<string, unknown>>)) {
    if ((name === 'variables' || name === 'extensions') && !isJson(value)) {
      throw refusal('BAD_REQUEST', 400, `The ${name} in the address are not JSON.`)
    }
  }
}

/** The engine checks it after execution, which is too late for a mutation. @throws GraphQLError when it accepts none of our formats */
function checkAccept(header = ''): void {
  const ranges = (header || '*/*').replace(/\s/g, '').toLowerCase().split(',')
  const isAccepted = ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';')
    const charset = parameters.find((parameter) => parameter.includes('charset='))
    return (charset ?? 'charset=utf-8') === 'charset=utf-8' && ANSWER_TYPES.some((known) => known.test(type))
  })
  if (!isAccepted) throw notAcceptable()
}

function notAcceptable(): GraphQLError {
  return refusal(
    'NOT_ACCEPTABLE',
    406,
    'Queries and mutations are answered as application/graphql-response+json or application/json, subscriptions as text/event-stream. The header Accept allows neither.',
  )
}

function isJson(text: unknown): boolean {
  try {
    JSON.parse(String(text))
    return true
  } catch {
    return false
  }
}

function isMultipart({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.toLowerCase().startsWith('multipart/form-data') ?? false
}

/**
 * Sets `request.body` to the operation of a multipart request, where the engine expects a parsed body. The request is aborted
 * within seconds after its session or key ends.
 * @returns a function to call after the operation: it discards the rest of the request
 * @throws GraphQLError unless signed in, and with a key or a preflight header
 */
async function takeOperation(request: FastifyRequest, reply: FastifyReply, context: Context): Promise<() => void> {
  // Browsers never add an API key on their own.
  const isFromScript = request.viewer?.key || PREFLIGHT_HEADERS.some((name) => request.headers[name] !== undefined)
  if (!isFromScript) {
    throw refusal(
      'PREFLIGHT_REQUIRED',
      403,
      'Without an API key, a multipart request needs the header GraphQL-Require-Preflight.',
    )
  }
  const viewer = requireViewer(context)
  const stop = watchValidity(
    () => context.services.users.isLive(viewer),
    () => reply.raw.destroy(),
  )
  reply.raw.once('close', stop)
  const { params, release } = await readMultipart(request.raw, reply.raw)
  request.body = params
  return release
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

function refusal(code: string, status: number, message: string, more: object = {}): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...more, http: { status } } })
}

function refuse(reply: FastifyReply, error: Error): FastifyReply {
  const extensions = error instanceof GraphQLError ? error.extensions : {}
  const { http, ...rest } = extensions as { http?: { status: number; headers?: Record<string, string> } }
  const body = { errors: [{ message: error.message, extensions: rest }] }
  return reply
    .code(http?.status ?? 500)
    .headers(http?.headers ?? {})
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body))
}

/** Adds an event id to each `changes` message that has a position; clients send it back as Last-Event-ID (HTML, 9.2). */
function withEventIds(): TransformStream<unknown, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : (chunk as Uint8Array)
      const [, data] = /^event: next\ndata: (.*)\n/.exec(decoder.decode(bytes)) ?? []
      const position = data === undefined ? null : JSON.parse(data)?.data?.changes?.position
      if (typeof position === 'string') controller.enqueue(encoder.encode(`id: ${position}\n`))
      controller.enqueue(bytes)
    },
  })
}

type EngineDeps = {
  /** The web client's operations by their SHA-256, as relay-compiler writes them. */
  readonly persisted: Readonly<Record<string, string>>
  /** Called with each error that is masked. */
  readonly report: Report
}

/** GraphQL Yoga with our schema, limits and persisted operations. The http layer reads and limits bodies. */
function createEngine({ persisted, report }: EngineDeps) {
  return createYoga<Context>({
    schema,
    plugins: [
      usePersistedOperations<Context>({
        allowArbitraryOperations: true,
        getPersistedOperation: (id) => (Object.hasOwn(persisted, id) ? (persisted[id] ?? null) : null),
        customErrors: {
          // Callers cannot register operations. Clients with automatic persisted queries recognise this answer (Apollo by its
          // code, urql by its message) and then send the text of each operation instead of trying its hash first.
          notFound: {
            message: 'PersistedQueryNotSupported',
            extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', http: { status: 200 } },
          },
          keyNotFound: invalidDocument('BAD_REQUEST', 'Must provide a query, or the id of a persisted one.'),
        },
      }),
      documentPolicy,
    ],
    maskedErrors: { maskError: (error) => publicError(error, report) },
    maxRequestBodySize: false,
    multipart: false,
    batching: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
  })
}

function invalidDocument(code: string, message: string) {
  return { message, extensions: { code, http: { status: 400 } } }
}

const SUGGESTION = / Did you mean .+\?$/

/** Limits documents of all callers, and hides the schema (introspection, suggestions) from callers that are not signed in. */
const documentPolicy: Plugin<Context, Context> = {
  onParse({ params: { source }, setParseFn }) {
    if (source.toString().length > MAX_QUERY_LENGTH) {
      const message = `An operation may have at most ${MAX_QUERY_LENGTH} characters.`
      throw new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED', http: { status: 400, spec: true } } })
    }
    setParseFn((text: string) => parse(text, { maxTokens: MAX_TOKENS }))
  },
  onValidate({ context, addValidationRule }) {
    addValidationRule(documentLimits)
    if (!context.viewer()) addValidationRule(NoSchemaIntrospectionCustomRule)
  },
  onExecutionResult({ context, result, setResult }) {
    if (context.viewer() || !result || Array.isArray(result) || !('errors' in result) || !result.errors) return
    setResult({ ...result, errors: result.errors.map(withoutSuggestion) })
  },
}

function withoutSuggestion(error: GraphQLError): GraphQLError {
  if (!SUGGESTION.test(error.message)) return error
  const { nodes, path, extensions } = error
  const place = { ...(nodes && { nodes }), ...(path && { path }) }
  return new GraphQLError(error.message.replace(SUGGESTION, ''), { ...place, extensions })
}
