import type { Db } from '../../db/client.ts'
import type { AccountsService } from '../services.ts'
import { visibleTo } from './policy.ts'
import { quotaOf, sumQuotas, toAccount } from './rows.ts'

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
