import type pg from 'pg'
import type { ClientBase } from 'pg'
import type { Quota } from '../accounts/contract.ts'
import type { PlacementRule } from './contract.ts'
import type { Candidate, PlannedCopy } from './placement.ts'

/** SQLSTATE raised by the database when a change would exceed TOTAL_QUOTA, the quota of all users together on this server (migration total_quota). */
const TOTAL_QUOTA_EXCEEDED = 'SP507'

/** Stores TOTAL_QUOTA in the database, which enforces it for all processes; null is no limit. */
export async function setTotalQuota(pool: Pick<pg.Pool, 'query'>, bytes: number | null): Promise<void> {
  await pool.query(
    `insert into server_limits (id, total_quota_bytes) values (1, $1)
     on conflict (id) do update set total_quota_bytes = excluded.total_quota_bytes
     where server_limits.total_quota_bytes is distinct from excluded.total_quota_bytes`,
    [bytes],
  )
}

export function isTotalQuotaError(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === TOTAL_QUOTA_EXCEEDED
}

/** As SQL: free space under TOTAL_QUOTA, never negative, evaluated once per statement; null without a limit. */
const ROOM = '(select local_room_bytes())'

/** As SQL, of `accounts a`: its quota for placement. On this server TOTAL_QUOTA limits each user's account as well. */
export const QUOTA_STATE = `case when a.provider = 'local' and ${ROOM} is not null then 'KNOWN' else a.quota_state end`
export const QUOTA_BYTES = `case when a.provider = 'local'
  then least(a.quota_bytes, a.used_bytes + a.reserved_bytes + ${ROOM}) else a.quota_bytes end`

/** As SQL, of `accounts a` and the membership `m`, which may be null: it may not hold the only copy of a file. */
export const EXTRA_ONLY = `(a.pool_use = 'EXTRA_COPIES' and not coalesce(m.allow_only_copy, false))`

/** As SQL, of `files f`: another copy than `copyId` is on accounts that may hold the only one. */
export function mainCopySql(copyId: string): string {
  return `exists (select from copies o where o.file_id = f.id and o.id is distinct from ${copyId} and o.state <> 'MISSING'
    and exists (select from pieces p where p.copy_id = o.id)
    and not exists (select from pieces p join accounts a on a.id = p.account_id
      left join group_cloud_members m on m.account_id = a.id and m.group_cloud_id = f.group_cloud_id
      where p.copy_id = o.id and ${EXTRA_ONLY}))`
}

/** A member with its provider, which the response to an upload contains. */
export type Member = Candidate & { readonly provider: string }

/** The rules and members of a group cloud, for placement. */
export type GroupCloudMembers = {
  readonly groupCloudId: string
  readonly placement: PlacementRule
  readonly copies: number
  readonly spanning: boolean
  readonly members: readonly Member[]
  readonly previousAccountId: string | null
}

/** How messages name an account: by provider and name. */
export type AccountLabel = (account: { readonly provider: string; readonly name: string }) => string

/** Without the provider. */
export const byName: AccountLabel = ({ name }) => name

/** A row of MEMBER_COLUMNS; bigints are strings. `account_id` null: a group cloud without members. */
type MemberRow = {
  group_cloud_id: string
  placement: PlacementRule
  copies: number
  spanning: boolean
  account_id: string | null
  provider: string
  name: string
  position: number
  status: 'CONNECTED' | 'EXPIRED'
  unreachable: boolean
  draining: boolean
  quota_state: Quota['state']
  quota_bytes: string | null
  used_bytes: string
  reserved_bytes: string
  keep_free_bytes: string
  extra_only: boolean
}

/** As SQL, of `group_clouds g`, `group_cloud_members m` and `accounts a`. */
const MEMBER_COLUMNS = `g.id as group_cloud_id, g.placement, g.copies, g.spanning, a.id as account_id, a.provider, a.name,
  m.position, a.status, a.unreachable_since is not null as unreachable, m.draining, ${QUOTA_STATE} as quota_state,
  ${QUOTA_BYTES} as quota_bytes, a.used_bytes,
  a.reserved_bytes, m.keep_free_bytes, ${EXTRA_ONLY} as extra_only`

