import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { createSavableSha256, type SavableSha256, type Sha256 } from '../../lib/savableSha256.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { NewWriter } from '../../storage/stagingWriter.ts'
import { InvalidInputError, UploadIncompleteError } from '../errors.ts'
import {
  type BlockSummer,
  type BlockSums,
  createBlockSummer,
  restoreBlockSummer,
  type SavedSummer,
} from '../files/content/blockSums.ts'
import { HEAD_BYTES, TAIL_BYTES } from '../files/content/types.ts'

export type WriteOptions = {
  /** Updated with every byte, in order. */
  readonly hashers: readonly { update(chunk: Buffer): unknown }[]
  /** Called before each chunk is written, with the position after it; a throw ends the write. */
  readonly onChunk: (position: number, chunk: Buffer) => void | Promise<void>
}

/**
 * Streams a body into staging with constant memory: a chunk is read when the disk has taken the ones before. The body
 * is not destroyed when this throws, so that the caller can still answer on its connection.
 * @throws UploadIncompleteError when the body breaks off; the InvalidInputError that it fails with; DiskFullError; whatever onChunk throws
 */
export async function writeBody(
  body: Readable,
  writer: Pick<NewWriter, 'position' | 'write'>,
  { hashers, onChunk }: WriteOptions,
): Promise<void> {
  const chunks = body.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const next = await chunks.next().catch((cause: unknown) => {
        if (cause instanceof InvalidInputError) throw cause
        throw new UploadIncompleteError('The upload broke off before its end. Please try again.', { cause })
      })
      if (next.done) return
      const chunk = bufferOf(next.value)
      const allowed = onChunk(writer.position + chunk.length, chunk)
      // Few chunks have to wait, and each await costs a turn of the event loop.
      if (allowed) await allowed
      for (const hasher of hashers) hasher.update(chunk)
      await writer.write(chunk)
    }
  } finally {
    // Releases the body: the rest of it can be read by others, or dropped.
    await chunks.return?.()
  }
}

/**
 * A body may fail before it is read; without a listener that would end the process. Later readers still get the error.
 */
export function ignoreStreamError(body: Readable): void {
  body.on('error', () => undefined)
}

function bufferOf(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return Buffer.from(chunk)
  throw new Error('An upload must be a stream of bytes.')
}

/** What is computed of a content while it arrives. */
export type ContentHasher = {
  update(chunk: Buffer): void
  /** An independent hasher with the same state. */
  copy(): ContentHasher
  /** Once, after the last byte. `sums` null: they were not requested. */
  finish(): { readonly sha256: Buffer; readonly sums: BlockSums | null }
  /** For `restoreContentHasher`; null unless it was created as savable. */
  state(): SavedHasher | null
}

/** Buffers are in base64. */
type SavedHasher = { readonly sha256: string; readonly sums: SavedSummer | null }

export type HasherOptions = {
  /** null: not known beforehand. */
  readonly size: number | null
  /** Block sums too: content at a provider is verified by them when it is read back. They double the cost. */
  readonly withSums: boolean
  /** Its state can be stored, so that another server continues it; a fifth of the speed. */
  readonly savable?: boolean
}

export function createContentHasher({ size, withSums, savable = false }: HasherOptions): ContentHasher {
  const summer = withSums ? createBlockSummer(size, savable) : null
  return savable ? savableHasherOf(createSavableSha256(), summer) : hasherOf(createHash('sha256'), summer)
}

function restoreContentHasher({ sha256, sums }: SavedHasher): ContentHasher {
  const hash = createSavableSha256(Buffer.from(sha256, 'base64'))
  return savableHasherOf(hash, sums === null ? null : restoreBlockSummer(sums))
}

function savableHasherOf(hash: SavableSha256, summer: BlockSummer | null): ContentHasher {
  return {
    ...hasherOf(hash, summer),
    copy: () => savableHasherOf(hash.copy(), summer?.copy() ?? null),
    state: () => ({ sha256: hash.state().toString('base64'), sums: summer?.state() ?? null }),
  }
}

function hasherOf(hash: Sha256, summer: BlockSummer | null): ContentHasher {
  return {
    update(chunk) {
      hash.update(chunk)
      summer?.update(chunk)
    },
    copy: () => hasherOf(hash.copy(), summer?.copy() ?? null),
    finish: () => ({ sha256: hash.digest(), sums: summer?.result() ?? null }),
    state: () => null,
  }
}

