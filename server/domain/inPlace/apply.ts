import type { PoolClient } from 'pg'
import { eachWithPauses } from '../../lib/concurrency.ts'
import { newId } from '../../lib/ids.ts'
import {
  type Entry,
  type HashAlgorithm,
  type Change as ReportedChange,
  SHARED_WITH_ME,
} from '../../providers/driver.ts'
import { deferSent } from '../files/tree/arriving.ts'
import { ancestry, type Change, type ChangeDeps, changeTree, recount } from '../files/tree/change.ts'
import type { Enqueue } from '../jobs.ts'
import {
  type ChangedEntry,
  findBelow,
  findFolders,
  findKnown,
  findRecentlyHidden,
  type GonePlaces,
  hideEntries,
  insertEntries,
  isSameMirror,
  type Known,
  markSeen,
  mirrorOf,
  type NewEntry,
  restoreBelow,
  showAsHeld,
  updateEntries,
} from './entries.ts'

/** An account with an index. */
export type IndexedAccount = {
  readonly id: string
  readonly userId: string
  readonly rootFileId: string
  /** The provider's reference of its root folder. */
  readonly rootRef: string
  /** Skypool's own folder in the account, which is not indexed; null: there is none yet. */
  readonly ownFolderRef: string | null
  readonly hash: HashAlgorithm | null
}

/** Entries as they are now, and where entries are gone. Each reference occurs once. */
export type Report = {
  /** LISTING: a page of a listing of the account, which can be older than changes that were read before it. */
  readonly from: 'LISTING' | 'CHANGES'
  readonly entries: readonly Entry[]
  readonly gone: GonePlaces
  /** Ids by reference for entries that are not known yet. */
  readonly newIds?: ReadonlyMap<string, string> | undefined
  /**
   * The account was asked about the entries. One that is gone can be in a folder that is in the trash only for a moment, which no change
   * would mention: its folder is listed next.
   */
  readonly asked?: boolean | undefined
  /** It was changed here: lists of folders that were requested before are not stored any more. */
  readonly own?: boolean | undefined
  /**
   * How many changes were made here before the entries were requested, as countOwnChanges returns it. If there were more since, what
   * shows an entry outside the trash can be older than moving it there: such an entry stays in the trash.
   */
  readonly ownChanges?: number | undefined
  /** The user has confirmed that the entries are gone, however many they are. */
  readonly confirmed?: boolean | undefined
}

/** Further statements of the same transaction. */
export type Also = {
  /** Before everything else, for its locks. @returns false if nothing is to be stored */
  readonly first?: ((change: Change) => Promise<boolean>) | undefined
  /** Under the lock of the index, before the report is compared with it. */
  readonly before?: ((change: Change) => Promise<void>) | undefined
  readonly after?: ((tx: PoolClient) => Promise<void>) | undefined
}

/** More folders than this: clients are asked to reload what they show. */
const MOST_FOLDERS = 50
/** Up to this many entries may be reported as gone at once without being held. */
const UNSUSPICIOUS = 100

/**
 * Stores what an account reports. Entries whose folder is not known wait in `unplaced_entries`. When more than half of the account is
 * reported as gone at once, nothing is hidden: the entries are marked as held until the user decides.
 * @returns false if the index has been turned off, or `also.first` says so; nothing is stored then
 */
