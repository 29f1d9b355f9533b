import { newId } from '../../../lib/ids.ts'
import { NameTakenError } from '../../errors.ts'
import { claimKey, fingerprintOf } from '../../idempotency/keys.ts'
import { enqueueRenames } from '../content/objectNames.ts'
import { storeAllInGroupCloud } from './arriving.ts'
import {
  ancestry,
  type Change,
  chainOf,
  type Entry,
  inTrash,
  lockLiveEntries,
  recount,
  requireTargetFolder,
} from './change.ts'
import { getFiles, type Queryable } from './entries.ts'
import { nameKey, placeKey, searchKey, sortKey, takenKeys, takenPlaces, validateName } from './names.ts'
import { foldersAbove, idsOf, isOpen, type Refusals, type StepOf } from './step.ts'

export type NewFolder = { readonly name: string; readonly parentId: string | null }

/**
 * Returns the id of the new folder, or of the one that an earlier request with this key created.
 * @throws as FilesService.createFolder
 */
export async function createFolder(change: Change, input: NewFolder, idempotencyKey?: string): Promise<string> {
  const name = validateName(input.name)
  const claimed = idempotencyKey === undefined ? null : await claimFolderId(change, { ...input, name }, idempotencyKey)
  if (claimed?.isRepeated) {
    // In an account, an earlier request can have claimed the id without making the folder.
    const [made] = await getFiles(change.tx, change, [claimed.id])
    if (!made) await requireTargetFolder(change, input.parentId)
    return claimed.id
  }
  const id = claimed?.id ?? newId()

  await requireTargetFolder(change, input.parentId)
  await refuseTakenName(change, input.parentId, name)
  await insertFolder(change, { id, name, parentId: input.parentId })
  return id
}

/** Creates the folders of all steps except those refused: their folder is not live, or the name is taken in it. */
export async function createEach(
  change: Change,
  steps: readonly StepOf<'CREATE'>[],
  refusals: Refusals,
): Promise<void> {
  if (steps.length === 0) return
  const ancestors = await foldersAbove(change, steps)
  const ready = steps.filter((step) => isOpen(ancestors, step, refusals))
  if (ready.length === 0) return
  const made = new Set(await insertFolders(change, ready))
  for (const step of ready) if (!made.has(step.id)) refusals.set(step, new NameTakenError(step.name))
}

type FolderRow = NewFolder & { readonly id: string }

/** Inserts into a live folder, under a name that is free there. */
export async function insertFolder(change: Change, folder: FolderRow): Promise<void> {
  await insert(change, INSERT, [folder])
}

/** Inserts into live folders. @returns the ids of the created folders; the names of the others are taken */
function insertFolders(change: Change, folders: readonly FolderRow[]): Promise<string[]> {
  return insert(change, INSERT_FREE, folders)
}

const insertion = (
  end: string,
) => `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category)
  select id, $1, parent_id, 'FOLDER', name, name_key, sort_key, search_key, 'FOLDER'
  from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[])
    as i(id, parent_id, name, name_key, sort_key, search_key) ${end} returning id, parent_id`
const INSERT = { name: 'files insert folder', text: insertion('') }
const INSERT_FREE = { name: 'files insert folders', text: insertion('on conflict do nothing') }

async function insert(change: Change, statement: typeof INSERT, folders: readonly FolderRow[]): Promise<string[]> {
  const names = folders.map(({ name }) => name)
  const { rows } = await change.tx.query<{ id: string; parent_id: string | null }>({
    ...statement,
    values: [
      change.userId,
      folders.map(({ id }) => id),
      folders.map(({ parentId }) => parentId),
      names,
      names.map(nameKey),
      names.map(sortKey),
      names.map(searchKey),
    ],
  })
  for (const { id } of rows) change.changedIds.add(id)
  await recount(
    change,
    rows.map((row) => row.parent_id),
    [],
  )
  return rows.map(({ id }) => id)
}

/** The id of the folder that requests with this key create. `isRepeated`: an earlier request has claimed it. */
export async function claimFolderId(
  { tx, userId }: Change,
  { name, parentId }: NewFolder,
  key: string,
): Promise<{ id: string; isRepeated: boolean }> {
  const sql = async (text: string, values: readonly unknown[]) => (await tx.query(text, [...values])).rows
  const fingerprint = fingerprintOf([name, parentId])
  const id = newId()
  const earlier = await claimKey(sql, { userId, key, operation: 'createFolder', fingerprint, resultId: id })
  return { id: earlier ?? id, isRepeated: earlier !== null }
}

/** A change of case only is allowed too. @throws InvalidInputError, NotFoundError, NameTakenError */
export async function renameEntry(change: Change, id: string, newName: string): Promise<void> {
  const name = validateName(newName)
  for (const entry of await lockLiveEntries(change, [id])) {
    if (entry.name === name) return
    await refuseTakenName(change, entry.parentId, name, id)
    await writeNames(change, [{ entry, name }])
  }
}

