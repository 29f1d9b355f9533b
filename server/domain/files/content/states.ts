import { ProviderError } from '../../../providers/errors.ts'
import { ContentUnavailableError } from '../../errors.ts'
import type { Events } from '../../events.ts'
import type { FileState } from '../contract.ts'
import type { Queryable } from '../tree/entries.ts'
import { ShortPartError, WrongBytesError } from './copyStream.ts'

/** SQL: why the account `alias` cannot be read from now (a `Loss`); null when it can. */
const lossSql = (alias: string): string => `case
  when ${alias}.disconnected_at is not null then 'DISCONNECTED'
  when ${alias}.status = 'EXPIRED' then 'EXPIRED'
  when ${alias}.unreachable_since is not null then 'UNREACHABLE' end`

/** SQL: whether the account `alias` can be read from now. */
export const presentSql = (alias: string): string =>
  `(${alias}.disconnected_at is null and ${alias}.status = 'CONNECTED' and ${alias}.unreachable_since is null)`

export type StateScope =
  | { readonly fileIds: readonly string[] }
  | { readonly accountId: string }
  | { readonly groupCloudId: string }

/** Files of one user whose state or reason has changed. */
export type StatesChanged = { readonly userId: string; readonly changedIds: readonly string[] }

/** Files per round of statements. */
const BATCH = 5_000
/** File ids in one event; if there were more, subscribers reload everything. */
const MOST_NAMED = 100

/**
 * Updates `state` and `state_reason` of files; after the upload nothing else writes them. `tx` must be a transaction,
 * because the files are locked, in the order of their ids and after any accounts. The caller publishes the changes
 * after the commit (`publishStates`).
 */
export async function refreshStates(tx: Queryable, scope: StateScope): Promise<StatesChanged[]> {
  const ids = await idsOf(tx, scope)
  const changed = new Map<string, string[]>()
  for (let at = 0; at < ids.length; at += BATCH) {
    const found = await refreshBatch(tx, ids.slice(at, at + BATCH))
    for (const { id, userId } of [...found, ...(await protectedBy(tx, found))]) {
      const ofUser = changed.get(userId)
      if (ofUser) ofUser.push(id)
      else changed.set(userId, [id])
    }
  }
  return [...changed].map(([userId, changedIds]) => ({ userId, changedIds }))
}

/** To be called after the commit. */
export function publishStates(events: Pick<Events, 'publish'>, changes: readonly StatesChanged[]): void {
  for (const { userId, changedIds } of changes) {
    const truncated = changedIds.length > MOST_NAMED
    const fileIds = truncated ? [] : changedIds
    events.publish('filesChanged', userId, { fileIds, removedIds: [], parentIds: [], truncated })
  }
}

async function idsOf(tx: Queryable, scope: StateScope): Promise<string[]> {
  if ('fileIds' in scope) return [...new Set(scope.fileIds)].sort()
  const { rows } = await ('accountId' in scope
    ? tx.query<{ id: string }>(
        `select distinct c.file_id as id from pieces p join copies c on c.id = p.copy_id where p.account_id = $1 order by id`,
        [scope.accountId],
      )
    : tx.query<{ id: string }>('select id from files where group_cloud_id = $1 order by id', [scope.groupCloudId]))
  return rows.map(({ id }) => id)
}

type Row = FileFacts & {
  readonly id: string
  readonly userId: string
  readonly protects: boolean
  readonly state: FileState
  readonly stateReason: string | null
}

const LOCK = {
  name: 'files lock states',
  text: `select from files where id = any($1::uuid[]) and kind = 'FILE' and purged_at is null order by id for no key update`,
}

/**
 * A transfer counts as stopped if its copy could still be made by it. The rows of each file are aggregated by lateral
 * subqueries, one index lookup per file: the plan of joined aggregates depends on statistics, and without statistics
 * for some tables they were computed again for each file. `offset 0` prevents searching the pieces of a copy by
 * account.
 */
