import type { ByteRange, Call, Download, EntryRef } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { EXPORT_MEDIA_TYPES, type ExportType } from '../exportTypes.ts'
import { emptyDownload, rangedDownload, wholeDownload } from '../shared/download.ts'
import type { HttpResponse } from '../shared/http.ts'
import { API, type DriveClient, failureOf, KIND } from './client.ts'

const WHERE = { provider: KIND, operation: 'get' }

/** Files that Drive considers malware are downloaded anyway: they belong to the user. */
const ABUSIVE = 'cannotDownloadAbusiveFile'

export async function download(
  client: DriveClient,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): Promise<Download> {
  const first = await ask(client, call, ref, range, false)
  if (first.status < 400) return downloadOf(first, range)
  const { failure, error } = await failureOf(first, WHERE.operation)
  if (failure.reason !== ABUSIVE) return empty(first, range) ?? Promise.reject(error)
  const second = await ask(client, call, ref, range, true)
  if (second.status < 400) return downloadOf(second, range)
  // Only owners may download it.
  const refused = await failureOf(second, WHERE.operation)
  throw new ProviderError(refused.error.code, refused.error.where, { ...refused.error.detail, isFlagged: true })
}

/** Driver.export. Drive exports at most 10 MB. */
export async function exportAs(client: DriveClient, call: Call, ref: EntryRef, type: ExportType): Promise<Download> {
  const query = new URLSearchParams({ mimeType: EXPORT_MEDIA_TYPES[type] })
  const response = await client.send(call, 'export', {
    method: 'GET',
    url: `${API}/drive/v3/files/${encodeURIComponent(ref)}/export?${query}`,
    patienceMs: CONVERSION_MS,
  })
  if (response.status >= 400) throw (await failureOf(response, 'export')).error
  return wholeDownload(response, { provider: KIND, operation: 'export' })
}

/** Long documents are converted before the response begins. */
const CONVERSION_MS = 60_000

/** Always requests a range, because only such a response contains the size of the file. */
function ask(
  client: DriveClient,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
  acknowledgeAbuse: boolean,
): Promise<HttpResponse> {
  const query = new URLSearchParams({ alt: 'media', supportsAllDrives: 'true' })
  if (acknowledgeAbuse) query.set('acknowledgeAbuse', 'true')
  return client.send(call, WHERE.operation, {
    method: 'GET',
    url: `${API}/drive/v3/files/${encodeURIComponent(ref)}?${query}`,
    headers: { range: `bytes=${range?.start ?? 0}-${range?.end ?? ''}` },
  })
}

function downloadOf(response: HttpResponse, range: ByteRange | null): Download {
  return empty(response, range) ?? rangedDownload(response, range, WHERE)
}

/** An empty file has no range: Drive refuses the request or returns the whole file. */
function empty(response: HttpResponse, range: ByteRange | null): Download | null {
  const { status } = response
  const refused = status === 416 && response.header('content-range') === 'bytes */0'
  const whole = status === 200 && response.header('content-length') === '0'
  if (range !== null || !(refused || whole)) return null
  response.dispose()
  return emptyDownload()
}
