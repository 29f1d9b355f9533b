import type { PoolClient } from 'pg'
import { presentSql, unavailableMessages } from '../files/content/states.ts'
import { mainCopySql } from '../groupClouds/members.ts'
import { type Candidate, obstacle, planCopies } from '../groupClouds/placement.ts'
import type { RowDeps } from './contract.ts'
import { noSourceMessage } from './failures.ts'
import { loadPools, type PlanningPool } from './planning.ts'
import type { AccountQuota, Refusal, WaitsFor } from './work.ts'

/** Minimum pause after a failure to read the content. */
const SOURCE_PAUSE_MS = 45_000
/** Minimum pause before a full account is tried again whose provider does not report its free space. */
const UNKNOWN_ROOM_PAUSE_MS = 55_000

type Piece = {
  readonly accountId: string
  readonly accountName: string
  readonly size: number
  /** Its account can be used. */
  readonly present: boolean
  /** Its account was disconnected. */
  readonly disconnected: boolean
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
  /** The pieces that are not stored yet. */
  readonly pieces: readonly Piece[]
  /** Accounts of the file's other copies, and the one that it protects. */
  readonly others: readonly string[]
  readonly hasMainCopy: boolean
  readonly hasSource: boolean
}

/** PARKED transfers, and those that failed because of account $3. A disconnected account is no reason to wait: its pieces move elsewhere. */
const FIND = {
  name: 'transfers-stopped',
  text: `select t.id, t.file_id as "fileId", t.state, f.group_cloud_id as "groupCloudId", t.waits_for as "waitsFor",
      coalesce(t.next_try_at <= $2, false) as "isDue", t.stopped_at as "stoppedAt", t.error,
      coalesce(t.refusals, '[]') as refusals,
      (select coalesce(json_agg(json_build_object('accountId', p.account_id, 'accountName', a.name, 'size', p.size, 'present', ${presentSql('a')},
          'disconnected', a.disconnected_at is not null)), '[]')
        from pieces p join accounts a on a.id = p.account_id where p.copy_id = t.copy_id and p.state = 'PLANNED') as pieces,
      array(select distinct p.account_id::text from copies c join pieces p on p.copy_id = c.id
        where c.file_id = t.file_id and c.id <> t.copy_id
        union select f.protected_account_id::text where f.protected_account_id is not null) as others,
      ${mainCopySql('t.copy_id')} as "hasMainCopy",
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
const RESUME = `update transfers set state = 'WAITING', error = null, next_try_at = null, waits_for = null,
    attempts = case state when 'FAILED' then 0 else attempts end, ended_at = null
  where id = any($1::uuid[]) and state in ('PARKED', 'FAILED')`
const SAVE_REASON = `update transfers t set error = i.error from unnest($1::uuid[], $2::text[]) as i(id, error)
  where t.id = i.id and t.state = 'PARKED'`

/**
 * Makes stopped transfers of a user due again when their reason has ended, and updates the reason of the others. The caller has
 * locked the user's accounts. `recoveredId`: an account that can be used again, so that transfers that failed because of it
 * are resumed too. @returns ids of the files whose transfers have changed
 */
export async function resumeStopped(
  { clock, accountLabel }: Pick<RowDeps, 'clock' | 'accountLabel'>,
  tx: PoolClient,
  userId: string,
  recoveredId: string | null = null,
): Promise<string[]> {
  const { rows } = await tx.query<Stopped>({ ...FIND, values: [userId, new Date(clock.now()), recoveredId] })
  if (rows.length === 0) return []
  const resumed: Stopped[] = []
  const changed: { readonly stopped: Stopped; readonly error: string }[] = []
  const rooms = await createRooms(tx, userId, rows, accountLabel)
  const sources = rows.filter(({ waitsFor, hasSource }) => waitsFor === 'SOURCE' && !hasSource)
  const unreadable = await unavailableMessages(
    tx,
    sources.map(({ fileId }) => fileId),
  )
  for (const stopped of rows) {
    const reason = whyStopped(stopped, { now: clock.now(), rooms, unreadable })
    if (reason === null) resumed.push(stopped)
    else if (stopped.state === 'PARKED' && reason !== stopped.error) changed.push({ stopped, error: reason })
  }
  const fileIds = [...new Set([...resumed, ...changed.map(({ stopped }) => stopped)].map(({ fileId }) => fileId))]
  if (fileIds.length === 0) return []
  await tx.query(LOCK, [fileIds])
  if (resumed.length > 0) await tx.query(RESUME, [resumed.map(({ id }) => id)])
  if (changed.length > 0) {
    await tx.query(SAVE_REASON, [changed.map(({ stopped }) => stopped.id), changed.map(({ error }) => error)])
  }
  return fileIds
}

type Facts = { readonly now: number; readonly rooms: Rooms; readonly unreadable: ReadonlyMap<string, string> }

/** The reason why it stays stopped; null when it can continue. */
function whyStopped(stopped: Stopped, { now, rooms, unreadable }: Facts): string | null {
  const { waitsFor, isDue, pieces, stoppedAt } = stopped
  const error = stopped.error ?? ''
  if (isDue) return null
  const pausedMs = stoppedAt === null ? Number.POSITIVE_INFINITY : now - stoppedAt.getTime()
  if (waitsFor === 'ROOM') return rooms.whyNone(stopped, pausedMs)
  if (waitsFor === 'SOURCE') {
    if (stopped.hasSource) return pausedMs >= SOURCE_PAUSE_MS ? null : error
    const reason = unreadable.get(stopped.fileId)
    return reason === undefined ? error : noSourceMessage(reason)
  }
  return pieces.every(({ present, disconnected }) => present || disconnected) ? null : error
}

type Rooms = {
  /** Why a transfer still has no room; null when it has, which is then taken. */
  whyNone(stopped: Stopped, pausedMs: number): string | null
}

/** Free space by the rows of accounts, less what the transfers that continue take. */
async function createRooms(
  tx: PoolClient,
  userId: string,
  rows: readonly Stopped[],
  label: RowDeps['accountLabel'],
): Promise<Rooms> {
  const waiting = rows.filter(({ waitsFor, groupCloudId }) => waitsFor === 'ROOM' && groupCloudId !== null)
  const pools = await loadPools(
    tx,
    waiting.map(({ groupCloudId }) => groupCloudId ?? ''),
    label,
  )
  const { rows: checks } = await tx.query<{ id: string; at: string | null }>(
    'select id, quota_checked_at::text as at from accounts where user_id = $1',
    [userId],
  )
  const checkedAt = new Map(checks.map(({ id, at }) => [id, at]))
  /** Bytes that stopped pieces have reserved, by account: a piece that continues there needs no others. */
  const held = new Map<string, number>()
  for (const { pieces } of waiting) {
    for (const { accountId, size } of pieces) held.set(accountId, (held.get(accountId) ?? 0) + size)
  }

  function obstacleAt(member: Candidate, size: number): string | null {
    return obstacle({ ...member, reservedBytes: member.reservedBytes - (held.get(member.accountId) ?? 0) }, size)
  }

  /** Null: it can continue on its account or on another one. */
  function whyNot(piece: Piece, stopped: Stopped, { members, rules }: PlanningPool, pausedMs: number): string | null {
    const { accountId, size } = piece
    const refusing = stopped.refusals.filter((refusal) => {
      const member = members.find((one) => one.accountId === refusal.accountId)
      return member && !mayAccept({ ...member, checkedAt: checkedAt.get(member.accountId) ?? null }, refusal, pausedMs)
    })
    const refuses = new Set(refusing.map((refusal) => refusal.accountId))
    const own = members.find((member) => member.accountId === accountId)
    const obstacleHere = own && !refuses.has(accountId) ? obstacleAt(own, size) : null
    if (own && !refuses.has(accountId) && obstacleHere === null) return null
    const exclude = new Set([...stopped.others, ...refuses, accountId])
    const plan = planCopies(members, size, { ...rules, copies: 1, exclude, hasMainCopy: stopped.hasMainCopy })
    if (plan.placed) return null
    const disconnected = piece.disconnected ? [`“${piece.accountName}” was disconnected`] : []
    const whys = [...disconnected, ...refusing.map(({ why }) => why), ...(obstacleHere === null ? [] : [obstacleHere])]
    return [...new Set(whys), plan.why].join('. ')
  }

  return {
    whyNone(stopped, pausedMs) {
      const pool = pools.get(stopped.groupCloudId ?? '')
      // Without a group cloud there is no other account.
      if (!pool) return stopped.error ?? ''
      const reasons = stopped.pieces.map((piece) => whyNot(piece, stopped, pool, pausedMs))
      const reason = reasons.find((why) => why !== null)
      if (reason !== undefined) return reason
      for (const { accountId, size } of stopped.pieces) held.set(accountId, (held.get(accountId) ?? 0) - size)
      return null
    },
  }
}

/** Whether to try an account again that refused: its quota was read since then, or cannot be known. */
function mayAccept(member: Candidate & AccountQuota, { quota }: Refusal, pausedMs: number): boolean {
  if (quota === null) return false
  if (quota.quotaBytes !== member.quotaBytes || quota.usedBytes !== member.usedBytes) return true
  if (quota.checkedAt !== member.checkedAt) return true
  return member.quotaState !== 'KNOWN' && pausedMs >= UNKNOWN_ROOM_PAUSE_MS
}
