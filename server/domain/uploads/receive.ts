import type { Readable } from 'node:stream'
import type { ClientBase, Pool } from 'pg'
import { retryConflicts, transaction } from '../../db/pool.ts'
import { formatBytes } from '../../lib/format.ts'
import { newId } from '../../lib/ids.ts'
import type { NewWriter } from '../../storage/stagingWriter.ts'
import { ChecksumMismatchError, StorageFullError, UploadIncompleteError } from '../errors.ts'
import { HEAD_BYTES, judgeType } from '../files/content/types.ts'
import { authorOf } from '../files/content/versions.ts'
import { bytesByAccount, lockTargets } from '../groupClouds/members.ts'
import { checkKey, fingerprintOf } from '../idempotency/keys.ts'
import type { Viewer } from '../viewer.ts'
import {
  type AfterCommitDeps,
  afterCommit,
  type Commit,
  isUncommitted,
  OutdatedError,
  toDomainError,
} from './commit.ts'
import type { StoredFile, UploadInput } from './contract.ts'
import { type Admission, type AdmissionDeps, admit, placeAmong, type SingleAccountGroupClouds } from './destination.ts'
import type { CommitItem, Committed } from './insertFiles.ts'
import { deleteUpload, touchUpload } from './openUploads.ts'
import {
  type ContentHasher,
  createContentHasher,
  headCollector,
  ignoreStreamError,
  readTail,
  writeBody,
} from './stagedBytes.ts'

export type ReceiveDeps = AdmissionDeps &
  AfterCommitDeps & {
    readonly commit: Commit
    /** Ids of the objects that are being written and that no row refers to yet. */
    readonly receiving: Set<string>
    readonly singleAccounts: SingleAccountGroupClouds
  }

/**
 * An upload that is one request: it reserves room as its bytes arrive, and leaves nothing behind unless it becomes a
 * file.
 */
export async function receive(
  deps: ReceiveDeps,
  viewer: Viewer,
  input: UploadInput,
  body: Readable,
  idempotencyKey?: string,
): Promise<StoredFile> {
  const { store, receiving } = deps
  ignoreStreamError(body)
  if (idempotencyKey !== undefined) checkKey(idempotencyKey)
  const admission = await begin(deps, viewer, input, idempotencyKey)
  const objectId = newId()
  const expected = input.size ?? input.atMostBytes
  const room = createGrowingReservation(deps.pool, { ...admission, id: objectId, viewer, expected })
  receiving.add(objectId)
  const writer = store.create(objectId)
  let keep = false
  try {
    const received = await stage(writer, body, input.size, admission, room)
    checkSha256(received, input.sha256)
    const isThere = () => writer.exists()
    const { copiedFrom = null, protecting, replaces } = input
    const found = {
      ...(await commitItemOf(deps, viewer, objectId, admission, received, idempotencyKey)),
      ...(input.source && { author: authorOf(viewer, input.source) }),
      replaces,
      copiedFrom,
      protecting,
      isThere,
    }
    const item = room.uploadId === null ? found : { ...found, uploadId: room.uploadId, singleAccount: null }
    const done = await commitOrRetry(deps, viewer, input, item)
    keep = done.committed.created
    return await afterCommit(deps, viewer, done.item, done.committed)
  } catch (error) {
    keep ||= !isUncommitted(error)
    throw toDomainError(error, input.size ?? writer.position)
  } finally {
    await writer.close()
    if (!keep) await cleanUp(deps, objectId, room)
    receiving.delete(objectId)
  }
}

/** The bytes are deleted even if the row cannot be: the next sweep deletes that. */
async function cleanUp({ store, onError }: ReceiveDeps, objectId: string, room: GrowingReservation): Promise<void> {
  await store.discard(objectId)
  await room.release().catch(onError)
}

/** Uses the cached group cloud if the commit will be one statement: only that one checks it. */
function begin(deps: ReceiveDeps, viewer: Viewer, input: UploadInput, idempotencyKey?: string): Promise<Admission> {
  const atMost = input.size ?? input.atMostBytes
  const isOneStatement = atMost !== undefined && !input.parentId && idempotencyKey === undefined && !mayReplace(input)
  const cached = isOneStatement
    ? deps.singleAccounts.get({ userId: viewer.userId, id: input.groupCloudId }, atMost)
    : null
  return cached ? admit(deps, viewer, input, cached) : admitAndCache(deps, viewer, input)
}

/** Then the group cloud can be that of the file. */
function mayReplace({ onConflict, replaces }: UploadInput): boolean {
  return onConflict === 'REPLACE' || replaces !== undefined
}

