import type { ClientBase, Pool } from 'pg'
import { createBatcher, type Outcome } from '../../lib/concurrency.ts'
import { formatBytes } from '../../lib/format.ts'
import type { Capabilities } from '../../providers/driver.ts'
import type { OpenDriver } from '../accounts/credentials.ts'
import {
  ConflictError,
  InvalidInputError,
  NotFoundError,
  ProviderFailedError,
  StorageFullError,
  TooLargeError,
} from '../errors.ts'
import { checkExtension } from '../files/content/types.ts'
import type { Copy, FileState, OnConflict } from '../files/contract.ts'
import { ancestry, chainOf, isLiveFolder } from '../files/tree/change.ts'
import { ROOT } from '../files/tree/entries.ts'
import { nameKey, validateName } from '../files/tree/names.ts'
import {
  type AccountLabel,
  bytesByAccount,
  findAccountTarget,
  findMembers,
  type GroupCloudMembers,
  type Member,
  type Question,
  type Target,
  targetKey,
  withReserved,
} from '../groupClouds/members.ts'
import { type Plan, type PlannedCopy, planCopies, roomBytes } from '../groupClouds/placement.ts'
import { open, type PlacedFolder, requireFolder, requireWritable } from '../inPlace/placed.ts'
import type { Viewer } from '../viewer.ts'
import type { NewUpload, Protecting, UploadInput } from './contract.ts'

// Where an upload goes: its name, folder, group cloud and accounts. Checked when it begins, and again when it is
// committed.

/** An upload that may begin. Everything is checked again when it is committed. */
export type Admission = {
  readonly name: string
  /** Null: the folder is in an account. */
  readonly groupCloudId: string | null
  /** The account that the folder is in; null: Skypool's own. */
  readonly accountId: string | null
  readonly parentId: string | null
  readonly onConflict: OnConflict
  /** There is no room for more bytes than this now. */
  readonly roomBytes: number
  /** The group cloud has accounts at providers. */
  readonly remote: boolean
  /** The group cloud, if it is one account of this server with one copy; null: any other. */
  readonly singleAccount: SingleAccount | null
}

export type AdmissionDeps = {
  readonly pool: Pool
  readonly openDriver: OpenDriver
  readonly findGroupCloud: FindGroupCloud
  /** true: UPLOAD_TYPES=*. */
  readonly anyType: boolean
}

/**
 * Checks all that is known before the first byte: name, extension, folder, group cloud or account, declared size. `cached` is used
 * instead of reading the group cloud.
 * @throws InvalidInputError, TypeRefusedError, NotFoundError, StorageFullError; for a folder in an account also ConflictError,
 * TooLargeError, ProviderFailedError
 */
export async function admit(
  deps: AdmissionDeps,
  viewer: Viewer,
  input: NewUpload & Partial<Pick<UploadInput, 'replaces'>>,
  cached: SingleAccount | null = null,
): Promise<Admission> {
  const { pool, findGroupCloud, anyType } = deps
  const name = input.isPart ? '' : validateName(input.name)
  if (!anyType && !input.isPart) checkExtension(name)
  checkSize(input.size)
  const parentId = input.parentId ?? null
  if (await isInAccount(pool, viewer, parentId)) return admitToAccount(deps, viewer, { ...input, name, parentId })
  const id = input.groupCloudId ?? (await groupCloudOfReplaced(pool, viewer, { ...input, name, parentId }))
  const found = cached?.groupCloud ?? (await findGroupCloud({ userId: viewer.userId, id }))
  const groupCloud = protectingMembers(found, input.protecting)
  place(groupCloud, input.size ?? 0, input.size ?? input.atMostBytes)
  const { groupCloudId, members } = groupCloud
  const room = roomBytes(members, groupCloud)
  const onConflict = input.onConflict ?? 'RENAME'
  const remote = members.some(({ provider }) => provider !== 'local')
  const isSingleAccount = members.length === 1 && !remote && groupCloud.copies === 1
  const single = { groupCloud, asDefault: id === undefined, cached: false }
  const singleAccount = cached ?? (isSingleAccount && !input.protecting ? single : null)
  return { name, groupCloudId, accountId: null, parentId, onConflict, roomBytes: room, remote, singleAccount }
}

