import { randomUUID } from 'node:crypto'
import type { ClientBase } from 'pg'
import { NameTakenError } from '../errors.ts'
import { ROOT } from '../files/tree/entries.ts'
import { freeName, nameKey, searchKey, sortKey } from '../files/tree/names.ts'
import { QUOTA_BYTES, QUOTA_STATE } from '../groupClouds/members.ts'
import { type Draft, fail, pending } from './draft.ts'
import { copiesOf } from './placing.ts'

const GIVEN = `select * from json_to_recordset($1::json) as i(file_id uuid, user_id uuid, parent_id uuid, name text,
      name_key text, sort_key text, search_key text, category text, mime_type text, size bigint, sha256 bytea,
      group_cloud_id uuid, state text, state_reason text, staged_ref text, copy_id uuid, why text, piece_id uuid,
      account_id uuid, object_id text, upload_id uuid, as_default boolean,
      copied_from uuid)`

/**
 * File of every row, copy and piece of those that become one at once, and the bytes on the accounts, in one statement; what
 * an upload had reserved is free again. A row whose name is taken is left out, not refused. `input` makes the CTE of that name.
 */
const insertRows = (input: string) => `with ${input}, file as (
      insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, mime_type, size, sha256,
        group_cloud_id, state, state_reason, staged_ref, copied_from)
      select file_id, user_id, parent_id, 'FILE', name, name_key, sort_key, search_key, category::"FileCategory", mime_type,
        size, sha256, group_cloud_id, state::"FileState", state_reason, staged_ref, copied_from from input
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

/** Of files that are placed under locks which the transaction holds. */
const INSERT = { name: 'uploads-insert-files', text: insertRows(`input as (${GIVEN})`) }

/**
 * Of files that are placed by what was read without a lock: `held` takes the locks of LOCK (groupClouds/members.ts), and a
 * row whose group cloud is not one account of this server any more, not the default one any more where it was chosen as that,
 * or has no room left for all of them, is left out.
 */
const INSERT_SOLE = {
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

const TRASH_NAMESAKE = `update files set trashed_at = now(), trash_root_id = id
  where user_id = $1 and coalesce(parent_id, '${ROOT}') =
    coalesce($2::uuid, '${ROOT}') and name_key = $3 and kind = 'FILE'
    and trashed_at is null and purged_at is null
  returning id`

/** A folder may be filled by others meanwhile: a number that was free is then looked for again. */
const ATTEMPTS = 5

/** Makes the files of all drafts that are still on their way; each gets its outcome. */
export async function insertFiles(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  await insert(client, INSERT, pending(drafts))
  for (const draft of pending(drafts)) await settleConflict(client, draft)
}

/**
 * Makes files that are laid out by what was read before, where that still holds and their names are free: one statement, which
 * is its own transaction. The others are as if it had not been tried.
 */
export function insertSingleAccount(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  return insert(client, INSERT_SOLE, drafts, [drafts.map(({ item }) => item.groupCloudId)])
}

async function settleConflict(client: ClientBase, draft: Draft): Promise<void> {
  const { onConflict, name } = draft.item
  if (onConflict === 'FAIL') return fail(draft, new NameTakenError(name))
  if (onConflict === 'REPLACE') {
    draft.replacedId = await trashNamesake(client, draft)
    await insert(client, INSERT, [draft])
  }
  // A folder of that name is not replaced: the file gets a number, as with RENAME.
  for (let attempt = 0; draft.outcome === null && attempt < ATTEMPTS; attempt += 1) {
    draft.name = await freeName(client, { userId: draft.item.userId, parentId: draft.parentId }, name, 'FILE')
    await insert(client, INSERT, [draft])
  }
  if (draft.outcome === null) fail(draft, new NameTakenError(name))
}

async function trashNamesake(client: ClientBase, { item, parentId }: Draft): Promise<string | null> {
  const { rows } = await client.query<{ id: string }>(TRASH_NAMESAKE, [item.userId, parentId, nameKey(item.name)])
  return rows[0]?.id ?? null
}

/** Drafts that went in have their outcome afterwards, with the copies that are still to be planned yet without an id; the others' names are taken. */
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
    draft.outcome = { ok: true, value: { created: true, ...made } }
  }
}

/** A row of GIVEN. */
function rowOf({ item, name, parentId, layout }: Draft, copyId: string | undefined) {
  const { why, pieces } = layout?.adopted ?? { why: null, pieces: [] }
  return {
    file_id: item.fileId,
    user_id: item.userId,
    parent_id: parentId,
    name,
    name_key: nameKey(name),
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
  }
}
