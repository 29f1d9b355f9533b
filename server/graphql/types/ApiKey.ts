import type { ApiKey as DomainApiKey, KeyPage } from '../../domain/keys/contract.ts'
import { SCOPES } from '../../domain/viewer.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { checkedPage, DEFAULT_PAGE, pageInfoOf } from '../pages.ts'

const ApiKeyStatus = builder.enumType('ApiKeyStatus', { values: ['ACTIVE', 'REVOKED', 'EXPIRED'] as const })

export const ApiKeyScope = builder.enumType('ApiKeyScope', {
  description: 'READ: read and download. WRITE: upload, change, delete. SHARE: create and revoke public links.',
  values: SCOPES,
})

const ApiKeyUsage = builder.objectRef<{ readonly day: Date; readonly calls: number }>('ApiKeyUsage').implement({
  fields: (t) => ({
    day: t.string({ description: 'YYYY-MM-DD, UTC.', resolve: ({ day }) => day.toISOString().slice(0, 10) }),
    calls: t.exposeInt('calls'),
  }),
})

/** At most one per day for 30 days. */
const USAGE_COST = { field: 1, multiplier: 30 }

export const ApiKey = builder.objectRef<DomainApiKey>('ApiKey').implement({
  description: 'An API key: `Authorization: Bearer <key>`.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('ApiKey', id) }),
    name: t.exposeString('name'),
    key: t.exposeString('key', { description: 'The whole key; masked once it is revoked.' }),
    status: t.expose('status', { type: ApiKeyStatus }),
    scopes: t.field({ type: [ApiKeyScope], resolve: ({ scopes }) => [...scopes] }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Accurate to the minute; null: never.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    usage: t.field({
      type: [ApiKeyUsage],
      description: 'Calls of the last 30 days, oldest day first; days without calls are omitted.',
      complexity: USAGE_COST,
      resolve: async ({ id }, _args, context) => [...(await context.load().keyUsage(id))],
    }),
  }),
})

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
    description: 'Newest first. Not for API keys.',
    extensions: { scope: 'SESSION' },
    args: { first: t.arg.int(), after: t.arg.string() },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
    resolve: async (_user, { first, after }, context) => {
      const options = { limit: checkedPage(first), after: after ?? undefined }
      return { ...(await context.services.keys.page(requireViewer(context), options)), isFirst: !after }
    },
  }),
)
