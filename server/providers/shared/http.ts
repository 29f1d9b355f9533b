import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { currentCause, traceparentOf } from '../../lib/cause.ts'
import { destroyOnAbort } from '../../lib/concurrency.ts'
import { countGarbage } from '../../lib/garbage.ts'
import type { Call } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import { type HostGuard, HostRefused } from './hostGuard.ts'
import { longBody } from './longBody.ts'

/** `bytes` yields exactly `length` bytes; it is not read to its end when the service responds before. */
export type HttpBody = string | Uint8Array | { readonly length: number; readonly bytes: AsyncIterable<Uint8Array> }

export type HttpRequest = {
  readonly where: ProviderErrorWhere
  readonly method: string
  /** The service's own address; replaced by the emulator's where one is configured. */
  readonly url: string | URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: HttpBody
  /** How long the response may take after the request was sent (ms); 30 seconds by default. */
  readonly patienceMs?: number
  /** Resolves with a redirect, which is not followed, instead of rejecting. */
  readonly keepRedirects?: boolean
}

/** A response of any status but a redirect. Its body must be read or disposed of. */
export type HttpResponse = {
  readonly status: number
  header(name: string): string | null
  /** Names of all headers, in lower case. */
  headerNames(): readonly string[]
  /** Breaks with a ProviderError when it stalls or ends early, and with the signal's reason when the call is aborted. */
  readonly body: Readable
  /** From now on, the body breaks with the error when it has more or fewer bytes; none more than so many are passed on. */
  expectLength(length: number, wrongLength: (received: number) => ProviderError): void
  /** The whole body, of at most 8 MiB. */
  text(): Promise<string>
  /** @throws ProviderError Transient when the body is not JSON, as from proxies and login pages of networks */
  json(): Promise<unknown>
  dispose(): void
}

export type Http = {
  /** Where a call to this address is sent: there, or to the emulator as `<emulator>/@<host>/<path>`. */
  address(url: string | URL): URL
  /**
   * One request, without retries and without following redirects: those are Transient.
   * @throws ProviderError Transient when the network fails or the service does not respond, Forbidden when the guard refuses the host, and `call.signal.reason` on abort
   */
  send(call: Call, request: HttpRequest): Promise<HttpResponse>
}

export type HttpOptions = {
  readonly emulatorUrl: URL | null
  /** For addresses that users type in: refuses private ones, and accepts http. */
  readonly guard?: HostGuard
  readonly timeouts?: Partial<Timeouts>
}

/** The HTTP client of all providers. One per process and purpose: it has a pool of connections. */
export function createHttp({ emulatorUrl, guard, timeouts }: HttpOptions): Http {
  const limits = { ...DEFAULT_TIMEOUTS, ...timeouts, connections: createConnections(guard) }
  const emulator = emulatorUrl?.href.replace(/\/+$/, '') ?? null
  const address = (url: string | URL): URL => {
    const real = new URL(url)
    if (!emulator || real.href.startsWith(`${emulator}/`)) return real
    return new URL(`${emulator}/@${real.host}${real.pathname}${real.search}`)
  }
  return {
    address,
    async send(call, request) {
      call.signal.throwIfAborted()
      const url = address(request.url)
      checkProtocol(url, emulator !== null || guard !== undefined, request.where)
      const response = await exchange(call, url, traced(request), limits)
      const refusal = refusalOf(response, request)
      if (!refusal) return response
      response.dispose()
      throw new ProviderError('Transient', { ...request.where, status: response.status }, { message: refusal })
    },
  }
}

/** Names the span of the call, so that a provider in the same network can be traced too. */
function traced(request: HttpRequest): HttpRequest {
  const span = currentCause()?.span
  return span ? { ...request, headers: { traceparent: traceparentOf(span), ...request.headers } } : request
}

function checkProtocol({ protocol }: URL, allowsHttp: boolean, where: ProviderErrorWhere): void {
  if (protocol === 'https:' || (allowsHttp && protocol === 'http:')) return
  throw new ProviderError('Permanent', where, { message: 'The address is not https.' })
}

