import { randomUUID } from 'node:crypto'
import type { ClientBase } from 'pg'
import type { Outcome } from '../../lib/concurrency.ts'
import { NameTakenError, PreconditionFailedError } from '../errors.ts'
import { type BlockSums, saveManyBlockSums } from '../files/content/blockSums.ts'
import type { FileType } from '../files/content/types.ts'
import { type Author, addVersion, hasTooMany } from '../files/content/versions.ts'
import type { Copy, FileState, OnConflict } from '../files/contract.ts'
import { fileGone } from '../files/tree/change.ts'
import { ROOT } from '../files/tree/entries.ts'
import { freeName, nameKey, searchKey, sortKey, takenInAccount } from '../files/tree/names.ts'
import { markPurged } from '../files/tree/trash.ts'
import { QUOTA_BYTES, QUOTA_STATE } from '../groupClouds/members.ts'
import type { PlannedCopy } from '../groupClouds/placement.ts'
import type { RequestKey } from '../idempotency/keys.ts'
import { type Enqueue, enqueueReconcile } from '../jobs.ts'
import { insertPlannedCopies } from '../transfers/planning.ts'
import type { Protecting, Replacing } from './contract.ts'
import { copiesOf, type Layout, type SingleAccount } from './destination.ts'

/** A received content that is to become a file. All ids are made before, so that committing it twice makes one file. */
export type CommitItem = {
  readonly fileId: string
  /** Staging object that holds the bytes, durable already. */
  readonly objectId: string
  readonly userId: string
  /** Null: the folder is in an account. */
  readonly groupCloudId: string | null
  /** The account that the folder is in; null: Skypool's own. */
  readonly accountId: string | null
  readonly parentId: string | null
  readonly name: string
  readonly type: FileType
  readonly size: number
  readonly sha256: Buffer
  /** The file whose bytes these are; null for content from outside. */
  readonly copiedFrom: string | null
  readonly protecting?: Protecting | undefined
  /** null: not computed. Required if a copy goes to a provider. */
  readonly sums: BlockSums | null
  readonly onConflict: OnConflict
  /** Who sends it, for the versions of a file that it replaces. */
  readonly author: Author
  /** The file that gets this content, whatever its name is by then; absent: by name and `onConflict`. */
  readonly replaces?: Replacing | undefined
  /** The resumable upload behind it; null for a one-request upload. */
  readonly uploadId: string | null
  /** The complete uploads that it was concatenated from: their reservations are its own. */
  readonly partIds: readonly string[]
  readonly idempotency: RequestKey | null
  /** Its group cloud when the upload began, if that was one account of this server with one copy. */
  readonly singleAccount: SingleAccount | null
  /** Whether the bytes still exist. Called just before the commit: there must be no file without bytes. */
  readonly isThere: () => boolean | Promise<boolean>
}

/** The result of an item. `created` false: an earlier request with the same key or upload made that file. */
export type Committed =
  | {
      readonly created: true
      readonly fileId: string
      readonly name: string
      readonly parentId: string | null
      readonly createdAt: Date
      readonly state: FileState
      readonly stateReason: string | null
      readonly copies: readonly Copy[]
      /** The file whose content it became, which is `fileId` then; null: it is a new file. */
      readonly replacedId: string | null
      /** The file had the same content: it is unchanged, and the received bytes are discarded. */
      readonly isSame: boolean
    }
  | { readonly created: false; readonly fileId: string }

/** An item in a transaction: each step fills in its results, or the outcome, after which later steps skip it. */
export type Draft = {
  readonly item: CommitItem
  name: string
  parentId: string | null
  onConflict: OnConflict
  /** Bytes that its upload has reserved, by account; they are freed when it becomes a file. */
  reserved: ReadonlyMap<string, number>
  layout: Layout | null
  /** The file of Skypool's own whose content it becomes. */
  replacedId: string | null
  /** The entry of an account that it replaces there, and its revision. */
  replaces: Replaced | null
  outcome: Outcome<Committed> | null
}

