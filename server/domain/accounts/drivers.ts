import type pg from 'pg'
import type { Driver } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { Providers } from '../../providers/providers.ts'

type Row = {
  readonly provider: string
  readonly name: string
  readonly status: 'CONNECTED' | 'EXPIRED'
  readonly disconnected: boolean
}

const FIND = {
  name: 'account-to-open',
  text: 'select provider, name, status, disconnected_at is not null as disconnected from accounts where id = $1',
}

export type OpenDriver = (accountId: string) => Promise<Driver>

/**
 * Opens accounts for work on nobody's behalf; whether a viewer may see one is judged before. No I/O but one row.
 * The promise rejects with ProviderError: ReconnectNeeded for an account that is expired, disconnected or gone.
 */
export function createOpenDriver({ pool, providers }: { pool: pg.Pool; providers: Providers }): OpenDriver {
  return async (accountId) => {
    const { rows } = await pool.query<Row>({ ...FIND, values: [accountId] })
    const account = rows[0]
    const where = { provider: account?.provider ?? 'account', operation: 'open' }
    if (!account || account.disconnected) {
      const message = account ? `“${account.name}” was disconnected.` : 'This account is gone.'
      throw new ProviderError('ReconnectNeeded', where, { message })
    }
    if (account.status === 'EXPIRED') {
      throw new ProviderError('ReconnectNeeded', where, { message: `“${account.name}” needs to be connected again.` })
    }
    return providers.open({ id: accountId, provider: account.provider })
  }
}