function refusalOf(response: HttpResponse, { method, keepRedirects = false }: HttpRequest): string | null {
  // Of a network that wants a sign-in, or of a proxy: nothing was deleted. Services respond with 204, or with data.
  const isPage = response.header('content-type')?.startsWith('text/html') === true
  if (method === 'DELETE' && response.status === 200 && isPage) return 'A web page came instead of a response.'
  const isRedirect = response.status >= 300 && response.status < 400 && response.header('location') !== null
  if (isRedirect && !keepRedirects) return 'The response redirects to another address.'
  const encoding = response.header('content-encoding')
  return encoding && encoding !== 'identity'
    ? `The response is compressed (${encoding}), which was not requested.`
    : null
}

/** The pause (ms) that a Retry-After header asks for, in seconds or as a date (RFC 9110 10.2.3); null when absent or invalid. */
export function retryAfterMs(value: string | null, now = Date.now()): number | null {
  if (value === null || value.trim() === '') return null
  const seconds = Number(value)
  const wait = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000
  return Number.isNaN(wait) ? null : Math.max(0, wait)
}

/** @throws ProviderError AuthExpired without an access token: a refresh may return one */
export function checkToken(accessToken: string, where: ProviderErrorWhere): void {
  if (accessToken === '') throw new ProviderError('AuthExpired', where, { message: 'There is no access token.' })
}

/** What the clients of Google and Dropbox pass to a custom fetch. */
type Init = { readonly method?: string; readonly headers?: unknown; readonly body?: unknown }

/**
 * A fetch for the control calls of an official client, with the same timeouts, emulator and errors as `http`. The client wraps
 * errors before its caller gets them.
 */
export function createSdkFetch(http: Http, call: Call, where: ProviderErrorWhere): typeof fetch {
  return async (input, init: Init = {}) => {
    const body = init.body ?? null
    if (body !== null && typeof body !== 'string') throw new TypeError('Bodies of control calls must be strings.')
    const response = await http.send(call, {
      where,
      method: init.method ?? 'GET',
      url: String(input),
      headers: headersOf(init.headers),
      ...(body !== null && { body }),
    })
    const text = await response.text()
    const isEmpty = response.status === 204 || response.status === 304
    return new Response(isEmpty ? null : text, { status: response.status, headers: headersFor(response.header) })
  }
}

function headersOf(given: unknown): Record<string, string> {
  const headers = Object.fromEntries(new Headers((given ?? {}) as Record<string, string>))
  return { ...headers, 'accept-encoding': 'identity' }
}

function headersFor(header: (name: string) => string | null): Record<string, string> {
  const names = ['content-type', 'retry-after', 'dropbox-api-result']
  return Object.fromEntries(names.flatMap((name) => (header(name) === null ? [] : [[name, header(name) ?? '']])))
}

export type Timeouts = {
  readonly connectMs: number
  /** For the head of a response, after the request was sent completely. */
  readonly headMs: number
  /** Without progress in either direction. */
  readonly idleMs: number
}
const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headMs: 30_000, idleMs: 60_000 }

export type Connections = {
  readonly http: HttpAgent
  readonly https: HttpsAgent
  readonly guard?: HostGuard | undefined
}

/** Pools of connections, to hosts that the guard allows. */
function createConnections(guard?: HostGuard): Connections {
  const options = { keepAlive: true, ...(guard && { lookup: guard.lookup }) }
  return { http: new HttpAgent(options), https: new HttpsAgent(options), guard }
}

// node:http and not fetch: fetch gives up after 300 s even while it still sends, and decompresses responses that were not to be compressed.
/** Sends one request and resolves with the head of its response; its body is read from `body`, `text` or `json`. */
async function exchange(
  call: Call,
  url: URL,
  asked: HttpRequest,
  { connections, ...timeouts }: Timeouts & { readonly connections: Connections },
): Promise<HttpResponse> {
  const { where, method, body } = asked
  await checkAddress(connections.guard, url.hostname, where)
  const isTls = url.protocol === 'https:'
  const request = (isTls ? requestHttps : requestHttp)(url, {
    method,
    agent: isTls ? connections.https : connections.http,
    headers: { 'accept-encoding': 'identity', ...asked.headers, ...lengthOf(method, body) },
  })
  const abort = (): void => void request.destroy(toError(call.signal.reason))
  call.signal.addEventListener('abort', abort, { once: true })
  request.once('close', () => call.signal.removeEventListener('abort', abort))
  limitConnecting(request, where, timeouts.connectMs)
  try {
    const answered = responseTo(request, where, asked.patienceMs ?? timeouts.headMs)
    const written = writeBody(request, body, where, timeouts)
    // A response that arrives before the request is complete counts at once, even while the content is slow.
    written.catch(() => undefined)
    const message = await Promise.race([answered, written.then(() => answered)])
    // Some servers end a response to HEAD like one with a body: the next request on this connection would fail.
    if (method === 'HEAD' && message.headers['transfer-encoding'] !== undefined) message.socket.destroy()
    return responseOf(call, request, message, where, { ...timeouts, method })
  } catch (error) {
    request.destroy()
    if (call.signal.aborted) throw call.signal.reason
    throw networkError(error, where)
  }
}

