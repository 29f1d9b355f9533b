import type { Pool } from 'pg'
import { newId } from '../../lib/ids.ts'
import type { Call, Driver, Entry, EntryRef, EntryRights, Page } from '../../providers/driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../../providers/errors.ts'
import type { OpenDriver, RootFolders } from '../accounts/credentials.ts'
import { ConflictError, InvalidInputError, NameTakenError, NotFoundError, ProviderFailedError } from '../errors.ts'
import { reasonOfError } from '../files/content/states.ts'
import { ancestry, type ChangeDeps, chainOf, InAccountError, isLiveFolder, noSuchFolder } from '../files/tree/change.ts'
import { rightsOfBits } from '../files/tree/entries.ts'
import { type Also, applyReport, type IndexedAccount, isOwn, type Report, reportOf } from './apply.ts'
import { requestParents } from './pass.ts'

// Entries and folders in accounts, and the calls that change them.

/** An account with an index, and its name for messages. */
export type PlacedAccount = Omit<IndexedAccount, 'rootRef' | 'hash'> & {
  readonly name: string
  /** Null until it was read from the provider. */
  readonly rootRef: string | null
}

export type PlacedEntry = {
  readonly id: string
  readonly ref: EntryRef
  readonly name: string
  readonly kind: 'FOLDER' | 'FILE'
  readonly parentId: string | null
  /** The provider's reference of its folder; null for the account's root folder. */
  readonly parentRef: string | null
  readonly rights: EntryRights
  /** Changes with its content; null where the provider reports none. */
  readonly revision: string | null
  /** It is in the trash itself (OWN), or with a folder above it (FOLDER). */
  readonly trash: 'OWN' | 'FOLDER' | null
  readonly account: PlacedAccount
}

type Row = Omit<PlacedEntry, 'account' | 'rights' | 'trash'> &
  Omit<PlacedAccount, 'id' | 'name' | 'userId'> & {
    readonly accountId: string
    readonly accountName: string
    readonly rights: number
    readonly trashedAt: Date | null
    readonly trashRootId: string | null
  }

const ENTRY = `select f.id, e.ref, f.name, f.kind, f.parent_id as "parentId", p.ref as "parentRef", e.rights, e.revision, f.trashed_at as "trashedAt",
    f.trash_root_id as "trashRootId", a.id as "accountId", a.name as "accountName", i.root_file_id as "rootFileId",
    i.root_ref as "rootRef", a.home_ref as "ownFolderRef"
  from files f join account_entries e on e.file_id = f.id join accounts a on a.id = e.account_id
    join account_indexes i on i.account_id = a.id left join account_entries p on p.file_id = f.parent_id
  where f.id = $1 and f.user_id = $2 and f.purged_at is null`

/**
 * @throws NotFoundError, InAccountError for entries that are not in an account, ConflictError for the folder of an account, and for
 * Skypool's own folder, which can still be shown just after it was found
 */
export async function requireEntry(pool: Pool, userId: string, id: string): Promise<PlacedEntry> {
  const { rows } = await pool.query<Row>({ name: 'in place entry', text: ENTRY, values: [id, userId] })
  const [row] = rows
  if (!row) throw await whyNoEntry(pool, userId, id)
  const { accountId, accountName, rootFileId, rootRef, ownFolderRef, rights, trashedAt, trashRootId, ...entry } = row
  const account = { id: accountId, userId, name: accountName, rootFileId, rootRef, ownFolderRef }
  const trash = trashedAt !== null ? 'OWN' : trashRootId !== null ? 'FOLDER' : null
  // What was moved to the trash can be in that folder.
  if (trash === null) refuseOwn(account, [entry.ref, entry.parentRef])
  return { ...entry, rights: rightsOfBits(rights), trash, account }
}

async function whyNoEntry(pool: Pool, userId: string, id: string): Promise<Error> {
  const { rows } = await pool.query<{ name: string; inAccount: boolean }>(
    'select name, account_id is not null as "inAccount" from files where id = $1 and user_id = $2 and purged_at is null',
    [id, userId],
  )
  const [file] = rows
  if (!file) return new NotFoundError()
  if (!file.inAccount) {
    return new InAccountError(
      `“${file.name}” is stored by Skypool. It cannot be moved into a folder of a connected account.`,
    )
  }
  return new ConflictError(`“${file.name}” shows a connected account. Please change the account in Cloud Integration.`)
}

