import type pg from 'pg'
import type { ClientBase } from 'pg'
import type { Prisma } from '../../db/generated/prisma/client.ts'
import type { Quota } from '../accounts/contract.ts'
import { visibleTo as accountsVisibleTo } from '../accounts/rows.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'
import type { PlacementRule } from './contract.ts'
import type { Candidate, PlannedCopy } from './plan.ts'
import { checkKeepFree, type GroupCloudRow } from './rows.ts'

/** Raised by the database when a change would make all users together keep more on this server than TOTAL_QUOTA (migration total_quota). */
const TOTAL_QUOTA_EXCEEDED = 'SP507'

/** Keeps TOTAL_QUOTA where every process and the database itself finds it; null is no limit. */
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

/** Room under TOTAL_QUOTA, never negative, looked up once for each statement; null without a limit. */
const ROOM = '(select local_room_bytes())'

/** As SQL, of `accounts a`: its quota as placement counts with it. What this server holds for all bounds what it holds for each. */
export const QUOTA_STATE = `case when a.provider = 'local' and ${ROOM} is not null then 'KNOWN' else a.quota_state end`
export const QUOTA_BYTES = `case when a.provider = 'local'
  then least(a.quota_bytes, a.used_bytes + a.reserved_bytes + ${ROOM}) else a.quota_bytes end`

/** A member with what the answer to an upload says about it. */
export type Member = Candidate & { readonly provider: string }

/** A group cloud as placement needs it. */
export type GroupCloudMembers = {
  readonly groupCloudId: string
  readonly placement: PlacementRule
  readonly copies: number
  readonly spanning: boolean
  readonly members: readonly Member[]
  readonly previousAccountId: string | null
}

/** A row of MEMBER_COLUMNS; bigints come as texts. `account_id` null: a group cloud without members. */
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
}

/** Of `group_clouds g`, `group_cloud_members m` and `accounts a`. */
const MEMBER_COLUMNS = `g.id as group_cloud_id, g.placement, g.copies, g.spanning, a.id as account_id, a.provider, a.name,
  m.position, a.status, a.unreachable_since is not null as unreachable, m.draining, ${QUOTA_STATE} as quota_state,
  ${QUOTA_BYTES} as quota_bytes, a.used_bytes,
  a.reserved_bytes, m.keep_free_bytes`

/** `at` is the place of the question. */
const FIND = {
  name: 'group-clouds-find-members',
  text: `select at, ${MEMBER_COLUMNS} from unnest($1::uuid[], $2::uuid[]) with ordinality as asked(user_id, group_cloud_id, at)
    join group_clouds g on g.user_id = asked.user_id
      and case when asked.group_cloud_id is null then g.default_upload_group else g.id = asked.group_cloud_id end
    left join group_cloud_members m on m.group_cloud_id = g.id
    left join accounts a on a.id = m.account_id and a.disconnected_at is null`,
}

/**
 * Accounts in one order everywhere, so that two transactions never wait for each other. The membership is held too: who waited
 * for an account that has left meanwhile does not see it as a member any more.
 */
const LOCK = {
  name: 'group-clouds-lock-members',
  text: `select ${MEMBER_COLUMNS} from group_clouds g
    join group_cloud_members m on m.group_cloud_id = g.id
    join accounts a on a.id = m.account_id and a.disconnected_at is null
    where g.id = any($1::uuid[]) order by a.id for no key update of a for share of m for key share of g`,
}

/** What the newest file of each group cloud is stored on. */
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
  /** Undefined: the default one. */
  readonly id: string | undefined
}

/** The users' group clouds, one answer per question; null where there is none. */
export async function findMembers(
  client: Pick<ClientBase, 'query'>,
  questions: readonly Question[],
): Promise<(GroupCloudMembers | null)[]> {
  const values = [questions.map(({ userId }) => userId), questions.map(({ id }) => id ?? null)]
  const { rows } = await client.query<MemberRow & { at: string }>({ ...FIND, values })
  return questions.map((_, index) => {
    const [found] = groupRows(rows.filter(({ at }) => Number(at) === index + 1)).values()
    return found ?? null
  })
}

/** Group clouds by id, with their accounts locked until the transaction ends. Absent: gone, or without a connected account. */
export async function lockMembers(
  client: ClientBase,
  groupCloudIds: readonly string[],
): Promise<Map<string, GroupCloudMembers>> {
  const { rows } = await client.query<MemberRow>({ ...LOCK, values: [[...new Set(groupCloudIds)]] })
  return withTurns(client, groupRows(rows))
}

/** The members of each group cloud of the rows. */
function groupRows(rows: readonly MemberRow[]): Map<string, GroupCloudMembers> {
  const found = new Map<string, { row: MemberRow; members: Member[] }>()
  for (const row of rows) {
    const entry = found.get(row.group_cloud_id) ?? { row, members: [] }
    found.set(row.group_cloud_id, entry)
    if (row.account_id !== null) entry.members.push(memberOf(row, row.account_id))
  }
  return new Map(
    [...found].map(([groupCloudId, { row, members }]) => {
      const { placement, copies, spanning } = row
      return [groupCloudId, { groupCloudId, placement, copies, spanning, members, previousAccountId: null }]
    }),
  )
}

/** Fills in whose turn was last: only group clouds that take turns ask. */
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

/** The same group cloud with more (or, negative, fewer) bytes reserved on some accounts. */
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

