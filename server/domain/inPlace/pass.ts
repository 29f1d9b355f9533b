import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import type { Call, Driver, Entry, EntryRef } from '../../providers/driver.ts'
import { isFailure, nothingWhen } from '../../providers/errors.ts'
import type { Change, ChangeDeps } from '../files/tree/change.ts'
import { applyReport, folderKeyOf, type IndexedAccount, isSuspicious, reportOf } from './apply.ts'
import { askEach, countOwnChanges, unlessChanged } from './ask.ts'
import { findToAsk, followMoved } from './followMoved.ts'

/** Entries per step that are placed, or that the account is asked about. */
const BATCH = 500
const ASKED_PER_STEP = 100
/** Folders above reported entries that are requested at once. */
const MOST_PARENTS = 100

/** The index of an account, as it is stored. */
type IndexState = {
  readonly pass: number
  readonly cursor: string | null
  readonly passStartedAt: Date | null
  readonly listed: boolean
  readonly passedAt: Date | null
  readonly roots: readonly EntryRef[]
  readonly now: Date
}

const STATE = `select pass, cursor, pass_started_at as "passStartedAt", listed, passed_at as "passedAt", coalesce(roots, '{}') as roots,
    now()::timestamptz(3) as now
  from account_indexes where account_id = $1`

/**
 * Reads the next part of a listing of the whole account, if one is due: a page, waiting entries whose folder is known now, or entries
 * that the complete listing did not contain. Every step is stored with its progress, so that a restart continues there.
 * @returns whether another step is due
 * @throws ProviderError
 */
export async function stepPass(
  deps: ChangeDeps,
  account: IndexedAccount,
  driver: Driver,
  callOf: () => Call,
): Promise<boolean> {
  const { rows } = await deps.pool.query<IndexState>(STATE, [account.id])
  const [state] = rows
  if (!state || !driver.listAll) return false
  if (state.passedAt !== null && state.passStartedAt === null) {
    if (driver.changes || state.passedAt >= lastNight(account.id, state.now)) return false
    await requestPass(deps.pool, account.id)
    return true
  }
  if (!state.listed) return readPage(deps, account, driver, callOf(), state)
  if (await placeWaiting(deps, account)) return true
  if (await checkMissing(deps, account, driver, callOf, state)) return true
  await finish(deps, account.id)
  return false
}

/** Local hours between which accounts without a feed are listed again, each at another minute. */
const NIGHT = { from: 1, to: 5 }

/** When the account was due last. If the server was off then, it is due now. */
export function lastNight(accountId: string, now: Date): Date {
  const minute = Number.parseInt(accountId.slice(-6), 16) % ((NIGHT.to - NIGHT.from) * 60)
  const night = new Date(now)
  night.setHours(NIGHT.from, minute, 0, 0)
  if (night > now) night.setDate(night.getDate() - 1)
  return night
}

/**
 * Finds nothing if another listing has begun while the page was read. The disk is not waited for: if PostgreSQL crashes, a page is lost
 * together with its cursor, and is read again. What is committed later is never kept without it.
 */
const BEGIN_PAGE = `select set_config('synchronous_commit', 'off', true) from account_indexes
  where account_id = $1 and pass = $2 for update`

async function readPage(
  deps: ChangeDeps,
  account: IndexedAccount,
  driver: Driver,
  call: Call,
  { cursor, pass, roots }: IndexState,
): Promise<boolean> {
  try {
    const askedAt = performance.now()
    const page = await driver.listAll?.(call, cursor, roots)
    if (!page) return false
    const readAt = performance.now()
    const report = { from: 'LISTING', entries: lastOfEach(page.items), gone: { refs: [], paths: [] } } as const
    const isOn = await applyReport(deps, account, report, {
      first: async ({ tx }) => {
        const { rowCount } = await tx.query(BEGIN_PAGE, [account.id, pass])
        return rowCount === 1
      },
      after: async (tx) => {
        await tx.query(
          `update account_indexes set cursor = $2, listed = $3, pass_started_at = coalesce(pass_started_at, now())
         where account_id = $1 and pass = $4`,
          [account.id, page.cursor, page.cursor === null, pass],
        )
      },
    })
    if (isOn) await placeWaiting(deps, account)
    await leaveRoom(performance.now() - readAt - (readAt - askedAt), call.signal)
    return isOn
  } catch (error) {
    if (!isFailure(error, 'CursorReset') || cursor === null) throw error
    await deps.pool.query('update account_indexes set cursor = null where account_id = $1 and pass = $2', [
      account.id,
      pass,
    ])
    return true
  }
}

