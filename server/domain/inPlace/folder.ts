import type { Pool } from 'pg'
import type { Call, Driver, Entry, EntryRef, Page } from '../../providers/driver.ts'
import { nothingWhen } from '../../providers/errors.ts'
import type { ChangeDeps } from '../files/tree/change.ts'
import { applyReport, type IndexedAccount, reportOf } from './apply.ts'
import { askAbout, askEach, unlessChanged } from './ask.ts'

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
  const listed = new Set<string>()
  let cursor: string | null = null
  do {
    const page: Page<Entry> | null = await driver.list(callOf(), folder.ref, cursor).catch(nothingWhen('NotFound'))
    if (page === null) return hideFolder(deps, account, driver, callOf(), folder.ref)
    cursor = page.cursor
    for (const { ref } of page.items) listed.add(ref)
    // As changes: subfolders that appear with it are listed next.
    const changes = page.items.map((entry) => ({ ref: entry.ref, entry }))
    if (!(await applyReport(deps, account, reportOf(changes), also))) return 'CHANGED'
  } while (cursor !== null)
  const others = await findOthers(deps.pool, folder.fileId, [...listed])
  // Together, so that it is noticed when it is suspiciously much that is gone.
  const report = reportOf(await askEach(driver, callOf, others))
  return others.length === 0 || (await applyReport(deps, account, report, also)) ? 'LISTED' : 'CHANGED'
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
  return (await applyReport(deps, account, report, also)) ? 'GONE' : 'CHANGED'
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
