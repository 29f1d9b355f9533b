import { type ContentHash, createContentHash } from '../../lib/contentHash.ts'
import { untilAborted } from '../../lib/untilAborted.ts'
import { DiskFullError, ObjectMissingError } from '../../storage/errors.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { StagingWriter } from '../../storage/stagingWriter.ts'
import type { Call, Content, Entry, EntryRef, NewEntry, PutProgress } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { failed } from './errors.ts'
import { isObjectId } from './objectId.ts'

export type PutDeps = {
  readonly store: ObjectStore
  readonly newId: () => string
  /** What is written is on the disk, and counts as confirmed, after each so many bytes. */
  readonly flushBytes: number
  /** Ids of what is being received. */
  readonly receiving: Set<string>
}

type Putting = {
  readonly call: Call
  readonly entry: NewEntry
  readonly content: Content
  readonly progress: PutProgress
}

/** Driver.put: what is staged under the session's id is kept and continued; it is stored for good once it is whole and on disk. */
export async function putObject(deps: PutDeps, putting: Putting): Promise<Entry> {
  const { store, receiving } = deps
  const { entry, progress } = putting
  const known = await continued(store, putting)
  const id = known?.id ?? deps.newId()
  receiving.add(id)
  try {
    if (!known) await progress.save(id)
    const hash = createContentHash('sha256')
    if (known) await hashStored(store, id, known.size, hash)
    if (!known?.isStored) await storeRest(deps, putting, { id, from: known?.size ?? 0, hash })
    const { name, size } = entry
    return { ref: id as EntryRef, name, kind: 'file', size, modifiedAt: null, hash: hash.digest() }
  } finally {
    receiving.delete(id)
  }
}

type Known = { readonly id: string; readonly size: number; readonly isStored: boolean }

/** What is there of the session, where it can become this content. */
async function continued(store: ObjectStore, { entry, progress: { session } }: Putting): Promise<Known | null> {
  if (session === null || !isObjectId(session)) return null
  const staged = await store.stagedSize(session)
  const size = staged ?? (await store.size(session))
  if (size === null || size > entry.size) return null
  if (staged === null && size < entry.size) return null
  return { id: session, size, isStored: staged === null }
}

async function hashStored(store: ObjectStore, id: string, size: number, hash: ContentHash): Promise<void> {
  if (size === 0) return
  for await (const chunk of store.open(id, size).read(0, size - 1) as AsyncIterable<Buffer>) hash.update(chunk)
}

type Rest = { readonly id: string; readonly from: number; readonly hash: ContentHash }

/** What came before a failure is kept for another try, unless it is of no use. */
async function storeRest({ store, flushBytes }: PutDeps, putting: Putting, { id, from, hash }: Rest): Promise<void> {
  const { content } = putting
  const writer = await store.stage(id, from)
  try {
    await write(putting, writer, hash, flushBytes)
    if (writer.position !== content.size) {
      throw failed('put', 'Corrupt', `The content has ${writer.position} bytes and not ${content.size}.`)
    }
    await flush(putting, writer)
  } catch (error) {
    await writer.close()
    if (isUseless(error)) await store.discard(id)
    throw error
  }
  await writer.close()
  await store.syncStaging()
  await store.publish(id).catch(unlessMissing)
  const stored = await store.size(id)
  if (stored === content.size) return
  await store.delete(id)
  throw failed('put', 'Corrupt', `${stored ?? 'No'} of ${content.size} bytes are on the disk.`)
}

/** Stops after the first byte too many. */
async function write(putting: Putting, writer: StagingWriter, hash: ContentHash, flushBytes: number): Promise<void> {
  const { call, content } = putting
  const source = content.open(writer.position)
  const chunks = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  let flushedAt = writer.position
  try {
    while (writer.position <= content.size) {
      // The wait for the source alone is cut short: who closes the writer may not leave a write behind.
      const next = await untilAborted(call.signal, chunks.next()).catch((error: unknown) => {
        throw sourceError(call, error)
      })
      if (next.done) return
      hash.update(next.value)
      await writer.write(next.value)
      if (writer.position - flushedAt < flushBytes) continue
      flushedAt = writer.position
      await flush(putting, writer)
    }
  } finally {
    source.destroy()
  }
}

async function flush({ content, progress }: Putting, writer: StagingWriter): Promise<void> {
  await writer.sync().catch((error: unknown) => {
    if (error instanceof DiskFullError) throw error
    // The system may have dropped what it could not write, and says so only once.
    throw failed('put', 'Transient', 'The disk of this server did not take the content.', error)
  })
  progress.onProgress(Math.min(writer.position, content.size))
}

/** Swept while this server stood still: said as any other loss. */
function unlessMissing(error: unknown): void {
  if (!(error instanceof ObjectMissingError)) throw error
}

function isUseless(error: unknown): boolean {
  if (error instanceof DiskFullError) return true
  return error instanceof ProviderError && error.where.provider === 'local' && error.where.operation === 'put'
}

function sourceError({ signal }: Call, error: unknown): unknown {
  if (signal.aborted || error instanceof ProviderError) return error
  return failed('read', 'Transient', 'The content could not be read.', error)
}
