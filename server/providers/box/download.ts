import type { ByteRange, Call, Download, EntryRef } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { ApiClient } from '../shared/apiClient.ts'
import { emptyDownload, rangedDownload } from '../shared/download.ts'
import { type HttpResponse, retryAfterMs } from '../shared/http.ts'
import { KIND } from './client.ts'
import { isFile, pathOf } from './entry.ts'
import { BoxError, type BoxFailure } from './errors.ts'

const WHERE = { provider: KIND, operation: 'get' }

/** Driver.get. Box redirects to an address on another host, which is the credential and valid for minutes. */
export async function download(
  client: ApiClient,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): Promise<Download> {
  const url = pathOf(ref, WHERE.operation)
  if (!isFile(ref)) throw new ProviderError('Forbidden', WHERE, { message: 'It has no content.' })
  const asked = await client.send(call, WHERE.operation, { method: 'GET', url: `${url}/content`, keepRedirects: true })
  asked.dispose()
  const address = addressOf(asked)
  try {
    // Of the whole file too: the response to a range has the file's size, so that a shorter one is noticed.
    const headers = { range: range ? `bytes=${range.start}-${range.end}` : 'bytes=0-' }
    const response = await client.send(call, WHERE.operation, {
      method: 'GET',
      url: address,
      headers,
      authorized: false,
    })
    if (range === null && response.status === 200 && response.header('content-length') === '0') {
      response.dispose()
      return emptyDownload()
    }
    return rangedDownload(response, range, WHERE)
  } catch (error) {
    if (!(error instanceof BoxError)) throw error
    if (range === null && error.failure.status === 416) return emptyDownload()
    throw contentError(error, error.failure)
  }
}

/** @throws Transient while Box is still preparing the content */
function addressOf(response: HttpResponse): string {
  const location = response.header('location')
  const url = location !== null && URL.canParse(location) ? new URL(location) : null
  if (url?.protocol === 'https:' && /(^|\.)(box|boxcloud)\.com$/.test(url.hostname)) return url.href
  const wait = response.status === 202 ? retryAfterMs(response.header('retry-after')) : null
  const message = response.status === 202 ? 'The content is not ready yet.' : 'Box names no address of the content.'
  const detail = { message, ...(wait !== null && { retryAfterMs: wait }) }
  throw new ProviderError('Transient', { ...WHERE, status: response.status }, detail)
}

/** The address was refused, not the account: another one is valid. */
function contentError(error: BoxError, { status }: BoxFailure): ProviderError {
  return [401, 403, 410].includes(status) ? new ProviderError('Transient', error.where, error.detail) : error
}
