import type { ByteRange, Call, Download, EntryRef } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { ExportType } from '../exportTypes.ts'
import { exactDownload, rangedDownload, wholeDownload } from '../shared/download.ts'
import { type DropboxClient, failureOf, KIND } from './client.ts'
import { formatOf } from './entry.ts'

const WHERE = { provider: KIND, operation: 'get' }

export async function download(
  client: DropboxClient,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): Promise<Download> {
  const response = await client.send(call, WHERE.operation, {
    route: 'files/download',
    argument: { path: ref },
    ...(range && { headers: { range: `bytes=${range.start}-${range.end}` } }),
  })
  if (response.status >= 400) throw (await failureOf(response, WHERE.operation)).error
  if (range) return rangedDownload(response, range, WHERE)
  const size = sizeIn(response.header('dropbox-api-result'))
  if (response.status === 200 && size !== null) return exactDownload(response, size, WHERE)
  response.dispose()
  throw new ProviderError('Transient', WHERE, { message: 'This is not a response of Dropbox.' })
}

/** Driver.export. */
export async function exportAs(client: DropboxClient, call: Call, ref: EntryRef, type: ExportType): Promise<Download> {
  const response = await client.send(call, 'export', {
    route: 'files/export',
    argument: { path: ref, export_format: formatOf(type) },
    patienceMs: CONVERSION_MS,
  })
  if (response.status >= 400) throw (await failureOf(response, 'export')).error
  return wholeDownload(response, { provider: KIND, operation: 'export' })
}

/** Long documents are converted before the response begins. */
const CONVERSION_MS = 60_000

/** Size of the whole file, from the metadata in a header. */
function sizeIn(header: string | null): number | null {
  try {
    const { size } = JSON.parse(header ?? '{}') as { readonly size?: unknown }
    return typeof size === 'number' ? size : null
  } catch {
    return null
  }
}
