import type { Share as DomainShare, SharePage } from '../../domain/shares/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { checkedPage, DEFAULT_PAGE, pageInfoOf } from '../pages.ts'
import { Copy, File } from './File.ts'

const ShareState = builder.enumType('ShareState', {
  description:
    'A LIVE link opens. PAUSED: opens again when its file is restored from the trash. All other states are final.',
  values: ['LIVE', 'PAUSED', 'EXPIRED', 'USED_UP', 'REVOKED'] as const,
})

export const Share = builder.objectRef<DomainShare>('Share')

Share.implement({
  description: 'A public link, as its owner sees it.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      description: 'A secret: everyone who knows it can open the link.',
      resolve: ({ id }) => globalIdOf('Share', id),
    }),
    file: t.field({
      type: File,
      resolve: async ({ fileId }, _args, context) => found(await context.load().file(fileId)),
    }),
    copy: t.field({
      type: Copy,
      nullable: true,
      description: 'The copy that the link was created for, while it exists.',
      complexity: { field: 1, multiplier: 2 },
      resolve: async ({ fileId, copyId }, _args, context) =>
        copyId === null ? null : ((await context.load().copies(fileId)).find(({ id }) => id === copyId) ?? null),
    }),
    url: t.string({ resolve: ({ id }, _args, { linkOrigin }) => `${linkOrigin}/shares/${globalIdOf('Share', id)}` }),
    state: t.expose('state', { type: ShareState }),
    hasPassword: t.exposeBoolean('hasPassword'),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    maxDownloads: t.exposeInt('maxDownloads', { nullable: true }),
    downloads: t.exposeInt('downloads', { description: 'Number of completed downloads.' }),
    providerUrl: t.exposeString('providerUrl', { nullable: true, description: "The cloud drive's own link." }),
    providerName: t.string({
      nullable: true,
      description: 'Provider of `providerUrl`.',
      resolve: ({ providerUrl }, _args, { services }) =>
        providerUrl === null ? null : services.accounts.providerOfLink(providerUrl),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
})

builder.objectField(File, 'shares', (t) =>
  t.field({
    type: [Share],
    description: 'Its public links that have not ended, newest first.',
    complexity: { field: 1, multiplier: 2 },
    resolve: async ({ id }, _args, context) => [...(await context.load().sharesOf(id))],
  }),
)

const Edge = builder.objectRef<SharePage['items'][number]>('UserSharesConnectionEdge').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor'),
    node: t.field({ type: Share, complexity: 0, resolve: ({ share }) => share }),
  }),
})

const UserSharesConnection = builder
  .objectRef<SharePage & { readonly isFirst: boolean }>('UserSharesConnection')
  .implement({
    fields: (t) => ({
      edges: t.field({ type: [Edge], complexity: { field: 0, multiplier: 1 }, resolve: ({ items }) => [...items] }),
      pageInfo: t.field({ type: builder.pageInfoRef(), complexity: 0, resolve: pageInfoOf }),
    }),
  })

builder.prismaObjectField('User', 'shares', (t) =>
  t.field({
    type: UserSharesConnection,
    description: 'All public links, including ended ones, newest first; `live`: only those that open.',
    args: { first: t.arg.int(), after: t.arg.string(), live: t.arg.boolean() },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
    resolve: async (_user, { first, after, live }, context) => {
      const limit = checkedPage(first)
      const options = { limit, after: after ?? undefined, live: live ?? undefined }
      const page = await context.services.shares.list(requireViewer(context), options)
      return { ...page, isFirst: !after }
    },
  }),
)
