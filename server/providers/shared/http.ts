import type { Readable } from 'node:stream'
import { currentCause, traceparentOf } from '../../lib/cause.ts'
import type { Call } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import { createConnections, DEFAULT_TIMEOUTS, exchange, type Timeouts } from './exchange.ts'
import type { HostGuard } from './hostGuard.ts'

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