const OF_REPLACED = `select group_cloud_id as id from files
  where user_id = $1 and kind = 'FILE' and account_id is null and trash_root_id is null and purged_at is null
    and (id = $2 or $2::uuid is null and coalesce(parent_id, '${ROOT}') = coalesce($3::uuid, '${ROOT}') and name_key = $4)`

/** A file that is replaced stays in its group cloud, unless the upload names another one. */
async function groupCloudOfReplaced(
  pool: Pool,
  { userId }: Viewer,
  { name, parentId, onConflict, replaces }: InAccount & Partial<Pick<UploadInput, 'replaces'>>,
): Promise<string | undefined> {
  if (onConflict !== 'REPLACE' && !replaces) return undefined
  const values = [userId, replaces?.fileId ?? null, parentId, nameKey(name)]
  const { rows } = await pool.query<{ id: string | null }>(OF_REPLACED, values)
  return rows[0]?.id ?? undefined
}

type InAccount = NewUpload & { readonly parentId: string | null }

async function admitToAccount(
  { pool, openDriver }: AdmissionDeps,
  viewer: Viewer,
  input: InAccount,
): Promise<Admission> {
  if (input.groupCloudId !== undefined) {
    const message = 'This folder is in a connected account, so its files are not in a group cloud.'
    throw new InvalidInputError([{ path: 'groupCloudId', message }])
  }
  const folder = await requireFolder(pool, viewer.userId, input.parentId)
  requireWritable(folder)
  const { account } = folder
  await requireUsable(pool, account)
  const target = await findAccountTarget(pool, account.id)
  if (!target) throw disconnected()
  const { capabilities } = await open({ openDriver }, account, input.name)
  if (!input.isPart) requireAcceptedName(capabilities, account, input.name)
  const { maxObjectBytes } = capabilities
  const needed = input.size ?? input.atMostBytes ?? 0
  if (maxObjectBytes !== null && needed > maxObjectBytes) throw tooLarge(account, maxObjectBytes)
  place(target, input.size ?? 0, input.size ?? input.atMostBytes)
  const room = Math.min(roomBytes(target.members, target), maxObjectBytes ?? Number.POSITIVE_INFINITY)
  const where = { groupCloudId: null, accountId: account.id, parentId: input.parentId }
  const onConflict = input.onConflict ?? 'RENAME'
  return { name: input.name, ...where, onConflict, roomBytes: room, remote: true, singleAccount: null }
}

/** @throws ConflictError, ProviderFailedError */
async function requireUsable(pool: Pool, { id, name }: PlacedFolder['account']): Promise<void> {
  const { rows } = await pool.query<{ expired: boolean; unreachable: boolean }>(
    `select status <> 'CONNECTED' as expired, unreachable_since is not null as unreachable from accounts where id = $1`,
    [id],
  )
  if (rows[0]?.expired)
    throw new ConflictError(`“${name}” needs to be connected again before files can be put into it.`)
  if (rows[0]?.unreachable)
    throw new ProviderFailedError(`“${name}” cannot be reached at the moment. Please try again.`)
}

/** @throws InvalidInputError */
function requireAcceptedName(
  { refusesName, maxNameLength, nameUnit }: Capabilities,
  { name: account }: PlacedFolder['account'],
  name: string,
): void {
  const length = nameUnit === 'bytes' ? Buffer.byteLength(name) : name.length
  const isTooLong = length > maxNameLength
  if (!isTooLong && !refusesName?.(name)) return
  const message = isTooLong
    ? `“${account}” accepts names of at most ${maxNameLength} ${nameUnit === 'bytes' ? 'bytes' : 'characters'}.`
    : `“${account}” does not accept the name “${name}”. Please rename the file first.`
  throw new InvalidInputError([{ path: 'name', message }])
}

