import { Readable } from 'node:stream'
import { abortable, destroyOnAbort } from '../../lib/concurrency.ts'
import { type ContentHash, createContentHash } from '../../lib/contentHash.ts'
import { newId as timeOrderedId } from '../../lib/ids.ts'
import { DiskFullError, ObjectMissingError } from '../../storage/errors.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { StagingWriter } from '../../storage/stagingWriter.ts'
import type { ByteRange, Call, Capabilities, Download, Driver, Entry, EntryRef, Page, PutRequest } from '../driver.ts'
import { ProviderError, type ProviderErrorCode } from '../errors.ts'

const CAPABILITIES: Capabilities = {
  hash: 'sha256',
  duplicateNames: true,
  caseSensitive: true,
  maxObjectBytes: null,
  maxNameLength: 255,
  nameUnit: 'bytes',
  maxConcurrency: 64,
  maxConcurrentWrites: 16,
  resumable: true,
}
const ROOT = 'objects' as EntryRef
const PAGE = 1000
const FLUSH_BYTES = 16 * 1024 * 1024

type PutDeps = {
  readonly store: ObjectStore
  readonly newId: () => string
  /** Bytes between flushes to the disk; only flushed bytes count as confirmed. */
  readonly flushBytes: number
  /** Ids of the staged objects that are being written. */
  readonly receiving: Set<string>
}

export type LocalDriver = Driver & {
  /** Ids of staged objects that this process writes to, which must not be swept. */
  receiving(): ReadonlySet<string>
}

/**
 * The disk of this server. A ref is an object id; names and folders are accepted but not stored; the hash is the one that `put`
 * computes. Quotas are enforced by the caller.
 */
export function localDriver(
  store: ObjectStore,
  options: Partial<Pick<PutDeps, 'newId' | 'flushBytes'>> = {},
): LocalDriver {
  const receiving = new Set<string>()
  const deps: PutDeps = { store, newId: timeOrderedId, flushBytes: FLUSH_BYTES, ...options, receiving }

  return {
    kind: 'local',
    capabilities: CAPABILITIES,
    root: ROOT,
    receiving: () => receiving,
    identity: (call) => run(call, 'identity', async () => ({ subject: 'local', email: null, name: null })),
    quota: (call) => run(call, 'quota', async () => ({ state: 'UNKNOWN', usedBytes: null, totalBytes: null })),
    stat: (call, ref) => run(call, 'stat', async () => entryOf(ref, await sizeOf(store, ref, 'stat'))),
    list: (call, folder, cursor) => run(call, 'list', () => list(store, folder, cursor)),
    get: (call, ref, range) => run(call, 'get', () => get(store, call, ref, range)),
    put: (call, entry, content, progress) =>
      run(call, 'put', () => putObject(deps, { call, entry, content, progress })),
    abandon: (call, session, isNeeded) =>
      run(call, 'abandon', async () => {
        if (!(await isNeeded?.(session as EntryRef))) await remove(store, session)
      }),
    delete: (call, ref) => run(call, 'delete', () => remove(store, ref)),
    ensureFolder: (call) => run(call, 'ensureFolder', async () => ROOT),
  }
}

async function run<Value>(call: Call, operation: string, work: () => Promise<Value>): Promise<Value> {
  call.signal.throwIfAborted()
  try {
    return await work()
  } catch (error) {
    call.signal.throwIfAborted()
    throw localError(operation, error)
  }
}

async function sizeOf(store: ObjectStore, ref: EntryRef, operation: string): Promise<number> {
  const size = isObjectId(ref) ? await store.size(ref) : null
  if (size === null) throw failed(operation, 'NotFound', 'The object does not exist.')
  return size
}

function entryOf(ref: EntryRef, size: number): Entry {
  return { ref, name: ref, kind: 'file', size, modifiedAt: null, hash: null }
}

/** In the order of ids; the cursor is the last id. */
async function list(store: ObjectStore, folder: EntryRef, cursor: string | null): Promise<Page<Entry>> {
  if (folder !== ROOT) throw failed('list', 'NotFound', 'There are no folders.')
  const ids: string[] = []
  for await (const id of store.listStored()) if (cursor === null || id > cursor) ids.push(id)
  const page = ids.sort().slice(0, PAGE)
  const sizes = await Promise.all(page.map((id) => store.size(id)))
  const items = page.flatMap((id, index) => {
    const size = sizes[index] ?? null
    return size === null ? [] : [entryOf(id as EntryRef, size)]
  })
  return { items, cursor: ids.length > PAGE ? (page.at(-1) ?? null) : null }
}

