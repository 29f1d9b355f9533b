import type { Transfer as DomainTransfer, TransferPage } from '../../domain/transfers/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { checkedPage, DEFAULT_PAGE, pageInfoOf } from '../pages.ts'
import { Account } from './Account.ts'
import { File } from './File.ts'

const TransferKind = builder.enumType('TransferKind', { values: ['STORE', 'REPAIR', 'MOVE', 'DRAIN'] as const })

const TransferState = builder.enumType('TransferState', {
  values: ['WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'DONE', 'FAILED', 'CANCELLED'] as const,
})

/** A transfer has few accounts. */
const ACCOUNTS_COST = { field: 1, multiplier: 3 }

export const Transfer = builder.objectRef<DomainTransfer>('Transfer').implement({
  description: 'A copy that is being sent to its accounts.',
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
      description: 'Average of the last seconds, while it runs; null when unknown.',
    }),
    accounts: t.field({
      type: [Account],
      complexity: ACCOUNTS_COST,
      resolve: async ({ accountIds }, _args, context) => {
        const accounts = await Promise.all(accountIds.map((id) => context.load().account(id)))
        return accounts.filter((account) => account !== null)
      },
    }),
    why: t.exposeString('why', { description: 'Reason for these accounts.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Message: why it stopped, or what it waits for.',
    }),
    nextTryAt: t.expose('nextTryAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
  }),
})

const Edge = builder.objectRef<TransferPage['items'][number]>('UserTransfersConnectionEdge').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor'),
    node: t.field({ type: Transfer, complexity: 0, resolve: ({ transfer }) => transfer }),
  }),
})

const UserTransfersConnection = builder
  .objectRef<TransferPage & { readonly isFirst: boolean }>('UserTransfersConnection')
  .implement({
    fields: (t) => ({
      edges: t.field({ type: [Edge], complexity: { field: 0, multiplier: 1 }, resolve: ({ items }) => [...items] }),
      pageInfo: t.field({ type: builder.pageInfoRef(), complexity: 0, resolve: pageInfoOf }),
    }),
  })

builder.prismaObjectField('User', 'transfersConnection', (t) =>
  t.field({
    type: UserTransfersConnection,
    description: 'Active transfers and those that ended within a day; newest first.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      open: t.arg.boolean({ description: 'true: only active ones; false: only ended ones.' }),
    },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
    resolve: async (_user, { first, after, open }, context) => {
      const options = { limit: checkedPage(first), after: after ?? undefined, open: open ?? undefined }
      return { ...(await context.services.transfers.page(requireViewer(context), options)), isFirst: !after }
    },
  }),
)
