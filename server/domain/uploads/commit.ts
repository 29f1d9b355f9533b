import type { ClientBase, Pool } from 'pg'
import { autocommit, isRefusal, retrying, transaction, UnknownOutcomeError } from '../../db/transaction.ts'
import type { Outcome } from '../../lib/batcher.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import { saveManyBlockSums } from '../files/content/blockSums.ts'
import { lockMembers } from '../groupClouds/members.ts'
import { planCopies } from '../groupClouds/placement.ts'
import type { PlannedCopy } from '../groupClouds/plan.ts'
import { type Enqueue, enqueueSettle } from '../jobs.ts'
import { insertPlannedCopies } from '../transfers/planning.ts'
import { lockLiveFolders } from './admission.ts'
import {
  bytesGone,
  type CommitItem,
  type Committed,
  claim,
  type Draft,
  draftOf,
  fail,
  forgetClaims,
  OutdatedError,
  pending,
  SumsMissingError,
} from './draft.ts'
import { insertFiles, insertSingleAccount } from './insertFiles.ts'
import { copiesOf, type Layout, layoutOf, placeAmong } from './placing.ts'

const LOCK_UPLOADS = {
  name: 'uploads-lock-uploads',
  text: `select id, file_id, coalesce((
      select jsonb_object_agg(r.account_id, r.bytes) from upload_reservations r where r.upload_id = u.id), '{}') as reserved
    from uploads u where id = any($1::uuid[]) order by id for update`,
}
/** The parts of an upload, unless another one has taken them over. */
const LOCK_PARTS = `select id, coalesce((
    select jsonb_object_agg(r.account_id, r.bytes) from upload_reservations r where r.upload_id = u.id), '{}') as reserved
  from uploads u where id = any($1::uuid[]) and final_id = $2 and file_id is null order by id for update`
/** What parts had reserved is free again once their whole is a file. The accounts that count here are locked already. */
const FREE_PARTS = `with gone as (delete from upload_reservations where upload_id = any($1::uuid[]) returning account_id, bytes)
  update accounts set reserved_bytes = reserved_bytes - freed.bytes, updated_at = now()
  from (select account_id, sum(bytes)::bigint as bytes from gone group by account_id) as freed
  where accounts.id = freed.account_id`
const FINISH_UPLOADS = {
  name: 'uploads-finish-uploads',
  text: `update uploads set file_id = i.file_id, expires_at = now() + interval '24 hours'
    from unnest($1::uuid[], $2::uuid[]) as i(id, file_id) where uploads.id = i.id`,
}
const COUNT_FOLDERS = {
  name: 'uploads-count-folders',
  text: `update files set child_count = child_count + i.added
    from unnest($1::uuid[], $2::int[]) as i(id, added) where files.id = i.id`,
}

type CommitDeps = { readonly pool: Pool; readonly store: ObjectStore; readonly enqueue: Enqueue }

/**
 * Turns staged contents into files, many at once. The folder of staging is synced before the commit: what has an outcome that
 * is ok survives a crash, and nothing is committed whose bytes are not there just before: had this server stood still since, long
 * enough for another one to sweep them, its connection would be closed (db/servers.ts) and the commit fail. Each item has its own outcome; UnknownOutcomeError, where the connection broke during the commit,
 * means that staged bytes must be kept. OutdatedError is for items alone whose group cloud was recalled.
 */
export function createCommit(deps: CommitDeps): (items: readonly CommitItem[]) => Promise<Outcome<Committed>[]> {
  const commitPlaced = isolating<CommitItem, Committed>((items) => commitTogether(deps, items))

  return async (items) => {
    const outcomes = await commitSole(deps, items)
    const left = items.filter((item) => !outcomes.has(item))
    for (const item of left)
      if (item.singleAccount?.recalled) outcomes.set(item, { ok: false, error: new OutdatedError() })
    const rest = left.filter((item) => !item.singleAccount?.recalled)
    if (rest.length > 0) {
      // What was committed above stays so, whatever becomes of the rest.
      const placed = await commitPlaced(rest).catch((error: unknown) => rest.map(() => ({ ok: false, error }) as const))
      for (const [index, item] of rest.entries()) outcomes.set(item, placed[index] ?? leftOver())
    }
    return items.map((item) => outcomes.get(item) ?? leftOver())
  }
}

const leftOver = () => ({ ok: false, error: new Error('An upload was left over.') }) as const

/**
 * Most uploads go to the root of a group cloud that is one account of this server. They are one statement: for small files,
 * the four round trips of a transaction are as much work as all the rest. Absent: not done here, and nothing has happened.
 */