async function admitAndCache(deps: ReceiveDeps, viewer: Viewer, input: UploadInput): Promise<Admission> {
  const admission = await admit(deps, viewer, input)
  if (mayReplace(input)) return admission
  deps.singleAccounts.set({ userId: viewer.userId, id: input.groupCloudId }, admission.singleAccount)
  return admission
}

/** Writes the whole body, durable when it resolves. The writer stays open: through it `isThere` checks the bytes. */
async function stage(
  writer: NewWriter,
  body: Readable,
  declared: number | null,
  admission: Admission,
  room: GrowingReservation,
): Promise<Received> {
  const hasher = createContentHasher({ size: declared, withSums: admission.remote })
  const head = headCollector(HEAD_BYTES)
  await writeBody(body, writer, {
    hashers: [hasher],
    onChunk(position, chunk) {
      checkLength(position, declared, admission.roomBytes)
      head.take(chunk)
      return room.ensure(position)
    },
  })
  if (declared !== null && writer.position !== declared) throw tooShort(writer.position, declared)
  await writer.sync()
  return { size: writer.position, ...hasher.finish(), head: head.head() }
}

type Received = ReturnType<ContentHasher['finish']> & { readonly size: number; readonly head: Buffer }

/** @throws UploadIncompleteError for more bytes than declared, StorageFullError for more than there is room for */
function checkLength(position: number, declared: number | null, roomBytes: number): void {
  if (declared !== null && position > declared) {
    throw new UploadIncompleteError(`More than the declared ${declared} bytes arrived. Please try again.`)
  }
  if (position <= roomBytes) return
  const message = `There is no room for this file: only ${formatBytes(roomBytes)} are free in this group cloud.`
  throw new StorageFullError(position, roomBytes, message)
}

function tooShort(received: number, declared: number): UploadIncompleteError {
  return new UploadIncompleteError(`Only ${received} of ${declared} bytes arrived. Please try again.`)
}

/** @throws ChecksumMismatchError */
function checkSha256({ sha256 }: Received, expected: string | undefined): void {
  if (expected === undefined || sha256.toString('hex') === expected) return
  throw new ChecksumMismatchError('The received bytes do not match their SHA-256. Please try again.')
}

async function commitItemOf(
  { store, anyType }: ReceiveDeps,
  viewer: Viewer,
  objectId: string,
  admission: Admission,
  received: Received,
  key?: string,
): Promise<Omit<CommitItem, 'isThere' | 'copiedFrom' | 'protecting'>> {
  const { name, groupCloudId, accountId, parentId, onConflict, singleAccount } = admission
  const { size, sha256, sums, head } = received
  const type = await judgeType(name, { head, tail: () => readTail(store, objectId, size) }, anyType)
  const fingerprint = () => fingerprintOf([name, parentId, groupCloudId, onConflict, sha256.toString('hex')])
  const idempotency = key === undefined ? null : { key, fingerprint: fingerprint() }
  const { userId } = viewer
  const where = { userId, groupCloudId, accountId, parentId, onConflict }
  return {
    fileId: newId(),
    objectId,
    ...where,
    author: authorOf(viewer, 'UPLOAD'),
    name,
    type,
    size,
    sha256,
    sums,
    uploadId: null,
    partIds: [],
    idempotency,
    singleAccount,
  }
}

/**
 * If the cached group cloud is outdated, it is read, and the upload refused for anything that would have refused it at
 * its start.
 */
async function commitOrRetry(
  deps: ReceiveDeps,
  viewer: Viewer,
  input: UploadInput,
  item: CommitItem,
): Promise<{ readonly item: CommitItem; readonly committed: Committed }> {
  try {
    return { item, committed: await deps.commit(item) }
  } catch (error) {
    if (!(error instanceof OutdatedError)) throw error
    const { groupCloudId, accountId } = await admitAndCache(deps, viewer, { ...input, size: item.size })
    const found = { ...item, groupCloudId, accountId, singleAccount: null }
    return { item: found, committed: await deps.commit(found) }
  }
}

/** Bodies up to this size reserve nothing: small files stay one statement, and use little room together. */
const UNRESERVED_BYTES = 1024 * 1024
const STEP = 1024 * 1024
/** More than the boundaries and other fields of a multipart body usually take; the length of the body includes them. */
const FRAMING = 4 * 1024
/** Well within the day after which an upload expires. */
const TOUCH_INTERVAL_MS = 60 * 60 * 1000

type GrowingReservation = {
  /** Resolves when so many bytes have room. @throws StorageFullError, NotFoundError */
  ensure(bytes: number): void | Promise<void>
  /** The row that holds the reservation; null while there is none. */
  readonly uploadId: string | null
  /** Frees the reservation. Not for an upload that became a file: its commit has done that. */
  release(): Promise<void>
}

