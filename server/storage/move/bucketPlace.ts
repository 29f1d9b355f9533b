import { createS3Client, type S3Client } from '../s3/client.ts'
import type { S3Limits } from '../s3/context.ts'
import { createS3Objects, idIn, pages } from '../s3/objects.ts'
import type { StagedRow, StagedRows } from '../s3/rows.ts'
import { type BucketPlace, createS3Store } from '../s3/store.ts'
import { NAME_FILE } from './diskPlace.ts'
import type { Found, MovePlace } from './places.ts'

/** Of a bucket and prefix: the same whatever name the service is reached by. */
export function idOfBucket({ bucket, prefix }: Pick<BucketPlace, 'bucket' | 'prefix'>): string {
  return [bucket, ...(prefix === '' ? [] : [prefix])].join('/')
}

/**
 * Whether the bucket is the folder with the objects of DATA_DIR, served or mounted by some program: a copy would replace the object itself,
 * and deleting it at the source would delete it at the target.
 */
export async function isSameStorage(place: BucketPlace): Promise<boolean> {
  const client = createS3Client({ bucket: place })
  try {
    return (await createS3Objects(client).head(`${folderOf(place)}${NAME_FILE}`)) !== null
  } finally {
    client.close()
  }
}

function folderOf({ prefix }: BucketPlace): string {
  return `${prefix === '' ? '' : `${prefix}/`}objects/`
}

type BucketOptions = {
  readonly place: BucketPlace
  /** What the servers stage there. */
  readonly rows: StagedRows
  readonly limits?: Partial<S3Limits>
  readonly client?: S3Client
}

/** A bucket. Copies are written to their keys as objects that were never staged, so that servers see them when they are complete. */
export function openBucketPlace({ place, rows, limits, client: given }: BucketOptions): MovePlace {
  const client = given ?? createS3Client({ bucket: place })
  const objects = createS3Objects(client)
  const options = { place, client, ...(limits && { limits }) }
  const store = createS3Store({ ...options, rows })
  const folder = folderOf(place)

  return {
    name: `the bucket ${idOfBucket(place)}`,
    store,
    async *list() {
      for await (const page of pages((marker) => objects.list(folder, marker))) yield* await stored(page)
    },
    async clear(ids) {
      if (ids.length === 0) return
      const wanted = new Set(ids)
      for await (const uploads of pages((marker) => objects.listUploads(folder, marker))) {
        for (const upload of uploads) if (wanted.has(idIn(upload.key) ?? '')) await objects.abortUpload(upload)
      }
    },
    receive(id) {
      const direct = createS3Store({ ...options, rows: createLoneRows() })
      const writer = direct.create(id)
      return {
        write: (chunk) => writer.write(chunk),
        async finish() {
          await writer.sync()
          await writer.close()
          // It has its key by now.
          await direct.publish(id)
        },
        read: (size) => (size === 0 ? [] : direct.open(id, size).read(0, size - 1)) as AsyncIterable<Buffer>,
        publish: async () => undefined,
        async drop() {
          await writer.close()
          await direct.delete(id)
        },
      }
    },
    freeBytes: async () => null,
    close: () => client.close(),
  }

  async function stored(page: readonly { readonly key: string; readonly size: number }[]): Promise<Found[]> {
    const found = page.flatMap(({ key, size }) => {
      const id = idIn(key)
      return id === null ? [] : [{ id, size }]
    })
    const staged = await rows.among(found.map(({ id }) => id))
    return found.filter(({ id }) => !staged.has(id))
  }
}

const ONLY = 1

/** Rows of one object that only this process writes, in one session: nothing has to be known by others. */
function createLoneRows(): StagedRows {
  let row: StagedRow | null = null
  const none = async () => null
  return {
    async add() {
      row = { session: ONLY, uploadId: null, nextPart: 1, size: null, tail: null, note: null, discarded: false }
      return true
    },
    async begin(_id, _session, uploadId) {
      if (row) row = { ...row, uploadId, nextPart: 1 }
      return row !== null
    },
    async claim() {
      if (!row) return null
      row = { ...row, nextPart: row.nextPart + 1 }
      return row.nextPart - 1
    },
    find: async () => row,
    state: async () => (row ? 'staged' : null),
    confirm: async () => row !== null,
    discard: async () => row,
    async forget() {
      row = null
    },
    async release() {
      const was = row !== null
      row = null
      return was
    },
    among: async () => new Map(),
    list: async () => [],
    parts: async () => [],
    take: none,
    // Of a store that repeats deletions.
    addDiscarded: async () => undefined,
    // Of objects that are written in several sessions.
    record: async () => false,
    recordUnused: async () => false,
    unusedParts: async () => [],
    finish: async () => false,
  }
}