function tooLarge({ name }: PlacedFolder['account'], bytes: number): TooLargeError {
  return new TooLargeError(`“${name}” accepts files of at most ${formatBytes(bytes)}.`)
}

export function disconnected(): ConflictError {
  return new ConflictError('The account of this folder was disconnected. Please choose another folder.')
}

function checkSize(size: number | null): void {
  if (size === null || (Number.isSafeInteger(size) && size >= 0)) return
  throw new InvalidInputError([{ path: 'size', message: 'A size is a whole number of bytes.' }])
}

/** Whether a live folder is in an account. @throws NotFoundError unless it is a live folder */
async function isInAccount(pool: Pool, viewer: Viewer, parentId: string | null): Promise<boolean> {
  if (parentId === null) return false
  const owner = (await liveFolders(pool, [parentId])).get(parentId)
  if (owner === viewer.userId) return false
  const chain = chainOf(await ancestry({ tx: pool, userId: viewer.userId }, [parentId]), parentId)
  if (isLiveFolder(chain) && chain[0]?.inPlace) return true
  throw new NotFoundError('This folder does not exist any more. Please choose another one.')
}

const LOCK_FOLDERS = `select id from files where id = any($1::uuid[]) and kind = 'FOLDER' order by id for no key update`

/** Walks up from each folder: it is live when neither it nor a folder above is in the trash or deleted. */
const LIVE_FOLDERS = `with recursive up as (
    select id as folder_id, user_id, parent_id, trashed_at is null and purged_at is null as live from files
    where id = any($1::uuid[]) and kind = 'FOLDER' and account_id is null
    union all
    select up.folder_id, up.user_id, f.parent_id, f.trashed_at is null and f.purged_at is null
    from up join files f on f.id = up.parent_id where up.live
  )
  select folder_id, min(user_id::text) as user_id from up group by folder_id having bool_and(live)`

type FolderRow = { folder_id: string; user_id: string }

/** The live folders of Skypool's own among `ids`, each with the id of its owner. */
async function liveFolders(client: Pick<ClientBase, 'query'>, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<FolderRow>(LIVE_FOLDERS, [ids])
  return new Map(rows.map((row) => [row.folder_id, row.user_id]))
}

/** As `liveFolders`, with the folders locked until the transaction ends: none of them can be trashed before. */
export async function lockLiveFolders(client: ClientBase, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  await client.query(LOCK_FOLDERS, [ids])
  return liveFolders(client, ids)
}

const ACCOUNT_FOLDERS = `select i.account_id as "accountId", i.root_file_id as "rootId", f.id as "folderId" from account_indexes i
  left join files f on f.account_id = i.account_id and f.id = any($1::uuid[]) and f.kind = 'FOLDER' and f.purged_at is null
    and f.trash_root_id is null
  where i.account_id = any($2::uuid[])`

/** Where files go in accounts. */
export type AccountFolders = {
  readonly live: ReadonlySet<string>
  /** The folders that show the accounts, by account; absent: it shows nothing any more. */
  readonly roots: ReadonlyMap<string, string>
}

/** Which of the locked folders can take files of these accounts. */
export async function findAccountFolders(
  client: ClientBase,
  ids: readonly string[],
  accountIds: readonly string[],
): Promise<AccountFolders> {
  type Row = { accountId: string; rootId: string; folderId: string | null }
  const { rows } = await client.query<Row>(ACCOUNT_FOLDERS, [ids, accountIds])
  const live = new Set(rows.flatMap(({ folderId }) => folderId ?? []))
  return { live, roots: new Map(rows.map(({ accountId, rootId }) => [accountId, rootId])) }
}

