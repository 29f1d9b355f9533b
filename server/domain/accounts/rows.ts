import type { Account as AccountRow } from '../../db/generated/prisma/client.ts'
import type { Account, Quota } from '../services.ts'

export type QuotaColumns = {
  readonly quotaState: Quota['state']
  readonly usedBytes: bigint | number
  readonly reservedBytes: bigint | number
  readonly quotaBytes: bigint | number | null
}

export function toAccount(row: AccountRow): Account {
  const { id, provider, name, email, status, statusReason, unreachableSince, hue, createdAt } = row
  return { id, provider, name, email, status, statusReason, unreachableSince, hue, createdAt, quota: quotaOf(row) }
}

export function quotaOf({ quotaState, usedBytes, reservedBytes, quotaBytes }: QuotaColumns): Quota {
  return {
    state: quotaState,
    usedBytes: Number(usedBytes),
    reservedBytes: Number(reservedBytes),
    totalBytes: quotaBytes === null ? null : Number(quotaBytes),
  }
}

/**
 * The quota of several accounts taken together; without a total as soon as one has none, and unknown as soon as one is. What has
 * expired has room for nobody and does not count.
 */
export function sumQuotas(accounts: readonly (QuotaColumns & Pick<AccountRow, 'status'>)[]): Quota {
  const quotas = accounts.filter(({ status }) => status === 'CONNECTED').map(quotaOf)
  const sum = (read: (quota: Quota) => number) => quotas.reduce((total, quota) => total + read(quota), 0)
  return {
    state: sumOfStates(quotas.map(({ state }) => state)),
    usedBytes: sum((quota) => quota.usedBytes),
    reservedBytes: sum((quota) => quota.reservedBytes),
    totalBytes: quotas.some((quota) => quota.totalBytes === null) ? null : sum((quota) => quota.totalBytes ?? 0),
  }
}

function sumOfStates(states: readonly Quota['state'][]): Quota['state'] {
  if (states.includes('UNKNOWN')) return 'UNKNOWN'
  return states.includes('UNLIMITED') ? 'UNLIMITED' : 'KNOWN'
}
