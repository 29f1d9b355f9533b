import type { UploadLink as DomainUploadLink, UploadLinkPage } from '../../domain/uploadLinks/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { checkedPage, DEFAULT_PAGE, pageInfoOf } from '../pages.ts'
import { File } from './File.ts'

const UploadLinkState = builder.enumType('UploadLinkState', {
  description: 'Whether an upload link takes files.',
  values: {
    LIVE: { description: 'It takes files.' },
    PAUSED: { description: 'Its folder is in the trash.' },
    FULL: { description: 'One of its limits is reached.' },
    EXPIRED: { description: 'Expired.' },
    REVOKED: { description: 'Its owner has ended it.' },
  } as const,
})

export const UploadLink = builder.objectRef<DomainUploadLink>('UploadLink')

UploadLink.implement({
  description: 'A link through which visitors upload into a folder and see nothing of it, as its owner sees it.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      description: 'A secret: everyone who knows it can send files.',
      resolve: ({ id }) => globalIdOf('UploadLink', id),
    }),
    folder: t.field({
      type: File,
      description: 'The folder that files arrive in.',
      resolve: async ({ folderId }, _args, context) => found(await context.load().file(folderId)),
    }),
    url: t.string({
      description: 'Address of the page for visitors.',
      resolve: ({ id }, _args, { linkOrigin }) => `${linkOrigin}/upload/${globalIdOf('UploadLink', id)}`,
    }),
    state: t.expose('state', { type: UploadLinkState }),
    title: t.exposeString('title', { description: 'What visitors see instead of the name of the folder.' }),
    message: t.exposeString('message', { description: 'For visitors.' }),
    hasPassword: t.exposeBoolean('hasPassword'),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    maxFiles: t.exposeInt('maxFiles', { nullable: true, description: 'Most files; null: unlimited.' }),
    maxBytes: t.expose('maxBytes', {
      type: 'BigInt',
      nullable: true,
      description: 'Most bytes of all files together; null: unlimited.',
    }),
    maxFileBytes: t.expose('maxFileBytes', {
      type: 'BigInt',
      nullable: true,
      description: 'Most bytes of one file; null: unlimited.',
    }),
    asksName: t.exposeBoolean('asksName', {
      description: 'Whether visitors have to give a name. It becomes a folder for their files.',
    }),
    notifies: t.exposeBoolean('notifies', { description: 'Whether a mail is sent when files have arrived.' }),
    files: t.exposeInt('files', { description: 'Number of files that have arrived.' }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'Bytes of these files.' }),
    lastFileAt: t.expose('lastFileAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last file arrived; null: none yet.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
})

builder.objectField(File, 'uploadLinks', (t) =>
  t.field({
    type: [UploadLink],
    description: 'For folders: its upload links that have not ended, newest first.',
    complexity: { field: 1, multiplier: 2 },
    resolve: async ({ id, kind }, _args, context) =>
      kind === 'FOLDER' ? [...(await context.load().uploadLinksOf(id))] : [],
  }),
)

const Edge = builder.objectRef<UploadLinkPage['items'][number]>('UserUploadLinksConnectionEdge').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor'),
    node: t.field({ type: UploadLink, complexity: 0, resolve: ({ link }) => link }),
  }),
})

const UserUploadLinksConnection = builder
  .objectRef<UploadLinkPage & { readonly isFirst: boolean }>('UserUploadLinksConnection')
  .implement({
    fields: (t) => ({
      edges: t.field({ type: [Edge], complexity: { field: 0, multiplier: 1 }, resolve: ({ items }) => [...items] }),
      pageInfo: t.field({ type: builder.pageInfoRef(), complexity: 0, resolve: pageInfoOf }),
    }),
  })

builder.prismaObjectField('User', 'uploadLinks', (t) =>
  t.field({
    type: UserUploadLinksConnection,
    description: 'All upload links, including ended ones, newest first; `live`: only those that have not ended.',
    args: { first: t.arg.int(), after: t.arg.string(), live: t.arg.boolean() },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
    resolve: async (_user, { first, after, live }, context) => {
      const options = { limit: checkedPage(first), after: after ?? undefined, live: live ?? undefined }
      const page = await context.services.uploadLinks.list(requireViewer(context), options)
      return { ...page, isFirst: !after }
    },
  }),
)
