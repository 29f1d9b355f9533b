import type { PoolClient } from 'pg'
import { unavailableWords } from '../files/content/findContent.ts'
import { presentSql } from '../files/content/states.ts'
import { planCopies } from '../groupClouds/placement.ts'
import { type Candidate, obstacle } from '../groupClouds/plan.ts'
import type { Clock } from './deps.ts'
import { loadPools, type PlanningPool } from './planning.ts'
import type { Refusal, WaitsFor } from './states.ts'
import { noSourceWords } from './storePiece.ts'
import type { AccountQuota } from './work.ts'

/** What has failed for want of something to read is not tried again sooner. */
const SOURCE_REST_MS = 45_000
/** Where a provider does not say how much room it has, only trying tells. */
const UNKNOWN_ROOM_REST_MS = 55_000

type Piece = {
  readonly accountId: string
  readonly accountName: string
  readonly size: number
  readonly present: boolean
  /** Its account was disconnected. */
  readonly gone: boolean
}

type Stopped = {
  readonly id: string
  readonly fileId: string
  readonly state: 'PARKED' | 'FAILED'
  readonly groupCloudId: string | null
  readonly waitsFor: WaitsFor | null
  readonly isDue: boolean
  readonly stoppedAt: Date | null
  readonly error: string | null
  readonly refusals: readonly Refusal[]
  /** Those that are not stored yet. */
  readonly pieces: readonly Piece[]
  /** Accounts of the file's other copies. */
  readonly others: readonly string[]
  readonly hasSource: boolean
}

/** An account that was disconnected is no reason to wait: its pieces are planned elsewhere. */
const FIND = {
  name: 'transfers-stopped',
  text: `select t.id, t.file_id as "fileId", t.state, f.group_cloud_id as "groupCloudId", t.waits_for as "waitsFor",
      coalesce(t.next_try_at <= $2, false) as "isDue", t.stopped_at as "stoppedAt", t.error,
      coalesce(t.refusals, '[]') as refusals,
      (select coalesce(json_agg(json_build_object('accountId', p.account_id, 'accountName', a.name, 'size', p.size, 'present', ${presentSql('a')},
          'gone', a.disconnected_at is not null)), '[]')
        from pieces p join accounts a on a.id = p.account_id where p.copy_id = t.copy_id and p.state = 'PLANNED') as pieces,
      array(select distinct p.account_id::text from copies c join pieces p on p.copy_id = c.id
        where c.file_id = t.file_id and c.id <> t.copy_id) as others,
      t.waits_for = 'SOURCE' and (f.staged_ref is not null or exists (
        select from copies c where c.file_id = t.file_id and c.state = 'STORED' and not exists (
          select from pieces p join accounts a on a.id = p.account_id
          where p.copy_id = c.id and (p.state <> 'STORED' or not ${presentSql('a')})))) is true as "hasSource"
    from transfers t join files f on f.id = t.file_id
    where t.user_id = $1 and t.copy_id is not null and f.purged_at is null
      and (t.state = 'PARKED' or t.state = 'FAILED' and t.waits_for = 'ACCOUNT' and exists (
        select from pieces p where p.copy_id = t.copy_id and p.state = 'PLANNED' and p.account_id = $3))
    order by t.created_at, t.id`,
}

const LOCK = `select from files where id = any($1::uuid[]) order by id for no key update`
const WAKE = `update transfers set state = 'WAITING', error = null, next_try_at = null, waits_for = null,
    attempts = case state when 'FAILED' then 0 else attempts end, ended_at = null
  where id = any($1::uuid[]) and state in ('PARKED', 'FAILED')`
const SAY = `update transfers t set error = i.error from unnest($1::uuid[], $2::text[]) as i(id, error)
  where t.id = i.id and t.state = 'PARKED'`

/**
 * Lets stopped transfers of a user whose reason is over wait to be sent again, and says of the others why they are stopped now.
 * The caller has locked the user's accounts. `recoveredId`: an account that is back, so that what was given up for its sake goes
 * on as well. @returns ids of files whose transfers are others now
 */
export async function wakeStopped(
  { clock }: { readonly clock: Clock },
  tx: PoolClient,
  userId: string,
  recoveredId: string | null = null,
): Promise<string[]> {
  const { rows } = await tx.query<Stopped>({ ...FIND, values: [userId, new Date(clock.now()), recoveredId] })
  if (rows.length === 0) return []
  const woken: Stopped[] = []
  const said: { readonly stopped: Stopped; readonly error: string }[] = []
  const rooms = await createRooms(tx, userId, rows)
  const sources = rows.filter(({ waitsFor, hasSource }) => waitsFor === 'SOURCE' && !hasSource)
  const unreadable = await unavailableWords(
    tx,
    sources.map(({ fileId }) => fileId),
  )
  for (const stopped of rows) {
    const reason = whyStopped(stopped, { now: clock.now(), rooms, unreadable })
    if (reason === null) woken.push(stopped)
    else if (stopped.state === 'PARKED' && reason !== stopped.error) said.push({ stopped, error: reason })
  }
  const fileIds = [...new Set([...woken, ...said.map(({ stopped }) => stopped)].map(({ fileId }) => fileId))]
  if (fileIds.length === 0) return []
  await tx.query(LOCK, [fileIds])
  if (woken.length > 0) await tx.query(WAKE, [woken.map(({ id }) => id)])
  if (said.length > 0) await tx.query(SAY, [said.map(({ stopped }) => stopped.id), said.map(({ error }) => error)])
  return fileIds
}