/** `at` is the number of the question, from 1. */
const FIND = {
  name: 'group-clouds-find-members',
  text: `select at, ${MEMBER_COLUMNS} from unnest($1::uuid[], $2::uuid[]) with ordinality as asked(user_id, group_cloud_id, at)
    join group_clouds g on g.user_id = asked.user_id
      and case when asked.group_cloud_id is null then g.default_upload_group else g.id = asked.group_cloud_id end
    left join group_cloud_members m on m.group_cloud_id = g.id
    left join accounts a on a.id = m.account_id and a.disconnected_at is null`,
}

/**
 * Locks accounts in the same order everywhere, so that transactions cannot deadlock. Locks the memberships too: a transaction that
 * waited for an account that was removed meanwhile does not see it as a member.
 */
const LOCK = {
  name: 'group-clouds-lock-members',
  text: `select ${MEMBER_COLUMNS} from group_clouds g
    join group_cloud_members m on m.group_cloud_id = g.id
    join accounts a on a.id = m.account_id and a.disconnected_at is null
    where g.id = any($1::uuid[]) order by a.id for no key update of a for share of m for key share of g`,
}

/**
 * An account as the only place for files under their own names. It counts even while it cannot be used: what it was promised waits for it.
 */
const ACCOUNTS = {
  name: 'group-clouds-accounts',
  text: `select a.id as group_cloud_id, 'MOST_FREE' as placement, 1 as copies, false as spanning, a.id as account_id, a.provider, a.name,
      0 as position, 'CONNECTED' as status, false as unreachable, false as draining, ${QUOTA_STATE} as quota_state,
      ${QUOTA_BYTES} as quota_bytes, a.used_bytes, a.reserved_bytes, 0 as keep_free_bytes, false as extra_only
    from accounts a where a.id = any($1::uuid[]) and a.disconnected_at is null`,
}

/** All accounts that a transaction is going to count, in one order. */
const LOCK_ACCOUNTS = {
  name: 'group-clouds-lock-accounts',
  text: `select from accounts a where a.id = any($2::uuid[]) or a.id in (
      select account_id from group_cloud_members where group_cloud_id = any($1::uuid[]))
    order by a.id for no key update`,
}

/** The accounts that hold the newest file of each group cloud. */
const NEWEST = {
  name: 'group-clouds-newest',
  text: `select g.id as group_cloud_id, p.account_id from unnest($1::uuid[]) as g(id)
    cross join lateral (
      select f.id from files f where f.group_cloud_id = g.id and f.kind = 'FILE' order by f.id desc limit 1
    ) newest
    join copies c on c.file_id = newest.id join pieces p on p.copy_id = c.id`,
}

export type Question = {
  readonly userId: string
  /** undefined: the default group cloud. */
  readonly id: string | undefined
}

/** The users' group clouds, one result per question; null where there is none. Without `previousAccountId`: see `withTurns`. */
export async function findMembers(
  client: Pick<ClientBase, 'query'>,
  questions: readonly Question[],
  label: AccountLabel = byName,
): Promise<(GroupCloudMembers | null)[]> {
  const values = [questions.map(({ userId }) => userId), questions.map(({ id }) => id ?? null)]
  const { rows } = await client.query<MemberRow & { at: string }>({ ...FIND, values })
  return questions.map((_, index) => {
    const [found] = groupRows(
      rows.filter(({ at }) => Number(at) === index + 1),
      label,
    ).values()
    return found ?? null
  })
}

/** Group clouds by id, with their accounts locked until the transaction ends. Absent: deleted, or without a connected account. */
export async function lockMembers(
  client: ClientBase,
  groupCloudIds: readonly string[],
  label: AccountLabel = byName,
): Promise<Map<string, GroupCloudMembers>> {
  const { rows } = await client.query<MemberRow>({ ...LOCK, values: [[...new Set(groupCloudIds)]] })
  return withTurns(client, groupRows(rows, label))
}

/** Where a file goes: into a group cloud, or into a folder of an account. One of them is set. */
export type Target = { readonly groupCloudId: string | null; readonly accountId: string | null }

/** The key of a target in the results of `lockTargets`. */
export function targetKey({ groupCloudId, accountId }: Target): string {
  return accountId ?? groupCloudId ?? ''
}

