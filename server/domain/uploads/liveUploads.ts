import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { createLeases, type Lease } from '../../db/leases.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { ConflictError } from '../errors.ts'
import type { Events } from '../events.ts'
import { type ContentHasher, createContentHasher, type HasherOptions } from './intake.ts'

/** What is durable of an upload, and the hash of exactly these bytes. */
export type Progress = { readonly offset: number; readonly hasher: ContentHasher }

/** An upload whose bytes are looked at. */
export type Measured = HasherOptions & { readonly id: string }

/** Whose upload. */
export type UploadKey = { readonly id: string; readonly userId: string }

/** What a request may do while it is the only one on an upload, of all servers. */
export type Turn = {
  /** Takes bytes as they come, or as they are read again: signs of life. */
  count(bytes: number): void
  /** Whether nobody else can have begun: asks the database. A server that was frozen may have lost its turn without knowing. */
  isMine(): Promise<boolean>
  /** The same for who has made so many bytes durable: a turn that was lost with a connection is taken again if nobody changed them. */
  isStillMine(size: number): Promise<boolean>
}

/** A request at work on an upload. */
type Worker = { readonly body: Readable | null; readonly done: Promise<void>; bytes: number }

/** A sender that is silent this long while another asks for the same upload is taken for dead. */
const PATIENCE_MS = 1_000
/** As long as it takes another server to hear of it, to wait that long and to say so, and some more. */
const OTHERS_PATIENCE_MS = 2_500
const LOOK_MS = 50
/** Uploads whose state is remembered; of others it is read again from staging. */
const REMEMBERED = 1_000

export type LiveUploadsDeps = {
  readonly store: ObjectStore
  /** For the connection that holds the leases of uploads. */
  readonly leases: Pool
  readonly events: Events
}

/**
 * Who works on which upload, on this server and, by a lease in the database, among all of them. How far an upload is says its staged
 * object alone, which all servers share: what one that has never been cut off below it is remembered of, so that its bytes need not be
 * hashed again.
 */
export type LiveUploads = ReturnType<typeof createLiveUploads>

export function createLiveUploads({ store, leases: leasePool, events }: LiveUploadsDeps) {
  const leases = createLeases(leasePool, 'upload')
  const workers = new Map<string, Worker>()
  const remembered = new Map<string, Progress>()

  /** Waits for who is at work here; a silent sender is cut off, which keeps what it sent. False: it is alive. */
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

  /** Ends the request at work here on the upload, if any. */
  async function interrupt(id: string): Promise<void> {
    const other = workers.get(id)
    other?.body?.destroy()
    await other?.done
  }

  function remember(id: string, progress: Progress): void {
    remembered.delete(id)
    remembered.set(id, progress)
    const [oldest] = remembered.keys()
    if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }

  /** Null: another server works on it, and is alive. */
  async function takeLease({ id, userId }: UploadKey, end: boolean): Promise<Lease | null> {
    const free = await leases.take(id)
    if (free) return free
    events.publish('uploadWanted', userId, { uploadId: id, end })
    for (const until = performance.now() + OTHERS_PATIENCE_MS; performance.now() < until; ) {
      await sleep(LOOK_MS)
      const lease = await leases.take(id)
      if (lease) return lease
    }
    return null
  }

  /** Until the signal aborts: lets go of the upload when another server wants it and its sender is silent. */
  async function heed({ id, userId }: UploadKey, signal: AbortSignal): Promise<void> {
    for await (const { uploadId, end } of events.subscribe('uploadWanted', userId, signal)) {
      if (uploadId === id) await (end ? interrupt(id) : released(id))
    }
  }

  /** Runs `work` as the only one on this upload, on any server. @throws ConflictError */
  async function exclusively<Result>(
    upload: UploadKey,
    body: Readable | null,
    work: (turn: Turn) => Promise<Result>,
    { end = false } = {},
  ): Promise<Result> {
    const { id } = upload
    if (workers.has(id) && (!(await released(id)) || workers.has(id))) throw busy()
    const { promise, resolve } = withResolvers()
    const worker: Worker = { body, done: promise, bytes: 0 }
    workers.set(id, worker)
    const over = new AbortController()
    let lease: Lease | null = null
    try {
      lease = await takeLease(upload, end)
      if (!lease) throw busy()
      if (body) void heed(upload, over.signal)
      const isMine = async () => (await lease?.held()) ?? false
      return await work({
        count(bytes) {
          worker.bytes += bytes
        },
        isMine,
        async isStillMine(size) {
          if (await isMine()) return true
          await lease?.release()
          lease = await leases.take(id)
          return lease !== null && (await store.stagedSize(id)) === size
        },
      })
    } finally {
      over.abort()
      await lease?.release()
      workers.delete(id)
      resolve()
    }
  }

  return {
    released,
    exclusively,
    remember,
    isBusy: (id: string) => workers.has(id),

    forget(id: string): void {
      remembered.delete(id)
    },

    /** How many bytes of the upload are there, made durable: an offset that is told must hold. For who has it exclusively. */
    async offset(id: string): Promise<number> {
      const size = (await store.stagedSize(id)) ?? 0
      return size === 0 || remembered.get(id)?.offset === size ? size : ((await store.syncStaged(id)) ?? 0)
    },

    /** The same with the hash of these bytes; only those that came to another server are read again. */
    async progress(upload: Measured, count: (bytes: number) => void = () => {}): Promise<Progress> {
      const { id } = upload
      const offset = await this.offset(id)
      const known = remembered.get(id)
      if (known?.offset === offset) return known
      // Nobody cuts off what was told to be durable: what is remembered is the beginning of what is there, if that is longer.
      const from = known && known.offset < offset ? known : { offset: 0, hasher: createContentHasher(upload) }
      const hasher = from.hasher.copy()
      await hashStaged(store, { id, from: from.offset, to: offset }, (chunk) => {
        hasher.update(chunk)
        count(chunk.length)
      })
      const progress = { offset, hasher }
      remember(id, progress)
      return progress
    },

    /** Ends the request at work on the upload, on whatever server, and runs `work` then. @throws ConflictError */
    async instead<Result>(upload: UploadKey, work: () => Promise<Result>): Promise<Result> {
      await interrupt(upload.id)
      return exclusively(upload, null, work, { end: true })
    },
  }
}

type Stretch = { readonly id: string; readonly from: number; readonly to: number }

async function hashStaged(store: ObjectStore, { id, from, to }: Stretch, take: (chunk: Buffer) => void): Promise<void> {
  if (from === to) return
  for await (const chunk of store.open(id, to).read(from, to - 1)) take(chunk)
}

function busy(): ConflictError {
  return new ConflictError('Another request is sending this upload at the moment. Please wait for it to end.')
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
