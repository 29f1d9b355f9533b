import type { Db } from '../../db/client.ts'
import type { Account as AccountRow } from '../../db/generated/prisma/client.ts'
import type { Account, AccountsService, Quota } from '../services.ts'
import { visibleTo } from './policy.ts'

export type AccountsDeps = { readonly db: Db }

export function createAccountsService({ db }: AccountsDeps): AccountsService {
  return {
    async list(viewer) {
      const rows = await db.account.findMany({
        where: visibleTo(viewer),
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      })
      return rows.map(toAccount)
    },
    async getMany(viewer, ids) {
      const rows = await db.account.findMany({ where: { id: { in: [...ids] }, ...visibleTo(viewer) } })
      const byId = new Map(rows.map((row) => [row.id, toAccount(row)]))
      return ids.map((id) => byId.get(id) ?? null)
    },
    async quota(viewer) {
      return sumQuotas((await db.account.findMany({ where: visibleTo(viewer) })).map(quotaOf))
    },
  }
}

/** The quota of several accounts taken together; unlimited or unknown as soon as one is. */
export function sumQuotas(quotas: readonly Quota[]): Quota {
  const sum = (read: (quota: Quota) => number) => quotas.reduce((total, quota) => total + read(quota), 0)
  return {
    usedBytes: sum((quota) => quota.usedBytes),
    reservedBytes: sum((quota) => quota.reservedBytes),
    totalBytes: quotas.some((quota) => quota.totalBytes === null) ? null : sum((quota) => quota.totalBytes ?? 0),
  }
}

export function quotaOf(row: Pick<AccountRow, 'usedBytes' | 'reservedBytes' | 'quotaBytes'>): Quota {
  return {
    usedBytes: Number(row.usedBytes),
    reservedBytes: Number(row.reservedBytes),
    totalBytes: row.quotaBytes === null ? null : Number(row.quotaBytes),
  }
}

function toAccount(row: AccountRow): Account {
  const { id, provider, name, email, status, hue, createdAt } = row
  return { id, provider, name, email, status, hue, createdAt, quota: quotaOf(row) }
}
