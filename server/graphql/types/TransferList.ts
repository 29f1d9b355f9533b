import type { TransferPage } from '../../domain/transfers/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { checkedPage, DEFAULT_PAGE } from '../limits.ts'
import { pageInfoOf } from '../pageInfo.ts'
import { Transfer } from './Transfer.ts'

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
    description: 'Those that are not over, and those that ended within a day; newest first.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      open: t.arg.boolean({ description: 'Only those that are not over, or only those that are.' }),
    },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
    resolve: async (_user, { first, after, open }, context) => {
      const options = { limit: checkedPage(first), after: after ?? undefined, open: open ?? undefined }
      return { ...(await context.services.transfers.page(requireViewer(context), options)), isFirst: !after }
    },
  }),
)
