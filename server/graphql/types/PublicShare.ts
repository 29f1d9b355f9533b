import { NotFoundError } from '../../domain/errors.ts'
import {
  type PublicShare as DomainPublicShare,
  type SharedFile as DomainSharedFile,
  REPORT_REASONS,
  type SharedFilePage,
} from '../../domain/shares/contract.ts'
import { parsePublicId, visitorId } from '../../lib/ids.ts'
import { builder } from '../builder.ts'
import { globalIdOf, optionalIdOf } from '../ids.ts'
import { checkedPage, DEFAULT_PAGE, pageInfoOf } from '../pages.ts'
import { FileCategory, FileKind, Picture, ThumbnailSize } from './File.ts'
import { MONTHS_COST, PhotoMonth } from './FilesSummary.ts'

export const ReportReason = builder.enumType('ReportReason', {
  description: 'Reason for reporting a public link.',
  values: REPORT_REASONS,
})

const SharedFileOrder = builder.enumType('SharedFileOrder', {
  description: 'The order of the contents of a shared folder.',
  values: {
    NAME: { description: 'By name, folders first.' },
    TAKEN: {
      description: 'Photos and videos only, by the time they were taken, else changed; newest first.',
    },
  } as const,
})

type Proven = Extract<DomainPublicShare, { needsPassword: false }>
const proven = (share: DomainPublicShare): Proven | null => (share.needsPassword ? null : share)

const SharedFile = builder.objectRef<DomainSharedFile>('SharedFile').implement({
  description: 'An entry of a shared folder.',
  fields: (t) => ({
    id: t.id({
      description: "Different from the file's own id, which the owner's cache may hold.",
      resolve: ({ id }) => visitorId('SharedFile', id),
    }),
    fileId: t.id({
      description: 'For REST: `/api/v1/shares/{shareId}/files/{fileId}/download`.',
      resolve: ({ id }) => globalIdOf('File', id),
    }),
    name: t.exposeString('name'),
    kind: t.expose('kind', { type: FileKind }),
    category: t.expose('category', { type: FileCategory }),
    mimeType: t.exposeString('mimeType', { nullable: true }),
    size: t.expose('size', { type: 'BigInt', description: 'Bytes; 0 for folders.' }),
    thumbnailPath: t.string({
      nullable: true,
      complexity: 0,
      description:
        'Path of a small picture (WebP) below the address of the share: `/api/v1/shares/{shareId}/`. Null for files that never have one.',
      args: { size: t.arg({ type: ThumbnailSize, required: true, defaultValue: 'SMALL' }) },
      resolve: ({ id, hasThumbnail }, { size }) =>
        hasThumbnail ? `files/${globalIdOf('File', id)}/thumbnail?size=${size.toLowerCase()}` : null,
    }),
    durationMs: t.exposeInt('durationMs', {
      nullable: true,
      complexity: 0,
      description:
        'The length of a video in milliseconds, as the browser that uploaded it has reported it; null: not known.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    picture: t.field({
      type: Picture,
      nullable: true,
      complexity: 0,
      description: 'Facts about a picture; null until its thumbnail was made, and for files in accounts.',
      resolve: ({ picture }) => picture,
    }),
    childCount: t.int({
      nullable: true,
      description:
        'For folders: number of entries. Null for files, and in an account that is being listed for the first time: more may come.',
      resolve: ({ kind, childCount }) => (kind === 'FOLDER' ? childCount : null),
    }),
  }),
})

const SharedFolder = builder.objectRef<SharedFilePage['path'][number]>('SharedFolder').implement({
  fields: (t) => ({
    id: t.id({
      description: "Different from the folder's own id.",
      resolve: ({ id }) => visitorId('SharedFolder', id),
    }),
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
        description: 'From below the shared folder down to the listed folder.',
        resolve: ({ path }) => [...path],
      }),
    }),
  })

export const PublicShare = builder.objectRef<DomainPublicShare>('PublicShare').implement({
  description: 'A public link, as visitors see it. While it needs a password, all other fields are null.',
  fields: (t) => ({
    id: t.id({
      description: "Different from the id of the `Share`, which the owner's cache may hold.",
      resolve: ({ id }) => visitorId('PublicShare', id),
    }),
    shareId: t.id({
      description: 'The id that opens the link, in GraphQL and REST.',
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
      description: 'Size of a file in bytes.',
      resolve: (share) => proven(share)?.size,
    }),
    sharedBy: t.string({
      nullable: true,
      description: 'First name of the owner.',
      resolve: (share) => proven(share)?.sharedBy,
    }),
    expiresAt: t.field({ type: 'DateTime', nullable: true, resolve: (share) => proven(share)?.expiresAt }),
    downloadsLeft: t.int({
      nullable: true,
      description: 'Null: unlimited.',
      resolve: (share) => proven(share)?.downloadsLeft,
    }),
    previews: t.boolean({
      nullable: true,
      description: 'Whether its download accepts `disposition=inline`.',
      resolve: (share) => proven(share)?.previews,
    }),
    thumbnailUrl: t.string({
      nullable: true,
      complexity: 0,
      description: 'Path of a small picture (WebP) of a shared file; null for files that never have one.',
      args: { size: t.arg({ type: ThumbnailSize, required: true, defaultValue: 'SMALL' }) },
      resolve: (share, { size }) =>
        proven(share)?.hasThumbnail
          ? `/api/v1/shares/${globalIdOf('Share', share.id)}/thumbnail?size=${size.toLowerCase()}`
          : null,
    }),
    available: t.boolean({
      nullable: true,
      description: 'False while no copy can be read.',
      resolve: (share) => proven(share)?.available,
    }),
    files: t.field({
      type: SharedFileConnection,
      nullable: true,
      description: 'For folders: the contents of the shared folder, or of the folder `folderId` below it.',
      args: {
        folderId: t.arg.id(),
        first: t.arg.int(),
        after: t.arg.string(),
        order: t.arg({
          type: SharedFileOrder,
          required: true,
          defaultValue: 'NAME',
          description: 'Which of them, in which order.',
        }),
      },
      complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
      resolve: async (share, { folderId, first, after, order }, context) => {
        if (share.needsPassword || share.kind !== 'FOLDER') return null
        const folder = optionalIdOf('File', folderId)
        const options = { folderId: folder, limit: checkedPage(first), after: after ?? undefined, order }
        const page = await context.services.shares.listFiles(context.visitor(share.id), share.id, options)
        return { ...page, isFirst: !after }
      },
    }),
    photoMonths: t.field({
      type: [PhotoMonth],
      nullable: true,
      description:
        'For folders: the months of the newest 10,000 photos and videos that `files` has in the order TAKEN; newest first.',
      args: { folderId: t.arg.id() },
      complexity: { field: MONTHS_COST, multiplier: 1 },
      resolve: async (share, { folderId }, context) => {
        if (share.needsPassword || share.kind !== 'FOLDER') return null
        const folder = optionalIdOf('File', folderId)
        return context.services.shares.photoMonths(context.visitor(share.id), share.id, folder)
      },
    }),
  }),
})

builder.queryField('share', (t) =>
  t.field({
    type: PublicShare,
    nullable: true,
    description: 'A public link; works without signing in. Null when it is unknown or has ended.',
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
