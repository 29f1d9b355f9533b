import type { KeyPage } from '../../domain/keys/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { checkedPage, DEFAULT_PAGE } from '../limits.ts'
import { pageInfoOf } from '../pageInfo.ts'
import { ApiKey } from './ApiKey.ts'

const Edge = builder.objectRef<KeyPage['items'][number]>('UserApiKeysConnectionEdge').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor'),
    node: t.field({ type: ApiKey, complexity: 0, resolve: ({ key }) => key }),
  }),
})

const UserApiKeysConnection = builder
  .objectRef<KeyPage & { readonly isFirst: boolean }>('UserApiKeysConnection')
  .implement({
    fields: (t) => ({
      edges: t.field({ type: [Edge], complexity: { field: 0, multiplier: 1 }, resolve: ({ items }) => [...items] }),
      pageInfo: t.field({ type: builder.pageInfoRef(), complexity: 0, resolve: pageInfoOf }),
    }),
  })

builder.prismaObjectField('User', 'apiKeysConnection', (t) =>
  t.field({
    type: UserApiKeysConnection,
    description: 'Newest first. For sessions only.',
    extensions: { scope: 'SESSION' },
    args: { first: t.arg.int(), after: t.arg.string() },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
    resolve: async (_user, { first, after }, context) => {
      const options = { limit: checkedPage(first), after: after ?? undefined }
      return { ...(await context.services.keys.page(requireViewer(context), options)), isFirst: !after }
    },
  }),
)