async function get(store: ObjectStore, call: Call, ref: EntryRef, range?: ByteRange): Promise<Download> {
  const size = await sizeOf(store, ref, 'get')
  const { start, end } = range ?? { start: 0, end: size - 1 }
  const bytes = end < start ? Readable.from([]) : store.open(ref, size).read(start, end)

  async function* read(): AsyncGenerator<Buffer> {
    try {
      yield* bytes as AsyncIterable<Buffer>
    } catch (error) {
      throw localError('get', error)
    }
  }
  const body = Readable.from(read(), { objectMode: false })
  body.once('close', () => bytes.destroy())
  return { body: destroyOnAbort(call.signal, body) }
}

async function remove(store: ObjectStore, ref: string): Promise<void> {
  if (isObjectId(ref)) await store.delete(ref)
}

/** Driver.put. Continues the staged object with the session's id; it is published once it is complete and on the disk. */
async function putObject(deps: PutDeps, request: PutRequest): Promise<Entry> {
  const { store, receiving } = deps
  const { entry, progress } = request
  const known = await findSession(store, request)
  const id = known?.id ?? deps.newId()
  receiving.add(id)
  try {
    if (!known) await progress.save(id)
    const hash = createContentHash('sha256')
    if (known) await hashStored(store, id, known.size, hash)
    if (!known?.isStored) await storeRest(deps, request, { id, from: known?.size ?? 0, hash })
    const { name, size } = entry
    return { ref: id as EntryRef, name, kind: 'file', size, modifiedAt: null, hash: hash.digest() }
  } finally {
    receiving.delete(id)
  }
}

type Known = { readonly id: string; readonly size: number; readonly isStored: boolean }

/** The object of the session, if it can be a beginning of this content. */
async function findSession(store: ObjectStore, { entry, progress: { session } }: PutRequest): Promise<Known | null> {
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

/** After a failure the staged bytes are kept for the next attempt, unless they are useless. */
async function storeRest({ store, flushBytes }: PutDeps, request: PutRequest, { id, from, hash }: Rest): Promise<void> {
  const { content } = request
  const writer = await store.stage(id, from)
  try {
    await write(request, writer, hash, flushBytes)
    if (writer.position !== content.size) {
      throw failed('put', 'Corrupt', `The content has ${writer.position} bytes and not ${content.size}.`)
    }
    await flush(request, writer)
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

/** Stops after the first chunk that exceeds the size. */
async function write(request: PutRequest, writer: StagingWriter, hash: ContentHash, flushBytes: number): Promise<void> {
  const { call, content } = request
  const source = content.open(writer.position)
  const chunks = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  let flushedAt = writer.position
  try {
    while (writer.position <= content.size) {
      // Only the wait for the source can be aborted: when the writer is closed, no write may be pending.
      const next = await abortable(call.signal, chunks.next()).catch((error: unknown) => {
        throw sourceError(call, error)
      })
      if (next.done) return
      hash.update(next.value)
      await writer.write(next.value)
      if (writer.position - flushedAt < flushBytes) continue
      flushedAt = writer.position
      await flush(request, writer)
    }
  } finally {
    source.destroy()
  }
}

async function flush({ content, progress }: PutRequest, writer: StagingWriter): Promise<void> {
  await writer.sync().catch((error: unknown) => {
    if (error instanceof DiskFullError) throw error
    // The operating system may have dropped the bytes that it could not write, and reports that only once.
    throw failed('put', 'Transient', 'The disk of this server could not store the content.', error)
  })
  progress.onProgress(Math.min(writer.position, content.size))
}

/** A staged object that was swept while this process was suspended is reported like any other loss, by the caller. */
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

const OBJECT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a string is an object id: refs and sessions come from rows. */
function isObjectId(text: string): boolean {
  return OBJECT_ID.test(text)
}

/** Maps errors of the disk to ProviderErrors. */
function localError(operation: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error
  if (error instanceof ObjectMissingError) return failed(operation, 'NotFound', 'The object does not exist.', error)
  if (error instanceof DiskFullError)
    return failed(operation, 'QuotaExceeded', 'The disk of this server is full.', error)
  return failed(operation, 'Transient', 'The disk of this server failed.', error)
}

function failed(operation: string, code: ProviderErrorCode, message: string, cause?: unknown): ProviderError {
  return new ProviderError(code, { provider: 'local', operation }, { message, cause })
}
