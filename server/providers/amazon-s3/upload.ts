import { abortable } from '../../lib/concurrency.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { createRunningHash, openSource, type RunningHash } from '../shared/source.ts'
import { KIND } from './client.ts'
import { completeMultipart, createMultipart, listParts, type Part, sendPart } from './multipart.ts'
import { md5Of, storedHeaders } from './objects.ts'
import type { Upload } from './put.ts'

const WHERE = { provider: KIND, operation: 'put' }

/** MD5 of the whole content, and of each part by its index. */
export type PartHashes = { readonly md5: string; readonly parts: readonly string[] }

/**
 * Reads the whole content: its MD5 is stored with the upload when that is started, because services report none of an object that was
 * sent in parts. @throws Corrupt when the content has another length
 */
export async function hashContent(upload: Upload): Promise<PartHashes> {
  const { entry, partBytes } = upload
  const hash = createRunningHash('md5', entry.size)
  const parts: string[] = []
  await reading(upload, 0, hash, async (take) => {
    for (let start = 0; start < entry.size; start += partBytes) {
      const length = Math.min(partBytes, entry.size - start)
      const part = createRunningHash('md5', length)
      let at = 0
      for await (const chunk of take(length)) {
        part.update(at, chunk)
        at += chunk.length
      }
      parts.push(part.digest() ?? '')
    }
  })
  return { md5: hash.digest() ?? '', parts }
}

/** For bytes of a part, whose own hash is what the service compares. */
const NO_HASH: RunningHash = { update: () => undefined, digest: () => null }

type Take = (length: number) => AsyncGenerator<Uint8Array>

/** Reads the content from `start` on; ends with the call. */
export async function reading<Result>(
  { content, call }: Upload,
  start: number,
  hash: RunningHash,
  work: (take: Take) => Promise<Result>,
): Promise<Result> {
  call.signal.throwIfAborted()
  const source = openSource(content, start, hash, WHERE)
  try {
    // A source that hangs does not end by being closed.
    return await abortable(call.signal, work(source.take))
  } finally {
    source.close()
  }
}

export function startParts({ client, call, key, entry }: Upload, md5: string): Promise<string> {
  return createMultipart(client, call, WHERE.operation, key, storedHeaders({ ...entry, md5 }))
}

/** Sends the parts after those that the service has. Null when the upload does not exist any more. */
export async function sendParts(
  upload: Upload,
  uploadId: string,
  hashes: PartHashes | null,
): Promise<readonly Part[] | null> {
  const { client, call, key, entry, partBytes, progress, limits } = upload
  const stored = hashes ? [] : await listParts(client, call, WHERE.operation, { key, uploadId })
  if (stored === null) return null
  const parts = wholeParts(stored, entry.size, partBytes)
  let at = parts.reduce((sum, { size }) => sum + size, 0)
  progress.onProgress(at)
  if (at === entry.size) return parts
  const outgoing = createWindow(limits.parallelParts)
  // Used again: garbage of this size would count several times before it is collected.
  const buffers: Buffer[] = []
  /** Only what follows the parts before it without a gap can be continued. */
  const confirm = (part: Part): void => {
    parts[part.number - 1] = part
    const sent = wholeParts(Object.values(parts), entry.size, partBytes)
    progress.onProgress(sent.reduce((sum, { size }) => sum + size, 0))
  }
  const sending = reading(upload, at, NO_HASH, async (take) => {
    try {
      for (let number = parts.length + 1; at < entry.size; number += 1) {
        const size = Math.min(partBytes, entry.size - at)
        const buffer =
          size > limits.memoryBytes
            ? null
            : (buffers.pop() ?? Buffer.allocUnsafe(Math.min(partBytes, limits.memoryBytes)))
        const part = await partFrom(upload, { start: at, length: size, take, buffer }, hashes?.parts[number - 1])
        const sent = sendPart(client, call, WHERE.operation, { key, uploadId }, { number, ...part })
        const confirmed = sent.then((etag) => {
          confirm({ number, size, etag })
          if (buffer) buffers.push(buffer)
        })
        // The next part is read from the same content.
        await (buffer ? outgoing.add(confirmed) : confirmed)
        at += size
      }
    } finally {
      await outgoing.ended()
    }
    outgoing.throwFailure()
    return parts
  })
  return sending.catch(nothingWhen('NotFound'))
}

/** Work of which so much may be open at a time. */
function createWindow(most: number) {
  const open = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | null = null
  const throwFailure = (): void => {
    if (failure) throw failure.error
  }
  return {
    throwFailure,
    /** Resolves when there is room for more. @throws the first failure of any */
    async add(work: Promise<void>): Promise<void> {
      const one = work
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => open.delete(one))
      open.add(one)
      while (open.size >= most) await Promise.race(open)
      throwFailure()
    },
    /** All have ended, whatever their result. */
    ended: () => Promise.all(open),
  }
}

/** The parts from the first on, as far as none is missing or has another size. */
function wholeParts(stored: readonly Part[], size: number, partBytes: number): Part[] {
  const byNumber = new Map(stored.map((part) => [part.number, part]))
  const parts: Part[] = []
  for (let at = 0; at < size; at += partBytes) {
    const part = byNumber.get(parts.length + 1)
    if (part?.size !== Math.min(partBytes, size - at)) break
    parts.push(part)
  }
  return parts
}

type PartSource = {
  readonly start: number
  readonly length: number
  readonly take: Take
  /** For a part that is sent from memory. */
  readonly buffer: Buffer | null
}

/** The body of a part with its MD5: small ones from memory, larger ones are read once more for it. */
async function partFrom(upload: Upload, { start, length, take, buffer }: PartSource, known: string | undefined) {
  if (buffer) {
    const body = buffer.subarray(0, length)
    let at = 0
    for await (const chunk of take(length)) {
      body.set(chunk, at)
      at += chunk.length
    }
    return { body, md5: known ?? md5Of(body) }
  }
  return { body: { length, bytes: take(length) }, md5: known ?? (await hashOfPart(upload, start, length)) }
}

function hashOfPart(upload: Upload, start: number, length: number): Promise<string> {
  const hash = createRunningHash('md5', length)
  return reading(upload, start, NO_HASH, async (take) => {
    let at = 0
    for await (const chunk of take(length)) {
      hash.update(at, chunk)
      at += chunk.length
    }
    const md5 = hash.digest()
    if (md5 !== null) return md5
    throw new ProviderError('Corrupt', WHERE, { message: 'The content ended early.' })
  })
}

export function completeParts(
  { client, call, key, condition }: Upload,
  uploadId: string,
  parts: readonly Part[],
): Promise<void> {
  return completeMultipart(client, call, WHERE.operation, { key, uploadId }, parts, condition)
}
