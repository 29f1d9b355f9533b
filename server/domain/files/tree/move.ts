import { transaction } from '../../../db/pool.ts'
import { FolderCycleError, NameTakenError, NotFoundError } from '../../errors.ts'
import { enqueueReconcile, type JobInputs } from '../../jobs.ts'
import { enqueueRenames } from '../content/objectNames.ts'
import { publishStates, refreshStates } from '../content/states.ts'
import type { OnConflict } from '../contract.ts'
import {
  type Ancestor,
  ancestry,
  type Change,
  type ChangeDeps,
  chainOf,
  type Entry,
  inTrash,
  lockLiveEntries,
  lockOwnEntries,
  recount,
  refuseCycle,
  requireTargetFolder,
} from './change.ts'
import type { Queryable } from './entries.ts'
import { freeName, nameKey, placeKey, searchKey, sortKey, takenPlaces } from './names.ts'
import { foldersAbove, idsOf, isOpen, type Refusals, type StepOf } from './step.ts'
import { markTrashBelow, putIntoTrash } from './trash.ts'

/**
 * Entries that are already in the folder are not changed.
 * @throws NotFoundError, FolderCycleError, NameTakenError with FAIL
 */
export async function moveEntries(
  change: Change,
  ids: readonly string[],
  parentId: string | null,
  onConflict: OnConflict,
): Promise<void> {
  const entries = await lockLiveEntries(change, ids)
  refuseCycle(entries, await requireTargetFolder(change, parentId))
  const moving = entries.filter((entry) => entry.parentId !== parentId)
  await placeEntries(change, moving, parentId, onConflict)
  await recount(
    change,
    moving.map(() => parentId),
    moving.map((entry) => entry.parentId),
  )
}

/** Moves the entries of all steps except those refused, as moveEntries would. */
export async function moveEach(
  change: Change,
  steps: readonly StepOf<'MOVE'>[],
  entries: ReadonlyMap<string, Entry>,
  refusals: Refusals,
): Promise<void> {
  if (steps.length === 0) return
  const ancestors = await foldersAbove(change, steps, idsOf(steps))
  const moves: { readonly step: StepOf<'MOVE'>; readonly placement: Placement }[] = []
  for (const step of steps) {
    const entry = entries.get(step.id)
    if (!entry || !isOpen(ancestors, step, refusals)) continue
    const chain = chainOf(ancestors, step.parentId)
    if (chainOf(ancestors, step.id).some(({ live }) => !live)) refusals.set(step, inTrash(entry))
    else if (chain.some(({ id }) => id === step.id)) refusals.set(step, new FolderCycleError())
    else if (entry.parentId !== step.parentId) {
      moves.push({ step, placement: { entry, parentId: step.parentId } })
      // If two folders are moved into each other at the same time, the second move sees the first one.
      const self = ancestors.get(step.id)
      if (self) ancestors.set(step.id, { ...self, parentId: step.parentId })
    }
  }
  for (const onConflict of ['RENAME', 'FAIL', 'REPLACE'] as const) {
    const part = moves.filter(({ step }) => step.onConflict === onConflict)
    if (part.length === 0) continue
    const refused = new Set(
      await placeEach(
        change,
        part.map(({ placement }) => placement),
        onConflict,
      ),
    )
    const moved = part.filter(({ step, placement }) => {
      if (refused.has(placement)) refusals.set(step, new NameTakenError(placement.entry.name))
      return !refused.has(placement)
    })
    await recount(
      change,
      moved.map(({ placement }) => placement.parentId),
      moved.map(({ placement }) => placement.entry.parentId),
    )
  }
}

/**
 * Restores entries from the trash, each to its original folder or the nearest existing one above. Entries that are not
 * in the trash are not changed. @throws InAccountError for entries in an account
 */
export async function restoreEntries(change: Change, ids: readonly string[]): Promise<void> {
  const entries = (await lockOwnEntries(change, ids)).filter((entry) => entry.trashedAt !== null)
  const restored = new Set(entries.map(({ id }) => id))
  const ancestors = await ancestry(
    change,
    entries.flatMap(({ parentId }) => parentId ?? []),
  )
  const placements = entries.map((entry) => ({
    entry,
    parentId: nearestLive(chainOf(ancestors, entry.parentId), restored),
  }))
  await placeEach(change, placements, 'RENAME')
  await recount(
    change,
    placements.map(({ parentId }) => parentId),
    [],
  )
  await markTrashBelow(
    change,
    entries.filter(({ kind }) => kind === 'FOLDER').map(({ id }) => id),
  )
}