/** What takes less time is not noticed by others. */
const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2_000

/**
 * Lets others use the database for as long as a page was stored there, less the time for which the provider was waited for: at most half
 * of the time goes to the listing of one account.
 */
async function leaveRoom(ms: number, signal: AbortSignal): Promise<void> {
  if (ms < SHORTEST_PAUSE_MS || signal.aborted) return
  await sleep(Math.min(ms, LONGEST_PAUSE_MS), undefined, { signal }).catch(() => undefined)
}

/** Pages can contain an entry twice. */
function lastOfEach(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.ref, entry])).values()]
}

const WAITING = `select u.ref, u.entry, u.changed_in = i.pass as "isChange" from unplaced_entries u
  join account_indexes i on i.account_id = u.account_id where u.account_id = $1 and (u.parent in ($2, '')
    or exists (select from account_entries e where e.account_id = $1 and e.gone_at is null and e.ref = u.parent)
    or u.parent like '/%' and exists (select from account_entries e
      where e.account_id = $1 and e.gone_at is null and e.path collate "C" = u.parent))
  limit $3`

/** Places entries whose folder became known. @returns whether there may be more */
async function placeWaiting(deps: ChangeDeps, account: IndexedAccount): Promise<boolean> {
  const { rows } = await deps.pool.query<{ ref: string; entry: Stored; isChange: boolean }>(WAITING, [
    account.id,
    account.rootRef,
    BATCH,
  ])
  if (rows.length === 0) return false
  const before = await countWaiting(deps, account.id)
  for (const from of ['LISTING', 'CHANGES'] as const) {
    const entries = rows.filter(({ isChange }) => isChange === (from === 'CHANGES')).map(({ entry }) => entryOf(entry))
    if (entries.length > 0) await applyReport(deps, account, { from, entries, gone: { refs: [], paths: [] } })
  }
  // Entries that wait for each other stay, so the number decides whether another attempt makes sense.
  return (await countWaiting(deps, account.id)) < before
}

async function countWaiting({ pool }: ChangeDeps, accountId: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'select count(*)::int as count from unplaced_entries where account_id = $1',
    [accountId],
  )
  return rows[0]?.count ?? 0
}

/** An entry as JSON stores it: times are texts. */
type Stored = Omit<Entry, 'modifiedAt' | 'details'> & {
  readonly modifiedAt: string | null
  readonly details?: Omit<NonNullable<Entry['details']>, 'createdAt'> & { readonly createdAt: string | null }
}

function entryOf({ modifiedAt, details, ...entry }: Stored): Entry {
  return {
    ...entry,
    modifiedAt: modifiedAt === null ? null : new Date(modifiedAt),
    ...(details && {
      details: { ...details, createdAt: details.createdAt === null ? null : new Date(details.createdAt) },
    }),
  }
}

const MISSING = 'account_id = $1 and pass < $2 and changed_in < $2 and gone_at is null and not held'

/**
 * Asks the account about entries that the complete listing did not contain: only NotFound means that one is gone. Those that it found
 * under other names come first, and do not count as missing. When more than half are missing, nothing is asked: they are held until the
 * user decides.
 * @returns whether there may be more
 */