/** Most group clouds that are read by one statement. */
const LOOKUP_BATCH = 100

/** The user's group cloud of that id, or their default one. @throws NotFoundError */
export type FindGroupCloud = (question: Question) => Promise<GroupCloudMembers>

/** Lookups that are requested meanwhile are batched into one statement. */
export function createFindGroupCloud(pool: Pool, label?: AccountLabel): FindGroupCloud {
  return createBatcher({
    limit: LOOKUP_BATCH,
    run: (questions: readonly Question[]) => findGroupClouds(pool, questions, label),
  })
}

async function findGroupClouds(
  pool: Pool,
  questions: readonly Question[],
  label: AccountLabel | undefined,
): Promise<Outcome<GroupCloudMembers>[]> {
  return (await findMembers(pool, questions, label)).map((value) => {
    if (value) return { ok: true, value }
    return { ok: false, error: new NotFoundError('This group cloud does not exist. Please choose another one.') }
  })
}

type PlacedItem = {
  readonly groupCloudId: string
  readonly size: number
  readonly protecting?: Protecting | undefined
}

/** The group cloud as it takes protecting copies. */
function protectingMembers<Pool extends Pick<GroupCloudMembers, 'members' | 'copies'>>(
  groupCloud: Pool,
  protecting: Protecting | undefined,
): Pool {
  if (!protecting) return groupCloud
  const members = groupCloud.members.filter(({ accountId }) => accountId !== protecting.accountId)
  return { ...groupCloud, members, copies: protecting.copies }
}

export type Placed = Extract<Plan, { placed: true }>

/** The accounts for the copies of `size` bytes. @throws StorageFullError with the reason, and `needed` bytes */
function place(groupCloud: GroupCloudMembers, size: number, needed = size): Placed {
  const plan = planCopies(groupCloud.members, size, groupCloud)
  if (!plan.placed) throw new StorageFullError(needed, plan.freeBytes, plan.why)
  return plan
}

/**
 * Places an item in one of several group clouds, which may share accounts, and adds its bytes to the used ones of all
 * of them in `groupClouds`, for the items after it. `released`: bytes that the item itself has reserved until now, by
 * account.
 * @throws NotFoundError, StorageFullError
 */
export function placeAmong(
  groupClouds: Map<string, GroupCloudMembers>,
  { size, protecting, ...target }: Target & Pick<PlacedItem, 'size' | 'protecting'>,
  released: ReadonlyMap<string, number> = new Map(),
): Placed {
  const key = targetKey(target)
  const groupCloud = groupClouds.get(key)
  if (!groupCloud && target.accountId !== null) throw disconnected()
  if (!groupCloud)
    throw new NotFoundError('This group cloud has no account that can take files. Please choose another one.')
  const plan = place(protectingMembers(withReserved(groupCloud, negative(released)), protecting), size)
  const change = sumOf(bytesByAccount(plan.copies), negative(released))
  for (const [id, other] of groupClouds) groupClouds.set(id, withReserved(other, change))
  const previousAccountId = plan.copies.at(-1)?.pieces.at(-1)?.accountId ?? null
  const counted = groupClouds.get(key)
  if (counted) groupClouds.set(key, { ...counted, previousAccountId })
  return plan
}

function negative(bytes: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...bytes].map(([id, count]) => [id, -count]))
}

function sumOf(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): Map<string, number> {
  const sum = new Map(a)
  for (const [id, count] of b) sum.set(id, (sum.get(id) ?? 0) + count)
  return sum
}

/** How the copies of a new file come about: which one the received object becomes, and which ones transfers make. */
export type Layout = {
  readonly plan: Placed
  /** The copy that the received object itself becomes, without a second write: a whole one on this server. */
  readonly adopted: PlannedCopy | null
  /** Copies that transfers make from the received object, which is kept until then. */
  readonly sent: readonly PlannedCopy[]
  readonly state: FileState
  readonly stateReason: string | null
  /** Provider ids by account id. */
  readonly providers: ReadonlyMap<string, string>
}

