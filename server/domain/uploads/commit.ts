import type { ClientBase, Pool } from 'pg'
import { autocommit, isRefusal, retryConflicts, transaction, UnknownOutcomeError } from '../../db/pool.ts'
import { createBatcher, type Outcome } from '../../lib/concurrency.ts'
import { DiskFullError, ObjectMissingError } from '../../storage/errors.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { ConflictError, NotFoundError, StorageFullError, UploadIncompleteError } from '../errors.ts'
import type { Events } from '../events.ts'
import { sumBlocks } from '../files/content/blockSums.ts'
import type { Copy, File } from '../files/contract.ts'
import { ARRIVING } from '../files/tree/entries.ts'
import { type AccountLabel, isTotalQuotaError, lockTargets, targetKey } from '../groupClouds/members.ts'
import { planCopies } from '../groupClouds/placement.ts'
import { claimForItem, releaseClaims } from '../idempotency/keys.ts'
import type { Enqueue } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import type { StoredFile } from './contract.ts'
import { disconnected, findAccountFolders, layoutOf, lockLiveFolders, placeAmong } from './destination.ts'
import {
  type CommitItem,
  type Committed,
  type Draft,
  draftOf,
  fail,
  insertFiles,
  insertSingleAccount,
  pending,
  planRemainingCopies,
  replaceContents,
} from './insertFiles.ts'

// From staged bytes to a file: one transaction for many uploads, and what follows it.

/** Most uploads in one transaction. */
const BATCH = 100

/**
 * The cached group cloud of the item is outdated, or its name is taken: the group cloud must be read, then the item can
 * be committed.
 */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError'
}

/** The blocks must be summed first, then the item can be committed. */
class SumsMissingError extends Error {
  override readonly name = 'SumsMissingError'
}

type CommitDeps = {
  readonly pool: Pool
  readonly store: ObjectStore
  readonly enqueue: Enqueue
  /** How reasons name accounts; by default without the provider. */
  readonly accountLabel?: AccountLabel | undefined
}

/** @throws what an Outcome of `commitBatch` can hold */
export type Commit = (item: CommitItem) => Promise<Committed>

/** Commits that are requested meanwhile are batched. */
export function createCommit(deps: CommitDeps): Commit {
  const commit = createBatcher({ limit: BATCH, run: (items: readonly CommitItem[]) => commitBatch(deps, items) })
  // If an account at a provider joined while the bytes arrived, they have to be read a second time for their sums.
  return (item) =>
    commit(item).catch(async (error: unknown) => {
      if (!(error instanceof SumsMissingError)) throw error
      return commit({ ...item, sums: await sumBlocks(deps.store.open(item.objectId, item.size)) })
    })
}

/**
 * Turns staged contents into files, many at once. The staging folder is synced before the commit, so an item with a
 * successful outcome survives a crash. No item is committed without a check just before that its bytes exist: if this
 * server was suspended after that check long enough for another one to sweep them, its connection has been closed
 * (db/servers.ts) and the commit fails. Each item has its own outcome. UnknownOutcomeError, where the connection broke
 * during the commit, means that staged bytes must be kept. Only items with a cached group cloud can get OutdatedError.
 */
async function commitBatch(deps: CommitDeps, items: readonly CommitItem[]): Promise<Outcome<Committed>[]> {
  const outcomes = await commitInOneStatement(deps, items)
  const left = items.filter((item) => !outcomes.has(item))
  for (const item of left) if (item.singleAccount?.cached) outcomes.set(item, { ok: false, error: new OutdatedError() })
  const rest = left.filter((item) => !item.singleAccount?.cached)
  if (rest.length > 0) {
    const commitRest = isolating((some: readonly CommitItem[]) => commitInTransaction(deps, some))
    // What was committed above stays committed, even if the rest fails.
    const placed = await commitRest(rest).catch((error: unknown) => rest.map(() => ({ ok: false, error }) as const))
    for (const [index, item] of rest.entries()) outcomes.set(item, placed[index] ?? missingOutcome())
  }
  return items.map((item) => outcomes.get(item) ?? missingOutcome())
}

const missingOutcome = () =>
  ({ ok: false, error: new Error('A batch has no outcome for one of its uploads.') }) as const