async function checkMissing(
  deps: ChangeDeps,
  account: IndexedAccount,
  driver: Driver,
  callOf: () => Call,
  { pass }: IndexState,
): Promise<boolean> {
  if (pass === 1) return false
  const { rows: counts } = await deps.pool.query<{ missing: number; entries: number }>(
    `select count(*)::int as missing, (select entries from account_indexes where account_id = $1) as entries
     from account_entries where ${MISSING}`,
    [account.id, pass],
  )
  const { missing, entries } = counts[0] ?? { missing: 0, entries: 0 }
  if (missing === 0) return false
  const { pathRefs = false } = driver.capabilities
  const moved = pathRefs ? await findToAsk(deps.pool, account.id, pass, ASKED_PER_STEP) : []
  if (moved.length === 0 && isSuspicious(missing, entries)) {
    await hold(deps, account.id, pass)
    return false
  }
  const asked = moved.length > 0 ? moved : await findMissing(deps.pool, account.id, pass, pathRefs)
  if (asked.length === 0) return false
  const also = await unlessChanged(deps.pool, account.id, driver)
  const ownChanges = await countOwnChanges(deps.pool, account.id)
  const found = await askEach(driver, callOf, asked)
  const report = { ...reportOf(found), asked: !pathRefs, ownChanges }
  const { refs: goneRefs } = report.gone
  const before = (change: Change) => followMoved(change, account, { goneRefs, isListing: true })
  // What was changed here in the meantime is asked about again.
  if (!(await applyReport(deps, account, report, pathRefs ? { ...also, before } : also))) return true
  const known = new Set(found.map(({ ref }) => ref))
  await requestParents(deps, account, driver, callOf, asked)
  await keepUnreadable(
    deps.pool,
    account.id,
    pass,
    asked.filter((ref) => !known.has(ref)),
  )
  // Each is asked about once, also one that still waits for its folder.
  await deps.pool.query(`update account_entries set changed_in = $2 where ${MISSING} and ref = any($3::text[])`, [
    account.id,
    pass,
    asked,
  ])
  return true
}

/** Where references are paths, what is below a folder that is gone is gone with it: only the topmost ones are asked about. */
const TO_ASK = `select ref from account_entries e where ${MISSING} and not ($4 and exists (
    select from files f join account_entries p on p.file_id = f.parent_id
    where f.id = e.file_id and p.pass < $2 and p.changed_in < $2 and p.gone_at is null and not p.held))
  order by file_id limit $3`

async function findMissing(pool: Pool, accountId: string, pass: number, pathRefs: boolean): Promise<EntryRef[]> {
  const { rows } = await pool.query<{ ref: EntryRef }>(TO_ASK, [accountId, pass, ASKED_PER_STEP, pathRefs])
  return rows.map(({ ref }) => ref)
}

/** What is next to or below an entry that the server does not show is not asked about one by one: it stays as it was. */
async function keepUnreadable(pool: Pool, accountId: string, pass: number, refs: readonly string[]): Promise<void> {
  if (refs.length === 0) return
  await pool.query(
    `with recursive below (id) as (
       select coalesce(p.file_id, e.file_id) from account_entries e join files f on f.id = e.file_id
         left join account_entries p on p.file_id = f.parent_id where e.account_id = $1 and e.ref = any($3::text[])
       union select f.id from below join files f on f.parent_id = below.id)
     update account_entries set changed_in = $2 from below where file_id = below.id and ${MISSING}`,
    [accountId, pass, refs],
  )
}

/**
 * Requests folders that reported entries are in and that are not known, and the folders above those. Entries whose folders lead
 * nowhere are outside the account's own tree. `refs`: only of these entries.
 */
