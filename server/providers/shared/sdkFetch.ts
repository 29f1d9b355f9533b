import type { Call } from '../driver.ts'
import type { ProviderErrorWhere } from '../errors.ts'
import type { Http } from './http.ts'

/** What the clients of Google and Dropbox hand to a fetch of their own. */
type Init = { readonly method?: string; readonly headers?: unknown; readonly body?: unknown }

/**
 * A fetch for the control calls of an official client: the same limits, emulator and errors as all our calls. Errors reach
 * the client's caller as the client wraps them.
 */
export function createSdkFetch(http: Http, call: Call, where: ProviderErrorWhere): typeof fetch {
  return async (input, init: Init = {}) => {
    const body = init.body ?? null
    if (body !== null && typeof body !== 'string') throw new TypeError('Control calls have texts as their bodies.')
    const response = await http.send(call, {
      where,
      method: init.method ?? 'GET',
      url: String(input),
      headers: headersOf(init.headers),
      ...(body !== null && { body }),
    })
    const text = await response.text()
    const isEmpty = response.status === 204 || response.status === 304
    return new Response(isEmpty ? null : text, { status: response.status, headers: toldBy(response.header) })
  }
}

function headersOf(given: unknown): Record<string, string> {
  const headers = Object.fromEntries(new Headers((given ?? {}) as Record<string, string>))
  return { ...headers, 'accept-encoding': 'identity' }
}

function toldBy(header: (name: string) => string | null): Record<string, string> {
  const names = ['content-type', 'retry-after', 'dropbox-api-result']
  return Object.fromEntries(names.flatMap((name) => (header(name) === null ? [] : [[name, header(name) ?? '']])))
}
