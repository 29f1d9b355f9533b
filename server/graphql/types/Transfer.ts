import type { Transfer as DomainTransfer } from '../../domain/transfers/contract.ts'
import { builder } from '../builder.ts'
import { globalIdOf } from '../ids.ts'
import { Account } from './Account.ts'
import { TransferKind, TransferState } from './enums.ts'
import { File } from './File.ts'

/** Accounts of one transfer are few. */
const ACCOUNTS_COST = { field: 1, multiplier: 3 }

export const Transfer = builder.objectRef<DomainTransfer>('Transfer').implement({
  description: 'A copy on its way to its accounts.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('Transfer', id) }),
    file: t.field({
      type: File,
      nullable: true,
      resolve: ({ fileId }, _args, context) => context.load().file(fileId),
    }),
    fileName: t.exposeString('fileName'),
    mimeType: t.exposeString('mimeType', { nullable: true }),
    kind: t.expose('kind', { type: TransferKind }),
    state: t.expose('state', { type: TransferState }),
    totalBytes: t.expose('totalBytes', { type: 'BigInt' }),
    sentBytes: t.expose('sentBytes', { type: 'BigInt', description: 'Confirmed by the providers.' }),
    bytesPerSecond: t.exposeFloat('bytesPerSecond', {
      nullable: true,
      description: 'Over the last seconds, while it runs; null when nothing can be said.',
    }),
    accounts: t.field({
      type: [Account],
      complexity: ACCOUNTS_COST,
      resolve: async ({ accountIds }, _args, context) => {
        const accounts = await Promise.all(accountIds.map((id) => context.load().account(id)))
        return accounts.filter((account) => account !== null)
      },
    }),
    why: t.exposeString('why', { description: 'Why these accounts, in words.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'What stopped it, or what it waits for, in words.',
    }),
    nextTryAt: t.expose('nextTryAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
  }),
})