/**
 * The lowest folder of the chain that is live, with all folders above it; null is the root. A folder that is restored
 * in the same call counts as live, wherever it is restored to.
 */
function nearestLive(chain: readonly Ancestor[], restored: ReadonlySet<string>): string | null {
  const along = chain.findIndex(({ id }) => restored.has(id))
  const counting = along === -1 ? chain : chain.slice(0, along + 1)
  const dead = counting.findLastIndex(({ id, live }) => !live && !restored.has(id))
  return counting[dead + 1]?.id ?? null
}

/** An entry and its target folder. */
type Placement = { readonly entry: Entry; readonly parentId: string | null }
type Placed = { readonly id: string; readonly parentId: string | null; readonly name: string }

/**
 * Puts live or restored entries into a folder and resolves name conflicts by `onConflict`; the caller updates the child
 * counts. REPLACE moves the entry that has the name to the trash.
 * @throws NameTakenError with FAIL
 */
async function placeEntries(
  change: Change,
  entries: readonly Entry[],
  parentId: string | null,
  onConflict: OnConflict,
): Promise<void> {
  const placements = entries.map((entry) => ({ entry, parentId }))
  const [refused] = await placeEach(change, placements, onConflict)
  if (refused) throw new NameTakenError(refused.entry.name)
}

/**
 * As placeEntries, with a separate folder for each.
 * @returns the entries that were not moved, because with FAIL their name is taken
 */
async function placeEach(
  change: Change,
  placements: readonly Placement[],
  onConflict: OnConflict,
): Promise<Placement[]> {
  if (placements.length === 0) return []
  const taken = await takenPlaces(change.tx, change.userId, placements.map(placeOf))
  const claimed = new Map<string | null, Set<string>>()
  const placed: Placed[] = []
  const replaced: string[] = []
  const refused: Placement[] = []
  for (const placement of placements) {
    const { entry, parentId } = placement
    const claimedHere = claimed.get(parentId) ?? new Set()
    claimed.set(parentId, claimedHere)
    const isClaimed = claimedHere.has(entry.nameKey)
    const occupant = isClaimed ? undefined : taken.get(placeKey(placeOf(placement)))
    const clash = occupant !== undefined || isClaimed
    if (clash && onConflict === 'FAIL') {
      refused.push(placement)
      continue
    }
    const replaces = occupant !== undefined && onConflict === 'REPLACE'
    if (replaces) replaced.push(occupant)
    const space = { userId: change.userId, parentId, claimed: claimedHere }
    const name = clash && !replaces ? await freeName(change.tx, space, entry.name, entry.kind) : entry.name
    claimedHere.add(nameKey(name))
    placed.push({ id: entry.id, parentId, name })
  }
  const markBelow = await putIntoTrash(change, replaced)
  await write(change, placed)
  const names = new Map(placements.map(({ entry }) => [entry.id, entry]))
  const renamed = placed.filter(({ id, name }) => names.get(id)?.kind === 'FILE' && names.get(id)?.name !== name)
  if (renamed.length > 0) {
    await enqueueRenames(
      change.tx,
      change.enqueue,
      renamed.map(({ id }) => id),
    )
  }
  await markBelow()
  return refused
}

const placeOf = ({ entry, parentId }: Placement) => ({ parentId, key: entry.nameKey })

async function write({ tx, changedIds }: Change, placed: readonly Placed[]): Promise<void> {
  const names = placed.map(({ name }) => name)
  await tx.query({
    name: 'files place',
    text: `update files f set parent_id = p.parent_id, name = p.name, name_key = p.name_key, sort_key = p.sort_key,
        search_key = p.search_key, trashed_at = null, trash_root_id = null
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[])
        as p(id, parent_id, name, name_key, sort_key, search_key)
      where f.id = p.id and f.id = any($1::uuid[])`,
    values: [
      placed.map(({ id }) => id),
      placed.map(({ parentId }) => parentId),
      names,
      names.map(nameKey),
      names.map(sortKey),
      names.map(searchKey),
    ],
  })
  for (const { id } of placed) changedIds.add(id)
}

const BATCH = 500

/**
 * Assigns files to another group cloud. Transfers move their bytes, which stay where they are until those are done.
 * Files below folders are assigned by a job.
 * @throws NotFoundError
 */
