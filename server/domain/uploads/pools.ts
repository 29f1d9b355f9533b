import type { ClientBase, Pool as PgPool } from 'pg'
import { createBatcher, type Outcome } from '../../lib/batcher.ts'
import { NotFoundError, StorageFullError } from '../errors.ts'
import { type Candidate, freeBytes, placeFile } from '../groupClouds/placement.ts'
import type { PlacementRule } from '../services.ts'

/** A group cloud with those of its members that can hold bytes. */
export type GroupCloudMembers = {
  readonly groupCloudId: string
  readonly placement: PlacementRule
  readonly members: readonly Candidate[]
}

type Row = {
  group_cloud_id: string
  placement: PlacementRule
  account_id: string | null
  name: string
  position: number
  status: 'CONNECTED' | 'EXPIRED'
  quota_bytes: string | null
  used_bytes: string
  reserved_bytes: string
  keep_free_bytes: string
}

const COLUMNS = `g.id as group_cloud_id, g.placement, a.id as account_id, a.name, m.position, a.status, a.quota_bytes,
  a.used_bytes, a.reserved_bytes, m.keep_free_bytes`

/** `at` is the place of the question. */
const FIND = {
  name: 'uploads-find-group-clouds',
  text: `select at, ${COLUMNS} from unnest($1::uuid[], $2::uuid[]) with ordinality as asked(user_id, group_cloud_id, at)
    join group_clouds g on g.user_id = asked.user_id
      and case when asked.group_cloud_id is null then g.default_upload_group else g.id = asked.group_cloud_id end
    left join group_cloud_members m on m.group_cloud_id = g.id
    left join accounts a on a.id = m.account_id and a.provider = 'local'`,
}
/** Most uploads that are looked up at once. */
const GATHERED = 100

/** Accounts in one order everywhere, so that two batches never wait for each other. */
const LOCK = {
  name: 'uploads-lock-accounts',
  text: `select ${COLUMNS} from group_clouds g
    join group_cloud_members m on m.group_cloud_id = g.id
    join accounts a on a.id = m.account_id and a.provider = 'local'
    where g.id = any($1::uuid[]) order by a.id for update of a for key share of g`,
}

type Question = { readonly userId: string; readonly id: string | undefined }

/** The user's group cloud of that id, or their default one. @throws NotFoundError */
export type FindGroupCloud = (question: Question) => Promise<GroupCloudMembers>

/** Uploads that begin meanwhile are looked up together, in one statement. */
export function createFindGroupCloud(pool: PgPool): FindGroupCloud {
  return createBatcher({ limit: GATHERED, run: (questions: readonly Question[]) => findGroupClouds(pool, questions) })
}

async function findGroupClouds(pool: PgPool, questions: readonly Question[]): Promise<Outcome<GroupCloudMembers>[]> {
  const values = [questions.map(({ userId }) => userId), questions.map(({ id }) => id ?? null)]
  const { rows } = await pool.query<Row & { at: string }>({ ...FIND, values })
  return questions.map((_, index) => {
    const [value] = group(rows.filter(({ at }) => Number(at) === index + 1)).values()
    if (value) return { ok: true, value }
    return { ok: false, error: new NotFoundError('This group cloud does not exist. Please choose another one.') }
  })
}

/** Group clouds by id, with their accounts locked until the transaction ends. Absent: gone, or without an account that can hold bytes. */
export async function lockGroupClouds(
  client: ClientBase,
  ids: readonly string[],
): Promise<Map<string, GroupCloudMembers>> {
  const { rows } = await client.query<Row>({ ...LOCK, values: [[...new Set(ids)]] })
  return group(rows)
}

/** Where `size` bytes go. @throws StorageFullError with the reason in words */
export function place(pool: GroupCloudMembers, size: number): { accountId: string; why: string } {
  const placement = placeFile(pool.members, size, pool.placement)
  if (!placement.placed) throw new StorageFullError(size, placement.freeBytes, placement.why)
  return placement
}

/** The most that any member can still take; Infinity when one has no known limit. */
export function mostFree({ members }: GroupCloudMembers): number {
  return Math.max(0, ...members.map((member) => freeBytes(member) ?? Number.POSITIVE_INFINITY))
}

/** The same group cloud with more (or, negative, fewer) bytes taken on one account. */
export function withTaken(
  pool: GroupCloudMembers,
  accountId: string,
  change: { used?: number; reserved?: number },
): GroupCloudMembers {
  const members = pool.members.map((member) =>
    member.accountId !== accountId
      ? member
      : {
          ...member,
          usedBytes: member.usedBytes + (change.used ?? 0),
          reservedBytes: member.reservedBytes + (change.reserved ?? 0),
        },
  )
  return { ...pool, members }
}

function group(rows: readonly Row[]): Map<string, GroupCloudMembers> {
  const pools = new Map<string, GroupCloudMembers>()
  for (const row of rows) {
    const { groupCloudId, placement, members } = pools.get(row.group_cloud_id) ?? {
      groupCloudId: row.group_cloud_id,
      placement: row.placement,
      members: [],
    }
    const added = row.account_id === null ? members : [...members, candidateOf(row, row.account_id)]
    pools.set(groupCloudId, { groupCloudId, placement, members: added })
  }
  return pools
}

function candidateOf(row: Row, accountId: string): Candidate {
  return {
    accountId,
    name: row.name,
    position: row.position,
    status: row.status,
    quotaBytes: row.quota_bytes === null ? null : Number(row.quota_bytes),
    usedBytes: Number(row.used_bytes),
    reservedBytes: Number(row.reserved_bytes),
    keepFreeBytes: Number(row.keep_free_bytes),
  }
}
