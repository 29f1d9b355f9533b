import { isInlineSafe } from '../../domain/files/content/types.ts'
import type { File as DomainFile } from '../../domain/files/contract.ts'
import { etagOf } from '../../domain/files/tree/steps.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { Account } from './Account.ts'
import { Copy } from './Copy.ts'
import { FileCategory, FileKind, FileState } from './enums.ts'
import { GroupCloud } from './GroupCloud.ts'

/** Adds up all that is below a folder: a page of 200 rows cannot ask for it. */
const CONTENT_SIZE_COST = 50

/** What clients can write against today, so that folders can become a type of their own without breaking them. */
const Entry = builder.interfaceRef<DomainFile>('Entry')
export const File = builder.objectRef<DomainFile>('File')

Entry.implement({
  description: 'What lies in a folder: a file, or another folder. `kind` says which; today both are a `File`.',
  interfaces: [builder.nodeInterfaceRef()],
  resolveType: () => File,
  fields: (t) => ({
    id: t.id({ complexity: 0, resolve: ({ id }) => globalIdOf('File', id) }),
    name: t.exposeString('name'),
    kind: t.expose('kind', { type: FileKind }),
    starred: t.exposeBoolean('starred'),
    trashedAt: t.expose('trashedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    etag: t.string({
      description:
        'Of its name, place, star, group cloud and content: goes into `ifMatch` of a change, and into `If-Match`.',
      resolve: (file) => etagOf(file),
    }),
    parent: t.field({
      type: File,
      nullable: true,
      description: 'Null at the root.',
      resolve: ({ parentId }, _args, context) => (parentId === null ? null : context.load().file(parentId)),
    }),
    path: t.field({
      type: [File],
      description: 'From the root to the parent.',
      complexity: { field: 1, multiplier: 2 },
      resolve: async ({ id }, _args, context) => [...(await context.load().path(id))],
    }),
    downloadUrl: t.string({
      description: 'Path of the download on this server; folders download as a ZIP.',
      resolve: ({ id }) => downloadPath(id),
    }),
  }),
})

File.implement({
  interfaces: [builder.nodeInterfaceRef(), Entry],
  fields: (t) => ({
    category: t.expose('category', { type: FileCategory }),
    mimeType: t.exposeString('mimeType', { nullable: true }),
    size: t.expose('size', { type: 'BigInt', description: "Bytes. For folders 0: a folder's size is `contentSize`." }),
    sha256: t.exposeString('sha256', { nullable: true }),
    state: t.expose('state', { type: FileState }),
    stateReason: t.exposeString('stateReason', { nullable: true }),
    childCount: t.int({
      nullable: true,
      description: 'Folders: how many entries it holds.',
      resolve: ({ kind, childCount }) => (kind === 'FOLDER' ? childCount : null),
    }),
    contentSize: t.field({
      type: 'BigInt',
      nullable: true,
      description: 'Folders: the bytes of all that is below, read on demand; not for lists.',
      complexity: CONTENT_SIZE_COST,
      resolve: ({ id, kind }, _args, context) =>
        kind === 'FOLDER' ? context.services.files.contentSize(requireViewer(context), id) : null,
    }),
    groupCloud: t.field({
      type: GroupCloud,
      nullable: true,
      resolve: ({ groupCloudId }, _args, context) =>
        groupCloudId === null ? null : context.load().groupCloud(groupCloudId),
    }),
    copies: t.field({
      type: [Copy],
      complexity: { field: 1, multiplier: 2 },
      resolve: async ({ id }, _args, context) => [...(await context.load().copies(id))],
    }),
    storedIn: t.field({
      type: [Account],
      description: 'The distinct accounts that hold bytes of this file: what the mini bar draws.',
      complexity: { field: 1, multiplier: 2 },
      resolve: ({ id }, _args, context) => context.load().storedIn(id),
    }),
    inlineUrl: t.string({
      nullable: true,
      description: 'Path that shows the file in place; null where its type is not safe to show.',
      resolve: ({ id, mimeType }) => (isInlineSafe(mimeType) ? `${downloadPath(id)}?disposition=inline` : null),
    }),
  }),
})

function downloadPath(id: string): string {
  return `/api/v1/files/${globalIdOf('File', id)}/download`
}