export async function applyReport(
  deps: ChangeDeps,
  account: IndexedAccount,
  report: Report,
  also: Also = {},
): Promise<boolean> {
  let isLarge = false
  let isHeldChanged = false
  const isOn = await changeTree(deps, account, async (change) => {
    const { tx } = change
    if (also.first && !(await also.first(change))) return false
    let index = await lockIndex(tx, account.id)
    if (index && also.before) {
      await also.before(change)
      index = await lockIndex(tx, account.id)
    }
    if (!index) return false
    const place = {
      userId: account.userId,
      accountId: account.id,
      pass: index.pass,
      changedIn: changedInOf(report, index),
      foundIn: report.own ? 0 : index.listing,
    }
    const placed = await placeEntries(tx, account, report, index)
    await insertEntries(tx, place, placed.added)
    await updateEntries(tx, place, placed.changed)
    await markSeen(tx, place, placed.same)
    await stage(tx, place, placed)
    if (report.from === 'CHANGES') await markUnlisted(tx, placed)
    for (const { known } of placed.changed) change.changedIds.add(known.fileId)
    // A listing reports new entries by their folders alone: no client waits for each of them.
    if (report.from === 'CHANGES') for (const { fileId } of placed.added) change.changedIds.add(fileId)
    const revived = placed.changed.filter(({ known }) => known.isGone)
    const restored = revived.flatMap(({ known }) => (known.trashRootId === known.fileId ? known.fileId : []))
    // What is in the trash with a folder is still counted there.
    const isCounted = ({ isGone, trashRootId, fileId }: Known) => !isGone || (trashRootId ?? fileId) !== fileId
    const left = placed.changed.filter(({ known }) => isCounted(known)).map(({ known }) => known.parentId)
    await recount(
      change,
      [...placed.added, ...placed.changed].map(({ mirror }) => mirror.parentId),
      left,
    )
    const withThem = await restoreBelow(tx, restored)
    const shown = { ...index, entries: index.entries + placed.added.length + revived.length + withThem }
    const gone = { ...report.gone, refs: [...report.gone.refs, ...placed.outside], confirmed: report.confirmed }
    const shift = await removeGone(change, account, gone, refsOf(placed), shown)
    if (report.asked) await markFolders(tx, account.id, report.gone.refs)
    const { rows: counts } = await tx.query<{ held: number }>(
      `update account_indexes set entries = $2, own_changes = own_changes + $3,
         held = (select count(*) from account_entries where account_id = $1 and held) where account_id = $1 returning held`,
      [account.id, shown.entries + shift, report.own ? 1 : 0],
    )
    isHeldChanged = counts[0]?.held !== index.held
    await enqueueProtection(change, account.id, placed)
    await also.after?.(tx)
    isLarge = change.parentIds.size > MOST_FOLDERS
    if (isLarge) for (const ids of [change.parentIds, change.changedIds, change.removedIds]) ids.clear()
    return true
  })
  if (isHeldChanged) deps.events.publish('accountsChanged', account.userId, { accountIds: [account.id] })
  if (isLarge) {
    deps.events.publish('filesChanged', account.userId, { fileIds: [], removedIds: [], parentIds: [], truncated: true })
  }
  return isOn
}

/** More changed entries than this are not named one by one. */
const MOST_FOLLOWED = 1_000

/** Protecting copies follow the index (domain/protection). */
async function enqueueProtection(
  { tx, enqueue, removedIds }: Change,
  accountId: string,
  { added, changed }: Placed,
): Promise<void> {
  const fileIds = [...added.map(({ fileId }) => fileId), ...changed.map(({ known }) => known.fileId), ...removedIds]
  if (fileIds.length === 0 || !(await isProtected(tx, accountId))) return
  const isWide = changed.some(
    ({ known, mirror }) => mirror.kind === 'FOLDER' && (known.isGone || known.parentId !== mirror.parentId),
  )
  if (isWide || fileIds.length > MOST_FOLLOWED) await enqueueWholeProtection(tx, enqueue, accountId)
  else await enqueue(tx, 'protectFiles', { accountId, fileIds })
}

async function isProtected(tx: PoolClient, accountId: string): Promise<boolean> {
  const { rowCount } = await tx.query('select from protections where account_id = $1 limit 1', [accountId])
  return rowCount === 1
}

/** As after a report, for a change of which it is not known what is below it. */
export async function enqueueWholeProtection(tx: PoolClient, enqueue: Enqueue, accountId: string): Promise<void> {
  if (!(await isProtected(tx, accountId))) return
  await enqueue(tx, 'protectFiles', { accountId }, { key: `protect ${accountId}` })
}