export async function requestParents(
  deps: ChangeDeps,
  account: IndexedAccount,
  driver: Driver,
  callOf: () => Call,
  refs: readonly string[] | null = null,
): Promise<void> {
  const asked = new Set<string>()
  while (asked.size < MOST_PARENTS) {
    while (await placeWaiting(deps, account));
    const { rows } = await deps.pool.query<{ parent: string }>(
      `select parent from unplaced_entries u where account_id = $1 and parent not like '/%' and parent <> ''
         and parent <> all($2::text[]) and ($3::text[] is null or ref = any($3::text[])) limit 1`,
      [account.id, [...asked], refs === null ? null : [...refs, ...asked]],
    )
    // One by one: what is found out about a folder can end the wait for others, which would begin again if they were requested.
    const [next] = rows
    if (!next) return
    asked.add(next.parent)
    await requestParent(deps, account, driver, callOf(), next.parent as EntryRef)
  }
}

const WAITING_BELOW = `with recursive below (ref) as (
    select ref from unplaced_entries where account_id = $1 and parent = $2
    union select u.ref from below join unplaced_entries u on u.account_id = $1 and u.parent = below.ref)
  select ref from below`

async function rootsOf({ pool }: ChangeDeps, accountId: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ roots: readonly string[] }>(
    `select coalesce(roots, '{}') as roots from account_indexes where account_id = $1`,
    [accountId],
  )
  return rows[0]?.roots ?? []
}

async function requestParent(
  deps: ChangeDeps,
  account: IndexedAccount,
  driver: Driver,
  call: Call,
  ref: EntryRef,
): Promise<void> {
  const folder = await driver.stat(call, ref).catch(nothingWhen('NotFound'))
  const above = folder?.details?.parent ?? null
  const isOutside = folder === null || folderKeyOf(folder, await rootsOf(deps, account.id)) === null
  const isOwn = account.ownFolderRef !== null && (ref === account.ownFolderRef || above === account.ownFolderRef)
  if (isOutside || isOwn) {
    const { rows } = await deps.pool.query<{ ref: EntryRef }>(WAITING_BELOW, [account.id, ref])
    // They stop waiting, and are hidden where they were before.
    await applyReport(deps, account, reportOf(rows.map((one) => ({ ref: one.ref, entry: null }))))
  } else {
    await applyReport(deps, account, reportOf([{ ref, entry: folder }]))
  }
}

async function hold({ pool }: ChangeDeps, accountId: string, pass: number): Promise<void> {
  await pool.query(
    `with held as (update account_entries set held = true where ${MISSING} returning file_id)
     update account_indexes set held = (select count(*) from account_entries where account_id = $1 and held)
       + (select count(*) from held) where account_id = $1`,
    [accountId, pass],
  )
}

/** What still has no folder is outside the account's own tree. */
async function finish({ pool, events }: ChangeDeps, accountId: string): Promise<void> {
  await pool.query('delete from unplaced_entries where account_id = $1', [accountId])
  const { rows } = await pool.query<{ userId: string; isFirst: boolean }>(
    `update account_indexes i set cursor = null, listed = false, pass_started_at = null, passed_at = now(),
       as_of = case when i.walked then coalesce(i.pass_started_at, now()) else now() end
     from accounts a, account_indexes before
     where i.account_id = $1 and a.id = i.account_id and before.account_id = i.account_id
     returning a.user_id as "userId", before.passed_at is null as "isFirst"`,
    [accountId],
  )
  for (const { userId, isFirst } of rows) {
    events.publish('accountsChanged', userId, { accountIds: [accountId] })
    // The number of entries in its folders is known from now on.
    if (isFirst) events.publish('filesChanged', userId, { fileIds: [], removedIds: [], parentIds: [], truncated: true })
  }
}

/**
 * Makes a new complete listing due. Does nothing while one is in progress, unless `restart`: changes were missed, so its earlier pages
 * count for nothing.
 */
export async function requestPass(
  sql: Pick<PoolClient, 'query'>,
  accountId: string,
  { restart = false } = {},
): Promise<void> {
  await sql.query(
    `update account_indexes set pass = pass + 1, cursor = null, listed = false, pass_started_at = now()
     where account_id = $1 and ($2 or pass_started_at is null and passed_at is not null)`,
    [accountId, restart],
  )
}
