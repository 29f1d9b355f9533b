import type { ByteRange, Call, Download, EntryRef } from '../driver.ts'
import { isFailure } from '../errors.ts'
import { emptyDownload, exactDownload, rangedDownload } from '../shared/download.ts'
import { type DavClient, KIND } from './client.ts'
import { failed, stat } from './files.ts'

const WHERE = { provider: KIND, operation: 'get' }

/**
 * Driver.get. Always asks for a range, because the response to it has the size of the whole file: a body that ends early is noticed
 * even if the server, or a proxy, announced the shorter length.
 */
export async function download(
  client: DavClient,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): Promise<Download> {
  const headers = { range: range ? `bytes=${range.start}-${range.end}` : 'bytes=0-' }
  const response = await client.send(call, 'get', { method: 'GET', at: ref, headers }).catch((error: unknown) => {
    // An empty file has no range.
    if (range === null && isFailure(error, 'Permanent') && error.where.status === 416) return null
    throw error
  })
  if (response?.status === 206) return rangedDownload(response, range, WHERE)
  const size = (await stat(client, call, ref)).size ?? 0
  if (response === null && size === 0) return emptyDownload()
  // Some servers ignore ranges.
  if (response && range === null) return exactDownload(response, size, WHERE)
  response?.dispose()
  throw failed('get', 'Transient', 'The response ignores the range.')
}