/** As lockMembers, by `targetKey`. An account counts as a group cloud with one copy. */
export async function lockTargets(
  client: ClientBase,
  targets: readonly Target[],
  label: AccountLabel = byName,
): Promise<Map<string, GroupCloudMembers>> {
  const accountIds = [...new Set(targets.flatMap(({ accountId }) => accountId ?? []))]
  const ids = targets.flatMap(({ accountId, groupCloudId }) => (accountId === null ? (groupCloudId ?? []) : []))
  if (accountIds.length === 0) return lockMembers(client, ids, label)
  await client.query({ ...LOCK_ACCOUNTS, values: [ids, accountIds] })
  const found = await lockMembers(client, ids, label)
  for (const id of accountIds) {
    const account = await findAccountTarget(client, id, label)
    if (account) found.set(id, account)
  }
  return found
}

/** An account as the target of files; null: it was disconnected. */
export async function findAccountTarget(
  client: Pick<ClientBase, 'query'>,
  accountId: string,
  label: AccountLabel = byName,
): Promise<GroupCloudMembers | null> {
  const { rows } = await client.query<MemberRow>({ ...ACCOUNTS, values: [[accountId]] })
  return groupRows(rows, label).get(accountId) ?? null
}

/** Groups rows by group cloud. */
function groupRows(rows: readonly MemberRow[], label: AccountLabel): Map<string, GroupCloudMembers> {
  const found = new Map<string, { row: MemberRow; members: Member[] }>()
  for (const row of rows) {
    const entry = found.get(row.group_cloud_id) ?? { row, members: [] }
    found.set(row.group_cloud_id, entry)
    if (row.account_id !== null) entry.members.push(memberOf(row, row.account_id, label))
  }
  return new Map(
    [...found].map(([groupCloudId, { row, members }]) => {
      const { placement, copies, spanning } = row
      return [groupCloudId, { groupCloudId, placement, copies, spanning, members, previousAccountId: null }]
    }),
  )
}

/** Sets `previousAccountId` of group clouds with the rule ROUND_ROBIN; for others no query is made. */
export async function withTurns(
  client: Pick<ClientBase, 'query'>,
  found: Map<string, GroupCloudMembers>,
): Promise<Map<string, GroupCloudMembers>> {
  const ids = [...found.values()].filter(({ placement }) => placement === 'ROUND_ROBIN').map((one) => one.groupCloudId)
  if (ids.length === 0) return found
  const { rows } = await client.query<{ group_cloud_id: string; account_id: string }>({ ...NEWEST, values: [ids] })
  for (const id of ids) {
    const used = new Set(rows.flatMap((row) => (row.group_cloud_id === id ? [row.account_id] : [])))
    const one = found.get(id)
    if (one) found.set(id, { ...one, previousAccountId: endOfTurn(one.members, used) })
  }
  return found
}

/** The group cloud with more (or, if negative, fewer) bytes reserved, by account. */
export function withReserved(one: GroupCloudMembers, bytes: ReadonlyMap<string, number>): GroupCloudMembers {
  const members = one.members.map((member) => {
    const change = bytes.get(member.accountId)
    return change === undefined ? member : { ...member, reservedBytes: member.reservedBytes + change }
  })
  return { ...one, members }
}

/** Bytes of planned copies by account. */
export function bytesByAccount(copies: readonly PlannedCopy[]): Map<string, number> {
  const bytes = new Map<string, number>()
  for (const { pieces } of copies) {
    for (const { accountId, size } of pieces) bytes.set(accountId, (bytes.get(accountId) ?? 0) + size)
  }
  return bytes
}

/** The account whose turn was last. The copies of a file are on consecutive members, so it is the used one whose successor is unused. */
function endOfTurn(members: readonly Candidate[], used: ReadonlySet<string>): string | null {
  const ring = members.toSorted((a, b) => a.position - b.position)
  const last = ring.find((member, index) => {
    const next = ring[(index + 1) % ring.length]
    return used.has(member.accountId) && (ring.length === 1 || !used.has(next?.accountId ?? ''))
  })
  return last?.accountId ?? null
}

function memberOf(row: MemberRow, accountId: string, label: AccountLabel): Member {
  return {
    accountId,
    provider: row.provider,
    name: label(row),
    position: row.position,
    status: row.status,
    unreachable: row.unreachable,
    draining: row.draining,
    quotaState: row.quota_state,
    quotaBytes: row.quota_bytes === null ? null : Number(row.quota_bytes),
    usedBytes: Number(row.used_bytes),
    reservedBytes: Number(row.reserved_bytes),
    keepFreeBytes: Number(row.keep_free_bytes),
    extraOnly: row.extra_only,
  }
}
