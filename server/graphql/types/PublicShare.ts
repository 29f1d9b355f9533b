import { NotFoundError } from '../../domain/errors.ts'
import type {
  PublicShare as DomainPublicShare,
  SharedFile as DomainSharedFile,
  SharedFilePage,
} from '../../domain/shares/contract.ts'
import { parsePublicId, visitorId } from '../../lib/ids.ts'
import { builder } from '../builder.ts'
import { globalIdOf, optionalIdOf } from '../ids.ts'
import { checkedPage, DEFAULT_PAGE } from '../limits.ts'
import { pageInfoOf } from '../pageInfo.ts'
import { FileCategory, FileKind } from './enums.ts'

type Proven = Extract<DomainPublicShare, { needsPassword: false }>
const proven = (share: DomainPublicShare): Proven | null => (share.needsPassword ? null : share)

const SharedFile = builder.objectRef<DomainSharedFile>('SharedFile').implement({
  description: 'An entry of a shared folder.',
  fields: (t) => ({
    id: t.id({
      description: 'Its own: not that of the file, which its owner may have read too.',
      resolve: ({ id }) => visitorId('SharedFile', id),
    }),
    fileId: t.id({
      description: 'As REST names it: `/api/v1/shares/{shareId}/files/{fileId}/download`.',
      resolve: ({ id }) => globalIdOf('File', id),
    }),
    name: t.exposeString('name'),
    kind: t.expose('kind', { type: FileKind }),
    category: t.expose('category', { type: FileCategory }),
    mimeType: t.exposeString('mimeType', { nullable: true }),
    size: t.expose('size', { type: 'BigInt', description: 'Bytes; 0 for folders.' }),
    childCount: t.int({
      nullable: true,
      description: 'Folders: how many entries it holds.',
      resolve: ({ kind, childCount }) => (kind === 'FOLDER' ? childCount : null),
    }),
  }),
})

const SharedFolder = builder.objectRef<SharedFilePage['path'][number]>('SharedFolder').implement({
  fields: (t) => ({
    id: t.id({ description: 'Its own.', resolve: ({ id }) => visitorId('SharedFolder', id) }),
    fileId: t.id({ description: 'For `folderId` and for REST.', resolve: ({ id }) => globalIdOf('File', id) }),
    name: t.exposeString('name'),
  }),
})

const Edge = builder.objectRef<SharedFilePage['items'][number]>('SharedFileEdge').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor'),
    node: t.field({ type: SharedFile, complexity: 0, resolve: ({ file }) => file }),
  }),
})

const SharedFileConnection = builder
  .objectRef<SharedFilePage & { readonly isFirst: boolean }>('SharedFileConnection')
  .implement({
    fields: (t) => ({
      edges: t.field({ type: [Edge], complexity: { field: 0, multiplier: 1 }, resolve: ({ items }) => [...items] }),
      pageInfo: t.field({ type: builder.pageInfoRef(), complexity: 0, resolve: pageInfoOf }),
      path: t.field({
        type: [SharedFolder],
        description: 'From the shared folder (not included) down to the one listed.',
        resolve: ({ path }) => [...path],
      }),
    }),
  })

export const PublicShare = builder.objectRef<DomainPublicShare>('PublicShare').implement({
  description: 'A public link, as its visitors see it. While it needs a password, everything else is null.',
  fields: (t) => ({
    id: t.id({
      description: 'Its own: not that of the `Share`, which its owner may have read too.',
      resolve: ({ id }) => visitorId('PublicShare', id),
    }),
    shareId: t.id({
      description: 'What the link is opened by, here and in REST.',
      resolve: ({ id }) => globalIdOf('Share', id),
    }),
    needsPassword: t.exposeBoolean('needsPassword'),
    name: t.string({ nullable: true, resolve: (share) => proven(share)?.name }),
    kind: t.field({ type: FileKind, nullable: true, resolve: (share) => proven(share)?.kind }),
    category: t.field({ type: FileCategory, nullable: true, resolve: (share) => proven(share)?.category }),
    mimeType: t.string({ nullable: true, resolve: (share) => proven(share)?.mimeType }),
    size: t.field({
      type: 'BigInt',
      nullable: true,
      description: 'Bytes of a file.',
      resolve: (share) => proven(share)?.size,
    }),
    sharedBy: t.string({ nullable: true, description: 'First name.', resolve: (share) => proven(share)?.sharedBy }),
    expiresAt: t.field({ type: 'DateTime', nullable: true, resolve: (share) => proven(share)?.expiresAt }),
    downloadsLeft: t.int({
      nullable: true,
      description: 'Null: as many as they like.',
      resolve: (share) => proven(share)?.downloadsLeft,
    }),
    previews: t.boolean({
      nullable: true,
      description: 'Whether its download takes `disposition=inline`.',
      resolve: (share) => proven(share)?.previews,
    }),
    available: t.boolean({
      nullable: true,
      description: 'False while no copy of it can be read.',
      resolve: (share) => proven(share)?.available,
    }),
    files: t.field({
      type: SharedFileConnection,
      nullable: true,
      description: 'Folders: what is in it, or in the folder `folderId` below it; folders first.',
      args: { folderId: t.arg.id(), first: t.arg.int(), after: t.arg.string() },
      complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
      resolve: async (share, { folderId, first, after }, context) => {
        if (share.needsPassword || share.kind !== 'FOLDER') return null
        const folder = optionalIdOf('File', folderId)
        const options = { folderId: folder, limit: checkedPage(first), after: after ?? undefined }
        const page = await context.services.shares.listFiles(context.visitor(share.id), share.id, options)
        return { ...page, isFirst: !after }
      },
    }),
  }),
})

builder.queryField('share', (t) =>
  t.field({
    type: PublicShare,
    nullable: true,
    description:
      'A public link, for whoever has it; nobody needs to be signed in. Null when it is unknown or has ended.',
    args: { id: t.arg.id({ required: true }) },
    complexity: { field: 5, multiplier: 1 },
    resolve: async (_root, { id }, context) => {
      const parsed = parsePublicId(id)
      if (parsed?.type !== 'Share') return null
      return context.services.shares.visit(context.visitor(parsed.id), parsed.id).catch((error: unknown) => {
        if (error instanceof NotFoundError) return null
        throw error
      })
    },
  }),
)
