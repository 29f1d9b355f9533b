import type { Pool, PoolClient } from 'pg'
import { transaction } from '../../db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { ConflictError, InvalidInputError, NotFoundError } from '../errors.ts'
import type { FilesService } from '../files/contract.ts'
import { storeAllInGroupCloud } from '../files/tree/arriving.ts'
import { type Change, type ChangeDeps, changeTree, lockAccounts } from '../files/tree/change.ts'
import { requireFile } from '../files/tree/entries.ts'
import { requireGroupCloud } from '../files/tree/move.ts'
import { freeName, nameKey, searchKey, sortKey, storableName, takenKeys } from '../files/tree/names.ts'
import { markPurged } from '../files/tree/trash.ts'
import { type PlacedFolder, requireFolder } from '../inPlace/placed.ts'
import { type Enqueue, enqueueReconcile, type ProtectionHousekeeping } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import {
  countProtected,
  findProtections,
  listEarlier,
  type ProtectInput,
  type ProtectionInfo,
  type ProtectionService,
  type RestoredVersion,
  requireVersion,
  type VersionToRestore,
} from './contract.ts'
import { discardContents, followChanges, publishFiles } from './follow.ts'

export type ProtectionDeps = ChangeDeps & {
  readonly files: Pick<FilesService, 'createFolder'>
  /** Copies a protecting copy in the background, under this name. @returns the id of the job */
  readonly startCopy: (viewer: Viewer, input: CopyOfContent) => Promise<string>
}

export type CopyOfContent = {
  readonly contentId: string
  readonly name: string
  readonly parentId: string | null
  /** Null for targets in accounts. */
  readonly groupCloudId: string | null
}

const DEFAULT_DAYS = 30
const MOST_DAYS = 3650
const MOST_COPIES = 2

export function createProtectionService(deps: ProtectionDeps): ProtectionService {
  const { pool } = deps
  return {
    find: ({ userId }, fileIds) => findProtections(pool, userId, fileIds),
    count: ({ userId }, folderId) => countProtected(pool, userId, folderId),
    protect: (viewer, folderId, input) => protect(deps, viewer, folderId, input),
    unprotect: (viewer, folderId) => unprotect(deps, viewer, folderId),
    async earlierVersions(viewer, fileId) {
      await requireFile(pool, viewer, fileId)
      return listEarlier(pool, viewer.userId, fileId)
    },
    async restore(viewer, versionId) {
      return restore(deps, viewer, await requireVersion(pool, viewer.userId, versionId))
    },
  }
}

async function protect(
  deps: ProtectionDeps,
  viewer: Viewer,
  folderId: string,
  input: ProtectInput,
): Promise<ProtectionInfo> {
  const { pool } = deps
  const { userId } = viewer
  const checked = { ...input, keepVersionsDays: input.keepVersionsDays ?? DEFAULT_DAYS }
  checkNumbers(checked)
  const folder = await requireFolder(pool, userId, folderId)
  await requireGroupCloud(pool, userId, input.groupCloudId)
  await requireOtherAccounts(pool, folder, checked)
  await changeTree(deps, viewer, (change) => writeProtection(change, folder, checked))
  publishFiles(deps, userId, [folderId])
  const info = (await findProtections(pool, userId, [folderId])).get(folderId)
  if (!info) throw new NotFoundError()
  return info
}

type Checked = Required<ProtectInput> & { readonly keepVersionsDays: number }

/** @throws InvalidInputError */
function checkNumbers({ copies, keepVersionsDays }: Checked): void {
  const problems = [
    ...(Number.isInteger(copies) && copies >= 1 && copies <= MOST_COPIES
      ? []
      : [{ path: 'copies', message: 'Please choose 1 or 2 copies.' }]),
    ...(Number.isInteger(keepVersionsDays) && keepVersionsDays >= 1 && keepVersionsDays <= MOST_DAYS
      ? []
      : [{ path: 'keepVersionsDays', message: `Please choose between 1 and ${MOST_DAYS} days.` }]),
  ]
  if (problems.length > 0) throw new InvalidInputError(problems)
}