/** A folder in an account, or the folder that shows the account. */
export type PlacedFolder = {
  readonly id: string
  /** Null: the account's root folder. */
  readonly ref: EntryRef | null
  readonly name: string
  readonly rights: EntryRights | null
  readonly account: PlacedAccount
}

type FolderRow = Pick<Row, 'id' | 'name' | 'accountId' | 'accountName' | 'rootFileId' | 'rootRef' | 'ownFolderRef'> & {
  readonly ref: EntryRef | null
  readonly rights: number | null
}

const FOLDER = `select f.id, f.name, e.ref, e.rights, a.id as "accountId", a.name as "accountName", i.root_file_id as "rootFileId",
    i.root_ref as "rootRef", a.home_ref as "ownFolderRef"
  from files f join accounts a on a.id = f.account_id join account_indexes i on i.account_id = a.id
    left join account_entries e on e.file_id = f.id
  where f.id = $1 and f.user_id = $2 and f.kind = 'FOLDER' and f.purged_at is null and f.trash_root_id is null`

/** @throws NotFoundError, InAccountError for a folder that is not in an account, ConflictError for Skypool's own folder */
export async function requireFolder(pool: Pool, userId: string, id: string | null): Promise<PlacedFolder> {
  if (id === null) throw notInAccount()
  const { rows } = await pool.query<FolderRow>({ name: 'in place folder', text: FOLDER, values: [id, userId] })
  const [row] = rows
  if (!row)
    throw isLiveFolder(chainOf(await ancestry({ tx: pool, userId }, [id]), id)) ? notInAccount() : noSuchFolder()
  const { accountId, accountName, rootFileId, rootRef, ownFolderRef, rights, ...folder } = row
  const account = { id: accountId, userId, name: accountName, rootFileId, rootRef, ownFolderRef }
  refuseOwn(account, [folder.ref])
  return { ...folder, rights: rights === null ? null : rightsOfBits(rights), account }
}

/** A change there would lose what Skypool stores. @throws ConflictError */
function refuseOwn(account: PlacedAccount, refs: readonly (string | null)[]): void {
  if (!refs.some((ref) => ref !== null && isOwn(account, ref))) return
  throw new ConflictError(`Skypool stores files in this folder of “${account.name}”. It cannot be changed here.`)
}

/** @throws ConflictError where the account does not allow adding to the folder */
export function requireWritable({ account, name, rights }: Pick<PlacedFolder, 'account' | 'name' | 'rights'>): void {
  if (rights?.write !== false) return
  throw new ConflictError(`“${account.name}” does not allow putting anything into “${name}”.`)
}

function notInAccount(): InAccountError {
  return new InAccountError('What is in a connected account can be copied to other places, but not be moved there.')
}

/** Limits of a call, and of a pause that the account asks for (ms): a person waits for the change. */
const TIMEOUT_MS = 60_000
const PATIENCE_MS = 5_000

export type InPlaceChangeDeps = ChangeDeps & {
  readonly openDriver: OpenDriver
  readonly report: { failed(accountId: string, error: ProviderError): void; worked(accountId: string): void }
  readonly rootFolders: RootFolders
}

/** An entry, and the account that it is in. */
export type Place = Account & { readonly entry: PlacedEntry }
export type Account = {
  readonly deps: InPlaceChangeDeps
  readonly driver: Driver
  readonly account: PlacedAccount
  /** As messages name what is changed. */
  readonly subject: string
}

export async function openPlace(deps: InPlaceChangeDeps, entry: PlacedEntry): Promise<Place> {
  const { account, name } = entry
  const driver = await open(deps, account, name)
  return { deps, driver, account, entry, subject: name }
}

/** @throws ProviderFailedError */
export async function open(
  { openDriver }: Pick<InPlaceChangeDeps, 'openDriver'>,
  account: PlacedAccount,
  subject: string,
): Promise<Driver> {
  return openDriver(account.id).catch((error: unknown) => {
    throw refusal(account, subject, error)
  })
}

export const callOf = (): Call => ({
  signal: AbortSignal.timeout(TIMEOUT_MS),
  requestId: newId(),
  patienceMs: PATIENCE_MS,
})

