import type { ByteRange, Call, Download, EntryRef } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { emptyDownload, rangedDownload } from '../shared/download.ts'
import type { HttpResponse } from '../shared/http.ts'
import { API, errorOf, type GraphClient, itemUrl, KIND } from './client.ts'

const WHERE = { provider: KIND, operation: 'get' }

/** Statuses of an address that is used up; it is valid for minutes. */
const USED_UP = [401, 403, 404, 410]

/**
 * Driver.get. Graph redirects to an address on another host, which is the credential: it refuses requests that have the access token
 * too. Always requests a range, because only such a response contains the size of the file.
 */
export async function download(
  client: GraphClient,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): Promise<Download> {
  const headers = { range: `bytes=${range?.start ?? 0}-${range?.end ?? ''}` }
  for (let isSecond = false; ; isSecond = true) {
    const url = await addressOf(client, call, ref)
    const response = await client.send(call, WHERE.operation, { method: 'GET', url, headers, authorized: false })
    if (response.status < 400) return empty(response, range) ?? rangedDownload(response, range, WHERE)
    const nothing = empty(response, range)
    if (nothing) return nothing
    if (!USED_UP.includes(response.status)) throw await errorOf(response, WHERE.operation)
    response.dispose()
    if (isSecond) throw failed(`The address of the content answers ${response.status}.`)
  }
}

/** @throws NotFound, Forbidden (a notebook, or malware) */
async function addressOf(client: GraphClient, call: Call, ref: EntryRef): Promise<string> {
  const response = await client.send(call, WHERE.operation, {
    method: 'GET',
    url: `${itemUrl(ref)}/content`,
    keepRedirects: true,
  })
  if (response.status >= 400) throw await errorOf(response, WHERE.operation)
  response.dispose()
  const location = response.header('location')
  if (location !== null && URL.canParse(location, API)) return new URL(location, API).href
  throw failed('The response has no address of the content.')
}

/** An empty file has no range: the request is refused, or answered with the whole file. */
function empty(response: HttpResponse, range: ByteRange | null): Download | null {
  const { status } = response
  const isRefused = status === 416 && response.header('content-range') === 'bytes */0'
  const isWhole = status === 200 && response.header('content-length') === '0'
  if (range !== null || !(isRefused || isWhole)) return null
  response.dispose()
  return emptyDownload()
}

function failed(message: string): ProviderError {
  return new ProviderError('Transient', WHERE, { message })
}