/** @throws ConflictError */
async function requireOtherAccounts(
  pool: Pool,
  { account }: PlacedFolder,
  { groupCloudId, copies }: Checked,
): Promise<void> {
  const { rows } = await pool.query<{ name: string; others: number }>(
    `select g.name, (select count(*)::int from group_cloud_members m join accounts a on a.id = m.account_id
       where m.group_cloud_id = g.id and not m.draining and a.disconnected_at is null and a.id <> $2) as others
     from group_clouds g where g.id = $1`,
    [groupCloudId, account.id],
  )
  const [{ name, others } = { name: '', others: 0 }] = rows
  if (others >= copies) return
  if (others === 0) {
    throw new ConflictError(
      `“${name}” has no other account than “${account.name}” itself, so its copies would be lost with it. Please choose a group cloud with another account.`,
    )
  }
  throw new ConflictError(
    `“${name}” needs ${copies} accounts other than “${account.name}” for ${copies} copies, but has ${others}. Please choose fewer copies or another group cloud.`,
  )
}

type Existing = { readonly id: string; readonly containerId: string }

async function writeProtection(change: Change, folder: PlacedFolder, input: Checked): Promise<void> {
  const { tx, userId } = change
  const { groupCloudId, copies, keepVersionsDays } = input
  await lockAccounts(change)
  const { rows } = await tx.query<Existing>(
    'select id, container_id as "containerId" from protections where folder_id = $1 for update',
    [folder.id],
  )
  const [existing] = rows
  if (existing) {
    await tx.query('update protections set group_cloud_id = $2, copies = $3, keep_versions_days = $4 where id = $1', [
      existing.id,
      groupCloudId,
      copies,
      keepVersionsDays,
    ])
    await reassign(change, existing.containerId, input)
  } else {
    const containerId = newId()
    await tx.query(INSERT_CONTAINER, [containerId, userId, folder.account.id, folder.name])
    await tx.query(
      `insert into protections (id, user_id, account_id, folder_id, group_cloud_id, container_id, copies, keep_versions_days)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [newId(), userId, folder.account.id, folder.id, groupCloudId, containerId, copies, keepVersionsDays],
    )
  }
  await enqueueFollow(change, folder.account.id)
}

/** Its key is its id: it never takes a name. */
const INSERT_CONTAINER = `insert into files (id, user_id, kind, name, name_key, sort_key, search_key, category, protected_account_id,
    trash_root_id)
  values ($1::uuid, $2, 'FOLDER', $4, $1::uuid::text, '', '', 'FOLDER', $3, $1::uuid)`

/** Transfers move the bytes, and make or remove copies. */
async function reassign(
  { tx, userId, enqueue }: Change,
  containerId: string,
  { groupCloudId, copies }: Checked,
): Promise<void> {
  const { rowCount } = await tx.query(
    `update files set group_cloud_id = $2, wanted_copies = $3
     where parent_id = $1 and purged_at is null and (group_cloud_id is distinct from $2 or wanted_copies is distinct from $3)`,
    [containerId, groupCloudId, copies],
  )
  if (rowCount) await enqueueReconcile(tx, enqueue, { userId, groupCloudId })
}

async function enqueueFollow({ tx, enqueue }: Pick<Change, 'tx' | 'enqueue'>, accountId: string): Promise<void> {
  await enqueue(tx, 'protectFiles', { accountId }, { key: `protect ${accountId}` })
}

async function unprotect(deps: ProtectionDeps, viewer: Viewer, folderId: string): Promise<void> {
  const { pool } = deps
  const { userId } = viewer
  await requireFile(pool, viewer, folderId)
  const info = (await findProtections(pool, userId, [folderId])).get(folderId)
  if (info && info.folderId !== folderId) {
    const { name } = await requireFile(pool, viewer, info.folderId)
    throw new ConflictError(`This is protected together with “${name}”. Please end the protection of that folder.`)
  }
  await changeTree(deps, viewer, async (change) => {
    const { rows } = await change.tx.query<{ accountId: string }>(
      'select account_id as "accountId" from protections where folder_id = $1 and user_id = $2',
      [folderId, userId],
    )
    const [found] = rows
    if (!found) throw new NotFoundError('This folder is not protected.')
    await endProtections(change, { folderId })
    await enqueueFollow(change, found.accountId)
  })
  publishFiles(deps, userId, [folderId])
}

/** Ends the protection of a folder, or all of an account, and removes the copies with their bytes in the background. */
async function endProtections(
  change: Pick<Change, 'tx' | 'userId' | 'enqueue' | 'transferIds'>,
  which: { readonly folderId?: string; readonly accountId?: string },
): Promise<void> {
  const { tx, userId, enqueue } = change
  await lockAccounts(change)
  const { rows } = await tx.query<{ containerId: string }>(
    `delete from protections where user_id = $1 and (folder_id = $2 or account_id = $3) returning container_id as "containerId"`,
    [userId, which.folderId ?? null, which.accountId ?? null],
  )
  const ids = rows.map(({ containerId }) => containerId)
  if (ids.length === 0) return
  await tx.query(
    `update file_jobs set state = 'CANCELLED', error = null, next_try_at = null, ended_at = now()
     where user_id = $1 and kind = 'PROTECT' and parent_id = any($2::uuid[]) and ended_at is null`,
    [userId, ids],
  )
  await markPurged(change, ids, ids.length + MARKED_AT_ONCE)
  await enqueue(tx, 'purgeFiles', { userId }, { key: `purge ${userId}` })
}

/** The job marks the rest. */
const MARKED_AT_ONCE = 2_000

async function restore(deps: ProtectionDeps, viewer: Viewer, version: VersionToRestore): Promise<RestoredVersion> {
  const { contentId, fileId, name, present, rootFileId, groupCloudId } = version
  if (!present || rootFileId === null) {
    const jobId = await deps.startCopy(viewer, { contentId, name, parentId: null, groupCloudId })
    return { jobId, fileId, name, intoAccount: false, folderName: null }
  }
  const folder = await requireFolder(deps.pool, viewer.userId, await folderOf(deps, viewer, version, rootFileId))
  if (folder.rights?.write === false) {
    throw new ConflictError(`“${folder.account.name}” does not allow putting anything into “${folder.name}”.`)
  }
  const jobId = await deps.startCopy(viewer, { contentId, name, parentId: folder.id, groupCloudId: null })
  return { jobId, fileId, name, intoAccount: true, folderName: folder.name }
}

/** The folder that the version was in, or one of the same name at the same place, which is created if it is missing. */
async function folderOf(
  { pool, files }: ProtectionDeps,
  viewer: Viewer,
  version: VersionToRestore,
  rootFileId: string,
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `select f.id from protected_versions v join files f on f.id = v.parent_id
     where v.id = $1 and f.purged_at is null and f.trash_root_id is null`,
    [version.id],
  )
  if (rows[0]) return rows[0].id
  let folderId = rootFileId
  for (const name of version.path) {
    const there = await pool.query<{ id: string }>(
      `select id from files where parent_id = $1 and user_id = $2 and kind = 'FOLDER' and name_key = $3 and purged_at is null
       and trash_root_id is null order by name = $4 desc, id limit 1`,
      [folderId, viewer.userId, nameKey(name), name],
    )
    folderId = there.rows[0]?.id ?? (await files.createFolder(viewer, { name, parentId: folderId })).id
  }
  return folderId
}

/** Rows per transaction. */
const BATCH = 500

export function createProtectionHousekeeping(deps: ChangeDeps): ProtectionHousekeeping {
  return {
    follow: (accountId, fileIds) => followChanges(deps, { accountId, fileIds: fileIds ?? null }),
    async sweep(signal) {
      await removeInBatches(deps, signal, EXPIRED)
      await removeInBatches(deps, signal, LEFT_OVER)
      await endEmpty(deps, signal)
      await followAll(deps)
    },
  }
}

/**
 * Versions whose days are over, by the database's clock. The newest one stays while the version that follows it is not stored: it is the
 * only copy.
 */
const EXPIRED = `select c.id, c.user_id as "userId" from protected_versions v join protections p on p.id = v.protection_id
    join files c on c.id = v.content_id
  where v.ended_at < now() - p.keep_versions_days * interval '1 day' and c.purged_at is null
    and not (exists (select from protected_versions n where n.file_id = v.file_id and n.ended_at is null and n.content_id is null)
      and not exists (select from protected_versions n where n.file_id = v.file_id and n.content_id is not null and n.ended_at > v.ended_at))`

/** Copies that a crash has left without a version. A job attaches them within its attempts. */
const LEFT_OVER = `select c.id, c.user_id as "userId" from protections p join files c on c.parent_id = p.container_id
  where c.purged_at is null and c.created_at < now() - interval '1 day'
    and not exists (select from protected_versions v where v.content_id = c.id)`

async function removeInBatches(
  deps: ChangeDeps,
  signal: AbortSignal,
  statement: typeof EXPIRED | typeof LEFT_OVER,
): Promise<void> {
  for (let count = BATCH; count === BATCH; ) {
    signal.throwIfAborted()
    const { rows } = await deps.pool.query<{ id: string; userId: string }>(
      `${statement} order by c.user_id limit ${BATCH}`,
    )
    count = rows.length
    for (const userId of new Set(rows.map((row) => row.userId))) {
      const ids = rows.filter((row) => row.userId === userId).map(({ id }) => id)
      await discardContents(deps, userId, ids, statement)
    }
  }
}

/** Protected folders that are gone, with all of their versions. */
async function endEmpty(deps: ChangeDeps, signal: AbortSignal): Promise<void> {
  const { rows } = await deps.pool.query<{ folderId: string; userId: string }>(
    `select p.folder_id as "folderId", p.user_id as "userId" from protections p
     where not exists (select from files f where f.id = p.folder_id)
       and not exists (select from protected_versions v where v.protection_id = p.id)`,
  )
  for (const { folderId, userId } of rows) {
    signal.throwIfAborted()
    await changeTree(deps, { userId }, (change) => endProtections(change, { folderId }))
  }
}

/** What an event did not mention, and what failed an hour ago. */
async function followAll({ pool, enqueue }: { readonly pool: Pool; readonly enqueue: ChangeDeps['enqueue'] }) {
  const { rows } = await pool.query<{ accountId: string }>('select distinct account_id as "accountId" from protections')
  await transaction(pool, async (tx) => {
    for (const { accountId } of rows) {
      await enqueue(tx, 'protectFiles', { accountId }, { key: `protect ${accountId}` })
    }
  })
}

// What happens to protecting copies when their account leaves.

export type Leaving = {
  readonly userId: string
  readonly accountId: string
  /** What is protected becomes ordinary files, in the folders that it was in. */
  readonly keep: boolean
}

/**
 * To be called before the index of an account ends. Earlier versions are removed. With `keep`, the account's folder stays as one of
 * Skypool's own, with what was protected in it; stars and links stay too. What the account has not got yet is stored by Skypool instead.
 */
export async function leaveProtection(
  tx: PoolClient,
  enqueue: Enqueue,
  { userId, accountId, keep }: Leaving,
): Promise<void> {
  const groupCloudIds = keep ? await keepFiles(tx, userId, accountId) : []
  if (groupCloudIds.length > 0) {
    // Its bytes are only on this server.
    await storeAllInGroupCloud({ tx, userId, enqueue }, accountId)
    await tx.query('update files set purged_at = now() where account_id = $1 and user_id = $2 and purged_at is null', [
      accountId,
      userId,
    ])
    await tx.query('delete from account_indexes where account_id = $1', [accountId])
    await enqueue(tx, 'forgetEntries', { accountId }, { key: `forget ${accountId}` })
  }
  await endProtections({ tx, userId, enqueue, transferIds: new Set() }, { accountId })
  for (const groupCloudId of groupCloudIds) await enqueueReconcile(tx, enqueue, { userId, groupCloudId })
}

/** The newest stored version of each file that is still there. */
const KEPT = `kept as materialized (
    select distinct on (v.file_id) v.file_id, v.content_id, f.parent_id from protected_versions v join files f on f.id = v.file_id
      join files c on c.id = v.content_id
    where v.account_id = $1 and f.purged_at is null and f.trash_root_id is null and c.purged_at is null
    order by v.file_id, v.ended_at desc nulls first)`

/** Their folders, up to the account's own. */
const FOLDERS = `with recursive ${KEPT}, folder (id, parent_id) as (
    select f.id, f.parent_id from files f where f.id in (select parent_id from kept)
    union select p.id, p.parent_id from folder join files p on p.id = folder.parent_id)`

/** Each first gets its id as its key, because names in accounts need not be unique. */
const KEEP_FOLDERS = `${FOLDERS}, entry as (delete from account_entries e using folder where e.file_id = folder.id)
  update files f set account_id = null, name_key = f.id::text from folder where f.id = folder.id returning f.id`

const SHOW = `with ${KEPT}, link as (
    update shares s set file_id = kept.content_id from kept where s.file_id = kept.file_id),
  tag as (insert into file_tags (tag_id, file_id)
    select t.tag_id, kept.content_id from kept join file_tags t on t.file_id = kept.file_id on conflict do nothing)
  update files c set parent_id = f.parent_id, name = f.name, name_key = c.id::text, sort_key = f.sort_key, search_key = f.search_key,
    starred = f.starred, share_count = f.share_count, trash_root_id = null, protected_account_id = null, wanted_copies = null
  from kept join files f on f.id = kept.file_id where c.id = kept.content_id
  returning c.id, c.group_cloud_id as "groupCloudId"`

/** Names that are valid and the only ones of their key. Others are numbered or corrected one by one. */
const NAME = `with named as (
    select f.id, k.key, row_number() over (partition by f.parent_id, k.key order by f.id) as number
    from files f join unnest($2::uuid[], $3::text[]) as k (id, key) on k.id = f.id)
  update files f set name_key = named.key from named where f.id = named.id and named.number = 1 and f.user_id = $1
    and not exists (select from files o where o.user_id = $1 and o.parent_id is not distinct from f.parent_id and o.name_key = named.key
      and o.id <> f.id and o.account_id is null and o.trashed_at is null and o.purged_at is null)
  returning f.id`

const COUNT = `update files f set child_count = (
    select count(*) from files c where c.parent_id = f.id and c.trashed_at is null and c.purged_at is null and c.account_id is null)
  where f.id = any($1::uuid[])`

/** @returns the group clouds that have their bytes; empty if nothing was stored */
async function keepFiles(tx: PoolClient, userId: string, accountId: string): Promise<string[]> {
  const folders = await tx.query<{ id: string }>(KEEP_FOLDERS, [accountId])
  const files = await tx.query<{ id: string; groupCloudId: string }>(SHOW, [accountId])
  const folderIds = folders.rows.map(({ id }) => id)
  await nameAll(tx, userId, [...folderIds, ...files.rows.map(({ id }) => id)])
  await tx.query(COUNT, [folderIds])
  return [...new Set(files.rows.map(({ groupCloudId }) => groupCloudId))]
}

/** Entries per statement. */
const NAMED_TOGETHER = 5_000

async function nameAll(tx: PoolClient, userId: string, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += NAMED_TOGETHER) {
    const { rows } = await tx.query<Named>(
      `select f.id, f.name, f.kind, f.parent_id as "parentId" from files f where f.id = any($1::uuid[]) order by f.id`,
      [ids.slice(at, at + NAMED_TOGETHER)],
    )
    const valid = rows.filter(({ name }) => storableName(name) === name)
    const done = await tx.query<{ id: string }>(NAME, [
      userId,
      valid.map(({ id }) => id),
      valid.map(({ name }) => nameKey(name)),
    ])
    const named = new Set(done.rows.map(({ id }) => id))
    for (const row of rows) if (!named.has(row.id)) await nameOne(tx, userId, row)
    await tx.query(
      'update files set sort_key = i.key from unnest($1::uuid[], $2::text[]) as i(id, key) where files.id = i.id',
      [
        rows.filter(({ parentId }) => parentId === null).map(({ id }) => id),
        rows.filter(({ parentId }) => parentId === null).map(({ name }) => sortKey(name)),
      ],
    )
  }
}

type Named = {
  readonly id: string
  readonly name: string
  readonly kind: 'FILE' | 'FOLDER'
  readonly parentId: string | null
}

async function nameOne(tx: PoolClient, userId: string, { id, name, kind, parentId }: Named): Promise<void> {
  const wanted = storableName(name)
  const space = { userId, parentId }
  const isTaken = (await takenKeys(tx, space, [nameKey(wanted)])).size > 0
  const free = isTaken ? await freeName(tx, space, wanted, kind) : wanted
  await tx.query('update files set name = $2, name_key = $3, sort_key = $4, search_key = $5 where id = $1', [
    id,
    free,
    nameKey(free),
    sortKey(free),
    searchKey(free),
  ])
}