/** Calls the account. @throws DomainError */
export async function ask<Value>(
  { deps, account, subject }: Account,
  work: (call: Call) => Promise<Value>,
): Promise<Value> {
  try {
    const value = await work(callOf())
    deps.report.worked(account.id)
    return value
  } catch (error) {
    if (error instanceof ProviderError) deps.report.failed(account.id, error)
    throw refusal(account, subject, error)
  }
}

/** What the user reads about an error of the account. */
function refusal({ name }: PlacedAccount, subject: string, error: unknown): unknown {
  const isTimeout = error instanceof DOMException
  if (!isTimeout && !(error instanceof ProviderError)) return error
  if (isFailure(error, 'NotFound')) return new NotFoundError(`“${subject}” is not in “${name}” any more.`)
  if (isFailure(error, 'Conflict')) return new NameTakenError(subject)
  if (isFailure(error, 'Forbidden')) return new ConflictError(`“${name}” does not allow this for “${subject}”.`)
  if (isFailure(error, 'BadName')) {
    return new InvalidInputError([{ path: 'name', message: `“${name}” does not accept this name.` }])
  }
  const [reason = `“${name}” does not answer`] = reasonOfError(name, error)
  return new ProviderFailedError(`“${subject}” was not changed: ${reason}. Please try again.`, { cause: error })
}

/** Where a move leads to: names an entry where its reference becomes another one. */
type Target = { readonly parent: EntryRef; readonly name: string }

/** The same after a call with an unclear outcome, if the account says that it was carried out. */
export async function carryOut(
  place: Place,
  work: (call: Call) => Promise<Entry>,
  isDone: (now: Entry) => boolean,
  to: Target,
): Promise<Entry> {
  return ask(place, async (call) => {
    try {
      return await work(call)
    } catch (error) {
      if (!isUnclear(error)) throw error
      const now = await statOf(place).catch(() => undefined)
      if (now && isDone(now)) return now
      const isElsewhere = now === null && place.driver.capabilities.pathRefs
      const moved = isElsewhere ? await findMoved(place, to).catch(() => null) : null
      if (moved) return moved
      throw error
    }
  })
}

/** The entry at the place where it was to be moved. The name was free before: a service does not replace what is there. */
async function findMoved({ driver, entry }: Place, { parent, name }: Target): Promise<Entry | null> {
  const kind = entry.kind === 'FOLDER' ? 'folder' : 'file'
  let cursor: string | null = null
  do {
    const page: Page<Entry> = await driver.list(callOf(), parent, cursor)
    const found = page.items.find((one) => one.name === name && one.kind === kind)
    if (found) return found
    cursor = page.cursor
  } while (cursor !== null)
  return null
}

/** Whether the request may have been carried out. */
export function isUnclear(error: unknown): boolean {
  return !(error instanceof ProviderError) || error.code === 'Transient'
}

/** Null: it is in the provider's trash, or deleted. */
export function statOf({ driver, entry }: Place): Promise<Entry | null> {
  return driver.stat(callOf(), entry.ref).catch(nothingWhen('NotFound'))
}

/** Stores what the account has reported. @returns as applyReport */
export async function apply(
  place: Account,
  changes: Parameters<typeof reportOf>[0],
  options: Pick<Report, 'newIds' | 'confirmed'> = {},
  also: Also = {},
): Promise<boolean> {
  const { deps, driver, account } = place
  const rootRef = account.rootRef ?? (await ask(place, (call) => driver.stat(call, driver.root))).ref
  const indexed: IndexedAccount = { ...account, rootRef, hash: driver.capabilities.hash }
  const asked = options.confirmed !== true && !driver.capabilities.pathRefs
  const report = { ...reportOf(changes), own: true, asked, ...options }
  if (!(await applyReport(deps, indexed, report, also))) return false
  await findFolders(place, indexed, changes)
  return true
}

/** Entries can be in folders that appeared in the meantime. If those cannot be requested now, the feed is read later. */
async function findFolders(
  { deps, driver }: Account,
  account: IndexedAccount,
  changes: Parameters<typeof reportOf>[0],
): Promise<void> {
  const refs = changes.flatMap(({ entry }) => entry?.ref ?? [])
  const waiting = 'select from unplaced_entries where account_id = $1 and ref = any($2::text[]) limit 1'
  const { rowCount } = await deps.pool.query(waiting, [account.id, refs])
  if (rowCount === 0) return
  await requestParents(deps, account, driver, callOf, refs).catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error
  })
}
