import type pg from 'pg'
import type { PlacementRule } from '../../server/domain/groupClouds/contract.ts'
import { newId } from '../../server/lib/ids.ts'

export type GroupCloudOverrides = {
  readonly copies?: number
  readonly spanning?: boolean
  readonly placement?: PlacementRule
}

/** A connected account of the memory cloud, under its subject. @returns its id */
export async function createMemoryAccount(
  pool: pg.Pool,
  userId: string,
  name: string,
  quota: number | 'UNLIMITED',
): Promise<string> {
  const id = newId()
  const known = quota === 'UNLIMITED' ? null : quota
  await pool.query(
    `insert into accounts (id, user_id, provider, provider_account_id, name, quota_state, quota_bytes)
     values ($1, $2, 'memory', $3, $3, $4::"QuotaState", $5)`,
    [id, userId, name, known === null ? 'UNLIMITED' : 'KNOWN', known],
  )
  return id
}

/** Members in the order given. @returns its id */
export async function createGroupCloud(
  pool: pg.Pool,
  userId: string,
  accountIds: readonly string[],
  { copies = 1, spanning = true, placement = 'IN_ORDER' }: GroupCloudOverrides = {},
): Promise<string> {
  const id = newId()
  await pool.query(
    `insert into group_clouds (id, user_id, name, copies, spanning, placement)
     values ($1, $2, $3, $4, $5, $6::"PlacementRule")`,
    [id, userId, `Pool ${id}`, copies, spanning, placement],
  )
  await pool.query(
    `insert into group_cloud_members (group_cloud_id, account_id, position)
     select $1, account_id, position - 1 from unnest($2::uuid[]) with ordinality as i(account_id, position)`,
    [id, accountIds],
  )
  return id
}
