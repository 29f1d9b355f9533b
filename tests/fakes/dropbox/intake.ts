import { type Bytes, receive } from './bytes.ts'
import type { Call } from './call.ts'
import { type ContentHash, createContentHash } from './contentHash.ts'
import { refused } from './errors.ts'
import { tag } from './tags.ts'

const MAX_CALL_BYTES = 150 * 1024 * 1024

/** The data of a call, and the hash of a file with it added. */
export type Intake = { readonly bytes: Bytes; readonly running: ContentHash }

/**
 * Takes in the body of a call, all or nothing. `before` is what was hashed of the same file until now; it stays as it
 * is. With `only`, what follows this many bytes is thrown away.
 */
export async function takeIn(
  call: Call,
  expectedHash: string | null | undefined,
  before = createContentHash(),
  only = Number.POSITIVE_INFINITY,
): Promise<Intake> {
  if (Number(call.exchange.request.headers['content-length'] ?? 0) > MAX_CALL_BYTES)
    throw refused(tag('payload_too_large'))
  const running = before.copy()
  const own = expectedHash ? createContentHash() : null
  const hashes = own ? [running, own] : [running]
  const bytes = await receive(call.state.blobs, hashed(limited(call.exchange.body(), only), hashes))
  if (!own || own.digest() === expectedHash) return { bytes, running }
  await bytes.letGo()
  throw refused(tag('content_hash_mismatch'))
}

async function* hashed(source: AsyncIterable<Buffer>, hashes: readonly ContentHash[]): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > MAX_CALL_BYTES) throw refused(tag('payload_too_large'))
    for (const hash of hashes) hash.update(chunk)
    yield chunk
  }
}

async function* limited(source: AsyncIterable<Buffer>, only: number): AsyncGenerator<Buffer> {
  let left = only
  for await (const chunk of source) {
    if (left > 0) yield chunk.subarray(0, left)
    left -= chunk.length
  }
}