/** The lookup of a connection covers only names. */
async function checkAddress(guard: HostGuard | undefined, hostname: string, where: ProviderErrorWhere): Promise<void> {
  if (!guard || isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return
  await guard.resolve(hostname).catch((error: unknown) => {
    throw networkError(error, where)
  })
}

/** `patienceMs` counts from the end of the request. */
function responseTo(request: ClientRequest, where: ProviderErrorWhere, patienceMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const wait = (): void => {
      const late = (): void => void request.destroy(networkError(new Error('no response in time'), where))
      timer = setTimeout(late, patienceMs)
    }
    request.once('finish', wait)
    request.once('close', () => clearTimeout(timer))
    request.once('response', (message) => {
      request.off('finish', wait)
      clearTimeout(timer)
      resolve(message)
    })
    // Never removed: after the head, an error breaks the body, which reports it; here it must only not be unhandled.
    request.on('error', reject)
  })
}

function lengthOf(method: string, body: HttpBody | undefined): Record<string, string> {
  if (body === undefined) return method === 'GET' || method === 'HEAD' ? {} : { 'content-length': '0' }
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  return { 'content-length': String(length) }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}

/** Resolves when all bytes were passed to the connection, or when the service has responded earlier, which ends the upload. */
async function writeBody(
  request: ClientRequest,
  body: HttpBody | undefined,
  where: ProviderErrorWhere,
  { idleMs }: Timeouts,
): Promise<void> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    request.end(body)
    return
  }
  let hasEnded = false
  const end = (): void => {
    hasEnded = true
  }
  request.once('response', end)
  request.once('close', end)
  let sent = 0
  for await (const chunk of body.bytes) {
    if (hasEnded) return
    sent += chunk.length
    countGarbage(chunk.length)
    if (!request.write(chunk)) await drained(request, where, idleMs)
    if (hasEnded) return
  }
  if (sent !== body.length) throw new ProviderError('Corrupt', where, { message: 'The content has another length.' })
  request.end()
}

/** Resolves also when the request has ended, by a response or an error. */
function drained(request: ClientRequest, where: ProviderErrorWhere, idleMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stalled = (): void => void request.destroy(networkError(new Error('the service stopped reading'), where))
    const timer = setTimeout(stalled, idleMs)
    const done = (): void => {
      clearTimeout(timer)
      for (const event of ['drain', 'response', 'close']) request.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'response', 'close']) request.on(event, done)
    if (request.destroyed) done()
  })
}

/** Of a response that waits for its reader: with Node's own smaller limits, the connection is paused after each read. */
const BODY_BYTES = 256 * 1024
/** The same for long ones; each has up to 64 KiB. As much as is written to the disk at once (storage/stagingWriter.ts). */
const BODY_CHUNKS = 16

const MAX_TEXT_BYTES = 8 * 1024 * 1024

/** The response in `message`. Its body ends with the call, and breaks when it stalls. */
function responseOf(
  call: Call,
  request: ClientRequest,
  message: IncomingMessage,
  where: ProviderErrorWhere,
  { idleMs, method }: Timeouts & { readonly method: string },
): HttpResponse {
  const at = { ...where, status: message.statusCode ?? 0 }
  const { stream: body, expectLength } = bodyOf(call, request, message, at)
  limitIdle(message, body, idleMs)
  const text = (): Promise<string> => textOf(body, at)
  return {
    status: at.status,
    header: (name) => {
      const value = message.headers[name.toLowerCase()]
      return (Array.isArray(value) ? value[0] : value) ?? null
    },
    headerNames: () => Object.keys(message.headers),
    body,
    expectLength,
    text,
    json: async () => jsonOf(await text(), at),
    // Where little or nothing is left to read, the connection is kept for the next request.
    dispose: () => void (isShort(method, message) ? body.resume() : body.destroy()),
  }
}