export function layoutOf(plan: Placed, members: readonly Member[]): Layout {
  const providers = new Map(members.map(({ accountId, provider }) => [accountId, provider]))
  const isWhole = ({ pieces: [piece, ...more] }: PlannedCopy) =>
    more.length === 0 && piece !== undefined && providers.get(piece.accountId) === 'local'
  const adopted = plan.copies.find(isWhole) ?? null
  const sent = plan.copies.filter((copy) => copy !== adopted)
  return { plan, adopted, sent, providers, ...stateOf(plan, sent) }
}

function stateOf({ missingWhy }: Placed, sent: readonly PlannedCopy[]): Pick<Layout, 'state' | 'stateReason'> {
  if (sent.length > 0) return { state: 'RECEIVED', stateReason: null }
  return missingWhy === null ? { state: 'STORED', stateReason: null } : { state: 'AT_RISK', stateReason: missingWhy }
}

/** The copies as their owner sees them, in the order of the plan. `idOf` returns the id of a copy's row. */
export function copiesOf(
  { plan, adopted, providers }: Layout,
  createdAt: Date,
  idOf: (copy: PlannedCopy) => string,
): Copy[] {
  return plan.copies.map((copy) => ({
    id: idOf(copy),
    state: copy === adopted ? 'STORED' : 'STORING',
    why: copy.why,
    changedAt: null,
    checkedAt: copy === adopted ? createdAt : null,
    pieces: copy.pieces.map((piece, index) => ({
      ...piece,
      provider: providers.get(piece.accountId) ?? '',
      index,
      state: copy === adopted ? 'STORED' : 'PLANNED',
    })),
  }))
}

const CACHE_MS = 1000
const CACHE_SIZE = 1000
/** The limit for using the cache: a longer body should not arrive in full before it is refused. */
const MOST_CACHED_BYTES = 1024 * 1024

/** A group cloud that is one account of this server with one copy. */
export type SingleAccount = {
  readonly groupCloud: GroupCloudMembers
  /** It was found as the user's default one, and is valid only as long as it is. */
  readonly asDefault: boolean
  /** From the cache: valid only if the statement that inserts the file confirms it. */
  readonly cached: boolean
}

/** Group clouds of a single account, as the last uploads found them. */
export type SingleAccountGroupClouds = {
  /** Null: not cached, no room for so many bytes as of then, or more than 1 MiB. */
  get(question: Question, bytes: number): SingleAccount | null
  /** `found` null: the group cloud is not of a single account. */
  set(question: Question, found: SingleAccount | null): void
}

/**
 * Saves consecutive small uploads the lookup of their group cloud, which is a tenth of their work. Entries may be
 * outdated: nothing is refused, placed or promised because of them, the statement that inserts the file checks them.
 */
export function createSingleAccountGroupClouds(now: () => number = () => performance.now()): SingleAccountGroupClouds {
  const entries = new Map<string, { readonly singleAccount: SingleAccount; readonly until: number }>()
  return {
    get(question, bytes) {
      const found = entries.get(cacheKeyOf(question))
      if (!found || found.until <= now() || bytes > MOST_CACHED_BYTES) return null
      const { groupCloud } = found.singleAccount
      return roomBytes(groupCloud.members, groupCloud) >= bytes ? found.singleAccount : null
    },
    set(question, found) {
      const key = cacheKeyOf(question)
      entries.delete(key)
      if (!found) return
      entries.set(key, { singleAccount: { ...found, cached: true }, until: now() + CACHE_MS })
      const [oldest] = entries.keys()
      if (entries.size > CACHE_SIZE && oldest !== undefined) entries.delete(oldest)
    },
  }
}

function cacheKeyOf({ userId, id }: Question): string {
  return `${userId} ${id ?? ''}`
}
