import { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { createContentHash } from '../../lib/contentHash.ts'
import { formatBytes } from '../../lib/format.ts'
import { newId } from '../../lib/ids.ts'
import type { Call, Driver, Entry, EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import {
  ConflictError,
  ContentUnavailableError,
  InvalidInputError,
  NotFoundError,
  StorageFullError,
} from '../errors.ts'
import { walk } from '../files/content/archive.ts'
import type { CopyFiles, File, ListFiles } from '../files/contract.ts'
import {
  type ChangeDeps,
  changeTree,
  distinctIds,
  lockAccounts,
  lockReadableEntries,
  refuseCycle,
  requireTargetFolder,
} from '../files/tree/change.ts'
import { requireFiles } from '../files/tree/entries.ts'
import { listFiles } from '../files/tree/listing.ts'
import { type AccountLabel, findMembers, type GroupCloudMembers, withTurns } from '../groupClouds/members.ts'
import { roomBytes } from '../groupClouds/placement.ts'
import { checkKey, claimKey, fingerprintOf, type Sql } from '../idempotency/keys.ts'
import { enqueueReconcile } from '../jobs.ts'
import type { RowDeps } from '../transfers/contract.ts'
import { dropCopies } from '../transfers/reconcile.ts'
import { changeCopies } from '../transfers/work.ts'
import type { UploadsService } from '../uploads/contract.ts'
import { placeAmong } from '../uploads/destination.ts'
import type { Viewer } from '../viewer.ts'

/** Maximum number of files, and of folders, per call. */
export const MAX_COPIED = 1000

/** A requested entry with everything below it; a folder precedes its contents. */
export type Tree = { readonly top: File; readonly entries: readonly File[] }

/** The entries to copy, as they are now. @throws InvalidInputError, NotFoundError, FolderCycleError */
export async function planCopy(deps: ChangeDeps, viewer: Viewer, { ids, parentId }: CopyFiles): Promise<Tree[]> {
  const distinct = distinctIds(ids)
  const tops = await changeTree(deps, viewer, async (change) => {
    const entries = await lockReadableEntries(change, distinct)
    refuseCycle(entries, await requireTargetFolder(change, parentId), 'copied')
    return requireFiles(change.tx, viewer, distinct)
  })
  return readTrees(deps.pool, viewer, tops)
}

async function readTrees(pool: Pool, viewer: Viewer, tops: readonly File[]): Promise<Tree[]> {
  const list = (options: ListFiles) => listFiles(pool, viewer, options)
  const count = { FILE: 0, FOLDER: 0 }
  const trees: Tree[] = []
  for (const top of tops) {
    const entries: File[] = []
    for await (const { file } of walk(list, [top])) {
      count[file.kind] += 1
      if (count[file.kind] > MAX_COPIED) throw tooMany()
      entries.push(file)
    }
    trees.push({ top, entries })
  }
  return trees
}

function tooMany(): InvalidInputError {
  const most = MAX_COPIED.toLocaleString('en')
  const message = `At most ${most} files and as many folders can be copied at once. Please select fewer.`
  return new InvalidInputError([{ path: 'ids', message }])
}

type Wanted = { readonly size: number; readonly groupCloudId: string }

/**
 * Checks that all files together have room, in the order in which they will be placed. Reserves nothing: other uploads may take
 * the room meanwhile.
 * @throws NotFoundError, StorageFullError with the bytes of all that goes into the group cloud that is full
 */
export async function requireRoom(
  { pool, accountLabel }: { readonly pool: Pool; readonly accountLabel?: AccountLabel },
  viewer: Viewer,
  files: readonly File[],
  groupCloudId: string | undefined,
): Promise<void> {
  const wantedOf = (file: File) => groupCloudId ?? file.groupCloudId ?? undefined
  const wanted = [...new Set(groupCloudId === undefined ? files.map(wantedOf) : [groupCloudId])]
  const found = await findMembers(
    pool,
    wanted.map((id) => ({ userId: viewer.userId, id })),
    accountLabel,
  )
  const byWanted = new Map(wanted.map((id, index) => [id, known(found[index])]))
  const placed = files.map((file) => ({
    size: file.size,
    groupCloudId: known(byWanted.get(wantedOf(file))).groupCloudId,
  }))
  const clouds = await withTurns(pool, new Map([...byWanted.values()].map((one) => [one.groupCloudId, one])))
  placeAll(clouds, placed)
}

function placeAll(clouds: ReadonlyMap<string, GroupCloudMembers>, files: readonly Wanted[]): void {
  const left = new Map(clouds)
  for (const one of files) {
    try {
      placeAmong(left, { ...one, accountId: null })
    } catch (error) {
      throw error instanceof StorageFullError ? forAll(error, known(clouds.get(one.groupCloudId)), files) : error
    }
  }
}

/** The error for one file, with the size of all files if these together do not fit. */
function forAll(error: StorageFullError, cloud: GroupCloudMembers, files: readonly Wanted[]): StorageFullError {
  const needed = files.reduce(
    (sum, { size, groupCloudId }) => sum + (groupCloudId === cloud.groupCloudId ? size : 0),
    0,
  )
  const free = roomBytes(cloud.members, { spanning: true })
  if (files.length === 1 || needed <= free) return error
  const message = `There is no room for the copies: ${formatBytes(needed)} are needed, and ${formatBytes(free)} are free in this group cloud.`
  return new StorageFullError(needed, free, message)
}

function known(cloud: GroupCloudMembers | null | undefined): GroupCloudMembers {
  if (cloud) return cloud
  throw new NotFoundError('This group cloud does not exist. Please choose another one.')
}

/** What calls with one Idempotency-Key have created so far. */
export type Progress = {
  /** An earlier call has copied everything. */
  readonly isDone: boolean
  /** The id of the copy of a file of the tree `topId`; undefined when there is none yet. */
  copyOf(topId: string, fileId: string): string | undefined
  /** After this, another call with the key continues where this one stops. @throws IdempotencyKeyReusedError */
  begin(): Promise<void>
  /** The idempotency key for the copy of one entry; undefined for a call without a key. */
  keyOf(topId: string, fileId: string): string | undefined
  end(): Promise<void>
}

const WITHOUT_KEY: Progress = {
  isDone: false,
  copyOf: () => undefined,
  begin: async () => undefined,
  keyOf: () => undefined,
  end: async () => undefined,
}

/** Each entry is copied under a separate key, which clients cannot guess: it contains an id that is never exposed. */
export async function openProgress(
  pool: Pool,
  { userId }: Viewer,
  { ids, parentId, groupCloudId }: CopyFiles,
  key: string | undefined,
): Promise<Progress> {
  if (key === undefined) return WITHOUT_KEY
  checkKey(key)
  const sql: Sql = async (text, values) => (await pool.query(text, [...values])).rows
  const fingerprint = fingerprintOf([...ids, parentId, groupCloudId ?? null])
  const asked = { userId, key, operation: 'copyFiles', fingerprint }
  let runId = await findRun(sql, asked)
  const made = runId === null ? new Map<string, string>() : await findMade(sql, userId, prefixOf(runId))
  const begun = () => prefixOf(runId ?? '')
  return {
    isDone: made.has(DONE),
    copyOf: (topId, fileId) => made.get(suffixOf(topId, fileId)),
    async begin() {
      const resultId = newId()
      runId = (await claimKey(sql, { ...asked, resultId })) ?? resultId
    },
    keyOf: (topId, fileId) => `${begun()}${suffixOf(topId, fileId)}`,
    async end() {
      await claimKey(sql, { ...asked, key: `${begun()}${DONE}`, resultId: newId() })
    },
  }
}

const DONE = 'done'
const prefixOf = (runId: string): string => `copy ${runId} `
const suffixOf = (topId: string, fileId: string): string => `${topId} ${fileId}`

type Asked = {
  readonly userId: string
  readonly key: string
  readonly operation: string
  readonly fingerprint: Buffer
}

async function findRun(sql: Sql, { userId, key, operation, fingerprint }: Asked): Promise<string | null> {
  const [row] = await sql(
    `select result_id::text as run_id from idempotency_keys where user_id = $1::uuid and key = $2 and operation = $3
     and fingerprint = $4 and created_at >= now() - interval '24 hours'`,
    [userId, key, operation, fingerprint],
  )
  return typeof row?.run_id === 'string' ? row.run_id : null
}

async function findMade(sql: Sql, userId: string, prefix: string): Promise<Map<string, string>> {
  const rows = await sql(
    'select key, result_id::text as made_id from idempotency_keys where user_id = $1::uuid and starts_with(key, $2)',
    [userId, prefix],
  )
  return new Map(rows.map((row) => [String(row.key).slice(prefix.length), String(row.made_id)]))
}

/** Ids of the copies of `tops`. */
export function copiesOf(progress: Progress, tops: readonly Pick<File, 'id'>[]): string[] {
  return tops.flatMap(({ id }) => progress.copyOf(id, id) ?? [])
}

export type KeepVersionDeps = RowDeps & {
  readonly openDriver: (accountId: string) => Promise<Driver>
  readonly receive: UploadsService['receive']
}

type Changed = {
  readonly fileId: string
  readonly parentId: string | null
  readonly groupCloudId: string | null
  readonly accountId: string
  readonly accountName: string
  readonly ref: string
  readonly pieces: number
  readonly changed: boolean
}

const FIND = `select f.id as "fileId", f.parent_id as "parentId", f.group_cloud_id as "groupCloudId", p.account_id as "accountId",
    a.name as "accountName", p.object_ref as ref, p.changed_at is not null as changed,
    (select count(*)::int from pieces o where o.copy_id = c.id) as pieces
  from copies c join files f on f.id = c.file_id join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
  where c.id = $2 and f.user_id = $1 and f.purged_at is null and a.disconnected_at is null order by p.changed_at limit 1`

/** Stores the version in the account as a new file with its name there, like an upload. @throws as FilesService.keepVersion */
export async function keepVersion(deps: KeepVersionDeps, viewer: Viewer, copyId: string): Promise<File> {
  const { rows } = await deps.pool.query<Changed>(FIND, [viewer.userId, copyId])
  const [copy] = rows
  if (!copy) throw new NotFoundError()
  if (!copy.changed) throw new ConflictError('This copy was not changed in its account.')
  if (copy.pieces > 1) {
    throw new ConflictError('This copy is stored in several pieces. The changed one is not a file by itself.')
  }
  const file = await receiveVersion(deps, viewer, copy)
  await dropOffered(deps, viewer, copyId, copy.fileId)
  return file
}

async function receiveVersion(deps: KeepVersionDeps, viewer: Viewer, copy: Changed): Promise<File> {
  const ending = new AbortController()
  const call = { signal: ending.signal, requestId: newId() }
  const { driver, entry } = await find(deps, copy, call)
  const { name, size } = entry
  let failure: unknown
  const body = Readable.from(read(driver, call, entry), { objectMode: false })
  body.once('error', (error) => {
    failure = error
  })
  try {
    const { parentId, groupCloudId } = copy
    const placed = { parentId, groupCloudId: groupCloudId ?? undefined, onConflict: 'RENAME' } as const
    return await deps.receive(viewer, { name, size, ...placed }, body)
  } catch (error) {
    throw failure === undefined ? error : unavailable(copy, failure)
  } finally {
    body.destroy()
    ending.abort()
  }
}

async function find(
  { openDriver }: KeepVersionDeps,
  copy: Changed,
  call: Call,
): Promise<{ driver: Driver; entry: Entry }> {
  try {
    const driver = await openDriver(copy.accountId)
    return { driver, entry: await driver.stat(call, copy.ref as EntryRef) }
  } catch (error) {
    throw unavailable(copy, error)
  }
}

/** Checks the bytes against the service's hash, if it has one. */
async function* read(driver: Driver, call: Call, { ref, size, hash }: Entry): AsyncGenerator<Buffer> {
  if (size === 0) return
  const sum = createContentHash(driver.capabilities.hash ?? 'sha256')
  const { body } = await driver.get(call, ref)
  for await (const chunk of body as AsyncIterable<Buffer>) {
    sum.update(chunk)
    yield chunk
  }
  if (hash !== null && sum.digest() !== hash) throw new Error('It was changed while it was read.')
}

function unavailable({ accountName }: Changed, cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause
  const gone = cause instanceof ProviderError && cause.code === 'NotFound'
  const what = gone ? 'does not have it any more' : 'does not answer, or it is being changed. Please try again'
  return new ContentUnavailableError(`This version could not be read: “${accountName}” ${what}.`, { cause })
}

/** Deletes the record of the edited copy when the file has other good copies. The object stays in the account, because the user edited it. */
async function dropOffered(deps: RowDeps, { userId }: Viewer, copyId: string, fileId: string): Promise<void> {
  await changeCopies(deps, async (change) => {
    const { tx } = change
    await lockAccounts({ tx, userId })
    await tx.query('select from files where id = $1 for update', [fileId])
    const { rows } = await tx.query<{ pieceIds: string[] }>(
      `select array_agg(p.id::text) as "pieceIds" from copies c join pieces p on p.copy_id = c.id
       where c.id = $1 and c.state = 'MISSING' and exists (
         select from copies o where o.file_id = c.file_id and o.state = 'STORED')
       group by c.id`,
      [copyId],
    )
    const [copy] = rows
    if (!copy) return
    await dropCopies(deps, change, [{ id: copyId, pieceIds: copy.pieceIds }])
    change.fileIds.add(fileId)
    await enqueueReconcile(tx, deps.enqueue, { userId, fileIds: [fileId] })
  })
  deps.events.publish('filesChanged', userId, { fileIds: [fileId], removedIds: [], parentIds: [], truncated: false })
}