/** The durable bytes of an upload, and the hash of exactly these bytes. */
export type Progress = { readonly offset: number; readonly hasher: ContentHasher }

/** `bytes`: how many were hashed. Servers that stored other states called it otherwise, so that none continues one of those. */
type Note = SavedHasher & { readonly bytes: number }

/** What is stored with the durable bytes, so that another server continues their hash; null: it cannot. */
export function noteOf({ offset, hasher }: Progress): Buffer | null {
  const state = hasher.state()
  return state && Buffer.from(JSON.stringify({ bytes: offset, ...state } satisfies Note))
}

/** The progress in a note, if it is about so many bytes and the upload wants the same sums as its writer. */
function progressIn(note: Buffer | null, durable: number, { withSums }: HasherOptions): Progress | null {
  if (note === null) return null
  const saved = JSON.parse(note.toString()) as Note
  if (saved.bytes !== durable || (saved.sums !== null) !== withSums) return null
  try {
    return { offset: durable, hasher: restoreContentHasher(saved) }
  } catch {
    // By a server with another version of the library: the bytes are read again.
    return null
  }
}

/** An upload whose staged bytes are measured. */
export type Measured = HasherOptions & { readonly id: string }

/** Uploads whose hash state is cached; of others it is computed again from staging. */
const CACHED = 1_000

/**
 * How many bytes of each resumable upload are durable. Only the staged object decides, because all servers share it.
 * The hash state is cached, so that bytes which arrived at this server are not read again; bytes reported as durable
 * are never cut off.
 */
export type DurableProgress = ReturnType<typeof createDurableProgress>

export function createDurableProgress(store: ObjectStore) {
  const cached = new Map<string, Progress>()

  function remember(id: string, progress: Progress): void {
    cached.delete(id)
    cached.set(id, progress)
    const [oldest] = cached.keys()
    if (cached.size > CACHED && oldest !== undefined) cached.delete(oldest)
  }

  /** Bytes of the upload in staging, made durable, because a reported offset must hold. Requires the upload's lock. */
  async function offset(id: string): Promise<number> {
    const size = (await store.stagedSize(id)) ?? 0
    return size === 0 || cached.get(id)?.offset === size ? size : ((await store.syncStaged(id)) ?? 0)
  }

  return {
    offset,
    remember,

    forget(id: string): void {
      cached.delete(id)
    },

    /**
     * `offset` with the hash of these bytes; only those that arrived at another server, which left no note, are read again.
     * Requires the upload's lock.
     */
    async read(upload: Measured, onBytes: (bytes: number) => void): Promise<Progress> {
      const { id } = upload
      const durable = await offset(id)
      const known = cached.get(id)
      if (known?.offset === durable) return known
      const noted = durable === 0 ? null : progressIn(await store.stagedNote(id), durable, upload)
      if (noted) {
        remember(id, noted)
        return noted
      }
      // Durable bytes are never cut off: the cached state is a prefix of what is there, if that is longer.
      const from = known && known.offset < durable ? known : { offset: 0, hasher: createContentHasher(upload) }
      const hasher = from.hasher.copy()
      if (from.offset !== durable) {
        for await (const chunk of store.open(id, durable).read(from.offset, durable - 1)) {
          hasher.update(chunk)
          onBytes(chunk.length)
        }
      }
      // Hashers release what they keep of the last bytes when their state is asked for, and this one may be cached for long.
      hasher.state()
      const progress = { offset: durable, hasher }
      remember(id, progress)
      return progress
    },
  }
}

/** Collects the first `limit` bytes of a stream. */
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

/** The first bytes of a staged content, as many as `judgeType` needs. */
export function readHead(store: ObjectStore, objectId: string, size: number): Promise<Buffer> {
  return read(store, objectId, size, 0, Math.min(size, HEAD_BYTES))
}

/** The last bytes of a staged content, as many as `judgeType` needs. */
export function readTail(store: ObjectStore, objectId: string, size: number): Promise<Buffer> {
  return read(store, objectId, size, Math.max(0, size - TAIL_BYTES), size)
}

async function read(store: ObjectStore, objectId: string, size: number, start: number, end: number): Promise<Buffer> {
  if (start >= end) return Buffer.alloc(0)
  const parts: Buffer[] = []
  for await (const part of store.open(objectId, size).read(start, end - 1)) parts.push(part)
  return Buffer.concat(parts)
}