type Facts = { readonly now: number; readonly rooms: Rooms; readonly unreadable: ReadonlyMap<string, string> }

/** Null when it may go on. */
function whyStopped(stopped: Stopped, { now, rooms, unreadable }: Facts): string | null {
  const { waitsFor, isDue, pieces, stoppedAt } = stopped
  const error = stopped.error ?? ''
  if (isDue) return null
  const restedMs = stoppedAt === null ? Number.POSITIVE_INFINITY : now - stoppedAt.getTime()
  if (waitsFor === 'ROOM') return rooms.whyNone(stopped, restedMs)
  if (waitsFor === 'SOURCE') {
    if (stopped.hasSource) return restedMs >= SOURCE_REST_MS ? null : error
    const words = unreadable.get(stopped.fileId)
    return words === undefined ? error : noSourceWords(words)
  }
  return pieces.every(({ present, gone }) => present || gone) ? null : error
}

type Rooms = { whyNone(stopped: Stopped, restedMs: number): string | null }

/** Room as the numbers of accounts tell, of which those that go on take their share. */
async function createRooms(tx: PoolClient, userId: string, rows: readonly Stopped[]): Promise<Rooms> {
  const waiting = rows.filter(({ waitsFor, groupCloudId }) => waitsFor === 'ROOM' && groupCloudId !== null)
  const pools = await loadPools(
    tx,
    waiting.map(({ groupCloudId }) => groupCloudId ?? ''),
  )
  const { rows: checks } = await tx.query<{ id: string; at: string | null }>(
    'select id, quota_checked_at::text as at from accounts where user_id = $1',
    [userId],
  )
  const checkedAt = new Map(checks.map(({ id, at }) => [id, at]))
  /** What stopped pieces have reserved where they are, by account: whoever goes on there has it already. */
  const held = new Map<string, number>()
  for (const { pieces } of waiting) {
    for (const { accountId, size } of pieces) held.set(accountId, (held.get(accountId) ?? 0) + size)
  }

  function obstacleAt(member: Candidate, size: number): string | null {
    return obstacle({ ...member, reservedBytes: member.reservedBytes - (held.get(member.accountId) ?? 0) }, size)
  }

  /** Null: it goes on where it is, or at another account. */
  function whyNot(piece: Piece, stopped: Stopped, { members, rules }: PlanningPool, restedMs: number): string | null {
    const { accountId, size } = piece
    const refusing = stopped.refusals.filter((refusal) => {
      const member = members.find((one) => one.accountId === refusal.accountId)
      return member && !mayTake({ ...member, checkedAt: checkedAt.get(member.accountId) ?? null }, refusal, restedMs)
    })
    const refuses = new Set(refusing.map((refusal) => refusal.accountId))
    const own = members.find((member) => member.accountId === accountId)
    const obstacleHere = own && !refuses.has(accountId) ? obstacleAt(own, size) : null
    if (own && !refuses.has(accountId) && obstacleHere === null) return null
    const exclude = new Set([...stopped.others, ...refuses, accountId])
    const plan = planCopies(members, size, { ...rules, copies: 1, exclude })
    if (plan.placed) return null
    const gone = piece.gone ? [`“${piece.accountName}” was disconnected`] : []
    const whys = [...gone, ...refusing.map(({ why }) => why), ...(obstacleHere === null ? [] : [obstacleHere])]
    return [...new Set(whys), plan.why].join('. ')
  }

  return {
    whyNone(stopped, restedMs) {
      const pool = pools.get(stopped.groupCloudId ?? '')
      // Without a group cloud nobody else can take it.
      if (!pool) return stopped.error ?? ''
      const reasons = stopped.pieces.map((piece) => whyNot(piece, stopped, pool, restedMs))
      const reason = reasons.find((why) => why !== null)
      if (reason !== undefined) return reason
      for (const { accountId, size } of stopped.pieces) held.set(accountId, (held.get(accountId) ?? 0) - size)
      return null
    },
  }
}

/** Whether an account that has refused may take it by now: its room was asked for since, or nothing can be known of it. */
function mayTake(member: Candidate & AccountQuota, { quota }: Refusal, restedMs: number): boolean {
  if (quota === null) return false
  if (quota.quotaBytes !== member.quotaBytes || quota.usedBytes !== member.usedBytes) return true
  if (quota.checkedAt !== member.checkedAt) return true
  return member.quotaState !== 'KNOWN' && restedMs >= UNKNOWN_ROOM_REST_MS
}
