import type { PoolClient } from 'pg'
import type { Candidate, PlacementRules } from '../groupClouds/placement.ts'
import { QUOTA_BYTES, QUOTA_STATE } from '../groupClouds/totalQuota.ts'

/** A group cloud as planning sees it. */
export type PlanningPool = {
  readonly rules: Pick<PlacementRules, 'placement' | 'copies' | 'spanning'>
  readonly members: readonly Candidate[]
}

/** All accounts of a user, in the order in which everybody locks them. Rows that refer to them can be added meanwhile, by whoever holds other locks. */
export async function lockAccounts(tx: PoolClient, userId: string): Promise<void> {
  await tx.query('select from accounts where user_id = $1 order by id for no key update', [userId])
}

const LOAD = {
  name: 'transfers-load-members',
  text: `select g.id, g.placement, g.copies, g.spanning, coalesce(json_agg(json_build_object(
      'accountId', a.id, 'name', a.name, 'position', m.position, 'status', a.status,
      'unreachable', a.unreachable_since is not null, 'draining', m.draining, 'quotaState', ${QUOTA_STATE},
      'quotaBytes', ${QUOTA_BYTES}, 'usedBytes', a.used_bytes, 'reservedBytes', a.reserved_bytes,
      'keepFreeBytes', m.keep_free_bytes) order by m.position) filter (where a.id is not null), '[]') as members
    from group_clouds g left join group_cloud_members m on m.group_cloud_id = g.id
      left join accounts a on a.id = m.account_id and a.disconnected_at is null
    where g.id = any($1::uuid[]) group by g.id`,
}

type Row = PlanningPool['rules'] & { readonly id: string; readonly members: readonly Candidate[] }

/** Group clouds by id. The caller has locked the accounts. */
export async function loadPools(tx: PoolClient, ids: readonly string[]): Promise<Map<string, PlanningPool>> {
  const { rows } = await tx.query<Row>({ ...LOAD, values: [[...new Set(ids)]] })
  return new Map(
    rows.map(({ id, members, placement, copies, spanning }) => [
      id,
      { rules: { placement, copies, spanning }, members },
    ]),
  )
}

/** The same members after `pieces` were planned on them. */
export function withReserved(
  members: readonly Candidate[],
  pieces: readonly { readonly accountId: string; readonly size: number }[],
): Candidate[] {
  return members.map((member) => {
    const planned = pieces.filter(({ accountId }) => accountId === member.accountId)
    return { ...member, reservedBytes: planned.reduce((sum, { size }) => sum + size, member.reservedBytes) }
  })
}
