import type { Pool } from 'pg'
import { createSemaphore } from '../../lib/concurrency.ts'
import type { Call, Driver, Entry, EntryRef, Page, Change as Reported } from '../../providers/driver.ts'
import { isFailure, nothingWhen } from '../../providers/errors.ts'
import type { Change, ChangeDeps } from '../files/tree/change.ts'
import { type Also, applyReport, type IndexedAccount, type Report, reportOf } from './apply.ts'
import { followMoved, hasJustHidden } from './followMoved.ts'

// Questions to accounts about single entries and folders, and what their answers are worth.

/** The state of an entry now, as a change. @throws ProviderError other than NotFound */
async function askAbout(driver: Driver, call: Call, ref: EntryRef): Promise<Reported> {
  try {
    return { ref, entry: await driver.stat(call, ref) }
  } catch (error) {
    call.signal.throwIfAborted()
    if (isFailure(error, 'NotFound')) return { ref, entry: null }
    throw error
  }
}

const OWN_CHANGES = 'select own_changes::float8 as count from account_indexes where account_id = $1'

/** How many changes were made here in an account; 0 without an index. */
export async function countOwnChanges(pool: Pool, accountId: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(OWN_CHANGES, [accountId])
  return rows[0]?.count ?? 0
}

/**
 * Where references are paths, what was read before a change of the user's can bring back an entry that was moved: it is not stored.
 * @returns statements for reports of what is read from now on
 */
export async function unlessChanged(pool: Pool, accountId: string, driver: Driver): Promise<Also> {
  if (!driver.capabilities.pathRefs) return {}
  const before = await countOwnChanges(pool, accountId)
  return {
    first: async ({ tx }) => {
      const { rows } = await tx.query<{ count: number }>(`${OWN_CHANGES} for update`, [accountId])
      return rows[0]?.count === before
    },
  }
}

/** Concurrent calls; few, so that calls of users are not delayed. */
const CONCURRENCY = 2

/** As askAbout. Without those that the server does not let the user look at. */
export async function askEach(driver: Driver, callOf: () => Call, refs: readonly EntryRef[]): Promise<Reported[]> {
  const inTurn = createSemaphore(CONCURRENCY)
  const found = await Promise.all(
    refs.map((ref) => inTurn(() => askAbout(driver, callOf(), ref).catch(unlessForbidden(driver)))),
  )
  return found.filter((one) => one !== null)
}

/** For `catch`: null where the server does not let the user look; that says nothing about the entry. */
export function unlessForbidden({ capabilities }: Driver) {
  return (error: unknown): null => {
    if (!capabilities.pathRefs || !isFailure(error, 'Forbidden')) throw error
    return null
  }
}

/** A folder of an account, or its root folder. */
export type Folder = { readonly fileId: string; readonly ref: EntryRef }

/** CHANGED: something was changed here in the meantime, so that the list is not used. */
type Outcome = 'LISTED' | 'GONE' | 'CHANGED'

/** Entries of a folder that the account is asked about, because its list does not contain them. Others follow with the next listing. */
const MOST_ASKED = 500

/**
 * Lists one folder, and asks about what the index shows in it and the list does not contain: only NotFound means that an entry is gone.
 * @throws ProviderError
 */
export async function listFolder(
  deps: ChangeDeps,
  account: IndexedAccount,
  driver: Driver,
  callOf: () => Call,
  folder: Folder,
): Promise<Outcome> {
  const also = await unlessChanged(deps.pool, account.id, driver)
  const ownChanges = await countOwnChanges(deps.pool, account.id)
  const listed = new Set<string>()
  let cursor: string | null = null
  do {
    const page: Page<Entry> | null = await driver.list(callOf(), folder.ref, cursor).catch(nothingWhen('NotFound'))
    if (page === null) return hideFolder(deps, account, driver, callOf(), folder.ref)
    cursor = page.cursor
    for (const { ref } of page.items) listed.add(ref)
    // As changes: subfolders that appear with it are listed next.
    const changes = page.items.map((entry) => ({ ref: entry.ref, entry }))
    if (!(await applyReport(deps, account, { ...reportOf(changes), ownChanges }, also))) return 'CHANGED'
  } while (cursor !== null)
  const others = await findOthers(deps.pool, folder.fileId, [...listed])
  // Together, so that it is noticed when it is suspiciously much that is gone.
  const report = { ...reportOf(await askEach(driver, callOf, others)), ownChanges }
  const isDone = others.length === 0 && !(await mayHaveMoved(deps.pool, account.id, driver))
  return isDone || (await applyReport(deps, account, report, following(account, driver, report, also)))
    ? 'LISTED'
    : 'CHANGED'
}

/** A file that was moved outside is gone from one folder, and another folder has a new one: whichever is listed first. */
async function mayHaveMoved(pool: Pool, accountId: string, { capabilities }: Driver): Promise<boolean> {
  return capabilities.pathRefs === true && (await hasJustHidden(pool, accountId))
}

function following(account: IndexedAccount, { capabilities }: Driver, { gone }: Report, also: Also): Also {
  if (!capabilities.pathRefs) return also
  const before = (change: Change) => followMoved(change, account, { goneRefs: gone.refs, isListing: false })
  return { ...also, before }
}

/** A folder that cannot be listed is gone with everything, rather than each entry in it: when it returns, it is listed. */
async function hideFolder(
  deps: ChangeDeps,
  account: IndexedAccount,
  driver: Driver,
  call: Call,
  ref: EntryRef,
): Promise<Outcome> {
  const also = await unlessChanged(deps.pool, account.id, driver)
  const found = await askAbout(driver, call, ref)
  const report = { ...reportOf([found]), asked: !driver.capabilities.pathRefs }
  return (await applyReport(deps, account, report, following(account, driver, report, also))) ? 'GONE' : 'CHANGED'
}

/** What the index shows in a folder, without the entries with these references. */
async function findOthers(pool: Pool, folderId: string, refs: readonly string[]): Promise<EntryRef[]> {
  const { rows } = await pool.query<{ ref: EntryRef }>(
    `select e.ref from files f join account_entries e on e.file_id = f.id
     where f.parent_id = $1 and e.gone_at is null and not e.held and e.ref <> all($2::text[]) limit ${MOST_ASKED}`,
    [folderId, refs],
  )
  return rows.map(({ ref }) => ref)
}