export async function assignGroupCloud(change: Change, ids: readonly string[], groupCloudId: string): Promise<void> {
  const { tx, userId, enqueue } = change
  const entries = await lockLiveEntries(change, ids)
  await requireGroupCloud(tx, userId, groupCloudId)
  for (const { id, kind } of entries) {
    if (kind !== 'FOLDER') continue
    const input = { userId, folderId: id, groupCloudId }
    await enqueue(tx, 'moveFolderToGroupCloud', input, { key: `group cloud of ${id}` })
  }
  const fileIds = entries.filter(({ kind }) => kind === 'FILE').map(({ id }) => id)
  const moved = await assign(tx, fileIds, groupCloudId)
  for (const id of moved) change.changedIds.add(id)
  if (moved.length === 0) return
  await enqueueReconcile(tx, enqueue, { userId, fileIds: moved })
  await refreshStates(tx, { fileIds: moved })
}

/**
 * Assigns the entries of all steps that name a group cloud except those refused, which are in the trash.
 * @throws NotFoundError for the group cloud
 */
export async function assignEach(
  change: Change,
  steps: readonly StepOf<'ASSIGN' | 'MOVE'>[],
  entries: ReadonlyMap<string, Entry>,
  refusals: Refusals,
): Promise<void> {
  if (steps.length === 0) return
  const byGroupCloud = new Map<string, string[]>()
  for (const step of steps) {
    const entry = entries.get(step.id)
    if (!entry || step.groupCloudId === undefined) continue
    if (entry.trashRootId !== null) refusals.set(step, inTrash(entry))
    else byGroupCloud.set(step.groupCloudId, [...(byGroupCloud.get(step.groupCloudId) ?? []), step.id])
  }
  for (const [groupCloudId, ids] of byGroupCloud) await assignGroupCloud(change, ids, groupCloudId)
}

/** @throws NotFoundError */
export async function requireGroupCloud(sql: Queryable, userId: string, id: string): Promise<void> {
  const values = [id, userId]
  const { rowCount } = await sql.query('select from group_clouds where id = $1 and user_id = $2 for share', values)
  if (rowCount === 0) throw new NotFoundError('There is no such group cloud.')
}

/**
 * The versions of files go with them. Clears the cancellation of an earlier move, so that it does not block this one.
 * @returns ids of the files that had another group cloud
 */
async function assign(sql: Queryable, fileIds: readonly string[], groupCloudId: string): Promise<string[]> {
  if (fileIds.length === 0) return []
  const { rows } = await sql.query<{ id: string }>(
    `with moved as (
       update files set group_cloud_id = $2 where (id = any($1::uuid[]) or is_version and parent_id = any($1::uuid[]))
         and group_cloud_id is distinct from $2 returning id),
     asked as (
       update transfers t set error = 'Another move was asked for.' from moved
       where t.file_id = moved.id and t.kind = 'MOVE' and t.state = 'CANCELLED' and t.error is null)
     select id from moved`,
    [fileIds, groupCloudId],
  )
  return rows.map(({ id }) => id)
}

/**
 * Assigns all files below the folder, one batch per transaction. Ends early if the group cloud was deleted meanwhile.
 */
export async function moveFolder(
  { pool, enqueue, events }: ChangeDeps,
  { userId, folderId, groupCloudId }: JobInputs['moveFolderToGroupCloud'],
  signal: AbortSignal,
): Promise<void> {
  const ids = await filesBelow(pool, userId, folderId)
  for (let at = 0; at < ids.length; at += BATCH) {
    signal.throwIfAborted()
    const batch = ids.slice(at, at + BATCH)
    const changes = await transaction(pool, async (tx) => {
      await tx.query('select from files where id = any($1::uuid[]) order by id for no key update', [batch])
      const { rowCount } = await tx.query('select from group_clouds where id = $1 and user_id = $2 for share', [
        groupCloudId,
        userId,
      ])
      const moved = rowCount === 0 ? [] : await assign(tx, batch, groupCloudId)
      if (moved.length === 0) return []
      await enqueueReconcile(tx, enqueue, { userId, fileIds: moved })
      await refreshStates(tx, { fileIds: moved })
      return [{ userId, changedIds: moved }]
    })
    publishStates(events, changes)
  }
}

async function filesBelow(sql: Queryable, userId: string, folderId: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `with recursive tree as (
       select id, kind from files where id = $2 and user_id = $1 and purged_at is null
       union all select c.id, c.kind from tree join files c on c.parent_id = tree.id
         where c.trashed_at is null and c.purged_at is null)
     select id from tree where kind = 'FILE' order by id`,
    [userId, folderId],
  )
  return rows.map(({ id }) => id)
}
