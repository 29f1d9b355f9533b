import type { ByteRange, Call, Download, EntryRef } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { emptyDownload, rangedDownload } from '../shared/download.ts'
import { KIND } from './client.ts'
import { isFolder, keyOf } from './entry.ts'
import { failureOf } from './errors.ts'
import type { S3Context } from './files.ts'

const WHERE = { provider: KIND, operation: 'get' }

/** Always asks for a range: its response has the size of the object, by which one that ends early is recognised. */
export async function download(
  { client, prefix }: S3Context,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): Promise<Download> {
  if (isFolder(ref)) throw new ProviderError('NotFound', WHERE, { message: 'It is a folder.' })
  const headers = { range: range ? `bytes=${range.start}-${range.end}` : 'bytes=0-' }
  const request = { method: 'GET', key: keyOf(prefix, ref), headers } as const
  const response = await client.send(call, WHERE.operation, request).catch((error: unknown) => {
    // An object of no bytes has no range.
    if (range === null && failureOf(error)?.status === 416) return null
    throw error
  })
  return response ? rangedDownload(response, range, WHERE) : emptyDownload()
}
