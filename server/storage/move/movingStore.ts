import { type ByteReader, type ByteSource, type Reading, readRange } from '../byteSource.ts'
import { ObjectMissingError } from '../errors.ts'
import type { ObjectStore } from '../objectStore.ts'
import type { NewWriter } from '../stagingWriter.ts'

/** Which of the two storages. */
export type Side = 'DISK' | 'BUCKET'

export type MovingStores = {
  readonly disk: ObjectStore
  readonly bucket: ObjectStore
  /** Where new objects go. Asked for each of them. */
  readonly target: () => Promise<Side>
}

/**
 * The objects of a folder and a bucket as one store, while `npm run move-storage` moves them from one to the other, in either direction.
 * - An object moves one way only, and is deleted at the source after its copy is complete. So what is not found in the one and then in
 *   the other has to be looked for in the first one again: disk, bucket, disk.
 * - A deletion takes the same way. Whichever of the two is the source, its object is gone before the one at the target is deleted: a copy
 *   that is being made at that moment is either deleted here, or by the command, which looks at the source again after each copy.
 * - A staged object stays where it was begun until it is published.
 */
export function createMovingStore({ disk, bucket, target }: MovingStores): ObjectStore {
  const sides = { DISK: disk, BUCKET: bucket }
  const way = [disk, bucket, disk]
  /** Where this process has begun objects that are not published yet. */
  const begun = new Map<string, Promise<Side>>()

  async function firstOf<Found>(ask: (store: ObjectStore) => Promise<Found | null>): Promise<Found | null> {
    for (const store of way) {
      const found = await ask(store)
      if (found !== null) return found
    }
    return null
  }

  return {
    async stage(id, offset) {
      const there = await firstOf(async (store) => ((await store.size(id)) === null ? null : store))
      return (there ?? sides[await target()]).stage(id, offset)
    },
    create(id) {
      const side = target()
      begun.set(id, side)
      return createLateWriter(side.then((found) => sides[found].create(id)))
    },
    stagedSize: (id) => firstOf((store) => store.stagedSize(id)),
    size: (id) => firstOf((store) => store.size(id)),
    syncStaged: (id) => firstOf((store) => store.syncStaged(id)),
    async syncStaging() {
      await Promise.all([disk.syncStaging(), bucket.syncStaging()])
    },
    async publish(id) {
      const first = await begun.get(id)
      begun.delete(id)
      const stores = first ? [sides[first], ...way] : way
      for (const store of stores) {
        const done = await store.publish(id).then(() => true, unlessMissing)
        if (done) return
      }
      throw new ObjectMissingError(id)
    },
    open(id, size) {
      const sources = way.map((store) => store.open(id, size))
      const open = (reading?: Reading) => openFirst(sources, size, reading)
      return { size, open, read: (start, end) => readRange(() => open({ start, end }), start, end) }
    },
    async delete(id) {
      begun.delete(id)
      for (const store of way) await store.delete(id)
    },
    async discard(id) {
      begun.delete(id)
      await disk.discard(id)
      await bucket.discard(id)
    },
    async listStaged(idleMs) {
      return [...new Set([...(await disk.listStaged(idleMs)), ...(await bucket.listStaged(idleMs))])]
    },
    async *listStored() {
      yield* disk.listStored()
      for await (const id of bucket.listStored()) if ((await disk.size(id)) === null) yield id
    },
    keepsNotes: disk.keepsNotes || bucket.keepsNotes,
    stagedNote: (id) => firstOf((store) => store.stagedNote(id)),
    async sweep(signal) {
      await disk.sweep(signal)
      await bucket.sweep(signal)
    },
  }
}

function unlessMissing(error: unknown): false {
  if (error instanceof ObjectMissingError) return false
  throw error
}

/** A writer that is opened while its caller already has it. */
function createLateWriter(opening: Promise<NewWriter>): NewWriter {
  let position = 0
  // The next call reports it; until then it must not count as unhandled.
  opening.catch(() => undefined)
  return {
    get position() {
      return position
    },
    async write(chunk) {
      position += chunk.length
      await (await opening).write(chunk)
    },
    sync: async (note) => (await opening).sync(note),
    exists: async () => (await opening).exists(),
    close: async () => (await opening.catch(() => null))?.close(),
  }
}

/** Reads from the first source that has the object; when it is moved during the read, from the next one. */
async function openFirst(
  sources: readonly ByteSource[],
  size: number,
  given: Reading | undefined,
): Promise<ByteReader> {
  const end = given?.end ?? size - 1
  let turn = 0
  let current: ByteReader | null = null

  async function openNext(start: number): Promise<ByteReader> {
    for (;;) {
      const source = sources[turn]
      turn += 1
      try {
        // Without a range, a bucket is not asked before the first read.
        return await (source as ByteSource).open(given && { ...given, start, end })
      } catch (error) {
        if (!(error instanceof ObjectMissingError) || turn === sources.length) throw error
      }
    }
  }

  current = await openNext(given?.start ?? 0)
  return {
    async read(target, position) {
      for (;;) {
        current ??= await openNext(position)
        try {
          return await current.read(target, position)
        } catch (error) {
          if (!(error instanceof ObjectMissingError) || turn === sources.length) throw error
          await current.close()
          current = null
        }
      }
    },
    async close() {
      await current?.close()
    },
  }
}