async function commitSole(
  { pool, store }: CommitDeps,
  items: readonly CommitItem[],
): Promise<Map<CommitItem, Outcome<Committed>>> {
  const drafts = items.flatMap(singleAccountDraft)
  if (drafts.length === 0) return new Map()
  // Never tried again: what a disk could not write, it reports once.
  await store.syncStaging()
  try {
    await autocommit(pool, async (client) => {
      await refuseLost(drafts)
      await insertSingleAccount(client, pending(drafts))
    })
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) return new Map()
    return new Map(drafts.map(({ item, outcome }) => [item, outcome ?? { ok: false, error }]))
  }
  return new Map(drafts.flatMap(({ item, outcome }) => (outcome ? [[item, outcome]] : [])))
}

async function refuseLost(drafts: readonly Draft[]): Promise<void> {
  for (const draft of pending(drafts)) if (!(await draft.item.isThere())) fail(draft, bytesGone())
}

/** Laid out by what was read when the upload began; none when it needs more than one statement. */
function singleAccountDraft(item: CommitItem): Draft[] {
  const { singleAccount, size, parentId, uploadId, idempotency } = item
  if (!singleAccount || parentId || uploadId || idempotency) return []
  const { groupCloud } = singleAccount
  const plan = planCopies(groupCloud.members, size, groupCloud)
  return plan.placed ? [{ ...draftOf(item), layout: layoutOf(plan, groupCloud.members) }] : []
}

/** In one transaction. The folder of staging is synced meanwhile. */
async function commitTogether(
  { pool, store, enqueue }: CommitDeps,
  items: readonly CommitItem[],
): Promise<Outcome<Committed>[]> {
  const namesDurable = store.syncStaging()
  // Awaited below; a failure before that must not count as unhandled.
  namesDurable.catch(() => undefined)
  return transaction(pool, async (client) => {
    const drafts = items.map(draftOf)
    await claimKeys(client, drafts)
    await lockUploads(client, drafts)
    await placeAll(client, drafts)
    await settleParents(client, drafts)
    await refuseLost(drafts)
    await insertFiles(client, drafts)
    await planRest(client, enqueue, drafts)
    await count(client, drafts)
    await forgetClaims(client, drafts)
    await namesDurable
    return drafts.map(({ outcome }) => outcome ?? leftOver())
  })
}

async function claimKeys(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  for (const draft of drafts) {
    const earlier = await claim(client, draft, 'createFile', draft.item.fileId)
    if (earlier) draft.outcome = earlier.ok ? { ok: true, value: { created: false, fileId: earlier.value } } : earlier
  }
}

type UploadLock = { id: string; file_id: string | null; reserved: Record<string, number> }

async function lockUploads(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const resumable = pending(drafts).flatMap((draft) => draft.item.uploadId ?? [])
  if (resumable.length === 0) return
  const { rows } = await client.query<UploadLock>({ ...LOCK_UPLOADS, values: [resumable] })
  const found = new Map(rows.map((row) => [row.id, row]))
  for (const draft of pending(drafts).filter(({ item }) => item.uploadId !== null)) {
    const row = found.get(draft.item.uploadId ?? '')
    if (!row) fail(draft, new NotFoundError('This upload has expired or was removed.'))
    else if (row.file_id) draft.outcome = { ok: true, value: { created: false, fileId: row.file_id } }
    else draft.reserved = new Map(Object.entries(row.reserved))
  }
  for (const draft of pending(drafts).filter(({ item }) => item.partIds.length > 0)) await lockParts(client, draft)
}

async function lockParts(client: ClientBase, draft: Draft): Promise<void> {
  const { partIds, uploadId } = draft.item
  const { rows } = await client.query<Pick<UploadLock, 'id' | 'reserved'>>(LOCK_PARTS, [partIds, uploadId])
  if (rows.length < partIds.length) {
    return fail(
      draft,
      new ConflictError('A part of this upload has gone, or into another upload. Please start it again.'),
    )
  }
  const reserved = new Map(draft.reserved)
  for (const [id, bytes] of rows.flatMap((row) => Object.entries(row.reserved))) {
    reserved.set(id, (reserved.get(id) ?? 0) + bytes)
  }
  draft.reserved = reserved
}

/** Places anew what was placed when it began: accounts may have filled up or gone meanwhile. */
async function placeAll(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const open = pending(drafts)
  const pools = await lockMembers(
    client,
    open.map(({ item }) => item.groupCloudId),
  )
  for (const draft of open) {
    try {
      const plan = placeAmong(pools, draft.item, draft.reserved)
      const layout = layoutOf(plan, pools.get(draft.item.groupCloudId)?.members ?? [])
      if (layout.sent.length > 0 && draft.item.sums === null) throw new SumsMissingError()
      draft.layout = layout
    } catch (error) {
      fail(draft, error)
    }
  }
}

