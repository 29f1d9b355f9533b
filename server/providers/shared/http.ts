import type { Readable } from 'node:stream'
import type { Call } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import { exchange } from './exchange.ts'
import { DEFAULT_TIMEOUTS, type Timeouts } from './timeouts.ts'

/** `bytes` yields exactly `length` bytes; it is left unread where the service answers before. */
export type HttpBody = string | Uint8Array | { readonly length: number; readonly bytes: AsyncIterable<Uint8Array> }

export type HttpRequest = {
  readonly where: ProviderErrorWhere
  readonly method: string
  /** As the service names it; the emulator's address takes its place where one is set. */
  readonly url: string | URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: HttpBody
  /** How long the answer may take once all is sent; 30 seconds unless told. */
  readonly patienceMs?: number
}

/** Of any status but a redirect. Its body is to be read or disposed of. */
export type HttpResponse = {
  readonly status: number
  header(name: string): string | null
  /** As sent; breaks with a ProviderError when it stalls, ends early, or the call is aborted. */
  readonly body: Readable
  /** The whole body, of at most 8 MiB. */
  text(): Promise<string>
  /** Transient when the body is no JSON: proxies and login pages of networks answer so. */
  json(): Promise<unknown>
  dispose(): void
}

export type Http = {
  /** Where a call to this address of a service goes: there, or to the emulator as `<emulator>/@<host>/<path>`. */
  address(url: string | URL): URL
  /**
   * One request, without retries and without following redirects: those are Transient.
   * @throws ProviderError Transient when the network or the service fails to answer, and `call.signal.reason` on abort
   */
  send(call: Call, request: HttpRequest): Promise<HttpResponse>
}

export type HttpOptions = { readonly emulatorUrl: URL | null; readonly timeouts?: Partial<Timeouts> }

/** The way to all providers. */
export function createHttp({ emulatorUrl, timeouts }: HttpOptions): Http {
  const limits = { ...DEFAULT_TIMEOUTS, ...timeouts }
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
      if (!emulator && url.protocol !== 'https:') {
        throw new ProviderError('Permanent', request.where, { message: 'The address is not https.' })
      }
      const response = await exchange(call, url, request, limits)
      const refusal = refusalOf(response)
      if (!refusal) return response
      response.dispose()
      throw new ProviderError('Transient', { ...request.where, status: response.status }, { message: refusal })
    },
  }
}

function refusalOf(response: HttpResponse): string | null {
  const isRedirect = response.status >= 300 && response.status < 400 && response.header('location') !== null
  if (isRedirect) return 'The answer leads to another address.'
  const encoding = response.header('content-encoding')
  return encoding && encoding !== 'identity' ? `The answer is packed (${encoding}), which was not asked for.` : null
}