/** Renames the entries of all steps except those refused: they are in the trash, or the name is taken in their folder. */
export async function renameEach(
  change: Change,
  steps: readonly StepOf<'RENAME'>[],
  entries: ReadonlyMap<string, Entry>,
  refusals: Refusals,
): Promise<void> {
  if (steps.length === 0) return
  const ancestors = await ancestry(change, idsOf(steps))
  const renamed: NewName[] = []
  for (const step of steps) {
    const entry = entries.get(step.id)
    if (!entry) continue
    if (chainOf(ancestors, step.id).some(({ live }) => !live)) refusals.set(step, inTrash(entry))
    else if (entry.name !== step.name) renamed.push({ entry, name: step.name })
  }
  if (renamed.length === 0) return
  const placeOf = ({ entry, name }: NewName) => ({ parentId: entry.parentId, key: nameKey(name) })
  const taken = await takenPlaces(change.tx, change.userId, renamed.map(placeOf))
  const byEntry = new Map(steps.map((step) => [step.id, step]))
  const free = renamed.filter((one) => {
    const place = placeKey(placeOf(one))
    const occupant = taken.get(place) ?? one.entry.id
    const isFree = occupant === one.entry.id
    const step = byEntry.get(one.entry.id)
    if (!isFree && step) refusals.set(step, new NameTakenError(one.name))
    taken.set(place, occupant)
    return isFree
  })
  await writeNames(change, free)
}

type NewName = { readonly entry: Entry; readonly name: string }

/** Renames entries to names that are free in their folders. */
async function writeNames(change: Change, renamed: readonly NewName[]): Promise<void> {
  if (renamed.length === 0) return
  const names = renamed.map(({ name }) => name)
  await change.tx.query({
    name: 'files write names',
    text: `update files f set name = i.name, name_key = i.name_key, sort_key = i.sort_key, search_key = i.search_key,
        updated_at = now()
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[]) as i(id, name, name_key, sort_key, search_key)
      where f.id = i.id and f.id = any($1::uuid[])`,
    values: [renamed.map(({ entry }) => entry.id), names, names.map(nameKey), names.map(sortKey), names.map(searchKey)],
  })
  const fileIds = renamed.flatMap(({ entry }) => (entry.kind === 'FILE' ? [entry.id] : []))
  if (fileIds.length > 0) await enqueueRenames(change.tx, change.enqueue, fileIds)
  for (const { entry } of renamed) {
    change.changedIds.add(entry.id)
    change.parentIds.add(entry.parentId)
  }
}

async function refuseTakenName({ tx, userId }: Change, parentId: string | null, name: string, except?: string) {
  const taken = await takenKeys(tx, { userId, parentId }, [nameKey(name)])
  for (const id of taken.values()) if (id !== except) throw new NameTakenError(name)
}

// The folder at the root of a user's tree that shows everything in one account. The account names it.

/** Sorts after all names that users give to folders. */
const AFTER_ALL = '\u{10FFFF}'

const accountKeysOf = (name: string) => [nameKey(name), `${AFTER_ALL}${sortKey(name)}`, searchKey(name)]

const INSERT_ACCOUNT_FOLDER = `insert into files (id, user_id, account_id, kind, name, name_key, sort_key, search_key, category)
  values ($1, $2, $3, 'FOLDER', $4, $5, $6, $7, 'FOLDER')`

/** @returns its id */
export async function insertAccountFolder(
  { tx, userId, parentIds }: Change,
  account: { readonly id: string; readonly name: string },
): Promise<string> {
  const id = newId()
  await tx.query(INSERT_ACCOUNT_FOLDER, [id, userId, account.id, account.name, ...accountKeysOf(account.name)])
  parentIds.add(null)
  return id
}

/** Names the folder after its account. @returns its id; null if the account has none */
export async function renameAccountFolder(sql: Queryable, accountId: string, name: string): Promise<string | null> {
  const { rows } = await sql.query<{ id: string }>(
    `update files f set name = $2, name_key = $3, sort_key = $4, search_key = $5, updated_at = now()
     from account_indexes i where i.account_id = $1 and f.id = i.root_file_id returning f.id`,
    [accountId, name, ...accountKeysOf(name)],
  )
  return rows[0]?.id ?? null
}

/**
 * Ends the index of an account and hides its folder. What the account has not got yet is stored by Skypool instead, in the root. The
 * caller has locked the user's accounts, and queues `forgetEntries`, which removes the rows.
 * @returns the folder's id; null if there was none
 */
export async function dropAccountFolder(
  change: Pick<Change, 'tx' | 'userId' | 'enqueue'>,
  accountId: string,
): Promise<string | null> {
  const sql = change.tx
  await storeAllInGroupCloud(change, accountId)
  const { rows } = await sql.query<{ id: string }>(
    `with gone as (delete from account_indexes where account_id = $1 returning root_file_id, entries, passed_at),
       kept as (update accounts set last_entries = gone.entries from gone where id = $1 and gone.passed_at is not null)
     select root_file_id as id from gone`,
    [accountId],
  )
  const id = rows[0]?.id ?? null
  if (id !== null) await sql.query('update files set purged_at = now() where id = $1', [id])
  return id
}