/** As long as what arrives in one read. */
const SHORT_BYTES = 16 * 1024

function isShort(method: string, { statusCode, headers }: IncomingMessage): boolean {
  if (method === 'HEAD' || statusCode === 204 || statusCode === 304) return true
  return headers['content-length'] !== undefined && Number(headers['content-length']) <= SHORT_BYTES
}

type Body = { readonly stream: Readable; readonly expectLength: HttpResponse['expectLength'] }

/** One stage, and not a pipe into others: each costs as much time as to receive the bytes. */
function bodyOf(call: Call, request: ClientRequest, message: IncomingMessage, where: ProviderErrorWhere): Body {
  let seen = 0
  let expected: Parameters<HttpResponse['expectLength']> | null = null
  const long = longBody(request, message)
  const stream = new Readable({
    // A stream of bytes passes on what waits as one chunk, which is a copy of it: good for little pieces only.
    objectMode: long.isPossible,
    highWaterMark: long.isPossible ? BODY_CHUNKS : BODY_BYTES,
    read: () => void (long.isDirect() ? message.socket : message).resume(),
    destroy(error, done) {
      if (!message.readableEnded) message.destroy()
      if (!error) done(null)
      else done(call.signal.aborted ? call.signal.reason : networkError(error, where))
    },
  })
  const check = (isWhole: boolean): boolean => {
    if (!expected) return true
    const [length, wrongLength] = expected
    if (isWhole ? seen === length : seen <= length) return true
    stream.destroy(wrongLength(seen))
    return false
  }
  const take = (chunk: Buffer): boolean => {
    seen += chunk.length
    countGarbage(chunk.length)
    return !check(false) || stream.push(chunk)
  }
  const end = (): void => void (check(true) && stream.push(null))
  message.on('data', (chunk: Buffer) => {
    const hasRoom = take(chunk)
    const isDirect = message.readableLength === 0 && long.begin(seen, { take, end })
    if (!hasRoom) (isDirect ? message.socket : message).pause()
  })
  message.once('end', end)
  message.on('error', (error) => void (long.hasEnded() || stream.destroy(error)))
  message.once('close', () => {
    if (!message.readableEnded && !long.hasEnded()) stream.destroy(new Error('the response ended early'))
    if (!request.writableFinished) request.destroy()
  })
  return {
    // An aborted request ends its message early without an error: the body must not look like a complete, short response.
    stream: destroyOnAbort(call.signal, stream),
    expectLength(...length) {
      expected = length
      check(message.readableEnded)
    },
  }
}

/** Breaks a body that stalls. A slow reader is not a stall: then bytes wait in the body. */
function limitIdle(message: IncomingMessage, body: Readable, idleMs: number): void {
  const { socket } = message
  const idle = (): void => {
    if (body.readableLength > 0) socket.setTimeout(idleMs)
    else message.destroy(new Error('the service stopped sending'))
  }
  socket.setTimeout(idleMs)
  socket.on('timeout', idle)
  message.once('close', () => {
    socket.off('timeout', idle)
    socket.setTimeout(0)
  })
}

async function textOf(body: Readable, where: ProviderErrorWhere): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_TEXT_BYTES) throw new ProviderError('Permanent', where, { message: 'The response is too long.' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function jsonOf(text: string, where: ProviderErrorWhere): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderError('Transient', where, { message: 'The response is not JSON.' })
  }
}

/** Breaks the request when its connection is not established in time. */
function limitConnecting(request: ClientRequest, where: ProviderErrorWhere, connectMs: number): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return
    const late = (): void => void request.destroy(networkError(new Error('no connection in time'), where))
    const timer = setTimeout(late, connectMs)
    const stop = (): void => clearTimeout(timer)
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', stop)
    socket.once('close', stop)
  })
}

/** Network errors are Transient, and a refused host is Forbidden; a ProviderError is returned as it is. */
function networkError(error: unknown, where: ProviderErrorWhere): ProviderError {
  if (error instanceof ProviderError) return error
  if (error instanceof HostRefused) {
    return new ProviderError('Forbidden', where, { message: error.message, isHostRefused: true })
  }
  const code = (error as { code?: unknown } | null)?.code
  const reason = typeof code === 'string' ? code : error instanceof Error ? error.message : String(error)
  return new ProviderError('Transient', where, { message: `The connection failed: ${reason}.`, cause: error })
}