type ReservationOptions = Pick<Admission, 'name' | 'groupCloudId' | 'accountId' | 'parentId' | 'onConflict'> & {
  /** Of the object, and of the row. */
  readonly id: string
  readonly viewer: Viewer
  /** The declared size of the body, or an upper bound; undefined: not known. */
  readonly expected: number | undefined
}

/**
 * Reserves room for a body whose length is known only at its end, as it arrives: `expected` (or twice what has
 * arrived), if there is room for that, otherwise 1 MiB at a time. So simultaneous uploads cannot fill the staging
 * folder with more than there is room for. A file that just fits gets its room at once: if it took it in steps, several could
 * each hold a part, and none would fit.
 */
function createGrowingReservation(pool: Pool, options: ReservationOptions): GrowingReservation {
  let reserved = UNRESERVED_BYTES
  let isSaved = false
  let touchedAt = 0

  async function reserve(bytes: number): Promise<void> {
    await retryConflicts(() => transaction(pool, (client) => reserveIn(client, options, bytes))).catch(
      (error: unknown) => {
        throw toDomainError(error, bytes)
      },
    )
    isSaved = true
    touchedAt = performance.now()
    reserved = bytes
  }

  async function grow(bytes: number): Promise<void> {
    const { expected = bytes * 2 } = options
    const sizes = [expected, expected - FRAMING, bytes + STEP, bytes].filter((size) => size >= bytes)
    for (const [index, size] of sizes.entries()) {
      try {
        return await reserve(size)
      } catch (error) {
        if (!(error instanceof StorageFullError) || index === sizes.length - 1) throw error
      }
    }
  }

  async function touch(bytes: number): Promise<void> {
    touchedAt = performance.now()
    await touchUpload(pool, options.id, bytes)
  }

  return {
    ensure(bytes) {
      if (bytes > reserved) return grow(bytes)
      if (isSaved && performance.now() - touchedAt > TOUCH_INTERVAL_MS) return touch(bytes)
    },
    get uploadId() {
      return isSaved ? options.id : null
    },
    async release() {
      if (isSaved) await deleteUpload(pool, options.viewer.userId, options.id)
    },
  }
}

const SAVE = {
  name: 'uploads-save-growing',
  text: `insert into uploads (id, user_id, group_cloud_id, account_id, parent_id, name, size, on_conflict, resumable, expires_at)
    values ($1, $2, $3, $8, $4, $5, $6, $7::"OnConflict", false, now() + interval '24 hours')
    on conflict (id) do update set size = excluded.size, expires_at = excluded.expires_at`,
}
const RESERVED = {
  name: 'uploads-growing-reserved',
  text: 'select account_id, bytes::float8 as bytes from upload_reservations where upload_id = $1',
}
/** Replaces the reservation by `$2` (accounts) and `$3` (bytes). The accounts are locked already. */
const RESERVE = {
  name: 'uploads-reserve-growing',
  text: `with wanted as (
      select * from unnest($2::uuid[], $3::bigint[]) as w(account_id, bytes)
    ), before as (
      select account_id, bytes from upload_reservations where upload_id = $1
    ), gone as (
      delete from upload_reservations where upload_id = $1 and account_id not in (select account_id from wanted)
    ), saved as (
      insert into upload_reservations (upload_id, account_id, bytes) select $1::uuid, account_id, bytes from wanted
      on conflict (upload_id, account_id) do update set bytes = excluded.bytes
    )
    update accounts set reserved_bytes = reserved_bytes + c.change, updated_at = now()
    from (
      select account_id, sum(bytes)::bigint as change from (
        select account_id, bytes from wanted union all select account_id, -bytes from before
      ) as both_of group by account_id
    ) as c where accounts.id = c.account_id`,
}

async function reserveIn(client: ClientBase, options: ReservationOptions, bytes: number): Promise<void> {
  const { id, viewer, groupCloudId, accountId, parentId, name, onConflict } = options
  const groupClouds = await lockTargets(client, [options])
  const { rows } = await client.query<{ account_id: string; bytes: number }>({ ...RESERVED, values: [id] })
  const before = new Map(rows.map((row) => [row.account_id, row.bytes]))
  const plan = placeAmong(groupClouds, { groupCloudId, accountId, size: bytes }, before)
  await client.query({
    ...SAVE,
    values: [id, viewer.userId, groupCloudId, parentId, name, bytes, onConflict, accountId],
  })
  const wanted = [...bytesByAccount(plan.copies)]
  await client.query({
    ...RESERVE,
    values: [id, wanted.map(([accountId]) => accountId), wanted.map(([, size]) => size)],
  })
}
