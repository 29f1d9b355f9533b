import type { Events } from '../../events.ts'
import type { FileState } from '../contract.ts'
import type { Queryable } from '../tree/entries.ts'

/** SQL: why the account `alias` cannot be read from now; null when it can. As `Loss` of assess.ts. */
export const lossSql = (alias: string): string => `case
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

/** Files of one user whose state or reason is another one now. */
export type StatesChanged = { readonly userId: string; readonly changedIds: readonly string[] }

/** Of one round of statements. */
const BATCH = 5_000
/** Named in one event; a subscriber reads everything again when there were more. */
const MOST_NAMED = 100

/**
 * Makes `state` and `state_reason` of files true: the only one that writes them after intake. Locks the files, in the order of
 * their ids and after any accounts, so `tx` is a transaction; what it changed is published by the caller (`tellStates`) after commit.
 */
export async function refreshStates(tx: Queryable, scope: StateScope): Promise<StatesChanged[]> {
  const ids = await idsOf(tx, scope)
  const changed = new Map<string, string[]>()
  for (let at = 0; at < ids.length; at += BATCH) {
    for (const { id, userId } of await refreshBatch(tx, ids.slice(at, at + BATCH))) {
      const ofUser = changed.get(userId)
      if (ofUser) ofUser.push(id)
      else changed.set(userId, [id])
    }
  }
  return [...changed].map(([userId, changedIds]) => ({ userId, changedIds }))
}

/** After the commit. */
export function tellStates(events: Pick<Events, 'publish'>, changes: readonly StatesChanged[]): void {
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
  readonly state: FileState
  readonly stateReason: string | null
}

const LOCK = {
  name: 'files lock states',
  text: `select from files where id = any($1::uuid[]) and kind = 'FILE' and purged_at is null order by id for no key update`,
}

/**
 * A transfer counts as stopped while its copy could still be made by it. What belongs to one file is aggregated by lateral
 * subqueries, one index look-up per file: joins of aggregates depend on statistics, and were computed again for each file
 * while those of some of the tables were missing. `offset 0` keeps the pieces of a copy from being sought by account.
 */
export const FACTS = {
  name: 'files state facts',
  text: `select f.id, f.user_id as "userId", f.state, f.state_reason as "stateReason", f.staged_ref is not null as staged,
      coalesce(g.copies, 1) as wanted, coalesce(copy.list, '[]') as copies, transfer.*
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

async function refreshBatch(tx: Queryable, ids: readonly string[]): Promise<{ id: string; userId: string }[]> {
  // Locked by a statement of its own: the next one sees what others have committed while this one waited.
  await tx.query({ ...LOCK, values: [ids] })
  const { rows } = await tx.query<Row>({ ...FACTS, values: [ids] })
  const wrong = rows.flatMap((row) => {
    const { state, reason } = assess(row)
    return state === row.state && reason === row.stateReason ? [] : [{ id: row.id, userId: row.userId, state, reason }]
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
  /** All of it is stored, on accounts that can be read from. */
  readonly readable: boolean
  /** Other bytes come of it than were stored, again and again, though its accounts say that it is whole. */
  readonly suspect: boolean
  /** Distinct accounts of its pieces that cannot be read from. */
  readonly lost: readonly LostAccount[]
  /** Names of all its accounts, in the order of the pieces, each once. */
  readonly names: readonly string[]
  /** Those of accounts where somebody changed what was stored. */
  readonly changed: readonly string[]
}

/** What the state of a file follows from. */
export type FileFacts = {
  readonly staged: boolean
  /** Copies that its group cloud asks for. */
  readonly wanted: number
  readonly copies: readonly CopyFacts[]
  /** Transfers that wait, run or are paused. */
  readonly open: number
  /** One of them, or one that is done, has sent something. */
  readonly begun: boolean
  /** One of its transfers waits for a person or was given up. */
  readonly stopped: boolean
  /** What stopped the latest of those. */
  readonly error: string | null
  /** Its user gave up a transfer that would have made a copy. */
  readonly cancelled: boolean
}

export type Assessment = { readonly state: FileState; readonly reason: string | null }

/** The one rule of a file's state; the reason is for people. */
export function assess(facts: FileFacts): Assessment {
  return facts.staged ? assessStaged(facts) : assessStored(facts)
}

/** The whole content is still here, so that nothing is lost yet. */
function assessStaged(facts: FileFacts): Assessment {
  if (facts.stopped) {
    return atRisk(`It waits on this server: ${facts.error ?? 'its copy could not be stored.'}`)
  }
  if (facts.open > 0) return { state: facts.begun ? 'STORING' : 'RECEIVED', reason: null }
  if (readableOf(facts) >= facts.wanted) return stored
  return atRisk(`It is on this server alone${facts.cancelled ? CANCELLED : ', and no copy of it is on its way.'}`)
}

/** A day after that settling plans it again. */
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
  if (bad.length > 1) return `No copy of it can be read: ${listed(bad.flatMap(whatHappened))}.`
  if (only.changed.length > 0) return `No copy is left: this file was changed in ${changedIn(only)}.`
  if (only.state === 'MISSING') return `No copy is left: what ${namesOf(only)} held of it is gone or damaged.`
  const [lost] = only.lost
  if (only.lost.length !== 1 || !lost) return `Its only copy cannot be read: ${listed(whatHappened(only))}.`
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
  if (bad.length > 1) return `${bad.length} of ${of} copies cannot be read: ${listed(bad.flatMap(whatHappened))}.`
  if (only.changed.length > 0) return `One of ${of} copies does not count: this file was changed in ${changedIn(only)}.`
  if (only.state === 'MISSING') return `One of ${of} copies is gone or damaged on ${namesOf(only)}.`
  const [lost] = only.lost
  if (only.lost.length !== 1 || !lost) return `One of ${of} copies cannot be read: ${listed(whatHappened(only))}.`
  return `One of ${of} copies is ${partly(only)}on “${lost.name}”, ${WHICH[lost.how]}.`
}

/** Half-sentences, one per account. */
export function whatHappened({ state, suspect, lost, names, changed }: Omit<CopyFacts, 'readable'>): string[] {
  if (changed.length > 0) return [`this file was changed in ${listed(changed.map(quoted))}`]
  if (state === 'MISSING') return [`what ${listed(names.map(quoted))} held is gone or damaged`]
  if (suspect && lost.length === 0) return [`${listed(names.map(quoted))} ${WRONG}`]
  return lost.map(({ name, how }) => `${quoted(name)} ${WHAT[how]}`)
}

const WRONG = 'sends other bytes than were stored, which is looked at again'

function partly({ names }: CopyFacts): string {
  return names.length > 1 ? 'partly ' : ''
}

function changedIn({ changed }: CopyFacts): string {
  return listed(changed.map(quoted))
}

function namesOf({ names }: CopyFacts): string {
  return listed(names.map(quoted))
}

function quoted(name: string): string {
  return `“${name}”`
}

/** As in a sentence, each once. */
export function listed(parts: readonly string[]): string {
  const distinct = [...new Set(parts)]
  const last = distinct.at(-1) ?? ''
  return distinct.length < 2 ? last : `${distinct.slice(0, -1).join(', ')} and ${last}`
}
