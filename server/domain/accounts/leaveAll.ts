import type { Pool } from 'pg'
import type { Sealing } from '../../lib/sealing.ts'
import type { Providers } from '../../providers/providers.ts'
import { opened } from './credentials.ts'
import type { Grants } from './grants.ts'

export type LeaveAllDeps = {
  readonly pool: Pool
  readonly sealing: Sealing
  readonly providers: Providers
  readonly grants: Grants
  readonly onError: (error: unknown) => void
}

type Row = { readonly id: string; readonly provider: string; readonly subject: string | null } & {
  readonly sealed: string
  readonly version: number
}

const WITH_CREDENTIALS = `select a.id, a.provider, a.provider_account_id as subject, c.sealed, c.version
  from accounts a join account_credentials c on c.account_id = a.id where a.user_id = $1 order by a.id`

/**
 * Leaves every account of a user who is gone: revokes at the provider, then erases what opens it. In this order, so that a crash
 * between the two revokes again instead of never. Their files are given up there.
 */
export async function leaveAccounts(deps: LeaveAllDeps, userId: string, signal: AbortSignal): Promise<void> {
  const { pool, providers } = deps
  await pool.query(
    `update accounts set disconnected_at = now(), unreachable_since = null
     where user_id = $1 and provider <> 'local' and disconnected_at is null`,
    [userId],
  )
  const { rows } = await pool.query<Row>(WITH_CREDENTIALS, [userId])
  for (const row of rows) {
    signal.throwIfAborted()
    await revoke(deps, row)
    await pool.query('delete from account_credentials where account_id = $1', [row.id])
    providers.close(row.id)
  }
}

/** What cannot be opened is erased without the provider being told. */
async function revoke({ sealing, grants, onError }: LeaveAllDeps, row: Row): Promise<void> {
  if (row.subject === null) return
  try {
    await grants.giveBack(row.provider, row.subject, opened(sealing, row.id, row).credentials)
  } catch (error) {
    onError(error)
  }
}