/** What changes mean in their order: the last state of each entry. Deletions by path apply to entries that are reported before them. */
export function reportOf(changes: readonly ReportedChange[]): Report {
  const entries = new Map<string, Entry>()
  const refs = new Set<string>()
  const paths = new Set<string>()
  for (const change of changes) {
    if (change.ref === null) {
      paths.add(change.path)
      for (const [ref, { path }] of entries) {
        if (path === undefined || !isAtOrBelow(path, change.path)) continue
        entries.delete(ref)
        refs.add(ref)
      }
    } else if (change.entry === null) {
      entries.delete(change.ref)
      refs.add(change.ref)
    } else {
      entries.set(change.ref, change.entry)
      refs.delete(change.ref)
    }
  }
  return { from: 'CHANGES', entries: [...entries.values()], gone: { refs: [...refs], paths: [...paths] } }
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** `held`: entries that wait for the user's decision. `roots`: the trees in addition to the account's own one that are shown. */
type Index = {
  readonly pass: number
  /** The listing in progress, or the next one. */
  readonly listing: number
  readonly entries: number
  readonly held: number
  /** As countOwnChanges returns it. */
  readonly ownChanges: number
  readonly roots: readonly string[]
}

/** Of an account's index: the number of the listing in progress, or of the next one. */
export const LISTING = '(pass + (passed_at is not null and pass_started_at is null)::int)'

async function lockIndex(tx: PoolClient, accountId: string): Promise<Index | null> {
  const { rows } = await tx.query<Index>(
    `select pass, ${LISTING} as listing, entries, held, own_changes::float8 as "ownChanges", coalesce(roots, '{}') as roots
     from account_indexes where account_id = $1 for update`,
    [accountId],
  )
  return rows[0] ?? null
}

/** Changes reported during a listing are newer than its pages. */
function changedInOf({ from }: Report, { pass }: Index): number {
  return from === 'CHANGES' ? pass : 0
}

/** What a report changes. */
type Placed = {
  added: NewEntry[]
  changed: ChangedEntry[]
  readonly same: Known[]
  /** References among `same` whose state in a listing is older than a change that was read before: that change may still be waiting. */
  readonly older: Set<string>
  /** Entries whose folder is not known. `parent`: its reference or path. */
  readonly unplaced: { readonly parent: string; readonly entry: Entry }[]
  /** References of entries that were moved out of the account's own tree. */
  readonly outside: string[]
  /** References of new files that an upload can have stored: they are shown when that is known. */
  readonly sent: Set<string>
}

/** Entries that are placed before others have a turn: less than a millisecond. */
const PLACED_AT_ONCE = 100

/** Decides what each entry changes. A folder can come after its content in the report. */
async function placeEntries(
  tx: PoolClient,
  account: IndexedAccount,
  report: Report,
  { pass, roots, ownChanges }: Index,
): Promise<Placed> {
  const keyOf = (entry: Entry) => folderKeyOf(entry, roots)
  const entries = report.entries.filter(({ ref }) => ref !== account.rootRef && !isOwn(account, ref))
  const placed: Placed = {
    added: [],
    changed: [],
    same: [],
    older: new Set(),
    unplaced: [],
    outside: [],
    sent: new Set(),
  }
  if (entries.length === 0) return placed
  const parents = [...new Set(entries.flatMap((entry) => keyOf(entry) ?? []))]
  const paths = parents.filter((key) => key.startsWith('/'))
  const refs = entries.map(({ ref }) => ref)
  const known = new Map((await findKnown(tx, account.id, refs)).map((row) => [row.ref, row]))
  const folders = new Map([account.rootRef, ''].map((key) => [key, account.rootFileId]))
  for (const folder of await findFolders(tx, account.id, parents, paths))
    for (const key of keysOf(folder)) folders.set(key, folder.fileId)
  const now = new Date().toISOString()
  const mayBeOlder = report.ownChanges !== undefined && report.ownChanges !== ownChanges

  function place(entry: Entry, parentId: string): void {
    const row = known.get(entry.ref)
    if (mayBeOlder && row?.isGone && row.trashRootId !== null) return
    const mirror = mirrorOf(entry, parentId, account.hash, row?.updatedAt ?? now)
    const isOlder = row !== undefined && report.from === 'LISTING' && row.changedIn === pass
    if (isOlder) {
      placed.same.push(row)
      placed.older.add(entry.ref)
    }
    if (isOlder && row.isGone) return
    const fileId = row?.fileId ?? report.newIds?.get(entry.ref) ?? newId()
    if (mirror.kind === 'FOLDER')
      for (const key of keysOf({ ref: entry.ref, path: mirror.path })) folders.set(key, fileId)
    if (isOlder) return
    if (!row) placed.added.push({ fileId, ref: entry.ref, mirror })
    else if (row.isGone || !isSameMirror(row, mirror)) placed.changed.push({ known: row, mirror })
    else placed.same.push(row)
  }

  let waiting: readonly Entry[] = entries
  for (let count = waiting.length + 1; waiting.length < count; ) {
    count = waiting.length
    const left: Entry[] = []
    const placeOrKeep = (entry: Entry): void => {
      const key = keyOf(entry)
      const parentId = key === null ? undefined : folders.get(key)
      if (parentId === undefined) left.push(entry)
      else place(entry, parentId)
    }
    await eachWithPauses(waiting, placeOrKeep, PLACED_AT_ONCE)
    waiting = left
  }
  for (const entry of waiting) {
    const key = keyOf(entry)
    if (key === null) placed.outside.push(entry.ref)
    else if (key !== account.ownFolderRef) placed.unplaced.push({ parent: key, entry })
  }
  await deferNew(tx, account, placed)
  await refuseCycles(
    tx,
    { userId: account.userId, roots },
    placed,
    new Map(entries.map((entry) => [entry.ref as string, entry])),
  )
  return placed
}

/** Skypool's own folder, and everything in it where references are paths; elsewhere its content waits for a folder that is not known. */
export function isOwn({ ownFolderRef }: Pick<IndexedAccount, 'ownFolderRef'>, ref: string): boolean {
  if (ownFolderRef === null) return false
  return ref === ownFolderRef || ref.startsWith(ownFolderRef.endsWith('/') ? ownFolderRef : `${ownFolderRef}/`)
}

async function deferNew(tx: PoolClient, { id }: IndexedAccount, placed: Placed): Promise<void> {
  const files = placed.added.filter(({ mirror }) => mirror.kind === 'FILE' && mirror.nativeKind === null)
  const sent = await deferSent(
    tx,
    id,
    files.map(({ ref, mirror }) => ({ ref, ...mirror })),
  )
  for (const ref of sent) placed.sent.add(ref)
  if (sent.size > 0) placed.added = placed.added.filter(({ ref }) => !sent.has(ref))
}

/**
 * The reference or path of the folder that contains an entry; null for entries outside the account's own tree and the extra `roots`
 * that are shown.
 */
export function folderKeyOf({ ref, details, path }: Entry, roots: readonly string[]): string | null {
  const root = details?.isExtraRoot ? ref : details?.parent
  const isHidden = (details?.isExtraRoot || root === SHARED_WITH_ME) && !roots.includes(String(root))
  if (isHidden) return null
  if (details && details.parent !== null) return details.parent
  return path === undefined ? null : path.slice(0, path.lastIndexOf('/'))
}

function keysOf({ ref, path }: { readonly ref: string; readonly path: string | null }): string[] {
  return path === null ? [ref] : [ref, path]
}

/**
 * Two folders that were moved into each other's place can be reported one after the other: stored at once, the first move would make
 * a folder contain itself. Such a move waits for the other one.
 */
async function refuseCycles(
  tx: PoolClient,
  { userId, roots }: { readonly userId: string; readonly roots: readonly string[] },
  placed: Placed,
  entries: ReadonlyMap<string, Entry>,
): Promise<void> {
  const moved = placed.changed.filter(
    ({ known, mirror }) => mirror.kind === 'FOLDER' && mirror.parentId !== known.parentId,
  )
  if (moved.length === 0) return
  const above = await ancestry(
    { tx, userId },
    moved.map(({ mirror }) => mirror.parentId),
  )
  const parents = new Map([...above.values()].map(({ id, parentId }) => [id, parentId]))
  for (const { fileId, mirror } of placed.added) parents.set(fileId, mirror.parentId)
  for (const { known, mirror } of moved) parents.set(known.fileId, mirror.parentId)
  for (const change of moved) {
    const { known } = change
    if (!isInCycle(parents, known.fileId)) continue
    parents.set(known.fileId, known.parentId)
    placed.changed = placed.changed.filter((one) => one !== change)
    const entry = entries.get(known.ref)
    if (entry) placed.unplaced.push({ parent: folderKeyOf(entry, roots) ?? '', entry })
  }
}

function isInCycle(parents: ReadonlyMap<string, string | null>, id: string): boolean {
  const seen = new Set<string>()
  for (let at: string | null | undefined = parents.get(id); at && !seen.has(at); at = parents.get(at)) {
    if (at === id) return true
    seen.add(at)
  }
  return false
}

function refsOf({ added, changed, same, unplaced, sent }: Placed): string[] {
  const known = [...changed.map((one) => one.known), ...same]
  return [...[...added, ...known, ...unplaced.map(({ entry }) => entry)].map(({ ref }) => ref), ...sent]
}

/**
 * Keeps entries until their folder is known. A later state of the same entry replaces the earlier one, but a listing does not replace
 * what a change has reported since it began.
 */
async function stage(
  tx: PoolClient,
  { accountId, pass, changedIn }: { readonly accountId: string; readonly pass: number; readonly changedIn: number },
  placed: Placed,
) {
  const { unplaced } = placed
  await tx.query(
    `delete from unplaced_entries where account_id = $1 and ref = any($2::text[])
     and (changed_in < $4 or ref <> all($3::text[]))`,
    [accountId, refsOf({ ...placed, unplaced: [] }), [...placed.older], pass],
  )
  if (unplaced.length === 0) return
  await tx.query(
    `insert into unplaced_entries as w (account_id, ref, parent, entry, changed_in)
     select $1, ref, parent, entry, $5 from unnest($2::text[], $3::text[], $4::jsonb[]) as u(ref, parent, entry)
     on conflict (account_id, ref) do update set parent = excluded.parent, entry = excluded.entry, changed_in = excluded.changed_in
     where excluded.changed_in > 0 or w.changed_in < $6`,
    [
      accountId,
      unplaced.map(({ entry }) => entry.ref),
      unplaced.map(({ parent }) => parent),
      unplaced.map(({ entry }) => JSON.stringify(entry)),
      changedIn,
      pass,
    ],
  )
}

/** Services with paths report everything below a folder that appears; the others may report the folder alone. */
async function markUnlisted(tx: PoolClient, { added, changed }: Placed): Promise<void> {
  const appeared = [
    ...added.map(({ fileId, mirror }) => ({ fileId, mirror })),
    ...changed.filter(({ known }) => known.isGone).map(({ known, mirror }) => ({ fileId: known.fileId, mirror })),
  ].filter(({ mirror }) => mirror.kind === 'FOLDER' && mirror.path === null)
  if (appeared.length === 0) return
  const ids = appeared.map(({ fileId }) => fileId)
  await tx.query('update account_entries set unlisted = true where file_id = any($1::uuid[])', [ids])
}

/**
 * Hides what is gone. If that is suspiciously much, together with what was hidden in the last minutes (a provider reports it in
 * parts), everything of it is shown as held instead.
 * @returns by how many the number of shown entries changes
 */
async function removeGone(
  change: Change,
  account: IndexedAccount,
  gone: GonePlaces & Pick<Report, 'confirmed'>,
  except: readonly string[],
  index: Index,
): Promise<number> {
  const { tx } = change
  await tx.query('delete from unplaced_entries where account_id = $1 and ref = any($2::text[])', [
    account.id,
    gone.refs,
  ])
  const below = await findBelow(tx, account.id, gone, except)
  if (below.length === 0) return 0
  const ids = below.map(({ id }) => id)
  const recent = gone.confirmed ? [] : await findRecentlyHidden(tx, account.id)
  const doubtful = ids.length + recent.length
  if (!gone.confirmed && isSuspicious(doubtful, index.entries + recent.length)) {
    await showAsHeld(tx, [...ids, ...recent.map(({ id }) => id)])
    for (const { id } of recent) change.changedIds.add(id)
    await recount(
      change,
      recent.map(({ parentId }) => parentId),
      [],
    )
    return recent.length
  }
  await hideEntries(tx, ids, index.pass, gone.confirmed === true)
  for (const id of ids) change.removedIds.add(id)
  await recount(
    change,
    [],
    below.map(({ parentId }) => parentId),
  )
  return -ids.length
}

/** The folders of hidden entries are listed next. Services with paths report everything that returns with a folder. */
async function markFolders(tx: PoolClient, accountId: string, refs: readonly string[]): Promise<void> {
  if (refs.length === 0) return
  await tx.query(
    `update account_entries p set unlisted = true from account_entries e join files f on f.id = e.file_id
     where e.account_id = $1 and e.ref = any($2::text[]) and e.gone_at is not null
       and p.file_id = f.parent_id and p.gone_at is null and p.path is null`,
    [accountId, refs],
  )
}

/** Whether so many of an account's entries are gone at once that it may be a mistake: lost permission, an empty response. */
export function isSuspicious(gone: number, entries: number): boolean {
  return gone > UNSUSPICIOUS && gone > entries / 2
}