export type Replaced = { readonly id: string; readonly revision: string | null }

export function draftOf(item: CommitItem): Draft {
  return {
    item,
    name: item.name,
    parentId: item.parentId,
    onConflict: item.onConflict,
    reserved: new Map(),
    layout: null,
    replacedId: null,
    replaces: null,
    outcome: null,
  }
}

export function fail(draft: Draft, error: unknown): void {
  draft.outcome = { ok: false, error }
}

export function pending(drafts: readonly Draft[]): Draft[] {
  return drafts.filter((draft) => draft.outcome === null)
}

const GIVEN = `select * from json_to_recordset($1::json) as i(file_id uuid, user_id uuid, parent_id uuid, name text,
      name_key text, sort_key text, search_key text, category text, mime_type text, size bigint, sha256 bytea,
      group_cloud_id uuid, state text, state_reason text, staged_ref text, copy_id uuid, why text, piece_id uuid,
      account_id uuid, object_id text, upload_id uuid, as_default boolean,
      copied_from uuid, into_account_id uuid, protected_account_id uuid, wanted_copies int, trash_root_id uuid, is_version boolean)`

/**
 * Inserts in one statement the files, the copies and pieces that exist at once, and counts the bytes of the accounts;
 * it also frees what an upload had reserved. A row whose name is taken is skipped. `input` defines the CTE of that
 * name.
 */
const insertRows = (input: string) => `with ${input}, file as (
      insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, mime_type, size, sha256,
        group_cloud_id, account_id, state, state_reason, staged_ref, copied_from, protected_account_id, wanted_copies, trash_root_id,
        is_version)
      select file_id, user_id, parent_id, 'FILE', name, name_key, sort_key, search_key, category::"FileCategory", mime_type,
        size, sha256, group_cloud_id, into_account_id, state::"FileState", state_reason, staged_ref, copied_from,
        protected_account_id, wanted_copies, trash_root_id, is_version from input
      on conflict do nothing returning id, created_at
    ), made as (
      select input.* from input join file on file.id = file_id
    ), copy as (
      insert into copies (id, file_id, why) select copy_id, file_id, why from made where copy_id is not null
    ), piece as (
      insert into pieces (id, copy_id, account_id, size, object_ref)
      select piece_id, copy_id, account_id, size, object_id from made where copy_id is not null
    ), freed as (
      delete from upload_reservations r using made where r.upload_id = made.upload_id returning r.account_id, r.bytes
    ), counted as (
      update accounts set used_bytes = used_bytes + c.used, reserved_bytes = reserved_bytes - c.freed, updated_at = now()
      from (
        select i.id, sum(i.used)::bigint as used, sum(i.freed)::bigint as freed
        from (
          select account_id, size, 0::bigint from made where copy_id is not null
          union all select account_id, 0, bytes from freed
        ) as i(id, used, freed)
        group by i.id
      ) as c where accounts.id = c.id
    )
    select id, created_at from file`

/** For files that were placed under locks which the transaction holds. */
const INSERT = { name: 'uploads-insert-files', text: insertRows(`input as (${GIVEN})`) }

/**
 * For files that were placed by data read without a lock: `held` takes the locks of LOCK (groupClouds/members.ts). A
 * row is skipped if its group cloud is no longer one account of this server, no longer the default one where it was
 * chosen as that, or has no room left for all of them.
 */
const INSERT_SINGLE_ACCOUNT = {
  name: 'uploads-insert-sole',
  text: insertRows(`given as (${GIVEN}), held as (
      select g.id as group_cloud_id, g.default_upload_group, a.id as account_id,
        case when ${QUOTA_STATE} = 'KNOWN'
          then ${QUOTA_BYTES} - a.used_bytes - a.reserved_bytes - m.keep_free_bytes end as room
      from group_clouds g
      join group_cloud_members m on m.group_cloud_id = g.id
      join accounts a on a.id = m.account_id and a.disconnected_at is null
      where g.id = any($2::uuid[]) and g.copies = 1 and not m.draining
        and a.provider = 'local' and a.status = 'CONNECTED' and a.unreachable_since is null
        and not exists (
          select from group_cloud_members other where other.group_cloud_id = g.id and other.account_id <> m.account_id
        )
      order by a.id for no key update of a for share of m for key share of g
    ), input as (
      select roomy.* from (
        select given.*, held.room, sum(given.size) over (partition by given.account_id) as asked
        from given join held using (group_cloud_id, account_id) where default_upload_group or not as_default
      ) as roomy where room is null or asked <= room
    )`),
}