/**
 * Most uploads go to the root of a group cloud that is one account of this server. They take one statement: for small
 * files, the four round trips of a transaction cost as much as all other work. Items that are absent from the result
 * were not committed.
 */
async function commitInOneStatement(
  { pool, store }: CommitDeps,
  items: readonly CommitItem[],
): Promise<Map<CommitItem, Outcome<Committed>>> {
  const drafts = items.flatMap(singleAccountDraft)
  if (drafts.length === 0) return new Map()
  // Never retried: a disk reports a failed write only once.
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

/** A draft placed by the data that was read when the upload began; none if it needs more than one statement. */
function singleAccountDraft(item: CommitItem): Draft[] {
  const { singleAccount, size, parentId, uploadId, idempotency, replaces } = item
  if (!singleAccount || parentId || uploadId || idempotency || replaces) return []
  const { groupCloud } = singleAccount
  const plan = planCopies(groupCloud.members, size, groupCloud)
  return plan.placed ? [{ ...draftOf(item), layout: layoutOf(plan, groupCloud.members) }] : []
}

/** The staging folder is synced at the same time, and that is awaited before the commit. */
async function commitInTransaction(
  { pool, store, enqueue, accountLabel }: CommitDeps,
  items: readonly CommitItem[],
): Promise<Outcome<Committed>[]> {
  const namesDurable = store.syncStaging()
  // Awaited below; a failure before that must not count as unhandled.
  namesDurable.catch(() => undefined)
  return transaction(pool, async (client) => {
    const drafts = items.map(draftOf)
    await claimKeys(client, drafts)
    await lockUploads(client, drafts)
    await placeAll(client, drafts, accountLabel)
    await resolveParents(client, drafts)
    await refuseLost(drafts)
    await insertFiles(client, drafts)
    await planRemainingCopies(client, enqueue, drafts)
    await replaceContents(client, enqueue, drafts)
    await updateCounters(client, drafts)
    await releaseClaims(client, drafts)
    await namesDurable
    return drafts.map(({ outcome }) => outcome ?? missingOutcome())
  })
}

async function claimKeys(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  for (const draft of drafts) {
    const earlier = await claimForItem(client, draft.item, 'createFile', draft.item.fileId)
    if (earlier) draft.outcome = earlier.ok ? { ok: true, value: { created: false, fileId: earlier.value } } : earlier
  }
}

const LOCK_UPLOADS = {
  name: 'uploads-lock-uploads',
  text: `select id, file_id, coalesce((
      select jsonb_object_agg(r.account_id, r.bytes) from upload_reservations r where r.upload_id = u.id), '{}') as reserved
    from uploads u where id = any($1::uuid[]) order by id for update`,
}
/** The parts of an upload, unless another one has claimed them. */
const LOCK_PARTS = `select id, coalesce((
    select jsonb_object_agg(r.account_id, r.bytes) from upload_reservations r where r.upload_id = u.id), '{}') as reserved
  from uploads u where id = any($1::uuid[]) and final_id = $2 and file_id is null order by id for update`

type LockedUpload = { id: string; file_id: string | null; reserved: Record<string, number> }

async function lockUploads(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const resumable = pending(drafts).flatMap((draft) => draft.item.uploadId ?? [])
  if (resumable.length === 0) return
  const { rows } = await client.query<LockedUpload>({ ...LOCK_UPLOADS, values: [resumable] })
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
  const { rows } = await client.query<Pick<LockedUpload, 'id' | 'reserved'>>(LOCK_PARTS, [partIds, uploadId])
  if (rows.length < partIds.length) {
    const message = 'A part of this upload was removed or used in another upload. Please start it again.'
    return fail(draft, new ConflictError(message))
  }
  const reserved = new Map(draft.reserved)
  for (const [id, bytes] of rows.flatMap((row) => Object.entries(row.reserved))) {
    reserved.set(id, (reserved.get(id) ?? 0) + bytes)
  }
  draft.reserved = reserved
}

/** Places items again that were placed when they began: accounts may have become full or been disconnected since. */
async function placeAll(client: ClientBase, drafts: readonly Draft[], label: AccountLabel | undefined): Promise<void> {
  const open = pending(drafts)
  const groupClouds = await lockTargets(
    client,
    open.map(({ item }) => item),
    label,
  )
  for (const draft of open) {
    try {
      const plan = placeAmong(groupClouds, draft.item, draft.reserved)
      const layout = layoutOf(plan, groupClouds.get(targetKey(draft.item))?.members ?? [])
      if (layout.sent.length > 0 && draft.item.sums === null) throw new SumsMissingError()
      draft.layout = layout
    } catch (error) {
      fail(draft, error)
    }
  }
}

/**
 * A folder that was trashed or deleted while the bytes arrived is no reason to lose them: the file goes to the root, or the top folder
 * of the account. What has its name there is another file than the one that `onConflict` was chosen for.
 */
async function resolveParents(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const open = pending(drafts)
  const live = await lockLiveFolders(client, [...new Set(open.flatMap(({ parentId }) => parentId ?? []))])
  const accountIds = [...new Set(open.flatMap(({ item }) => item.accountId ?? []))]
  const parentIds = open.flatMap(({ parentId }) => parentId ?? [])
  const inAccounts = accountIds.length === 0 ? null : await findAccountFolders(client, parentIds, accountIds)
  for (const draft of open) {
    const { parentId, item } = draft
    if (item.accountId === null) {
      if (parentId && live.get(parentId) !== item.userId) moveTo(draft, null)
    } else if (!parentId || !inAccounts?.live.has(parentId)) {
      moveTo(draft, inAccounts?.roots.get(item.accountId) ?? null)
      if (draft.parentId === null) fail(draft, disconnected())
    }
  }
}

function moveTo(draft: Draft, parentId: string | null): void {
  draft.parentId = parentId
  draft.onConflict = 'RENAME'
}

async function refuseLost(drafts: readonly Draft[]): Promise<void> {
  const checked = pending(drafts)
  const found = await Promise.all(checked.map(({ item }) => item.isThere()))
  for (const [index, draft] of checked.entries()) if (!found[index]) fail(draft, bytesLost())
}

/**
 * Frees the reservations of parts once the upload made of them is a file. The accounts concerned are locked already.
 */
const FREE_PARTS = `with gone as (delete from upload_reservations where upload_id = any($1::uuid[]) returning account_id, bytes)
  update accounts set reserved_bytes = reserved_bytes - freed.bytes, updated_at = now()
  from (select account_id, sum(bytes)::bigint as bytes from gone group by account_id) as freed
  where accounts.id = freed.account_id`
const FINISH_UPLOADS = {
  name: 'uploads-finish-uploads',
  text: `update uploads set file_id = i.file_id, parent_id = i.parent_id, expires_at = now() + interval '24 hours'
    from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as i(id, file_id, parent_id) where uploads.id = i.id`,
}
const COUNT_FOLDERS = {
  name: 'uploads-count-folders',
  text: `update files set child_count = child_count + i.added
    from unnest($1::uuid[], $2::int[]) as i(id, added) where files.id = i.id`,
}

/** The child counts of folders, and the files of uploads: one statement each, however many items. */
async function updateCounters(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const created = drafts.filter(({ outcome }) => outcome?.ok && outcome.value.created)
  if (created.length === 0) return
  const children = new Map<string, number>()
  for (const { parentId, replacedId } of created) {
    if (parentId && !replacedId) children.set(parentId, (children.get(parentId) ?? 0) + 1)
  }
  if (children.size > 0)
    await client.query({ ...COUNT_FOLDERS, values: [[...children.keys()], [...children.values()]] })
  const uploads = created.flatMap(({ item: { uploadId, partIds, fileId }, parentId, replacedId }) =>
    uploadId ? [uploadId, ...partIds].map((id) => ({ id, fileId: replacedId ?? fileId, parentId })) : [],
  )
  if (uploads.length === 0) return
  const partIds = created.flatMap(({ item }) => item.partIds)
  if (partIds.length > 0) await client.query(FREE_PARTS, [partIds])
  const values = [uploads.map(({ id }) => id), uploads.map(({ fileId }) => fileId), uploads.map((one) => one.parentId)]
  await client.query({ ...FINISH_UPLOADS, values })
}

/** If PostgreSQL refuses a batch because of one malformed item, each item is tried alone; a lost race is retried. */
export function isolating<Item, Result>(run: (items: readonly Item[]) => Promise<Outcome<Result>[]>) {
  return async (items: readonly Item[]): Promise<Outcome<Result>[]> => {
    try {
      return await retryConflicts(() => run(items))
    } catch (error) {
      if (!isRefusal(error) || items.length === 1) throw error
    }
    const outcomes: Outcome<Result>[] = []
    for (const item of items) {
      outcomes.push(
        ...(await retryConflicts(() => run([item])).catch((error: unknown) => [{ ok: false, error } as const])),
      )
    }
    return outcomes
  }
}

/**
 * A full disk, or a TOTAL_QUOTA that others filled meanwhile, as an error of the domain; every other error unchanged.
 */
export function toDomainError(error: unknown, neededBytes: number): unknown {
  if (isTotalQuotaError(error)) {
    return new StorageFullError(neededBytes, 0, 'There is no room left on this server for all of its users together.')
  }
  if (!(error instanceof DiskFullError)) return error
  const message = 'The disk of this server is full. Please try again later, or ask its administrator to make room.'
  return new StorageFullError(neededBytes, error.freeBytes, message)
}

/** Whether staged bytes may be deleted after this error: not if a row that refers to them may have been committed. */
export function isUncommitted(error: unknown): boolean {
  return !(error instanceof UnknownOutcomeError)
}

/**
 * Staged bytes were deleted before the commit: this server was suspended so long that another one considered it dead
 * and swept.
 */
function bytesLost(): UploadIncompleteError {
  return new UploadIncompleteError('The received bytes were lost before they could be stored. Please try again.')
}

export type AfterCommitDeps = {
  readonly store: ObjectStore
  readonly events: Events
  readonly getFile: (viewer: Viewer, id: string) => Promise<File>
  readonly getCopies: (viewer: Viewer, ids: readonly string[]) => Promise<ReadonlyMap<string, readonly Copy[]>>
  /** Called once per new file. */
  readonly onStored?: (viewer: Viewer, file: File) => void
  /** Called with errors that happen after the request was answered. */
  readonly onError: (error: unknown) => void
}

/**
 * Notifies subscribers and returns the file. The bytes move to their final place while the answer is sent: until then
 * they are read from staging, and if that fails the sweep moves them (housekeeping.ts).
 */
export async function afterCommit(
  { store, events, getFile, getCopies, onStored, onError }: AfterCommitDeps,
  viewer: Viewer,
  item: CommitItem,
  committed: Committed,
): Promise<StoredFile> {
  const read = async (fileId: string): Promise<StoredFile> => {
    const [file, copies] = await Promise.all([getFile(viewer, fileId), getCopies(viewer, [fileId])])
    return { ...file, copies: copies.get(fileId) ?? [] }
  }
  if (!committed.created || committed.isSame) return read(committed.fileId)
  const publishing = store.publish(item.objectId).catch(async (error: unknown) => {
    // Its owner may have deleted the file permanently in the meantime.
    if (!(error instanceof ObjectMissingError) || (await exists(getFile(viewer, committed.fileId)))) throw error
  })
  publishing.catch(onError)
  const { fileId, parentId, replacedId } = committed
  const changed = { fileIds: [fileId], removedIds: [], parentIds: [parentId], truncated: false }
  if (replacedId !== null) {
    events.publish('filesChanged', viewer.userId, changed)
    const replaced = await read(fileId)
    onStored?.(viewer, replaced)
    return replaced
  }
  const file = fileOf(item, committed)
  onStored?.(viewer, file)
  events.publish('filesChanged', viewer.userId, changed)
  return { ...file, copies: committed.copies }
}

function exists(found: Promise<File>): Promise<boolean> {
  return found.then(
    () => true,
    (error: unknown) => {
      if (error instanceof NotFoundError) return false
      throw error
    },
  )
}

function fileOf(item: CommitItem, committed: Extract<Committed, { created: true }>): File {
  const { fileId, name, parentId, createdAt, state, stateReason } = committed
  return {
    id: fileId,
    parentId,
    kind: 'FILE',
    name,
    category: item.type.category,
    mimeType: item.type.mimeType,
    size: item.size,
    isNative: false,
    sha256: item.sha256.toString('hex'),
    accountId: item.accountId,
    inPlace: item.accountId === null ? null : ARRIVING,
    state,
    stateReason,
    groupCloudId: item.groupCloudId,
    starred: false,
    color: null,
    childCount: 0,
    trashedAt: null,
    createdAt,
    updatedAt: createdAt,
    picture: null,
  }
}