/** Copies of one file follow each other in turn, so that the last of them has a neighbour that was not used. */
function endOfTurn(members: readonly Candidate[], used: ReadonlySet<string>): string | null {
  const ring = members.toSorted((a, b) => a.position - b.position)
  const last = ring.find((member, index) => {
    const next = ring[(index + 1) % ring.length]
    return used.has(member.accountId) && (ring.length === 1 || !used.has(next?.accountId ?? ''))
  })
  return last?.accountId ?? null
}

function memberOf(row: MemberRow, accountId: string): Member {
  return {
    accountId,
    provider: row.provider,
    name: row.name,
    position: row.position,
    status: row.status,
    unreachable: row.unreachable,
    draining: row.draining,
    quotaState: row.quota_state,
    quotaBytes: row.quota_bytes === null ? null : Number(row.quota_bytes),
    usedBytes: Number(row.used_bytes),
    reservedBytes: Number(row.reserved_bytes),
    keepFreeBytes: Number(row.keep_free_bytes),
  }
}

type Tx = Prisma.TransactionClient
type CurrentMember = { readonly accountId: string; readonly draining: boolean }

/** @throws NotFoundError when one is not the viewer's */
export async function requireAccounts(tx: Tx, viewer: Viewer, ids: readonly string[]): Promise<void> {
  const found = await tx.account.count({ where: { id: { in: [...ids] }, ...accountsVisibleTo(viewer) } })
  if (found !== ids.length) throw new NotFoundError('One of these accounts does not exist, or it is not yours.')
}

/** In the order in which everybody locks them, and before any row that refers to them: uploads that use them wait. */
export async function lockAccounts(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.$queryRaw`select 1 from accounts where id = any(${[...ids]}::uuid[]) order by id for no key update`
}

/** @throws NotFoundError, ConflictError when one that is left out holds files of the group cloud */
export async function reorderMembers(
  tx: Tx,
  viewer: Viewer,
  row: GroupCloudRow,
  accountIds: readonly string[],
): Promise<void> {
  await requireAccounts(tx, viewer, accountIds)
  const before = new Set(row.members.map(({ accountId }) => accountId))
  await lockAccounts(tx, [...new Set([...before, ...accountIds])])
  await refuseLosingPieces(tx, row, accountIds)
  await tx.groupCloudMember.deleteMany({ where: { groupCloudId: row.id, accountId: { notIn: [...accountIds] } } })
  for (const [position, accountId] of accountIds.entries()) {
    const key = { groupCloudId: row.id, accountId }
    // Rows are changed in their place: an upload that waits for one finds it again.
    if (before.has(accountId)) {
      await tx.groupCloudMember.update({ where: { groupCloudId_accountId: key }, data: { position } })
    } else await tx.groupCloudMember.create({ data: { ...key, position } })
  }
}

async function refuseLosingPieces(tx: Tx, row: GroupCloudRow, accountIds: readonly string[]): Promise<void> {
  for (const { account } of row.members.filter((member) => !accountIds.includes(member.accountId))) {
    const where = { accountId: account.id, copy: { file: { groupCloudId: row.id, purgedAt: null } } }
    if (await tx.piece.findFirst({ where, select: { id: true } })) {
      throw new ConflictError(
        `“${account.name}” holds files of this group cloud. Please drain it first: they move to the other accounts, and then it leaves.`,
      )
    }
  }
}

/** @throws InvalidInputError, NotFoundError for an account that is no member */
export async function keepFree(
  tx: Tx,
  groupCloudId: string,
  accountIds: readonly string[],
  bytesOf: Readonly<Record<string, number>>,
): Promise<void> {
  const entries = Object.entries(bytesOf)
  checkKeepFree(entries.map(([, bytes]) => bytes))
  for (const [accountId, bytes] of entries) {
    if (!accountIds.includes(accountId)) throw notMember()
    const where = { groupCloudId_accountId: { groupCloudId, accountId } }
    await tx.groupCloudMember.update({ where, data: { keepFreeBytes: BigInt(bytes) } })
  }
}

/**
 * Begins or stops to empty a member. @returns whether that changed anything
 * @throws NotFoundError, ConflictError when the others are too few for the copies that are asked for
 */
export async function changeDraining(
  tx: Tx,
  row: GroupCloudRow,
  accountId: string,
  draining: boolean,
): Promise<boolean> {
  const member = row.members.find((one) => one.accountId === accountId)
  if (!member) throw notMember()
  if (member.draining === draining) return false
  if (draining) refuseTooFew(row, member)
  const where = { groupCloudId_accountId: { groupCloudId: row.id, accountId } }
  await tx.groupCloudMember.update({ where, data: { draining } })
  // What was given up of an earlier draining is asked for again.
  await tx.transfer.updateMany({
    where: { kind: 'DRAIN', state: 'CANCELLED', error: null, file: { groupCloudId: row.id } },
    data: { error: 'Another draining was asked for.' },
  })
  return true
}

function refuseTooFew({ members, copies }: GroupCloudRow, member: CurrentMember & { account: { name: string } }): void {
  const others = members.filter((one) => one.accountId !== member.accountId && !one.draining).length
  if (others >= copies) return
  const { name } = member.account
  if (others === 0) {
    throw new ConflictError(
      `“${name}” is the last account of this group cloud that takes files. Please add another one first.`,
    )
  }
  throw new ConflictError(
    `Each of the ${copies} copies needs an account of its own, and without “${name}” there are only ${others}. Please add another account, or ask for fewer copies, first.`,
  )
}

function notMember(): NotFoundError {
  return new NotFoundError('This account does not exist, or it is not part of this group cloud.')
}