const LIVE_FILE = `user_id = $1 and kind = 'FILE' and account_id is null and trashed_at is null and trash_root_id is null
  and purged_at is null`
const LOCK_BY_NAME = `select id from files where ${LIVE_FILE} and coalesce(parent_id, '${ROOT}') =
    coalesce($2::uuid, '${ROOT}') and name_key = $3 for update`
const LOCK_BY_ID = `select encode(sha256, 'hex') as sha256 from files where ${LIVE_FILE} and id = $2 for update`

/** Other requests may take the free number that was found; then the next one is searched for. */
const RENAME_ATTEMPTS = 5

/** Inserts the files of all pending drafts; each gets its outcome. */
export async function insertFiles(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  await insert(
    client,
    INSERT,
    pending(drafts).filter(({ item }) => item.accountId === null && !item.replaces),
  )
  for (const draft of pending(drafts)) {
    if (draft.item.replaces) await replaceById(client, draft, draft.item.replaces)
    else if (draft.item.accountId === null) await resolveNameConflict(client, draft)
    else await insertIntoAccount(client, draft)
  }
}

const INSERT_ARRIVING = `insert into account_uploads (file_id, account_id, on_conflict, replaced_id, replaced_revision)
  values ($1, $2, $3::"OnConflict", $4, $5)`
/** Of `account_entries.rights` (domain/inPlace/entries.ts): it is overwritten, or moved to the trash. */
const WRITE_AND_DELETE = 2 + 16
const REPLACEABLE = `select f.id, e.revision from files f join account_entries e on e.file_id = f.id
  where f.id = $1 and f.kind = 'FILE' and not f.native and e.rights & ${WRITE_AND_DELETE} = ${WRITE_AND_DELETE}`

/** Names in accounts are not unique: this one gets a free name while its folder is locked. */
async function insertIntoAccount(client: ClientBase, draft: Draft): Promise<void> {
  const { item, parentId, onConflict } = draft
  const { userId, name } = item
  const space = { userId, parentId, isInAccount: true }
  const taken = await takenInAccount(client, space, nameKey(name))
  if (taken !== null && onConflict === 'FAIL') return fail(draft, new NameTakenError(name))
  if (taken !== null && onConflict === 'REPLACE') {
    draft.replaces = (await client.query<Replaced>(REPLACEABLE, [taken])).rows[0] ?? null
  }
  // A folder, a document without bytes, or a file that is still being stored is not replaced.
  if (taken !== null && draft.replaces === null) draft.name = await freeName(client, space, name, 'FILE')
  await insert(client, INSERT, [draft])
  const { id = null, revision = null } = draft.replaces ?? {}
  await client.query(INSERT_ARRIVING, [item.fileId, item.accountId, onConflict, id, revision])
}

/**
 * Inserts files that were placed by data read before, if that is still valid and their names are free: one statement,
 * which is also the transaction. The other drafts stay pending and unchanged.
 */
export function insertSingleAccount(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  return insert(client, INSERT_SINGLE_ACCOUNT, drafts, [drafts.map(({ item }) => item.groupCloudId)])
}

