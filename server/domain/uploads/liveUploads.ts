import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { ConflictError } from '../errors.ts'
import { type ContentHasher, createContentHasher, type HasherOptions } from './contentHasher.ts'

/** What is durable of an upload, and the hash of exactly these bytes. */
export type Progress = { readonly offset: number; readonly hasher: ContentHasher }

/** An upload whose bytes are looked at. */
export type Measured = HasherOptions & { readonly id: string }

/** A request at work on an upload. */
type Worker = { readonly body: Readable | null; readonly done: Promise<void>; bytes: number }

/** A sender that is silent this long while another asks for the same upload is taken for dead. */
const PATIENCE_MS = 1_000
/** Uploads whose state is remembered; of others it is read again from staging. */
const REMEMBERED = 1_000

/** Uploads of this process: who writes to which, and how far each is, so that a resumed one need not be hashed again. */
export type LiveUploads = ReturnType<typeof createLiveUploads>

export function createLiveUploads(store: ObjectStore) {
  const workers = new Map<string, Worker>()
  const remembered = new Map<string, Progress>()
  const measuring = new Map<string, Promise<Progress>>()

  /** Waits for who is at work; a silent sender is cut off, which keeps what it sent. False: it is alive. */
  async function released(id: string): Promise<boolean> {
    const other = workers.get(id)
    if (!other) return true
    const before = other.bytes
    await Promise.race([other.done, sleep(PATIENCE_MS)])
    if (workers.get(id) === other && other.bytes === before) {
      other.body?.destroy()
      await other.done
    }
    return !workers.has(id)
  }

  function remember(id: string, progress: Progress): void {
    remembered.delete(id)
    remembered.set(id, progress)
    if (remembered.size <= REMEMBERED) return
    // What is being written to is not in doubt only as long as it is remembered.
    const oldest = [...remembered.keys()].find((key) => !workers.has(key))
    if (oldest !== undefined) remembered.delete(oldest)
  }

  async function measure(upload: Measured): Promise<Progress> {
    const offset = (await store.stagedSize(upload.id)) ?? 0
    const progress = { offset, hasher: await hashStaged(store, upload, offset) }
    remember(upload.id, progress)
    return progress
  }

  return {
    released,
    remember,
    busy: () => [...workers.keys()],
    isBusy: (id: string) => workers.has(id),

    forget(id: string): void {
      remembered.delete(id)
    },

    /** How far the upload is. What an earlier process left is made durable first: an offset that was told must hold. */
    async progress(upload: Measured): Promise<Progress> {
      const { id } = upload
      const known = remembered.get(id)
      if (known) return known
      // One measurement for all who ask: a second one, begun before the first writer and ended after it, would cut its bytes off.
      const measurement = measuring.get(id) ?? measure(upload).finally(() => measuring.delete(id))
      measuring.set(id, measurement)
      return measurement
    },

    /** Ends the request at work on the upload, if any. */
    async interrupt(id: string): Promise<void> {
      const other = workers.get(id)
      other?.body?.destroy()
      await other?.done
    },

    /** Runs `work` as the only one on this upload. `count` takes bytes as they come. @throws ConflictError */
    async exclusively<Result>(
      id: string,
      body: Readable | null,
      work: (count: (bytes: number) => void) => Promise<Result>,
    ): Promise<Result> {
      if (workers.has(id) && (!(await released(id)) || workers.has(id))) {
        throw new ConflictError('Another request is sending this upload at the moment. Please wait for it to end.')
      }
      const { promise, resolve } = withResolvers()
      const worker: Worker = { body, done: promise, bytes: 0 }
      workers.set(id, worker)
      try {
        return await work((bytes) => {
          worker.bytes += bytes
        })
      } finally {
        workers.delete(id)
        resolve()
      }
    },
  }
}

async function hashStaged(store: ObjectStore, upload: Measured, length: number): Promise<ContentHasher> {
  const hasher = createContentHasher(upload)
  if (length === 0) return hasher
  const writer = await store.stage(upload.id, length)
  try {
    await writer.sync()
  } finally {
    await writer.close()
  }
  for await (const chunk of store.open(upload.id, length).read(0, length - 1)) hasher.update(chunk)
  return hasher
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