export const FACTS = {
  name: 'files state facts',
  text: `select f.id, f.user_id as "userId", f.protected_account_id is not null as protects, f.state, f.state_reason as "stateReason", f.staged_ref is not null as staged,
      coalesce(f.wanted_copies, g.copies, 1) as wanted, coalesce(copy.list, '[]') as copies, transfer.*
    from files f
    left join group_clouds g on g.id = f.group_cloud_id
    cross join lateral (
      select json_agg(json_build_object('state', c.state, 'readable', part.readable and c.suspect_reads = 0,
          'suspect', c.state = 'STORED' and c.suspect_reads > 0, 'lost', part.lost, 'names', part.names,
          'changed', part.changed)) as list
      from copies c cross join lateral (
        select c.state = 'STORED' and bool_and(p.state = 'STORED' and ${presentSql('a')}) as readable,
          coalesce(json_agg(distinct jsonb_build_object('name', a.name, 'how', ${lossSql('a')}))
            filter (where not ${presentSql('a')}), '[]') as lost,
          array_agg(distinct a.name) as names,
          coalesce(array_agg(distinct a.name) filter (where p.changed_at is not null), '{}') as changed
        from (select account_id, state, changed_at from pieces where copy_id = c.id offset 0) p join accounts a on a.id = p.account_id
        having count(*) > 0) part
      where c.file_id = f.id) copy
    cross join lateral (
      select count(*) filter (where t.state in ('WAITING', 'RUNNING', 'PAUSED'))::int as open,
        coalesce(bool_or(t.state in ('WAITING', 'RUNNING', 'PAUSED', 'DONE') and t.started_at is not null), false) as begun,
        coalesce(bool_or(t.state in ('PARKED', 'FAILED') and c.state = 'STORING'), false) as stopped,
        (array_agg(t.error order by t.created_at desc)
          filter (where t.state in ('PARKED', 'FAILED') and c.state = 'STORING'))[1] as error,
        coalesce(bool_or(t.state = 'CANCELLED' and t.error is null and t.kind in ('STORE', 'REPAIR')), false) as cancelled
      from transfers t left join copies c on c.id = t.copy_id where t.file_id = f.id) transfer
    where f.id = any($1::uuid[]) and f.kind = 'FILE' and f.purged_at is null`,
}

const WRITE = {
  name: 'files write states',
  text: `update files f set state = i.state::"FileState", state_reason = i.reason
    from unnest($1::uuid[], $2::text[], $3::text[]) as i(id, state, reason) where f.id = i.id`,
}

type Changed = { readonly id: string; readonly userId: string; readonly protects?: boolean }

/** The files in accounts that these protect, and the protected folders: their state has changed too. */
async function protectedBy(tx: Queryable, changed: readonly Changed[]): Promise<Changed[]> {
  const ids = changed.filter(({ protects }) => protects).map(({ id }) => id)
  if (ids.length === 0) return []
  const { rows } = await tx.query<Changed>(
    `select v.file_id as id, p.user_id as "userId" from protected_versions v join protections p on p.id = v.protection_id
     where v.content_id = any($1::uuid[]) and v.ended_at is null
     union select p.folder_id, p.user_id from protected_versions v join protections p on p.id = v.protection_id
     where v.content_id = any($1::uuid[])`,
    [ids],
  )
  return rows
}

async function refreshBatch(tx: Queryable, ids: readonly string[]): Promise<Changed[]> {
  // Locked by a separate statement, so that the next one sees what others have committed while this one waited.
  await tx.query({ ...LOCK, values: [ids] })
  const { rows } = await tx.query<Row>({ ...FACTS, values: [ids] })
  const wrong = rows.flatMap((row) => {
    const { state, reason } = assess(row)
    return state === row.state && reason === row.stateReason
      ? []
      : [{ id: row.id, userId: row.userId, protects: row.protects, state, reason }]
  })
  if (wrong.length === 0) return []
  const values = [wrong.map(({ id }) => id), wrong.map(({ state }) => state), wrong.map(({ reason }) => reason)]
  await tx.query({ ...WRITE, values })
  return wrong
}

/** Why an account cannot be read from now. */
export type Loss = 'EXPIRED' | 'UNREACHABLE' | 'DISCONNECTED'

export type LostAccount = { readonly name: string; readonly how: Loss }

export type CopyFacts = {
  readonly state: 'STORING' | 'STORED' | 'MISSING'
  /** All of its pieces are stored, on accounts that can be read from. */
  readonly readable: boolean
  /** It was repeatedly read with wrong bytes, although its accounts report it as unchanged. */
  readonly suspect: boolean
  /** Distinct accounts of its pieces that cannot be read from. */
  readonly lost: readonly LostAccount[]
  /** Names of all its accounts, in the order of the pieces, each once. */
  readonly names: readonly string[]
  /** Names of the accounts in which the stored object was changed. */
  readonly changed: readonly string[]
}

/** The facts that determine the state of a file. */
export type FileFacts = {
  readonly staged: boolean
  /** Number of copies of its group cloud. */
  readonly wanted: number
  readonly copies: readonly CopyFacts[]
  /** Transfers that are waiting, running or paused. */
  readonly open: number
  /** One of them, or a finished one, has started sending. */
  readonly begun: boolean
  /** One of its transfers needs a user's action or has failed. */
  readonly stopped: boolean
  /** The error of the latest of those. */
  readonly error: string | null
  /** Its user cancelled a transfer that would have made a copy. */
  readonly cancelled: boolean
}

export type Assessment = { readonly state: FileState; readonly reason: string | null }

