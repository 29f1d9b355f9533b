import type { QuotaReading as DomainQuotaReading } from '../../domain/accounts/contract.ts'
import { NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found } from '../found.ts'
import { databaseIdsOf } from '../ids.ts'
import { Account } from '../types/Account.ts'

const READING_COST = { field: 1, multiplier: 10 }

const QuotaReading = builder.objectRef<DomainQuotaReading>('QuotaReading').implement({
  fields: (t) => ({
    account: t.field({
      type: Account,
      resolve: async ({ accountId }, _args, context) => found(await context.load().account(accountId)),
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'In words, when the provider could not be asked; the quota is then the last known one.',
    }),
  }),
})

builder.relayMutationField(
  'refreshQuotas',
  { inputFields: (t) => ({ ids: t.idList({ required: true, description: 'At most 100 accounts.' }) }) },
  {
    description: 'Asks the providers, at most once a minute for each account.',
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input }, context) => {
      const ids = databaseIdsOf('Account', input.ids)
      return { readings: await context.services.accounts.readQuotas(requireViewer(context), ids) }
    },
  },
  {
    outputFields: (t) => ({
      readings: t.field({ type: [QuotaReading], complexity: READING_COST, resolve: ({ readings }) => readings }),
      accounts: t.field({
        type: [Account],
        complexity: READING_COST,
        resolve: async ({ readings }, _args, context) => {
          const rows = await Promise.all(readings.map(({ accountId }) => context.load().account(accountId)))
          return rows.filter((row) => row !== null)
        },
      }),
    }),
  },
)