/** A folder that was trashed or deleted while the bytes came loses nothing for us: the file goes to the root. */
async function settleParents(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const open = pending(drafts)
  const live = await lockLiveFolders(client, [...new Set(open.flatMap(({ parentId }) => parentId ?? []))])
  for (const draft of open) {
    if (draft.parentId && live.get(draft.parentId) !== draft.item.userId) draft.parentId = null
  }
}

/** Counters of folders, and the uploads' files: one statement each, however many items. */
async function count(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const created = drafts.filter(({ outcome }) => outcome?.ok && outcome.value.created)
  if (created.length === 0) return
  const children = new Map<string, number>()
  for (const { parentId, replacedId } of created) {
    if (parentId && !replacedId) children.set(parentId, (children.get(parentId) ?? 0) + 1)
  }
  if (children.size > 0)
    await client.query({ ...COUNT_FOLDERS, values: [[...children.keys()], [...children.values()]] })
  const uploads = created.flatMap(({ item: { uploadId, partIds, fileId } }) =>
    uploadId ? [uploadId, ...partIds].map((id) => ({ id, fileId })) : [],
  )
  if (uploads.length === 0) return
  const partIds = created.flatMap(({ item }) => item.partIds)
  if (partIds.length > 0) await client.query(FREE_PARTS, [partIds])
  const values = [uploads.map(({ id }) => id), uploads.map(({ fileId }) => fileId)]
  await client.query({ ...FINISH_UPLOADS, values })
}

type Made = { readonly draft: Draft; readonly layout: Layout; readonly value: Extract<Committed, { created: true }> }

/** Of files that were made: plans the copies that transfers make, and has those that had no room looked for again later. */
async function planRest(client: ClientBase, enqueue: Enqueue, drafts: readonly Draft[]): Promise<void> {
  const made = drafts.flatMap((draft): Made[] => {
    const { layout, outcome } = draft
    return layout && outcome?.ok && outcome.value.created ? [{ draft, layout, value: outcome.value }] : []
  })
  await saveManyBlockSums(
    client,
    made.flatMap(({ draft: { item } }) => (item.sums ? [{ fileId: item.fileId, ...item.sums }] : [])),
  )
  await planRestOfCopies(
    client,
    enqueue,
    made.filter(({ layout }) => layout.sent.length > 0),
  )
  await settleShort(
    client,
    enqueue,
    made.filter(({ layout }) => layout.plan.missingCopies > 0),
  )
}

async function planRestOfCopies(client: ClientBase, enqueue: Enqueue, made: readonly Made[]): Promise<void> {
  if (made.length === 0) return
  const planned = await insertPlannedCopies(
    client,
    enqueue,
    made.map(({ draft: { item }, layout }) => {
      return { userId: item.userId, fileId: item.fileId, kind: 'STORE', copies: layout.sent }
    }),
  )
  for (const [index, { draft, layout, value }] of made.entries()) {
    const ids = new Map<PlannedCopy, string | undefined>(
      layout.sent.map((copy, at) => [copy, planned[index]?.copyIds[at]]),
    )
    const adoptedId = value.copies.find(({ state }) => state === 'STORED')?.id
    const copies = copiesOf(layout, value.createdAt, (copy) => ids.get(copy) ?? adoptedId ?? '')
    draft.outcome = { ok: true, value: { ...value, copies } }
  }
}

async function settleShort(client: ClientBase, enqueue: Enqueue, made: readonly Made[]): Promise<void> {
  const byUser = new Map<string, string[]>()
  for (const { draft } of made) {
    byUser.set(draft.item.userId, [...(byUser.get(draft.item.userId) ?? []), draft.item.fileId])
  }
  for (const [userId, fileIds] of byUser) await enqueueSettle(client, enqueue, { userId, fileIds })
}

/** When PostgreSQL refuses a batch as a whole (one item is malformed), each item is tried by itself; a lost race is tried again. */
export function isolating<Item, Result>(run: (items: readonly Item[]) => Promise<Outcome<Result>[]>) {
  return async (items: readonly Item[]): Promise<Outcome<Result>[]> => {
    try {
      return await retrying(() => run(items))
    } catch (error) {
      if (!isRefusal(error) || items.length === 1) throw error
    }
    const outcomes: Outcome<Result>[] = []
    for (const item of items) {
      outcomes.push(...(await retrying(() => run([item])).catch((error: unknown) => [{ ok: false, error } as const])))
    }
    return outcomes
  }
}
