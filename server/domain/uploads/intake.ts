import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { NewWriter } from '../../storage/stagingWriter.ts'
import { UploadIncompleteError } from '../errors.ts'
import { type BlockSummer, type BlockSums, createBlockSummer } from '../files/content/blockSums.ts'
import { HEAD_BYTES, TAIL_BYTES } from '../files/content/types.ts'

export type IntakeOptions = {
  /** Fed with every byte, in order. */
  readonly hashers: readonly { update(chunk: Buffer): unknown }[]
  /** Called before each chunk is kept, with the position behind it; a throw ends the intake. */
  readonly onChunk: (position: number, chunk: Buffer) => void | Promise<void>
}

/**
 * Streams a body into staging with constant memory: a chunk is asked for when the disk has taken the ones before. The body
 * is left open when this throws, so that the door can still answer on its connection.
 * @throws UploadIncompleteError when the body breaks off; DiskFullError; whatever onChunk throws
 */
export async function takeIn(
  body: Readable,
  writer: Pick<NewWriter, 'position' | 'write'>,
  { hashers, onChunk }: IntakeOptions,
): Promise<void> {
  const chunks = body.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const next = await chunks.next().catch((cause: unknown) => {
        throw new UploadIncompleteError('The upload broke off before its end. Please try again.', { cause })
      })
      if (next.done) return
      const chunk = bufferOf(next.value)
      const allowed = onChunk(writer.position + chunk.length, chunk)
      // Hardly any chunk has to wait, and each wait would be a turn of the event loop.
      if (allowed) await allowed
      for (const hasher of hashers) hasher.update(chunk)
      await writer.write(chunk)
    }
  } finally {
    // Lets go of the body: what is left of it can be read by others, or dropped.
    await chunks.return?.()
  }
}

/** A body may break before anybody reads it; without a listener that would end the process. Whoever reads it later is still told. */
export function ignoreStreamError(body: Readable): void {
  body.on('error', () => undefined)
}

function bufferOf(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return Buffer.from(chunk)
  throw new Error('An upload must be a stream of bytes.')
}

/** Gathers the first `limit` bytes of what passes by. */
export function headCollector(limit: number): { take(chunk: Buffer): void; head(): Buffer } {
  const parts: Buffer[] = []
  let length = 0
  return {
    take(chunk) {
      if (length >= limit) return
      parts.push(Buffer.from(chunk.subarray(0, limit - length)))
      length = Math.min(limit, length + chunk.length)
    },
    head: () => Buffer.concat(parts),
  }
}

/** What is computed of a content while it comes. */
export type ContentHasher = {
  update(chunk: Buffer): void
  /** One that goes on from here by itself. */
  copy(): ContentHasher
  /** Once, after the last byte. `sums` null: they were not asked for. */
  finish(): { readonly sha256: Buffer; readonly sums: BlockSums | null }
}

export type HasherOptions = {
  /** null: not known beforehand. */
  readonly size: number | null
  /** Sums of its blocks too: what goes to a provider is read back by them. They cost as much again. */
  readonly withSums: boolean
}

export function createContentHasher({ size, withSums }: HasherOptions): ContentHasher {
  return hasherOf(createHash('sha256'), withSums ? createBlockSummer(size) : null)
}

function hasherOf(hash: Hash, summer: BlockSummer | null): ContentHasher {
  return {
    update(chunk) {
      hash.update(chunk)
      summer?.update(chunk)
    },
    copy: () => hasherOf(hash.copy(), summer?.copy() ?? null),
    finish: () => ({ sha256: hash.digest(), sums: summer?.result() ?? null }),
  }
}

/** The first bytes of a staged content, as many as the judgement of its type needs. */
export function readHead(store: ObjectStore, objectId: string, size: number): Promise<Buffer> {
  return read(store, objectId, size, 0, Math.min(size, HEAD_BYTES))
}

/** The last bytes, likewise. */
export function readTail(store: ObjectStore, objectId: string, size: number): Promise<Buffer> {
  return read(store, objectId, size, Math.max(0, size - TAIL_BYTES), size)
}

async function read(store: ObjectStore, objectId: string, size: number, start: number, end: number): Promise<Buffer> {
  if (start >= end) return Buffer.alloc(0)
  const parts: Buffer[] = []
  for await (const part of store.open(objectId, size).read(start, end - 1)) parts.push(part)
  return Buffer.concat(parts)
}