async function resolveNameConflict(client: ClientBase, draft: Draft): Promise<void> {
  const { onConflict } = draft
  const { name } = draft.item
  if (onConflict === 'FAIL') return fail(draft, new NameTakenError(name))
  if (onConflict === 'REPLACE') {
    draft.replacedId = await lockFileOfThatName(client, draft)
    await insert(client, INSERT, [draft])
  }
  // A folder of that name is not replaced: the file gets a numbered name, as with RENAME.
  for (let attempt = 0; draft.outcome === null && attempt < RENAME_ATTEMPTS; attempt += 1) {
    draft.name = await freeName(client, { userId: draft.item.userId, parentId: draft.parentId }, name, 'FILE')
    await insert(client, INSERT, [draft])
  }
  if (draft.outcome === null) fail(draft, new NameTakenError(name))
}

/** @throws nothing: the draft fails when the file is gone, or has another content than the caller knows */
async function replaceById(client: ClientBase, draft: Draft, { fileId, ifSha256 }: Replacing): Promise<void> {
  const { rows } = await client.query<{ sha256: string }>(LOCK_BY_ID, [draft.item.userId, fileId])
  const [file] = rows
  if (!file) return fail(draft, fileGone())
  if (ifSha256 && !ifSha256.includes(file.sha256)) return fail(draft, new PreconditionFailedError())
  draft.replacedId = fileId
  await insert(client, INSERT, [draft])
}

async function lockFileOfThatName(client: ClientBase, { item, parentId }: Draft): Promise<string | null> {
  const { rows } = await client.query<{ id: string }>(LOCK_BY_NAME, [item.userId, parentId, nameKey(item.name)])
  return rows[0]?.id ?? null
}

/**
 * Inserted drafts get their outcome, in which copies that are not planned yet have a placeholder id; the names of the
 * others are taken.
 */
async function insert(
  client: ClientBase,
  statement: typeof INSERT,
  drafts: readonly Draft[],
  more: readonly unknown[] = [],
): Promise<void> {
  if (drafts.length === 0) return
  const copyIds = drafts.map(() => randomUUID())
  const given = JSON.stringify(drafts.map((draft, index) => rowOf(draft, copyIds[index])))
  const { rows } = await client.query<{ id: string; created_at: Date }>({ ...statement, values: [given, ...more] })
  const createdAt = new Map(rows.map((row) => [row.id, row.created_at]))
  for (const [index, draft] of drafts.entries()) {
    const { item, name, parentId, replacedId, layout } = draft
    const time = createdAt.get(item.fileId)
    if (!time || !layout) continue
    const { state, stateReason } = layout
    const copies = copiesOf(layout, time, () => copyIds[index] ?? '')
    const made = { fileId: item.fileId, name, parentId, createdAt: time, replacedId, state, stateReason, copies }
    draft.outcome = { ok: true, value: { created: true, isSame: false, ...made } }
  }
}

/** The row of a draft, as in GIVEN. */
function rowOf({ item, name, parentId, layout, replacedId }: Draft, copyId: string | undefined) {
  const { why, pieces } = layout?.adopted ?? { why: null, pieces: [] }
  // Protecting copies and versions are in no list.
  const isHidden = item.protecting !== undefined || replacedId !== null
  return {
    file_id: item.fileId,
    user_id: item.userId,
    parent_id: replacedId ?? parentId,
    name,
    // They may have equal names.
    name_key: isHidden ? item.fileId : nameKey(name),
    sort_key: sortKey(name),
    search_key: searchKey(name),
    category: item.type.category,
    mime_type: item.type.mimeType,
    size: item.size,
    sha256: `\\x${item.sha256.toString('hex')}`,
    group_cloud_id: item.groupCloudId,
    state: layout?.state,
    state_reason: layout?.stateReason,
    staged_ref: layout && layout.sent.length > 0 ? item.objectId : null,
    copy_id: layout?.adopted ? copyId : null,
    why,
    piece_id: randomUUID(),
    account_id: pieces[0]?.accountId,
    object_id: item.objectId,
    upload_id: item.uploadId,
    as_default: item.singleAccount?.asDefault ?? false,
    copied_from: item.copiedFrom,
    protected_account_id: item.protecting?.accountId,
    wanted_copies: item.protecting?.copies,
    trash_root_id: isHidden ? item.fileId : null,
    is_version: replacedId !== null,
    into_account_id: item.accountId,
  }
}