/** Determines a file's state; the reason is a text for users. */
export function assess(facts: FileFacts): Assessment {
  return facts.staged ? assessStaged(facts) : assessStored(facts)
}

/** This server still has the whole content, so nothing is lost. */
function assessStaged(facts: FileFacts): Assessment {
  if (facts.stopped) {
    return atRisk(`It waits on this server: ${facts.error ?? 'its copy could not be stored.'}`)
  }
  if (facts.open > 0) return { state: facts.begun ? 'STORING' : 'RECEIVED', reason: null }
  if (readableOf(facts) >= facts.wanted) return stored
  return atRisk(`It is on this server alone${facts.cancelled ? CANCELLED : ', and no copy of it is on its way.'}`)
}

/** Reconciliation plans the copy again after a day. */
const CANCELLED = ': its transfer was cancelled, and is tried again after a day.'

const stored: Assessment = { state: 'STORED', reason: null }

function assessStored(facts: FileFacts): Assessment {
  const readable = readableOf(facts)
  if (readable >= facts.wanted) return stored
  const bad = facts.copies.filter(isBad)
  const onItsWay = readable > 0 && readable + facts.open >= facts.wanted
  if (bad.length === 0 && onItsWay && !facts.stopped) return { state: 'STORING', reason: null }
  return atRisk(readable === 0 ? whyNone(bad) : whyFewer(facts, readable, bad))
}

function atRisk(reason: string): Assessment {
  return { state: 'AT_RISK', reason }
}

function readableOf({ copies }: FileFacts): number {
  return copies.filter(({ readable }) => readable).length
}

function isBad({ state, readable }: CopyFacts): boolean {
  return state !== 'STORING' && !readable
}

const WHICH: Readonly<Record<Loss, string>> = {
  EXPIRED: 'which needs to be connected again',
  UNREACHABLE: 'which cannot be reached',
  DISCONNECTED: 'which was disconnected',
}

const WHAT: Readonly<Record<Loss, string>> = {
  EXPIRED: 'needs to be connected again',
  UNREACHABLE: 'cannot be reached',
  DISCONNECTED: 'was disconnected',
}

function whyNone(bad: readonly CopyFacts[]): string {
  const [only] = bad
  if (!only) return 'No copy of it is stored.'
  if (bad.length > 1) return `No copy of it can be read: ${joinList(bad.flatMap(reasonsOf))}.`
  if (only.changed.length > 0) return `No copy is left: this file was changed in ${changedIn(only)}.`
  if (only.state === 'MISSING') return `No copy is left: what ${namesOf(only)} held of it is gone or damaged.`
  const [lost] = only.lost
  if (only.lost.length !== 1 || !lost) return `Its only copy cannot be read: ${joinList(reasonsOf(only))}.`
  if (lost.how === 'DISCONNECTED') return `No copy is left: “${lost.name}” was disconnected.`
  return `Its only copy is ${partly(only)}on “${lost.name}”, ${WHICH[lost.how]}.`
}

function whyFewer(
  { wanted, error, stopped, cancelled }: FileFacts,
  readable: number,
  bad: readonly CopyFacts[],
): string {
  const [only] = bad
  const of = Math.max(wanted, readable + bad.length)
  if (!only) {
    const verb = readable === 1 ? 'is' : 'are'
    const none = cancelled ? CANCELLED : ', and no other is on its way yet.'
    return `Only ${readable} of ${of} copies ${verb} stored${stopped && error !== null ? `: ${error}` : none}`
  }
  if (bad.length > 1) return `${bad.length} of ${of} copies cannot be read: ${joinList(bad.flatMap(reasonsOf))}.`
  if (only.changed.length > 0) return `One of ${of} copies does not count: this file was changed in ${changedIn(only)}.`
  if (only.state === 'MISSING') return `One of ${of} copies is gone or damaged on ${namesOf(only)}.`
  const [lost] = only.lost
  if (only.lost.length !== 1 || !lost) return `One of ${of} copies cannot be read: ${joinList(reasonsOf(only))}.`
  return `One of ${of} copies is ${partly(only)}on “${lost.name}”, ${WHICH[lost.how]}.`
}

/** Clauses, one per account. */
function reasonsOf({ state, suspect, lost, names, changed }: Omit<CopyFacts, 'readable'>): string[] {
  if (changed.length > 0) return [`this file was changed in ${joinList(changed.map(quoted))}`]
  if (state === 'MISSING') return [`what ${joinList(names.map(quoted))} held is gone or damaged`]
  if (suspect && lost.length === 0) return [`${joinList(names.map(quoted))} ${WRONG}`]
  return lost.map(({ name, how }) => `${quoted(name)} ${WHAT[how]}`)
}

const WRONG = 'sends other bytes than were stored, which is looked at again'

function partly({ names }: CopyFacts): string {
  return names.length > 1 ? 'partly ' : ''
}

