import type { ByteRange, Call, Download, EntryRef } from '../driver.ts'
import { emptyDownload, rangedDownload } from '../shared/download.ts'
import { isFailure } from '../shared/failures.ts'
import { API, type DriveClient, failureOf } from './client.ts'
import { KIND } from './wire.ts'

const WHERE = { provider: KIND, operation: 'get' }

/**
 * Always asks for a range, as only the answer to one says how long the whole is. What Drive takes for malware is given to
 * its owner as well: it is theirs.
 */
export async function download(
  client: DriveClient,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): Promise<Download> {
  try {
    return await ask(client, call, ref, range, false)
  } catch (error) {
    if (!isFailure(error, 'Forbidden') || !error.message.includes('cannotDownloadAbusiveFile')) throw error
    return ask(client, call, ref, range, true)
  }
}

async function ask(
  client: DriveClient,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
  acknowledgeAbuse: boolean,
): Promise<Download> {
  const query = new URLSearchParams({ alt: 'media', supportsAllDrives: 'true' })
  if (acknowledgeAbuse) query.set('acknowledgeAbuse', 'true')
  const response = await client.send(call, WHERE.operation, {
    method: 'GET',
    url: `${API}/drive/v3/files/${encodeURIComponent(ref)}?${query}`,
    headers: { range: `bytes=${range?.start ?? 0}-${range?.end ?? ''}` },
  })
  if (response.status === 416 && range === null && /^bytes \*\/0$/.test(response.header('content-range') ?? '')) {
    response.dispose()
    return emptyDownload()
  }
  if (response.status === 200 && range === null && response.header('content-length') === '0') {
    response.dispose()
    return emptyDownload()
  }
  if (response.status >= 400) throw await failureOf(response, WHERE.operation)
  return rangedDownload(response, range, WHERE)
}
