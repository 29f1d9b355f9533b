import { Readable } from 'node:stream'
import { endWithSignal } from '../../lib/endWithSignal.ts'
import { newId as timeOrderedId } from '../../lib/ids.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { ByteRange, Call, Capabilities, Download, Driver, Entry, EntryRef, Page } from '../driver.ts'
import { failed, localError } from './errors.ts'
import { isObjectId } from './objectId.ts'
import { type PutDeps, putObject } from './upload.ts'

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

export type LocalDriver = Driver & {
  /** Ids of staged objects that a put of this process writes to: not to be swept. */
  receiving(): ReadonlySet<string>
}

/**
 * This server's own disk. A ref is an object id; names and folders are accepted and not kept, and the hash is that which put
 * computes. How much a user may keep is for the caller to know.
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
  if (size === null) throw failed(operation, 'NotFound', 'The object is not here.')
  return size
}

function entryOf(ref: EntryRef, size: number): Entry {
  return { ref, name: ref, kind: 'file', size, modifiedAt: null, hash: null }
}

/** In the order of ids. The cursor is the last one. */
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
  return { body: endWithSignal(call.signal, body) }
}

async function remove(store: ObjectStore, ref: string): Promise<void> {
  if (isObjectId(ref)) await store.delete(ref)
}