function changedIn({ changed }: CopyFacts): string {
  return joinList(changed.map(quoted))
}

function namesOf({ names }: CopyFacts): string {
  return joinList(names.map(quoted))
}

function quoted(name: string): string {
  return `“${name}”`
}

/** Joins distinct parts with commas and 'and'. */
function joinList(parts: readonly string[]): string {
  const distinct = [...new Set(parts)]
  const last = distinct.at(-1) ?? ''
  return distinct.length < 2 ? last : `${distinct.slice(0, -1).join(', ')} and ${last}`
}

// Why a file cannot be read now, by account.

type FileReasons = Omit<CopyFacts, 'readable'> & {
  readonly accounts: readonly { readonly id: string; readonly name: string }[]
}

type ReasonsRow = FileReasons & { readonly fileId: string }

/**
 * The error with the reasons, by account, why no copy of a file can be read now; `errors`: current errors by account.
 */
export async function unavailable(
  sql: Queryable,
  fileId: string,
  errors: ReadonlyMap<string, unknown> = new Map(),
): Promise<ContentUnavailableError> {
  const copies = await copiesOf(sql, [fileId])
  return new ContentUnavailableError(messageOf(copies, errors), {
    retryAfterSeconds: retryAfterOf([...errors.values()]),
  })
}

/** The same reasons for many files, from what is stored about their accounts. */
export async function unavailableMessages(sql: Queryable, fileIds: readonly string[]): Promise<Map<string, string>> {
  if (fileIds.length === 0) return new Map()
  const byFile = new Map<string, ReasonsRow[]>(fileIds.map((id) => [id, []]))
  for (const copy of await copiesOf(sql, fileIds)) byFile.get(copy.fileId)?.push(copy)
  return new Map([...byFile].map(([id, copies]) => [id, messageOf(copies, new Map())]))
}

async function copiesOf(sql: Queryable, fileIds: readonly string[]): Promise<ReasonsRow[]> {
  const { rows } = await sql.query<ReasonsRow>(
    `select c.file_id as "fileId", c.state, c.state = 'STORED' and c.suspect_reads > 0 as suspect,
       array_agg(distinct a.name) as names, json_agg(distinct jsonb_build_object('id', a.id, 'name', a.name)) as accounts,
       coalesce(json_agg(distinct jsonb_build_object('name', a.name, 'how', ${lossSql('a')}))
         filter (where ${lossSql('a')} is not null), '[]') as lost,
       coalesce(array_agg(distinct a.name) filter (where p.changed_at is not null), '{}') as changed
     from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
     where c.file_id = any($1::uuid[]) and c.state <> 'STORING' group by c.id order by c.created_at, c.id`,
    [fileIds],
  )
  return rows
}

function messageOf(copies: readonly FileReasons[], errors: ReadonlyMap<string, unknown>): string {
  const reasons = copies.flatMap((copy) => {
    const known = reasonsOf(copy)
    return known.length > 0 ? known : copy.accounts.flatMap(({ id, name }) => reasonOfError(name, errors.get(id)))
  })
  if (reasons.length === 0) return 'No copy of this file can be read now.'
  return `This file cannot be read now: ${joinList(reasons)}.`
}

/** The shortest wait that an account asked for, in seconds; null when none did. */
export function retryAfterOf(errors: readonly unknown[]): number | null {
  const waits = errors.flatMap((error) => {
    const ms = error instanceof ProviderError ? error.detail.retryAfterMs : undefined
    return ms === undefined ? [] : [ms]
  })
  return waits.length === 0 ? null : Math.max(1, Math.ceil(Math.min(...waits) / 1000))
}

/** Why an account cannot be read, as the end of a sentence; empty without an error. */
export function reasonOfError(name: string, error: unknown): string[] {
  if (error === undefined) return []
  const code = error instanceof ProviderError ? error.code : null
  if (error instanceof WrongBytesError || error instanceof ShortPartError || code === 'Corrupt') {
    return [`“${name}” sends other bytes than were stored`]
  }
  if (code === 'ReconnectNeeded' || code === 'AuthExpired') return [`“${name}” needs to be connected again`]
  if (code === 'RateLimited') return [`“${name}” asks to wait${waitText(error)}`]
  if (code === 'NotFound') return [`“${name}” does not find it`]
  if (error instanceof ProviderError && error.detail.isFlagged) return [`“${name}” has flagged it as malware or spam`]
  return code === 'Forbidden' ? [`“${name}” refuses access`] : [`“${name}” does not answer`]
}

function waitText(error: unknown): string {
  const ms = error instanceof ProviderError ? error.detail.retryAfterMs : undefined
  if (ms === undefined) return ''
  return ` until ${new Date(Date.now() + ms).toISOString().slice(11, 16)} UTC`
}
