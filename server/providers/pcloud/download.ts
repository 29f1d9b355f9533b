import type { ByteRange, Call, Download, EntryRef } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import { emptyDownload, rangedDownload } from '../shared/download.ts'
import { retryAfterMs } from '../shared/http.ts'
import { KIND, type PcloudClient } from './client.ts'
import { idIn, isFolder } from './entry.ts'
import { pcloudError } from './errors.ts'

const WHERE = { provider: KIND, operation: 'get' }

/** Where a content is. */
export type Link = { readonly path?: string; readonly hosts?: readonly string[] }

/** Driver.get, from an address that is valid for hours, and from this server's network address only. */
export async function download(
  client: PcloudClient,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): Promise<Download> {
  if (isFolder(ref)) throw new ProviderError('NotFound', WHERE, { message: 'It is a folder.' })
  const link = await client.ask<Link>(call, WHERE.operation, 'getfilelink', idIn(ref, WHERE.operation))
  // Of the whole file too: the response to a range has the file's size, so that a shorter one is noticed.
  const headers = { range: range ? `bytes=${range.start}-${range.end}` : 'bytes=0-' }
  const response = await client.read(call, WHERE.operation, addressOf(link, WHERE), headers)
  const { status } = response
  if (range === null && (status === 416 || (status === 200 && response.header('content-length') === '0'))) {
    response.dispose()
    return emptyDownload()
  }
  if (status < 400) return rangedDownload(response, range, WHERE)
  response.dispose()
  // The address was refused, not the account: another one is valid.
  const wait = retryAfterMs(response.header('retry-after'))
  throw pcloudError(status === 429 ? 'RateLimited' : 'Transient', WHERE, { status, result: null, retryAfterMs: wait })
}

/** @throws Transient without an address of pCloud */
export function addressOf({ hosts = [], path = '' }: Link, where: ProviderErrorWhere): string {
  const host = hosts.find((name) => /^[\w-]+(\.[\w-]+)*\.pcloud\.com$/.test(name))
  if (host && path.startsWith('/')) return `https://${host}${path}`
  throw new ProviderError('Transient', where, { message: 'pCloud names no address of the content.' })
}
