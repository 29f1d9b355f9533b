import type { Call, EntryRef } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { retryAfterMs } from '../shared/http.ts'
import { thumbnailIn } from '../shared/thumbnail.ts'
import { KIND, type PcloudClient } from './client.ts'
import { addressOf, type Link } from './download.ts'
import { idIn, isFolder } from './entry.ts'
import { pcloudError } from './errors.ts'

const WHERE = { provider: KIND, operation: 'thumbnail' }

/** Driver.thumbnail. pCloud names an address, which is valid for hours, and only of files that it can make one of. */
export async function thumbnail(client: PcloudClient, call: Call, ref: EntryRef, side: number): Promise<Buffer | null> {
  if (isFolder(ref)) return null
  const parameters = { ...idIn(ref, WHERE.operation), size: `${side}x${side}` }
  const link = await client.ask<Link>(call, WHERE.operation, 'getthumblink', parameters).catch((error: unknown) => {
    // It makes none of this file.
    if (error instanceof ProviderError && error.code === 'Permanent') return null
    throw error
  })
  if (link === null) return null
  const response = await client.read(call, WHERE.operation, addressOf(link, WHERE), {})
  const { status } = response
  if (status !== 429 && status < 500) return thumbnailIn(response)
  response.dispose()
  const wait = retryAfterMs(response.header('retry-after'))
  throw pcloudError(status === 429 ? 'RateLimited' : 'Transient', WHERE, { status, result: null, retryAfterMs: wait })
}