type InsertedFile = {
  readonly draft: Draft
  readonly layout: Layout
  readonly value: Extract<Committed, { created: true }>
}

/** Plans the copies that transfers make of the inserted files, and enqueues a retry for copies that had no room. */
export async function planRemainingCopies(
  client: ClientBase,
  enqueue: Enqueue,
  drafts: readonly Draft[],
): Promise<void> {
  const made = drafts.flatMap((draft): InsertedFile[] => {
    const { layout, outcome } = draft
    return layout && outcome?.ok && outcome.value.created ? [{ draft, layout, value: outcome.value }] : []
  })
  await saveManyBlockSums(
    client,
    made.flatMap(({ draft: { item } }) => (item.sums ? [{ fileId: item.fileId, ...item.sums }] : [])),
  )
  await planTransfers(
    client,
    enqueue,
    made.filter(({ layout }) => layout.sent.length > 0),
  )
  await enqueueMissingCopies(
    client,
    enqueue,
    made.filter(({ layout }) => layout.plan.missingCopies > 0),
  )
}

async function planTransfers(client: ClientBase, enqueue: Enqueue, made: readonly InsertedFile[]): Promise<void> {
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

async function enqueueMissingCopies(
  client: ClientBase,
  enqueue: Enqueue,
  made: readonly InsertedFile[],
): Promise<void> {
  const byUser = new Map<string, string[]>()
  for (const { draft } of made) {
    byUser.set(draft.item.userId, [...(byUser.get(draft.item.userId) ?? []), draft.item.fileId])
  }
  for (const [userId, fileIds] of byUser) await enqueueReconcile(client, enqueue, { userId, fileIds })
}

const FILE_NOW = `select sha256 = $2 and state <> 'AT_RISK' as "isSame" from files where id = $1`
const KEEP_CLAIM = 'update idempotency_keys set result_id = $3 where user_id = $1 and key = $2'

/**
 * Files that are replaced get the content of the hidden rows that were inserted for them; what they had becomes an earlier version. A
 * content that the file has already makes no version. To be called when everything that belongs to the new rows has been inserted.
 */
export async function replaceContents(client: ClientBase, enqueue: Enqueue, drafts: readonly Draft[]): Promise<void> {
  for (const draft of drafts) {
    const { item, replacedId, outcome } = draft
    if (replacedId === null || !outcome?.ok || !outcome.value.created) continue
    const { rows } = await client.query<{ isSame: boolean }>(FILE_NOW, [replacedId, item.sha256])
    const isSame = rows[0]?.isSame ?? false
    if (isSame) await discardRow(client, enqueue, item)
    else await becomeVersion(client, enqueue, draft, replacedId)
    if (item.idempotency) await client.query(KEEP_CLAIM, [item.userId, item.idempotency.key, replacedId])
    draft.outcome = { ok: true, value: { ...outcome.value, fileId: replacedId, isSame } }
  }
}

async function discardRow(client: ClientBase, enqueue: Enqueue, { userId, fileId }: CommitItem): Promise<void> {
  await markPurged({ tx: client, enqueue, transferIds: new Set() }, [fileId], 1)
  await enqueue(client, 'purgeFiles', { userId }, { key: `purge ${userId}` })
}

async function becomeVersion(client: ClientBase, enqueue: Enqueue, { item, layout }: Draft, id: string): Promise<void> {
  const { userId } = item
  await addVersion(client, id, item.fileId, item.author)
  // What was planned for the new row is the file's now.
  if (layout && layout.plan.missingCopies > 0) await enqueueReconcile(client, enqueue, { userId, fileIds: [id] })
  if (layout && layout.sent.length > 0) await enqueue(client, 'hashFiles', { fileIds: [id] })
  if (await hasTooMany(client, id)) await enqueue(client, 'sweepVersions', { userId }, { key: `versions ${userId}` })
}
