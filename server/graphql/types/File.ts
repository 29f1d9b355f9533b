import { isMadeByBrowsers } from '../../domain/files/content/browserPictures.ts'
import { isInlineSafe } from '../../domain/files/content/types.ts'
import {
  type Copy as DomainCopy,
  type File as DomainFile,
  FILE_CATEGORIES,
  type InPlaceDetails,
  type NATIVE_KINDS,
  type PictureFacts,
} from '../../domain/files/contract.ts'
import { etagOf } from '../../domain/files/tree/step.ts'
import type { Shortcut } from '../../domain/inPlace/roots.ts'
import {
  mayHaveThumbnail,
  THUMBNAIL_SIDES,
  THUMBNAIL_SIZES,
  type ThumbnailSize as ThumbnailSizeName,
  tagInAddress,
  thumbnailTagOf,
} from '../../domain/thumbnails/kinds.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { Account } from './Account.ts'
import { GroupCloud } from './GroupCloud.ts'

export const FileKind = builder.enumType('FileKind', { values: ['FILE', 'FOLDER'] as const })

export const FileCategory = builder.enumType('FileCategory', { values: FILE_CATEGORIES })

export const FileState = builder.enumType('FileState', {
  values: ['RECEIVED', 'STORING', 'STORED', 'AT_RISK'] as const,
})

export const OnConflict = builder.enumType('OnConflict', { values: ['RENAME', 'REPLACE', 'FAIL'] as const })

export const Picture = builder.objectRef<PictureFacts>('Picture').implement({
  description: 'Facts about a picture.',
  fields: (t) => ({
    width: t.exposeInt('width', { description: 'Pixels of the upright picture.' }),
    height: t.exposeInt('height', { description: 'Pixels of the upright picture.' }),
    takenAt: t.expose('takenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was taken, by the clock of the camera as if that were UTC; null: not known.',
    }),
  }),
})

const FolderThumbnail = builder
  .objectRef<{ readonly url: string; readonly category: DomainFile['category'] }>('FolderThumbnail')
  .implement({
    description: 'A small picture on a folder, of a file in it.',
    fields: (t) => ({
      url: t.exposeString('url', { description: 'As `File.thumbnailUrl`.' }),
      category: t.expose('category', {
        type: FileCategory,
        description: 'Of the file: what is neither a picture nor a video is drawn on white paper.',
      }),
    }),
  })

export const ThumbnailSize = builder.enumType('ThumbnailSize', {
  description: 'The longest side of a thumbnail, in pixels.',
  values: Object.fromEntries(
    THUMBNAIL_SIZES.map((size) => [size, { description: `At most ${THUMBNAIL_SIDES[size]}.` }]),
  ) as Record<(typeof THUMBNAIL_SIZES)[number], { description: string }>,
})

/** Sums up all content below a folder: too expensive for a page of 200 rows. */
const CONTENT_SIZE_COST = 50

export const FileHome = builder.enumType('FileHome', {
  description: 'Who has a file or folder.',
  values: {
    POOL: { description: 'Skypool: its name and folder are here, its bytes in the accounts of a group cloud.' },
    ACCOUNT: { description: 'An account, under its own name. Skypool shows it.' },
  } as const,
})

const NativeKind = builder.enumType('NativeKind', {
  description: 'Documents that exist only at their provider, without a file.',
  values: {
    DOCUMENT: { description: 'A text document.' },
    SPREADSHEET: { description: 'A spreadsheet.' },
    PRESENTATION: { description: 'Slides.' },
    DRAWING: { description: 'A drawing.' },
    SHORTCUT: { description: 'A shortcut to another entry.' },
    OTHER: { description: 'Any other document, for example a form or a map.' },
  } as const satisfies Record<(typeof NATIVE_KINDS)[number], { description: string }>,
})

const ShortcutState = builder.enumType('ShortcutState', {
  description: 'Whether what a shortcut points to can be opened here.',
  values: {
    SHOWN: { description: 'It is shown here.' },
    ELSEWHERE: { description: 'It exists at the provider, but is not shown here.' },
    BROKEN: { description: 'It was deleted, or the account has no access to it any more.' },
  } as const,
})

const FileRights = builder.objectRef<InPlaceDetails['rights']>('FileRights').implement({
  description: 'What the provider allows in its account.',
  fields: (t) => ({
    read: t.exposeBoolean('read', { description: 'Open and download.' }),
    write: t.exposeBoolean('write', { description: 'Change the content, or add to a folder.' }),
    rename: t.exposeBoolean('rename', { description: 'Change the name.' }),
    move: t.exposeBoolean('move', { description: 'Move to another folder.' }),
    delete: t.exposeBoolean('delete', { description: 'Move to the trash of the provider.' }),
    share: t.exposeBoolean('share', {
      description: "Create links of the provider. Skypool's own links do not need it.",
    }),
  }),
})

/** It may need a request to a provider. */
const ASKED_COST = { field: 20, multiplier: 2 }

const FileShortcut = builder.objectRef<Shortcut>('FileShortcut').implement({
  description: 'What a shortcut points to.',
  fields: (t) => ({
    state: t.expose('state', { type: ShortcutState, description: 'Whether it can be opened here.' }),
    target: t.field({
      type: File,
      nullable: true,
      description: 'Its entry here; null unless the state is `SHOWN`.',
      resolve: ({ targetId }, _args, context) => (targetId === null ? null : context.load().file(targetId)),
    }),
    webUrl: t.exposeString('webUrl', { nullable: true, description: "The provider's page of what is `ELSEWHERE`." }),
    message: t.exposeString('message', { nullable: true, description: 'A sentence about it, unless it is `SHOWN`.' }),
  }),
})

/** An interface for clients, so that folders can become a separate type without breaking them. */
const Entry = builder.interfaceRef<DomainFile>('Entry')
export const File = builder.objectRef<DomainFile>('File')

Entry.implement({
  description: 'An entry of a folder: a file or another folder, see `kind`; currently both are of the type `File`.',
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
        'Changes with its name, folder, star, group cloud and content; for `ifMatch` of a mutation and the header `If-Match`.',
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
      resolve: async ({ parentId }, _args, context) =>
        parentId === null ? [] : [...(await context.load().pathTo(parentId))],
    }),
    downloadUrl: t.string({
      description: 'Download path on this server; folders are downloaded as ZIP.',
      resolve: ({ id }) => downloadPath(id),
    }),
  }),
})

File.implement({
  interfaces: [builder.nodeInterfaceRef(), Entry],
  fields: (t) => ({
    category: t.expose('category', { type: FileCategory }),
    mimeType: t.exposeString('mimeType', { nullable: true, complexity: 0 }),
    size: t.field({
      type: 'BigInt',
      nullable: true,
      description:
        "Bytes. For folders 0: a folder's size is `contentSize`. Null for native documents, which have no size: they are sorted like 0,\n" +
        'and never counted.',
      resolve: ({ size, isNative }) => (isNative ? null : size),
    }),
    sha256: t.exposeString('sha256', { nullable: true }),
    state: t.expose('state', { type: FileState }),
    stateReason: t.exposeString('stateReason', { nullable: true }),
    childCount: t.int({
      nullable: true,
      description:
        'For folders: number of entries. Null for files, and in an account that is being listed for the first time: more may come.',
      resolve: ({ kind, childCount }) => (kind === 'FOLDER' ? childCount : null),
    }),
    contentSize: t.field({
      type: 'BigInt',
      nullable: true,
      description: 'For folders: bytes of all files below, computed on demand; too expensive for lists.',
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
    home: t.field({
      complexity: 0,
      type: FileHome,
      description: 'Who has it.',
      resolve: ({ accountId }) => (accountId === null ? 'POOL' : 'ACCOUNT'),
    }),
    account: t.field({
      type: Account,
      nullable: true,
      description: 'The account that it is in under its own name; null for `POOL`.',
      resolve: ({ accountId }, _args, context) => (accountId === null ? null : context.load().account(accountId)),
    }),
    webUrl: t.string({
      complexity: 0,
      nullable: true,
      description: "The provider's page of it; null for `POOL`.",
      resolve: ({ inPlace }) => inPlace?.webUrl ?? null,
    }),
    nativeKind: t.field({
      complexity: 0,
      type: NativeKind,
      nullable: true,
      description: 'Set for documents that exist only at their provider: they are exported instead of downloaded.',
      resolve: ({ inPlace }) => inPlace?.nativeKind ?? null,
    }),
    exportTypes: t.stringList({
      complexity: 0,
      description:
        'Formats in which a native document can be downloaded, by extension: `/api/v1/files/{id}/export?type=pdf`. Empty for files.',
      resolve: ({ inPlace }) => [...(inPlace?.exportTypes ?? [])],
    }),
    rights: t.field({
      type: FileRights,
      nullable: true,
      description: 'What its provider allows; null for `POOL`.',
      complexity: { field: 1, multiplier: 0 },
      resolve: ({ inPlace }) => inPlace?.rights ?? null,
    }),
    asOf: t.field({
      complexity: 0,
      type: 'DateTime',
      nullable: true,
      description:
        'When the content of a folder was last read, in an account whose provider reports no changes; null for everything else.\nListing the folder reads it again, and `filesChanged` reports what has changed.',
      resolve: ({ inPlace }) => inPlace?.asOf ?? null,
    }),
    shortcut: t.field({
      type: FileShortcut,
      nullable: true,
      description: 'What a shortcut points to; null for everything else. Asks its provider if that is not shown here.',
      complexity: ASKED_COST,
      resolve: ({ id, isNative }, _args, context) =>
        isNative ? context.services.inPlace.shortcut(requireViewer(context), id) : null,
    }),
    storedIn: t.field({
      type: [Account],
      description: 'The accounts that hold bytes of this file, without duplicates.',
      complexity: { field: 1, multiplier: 2 },
      resolve: ({ id }, _args, context) => context.load().storedIn(id),
    }),
    thumbnailUrl: t.string({
      complexity: 0,
      nullable: true,
      description:
        'Path of a small picture (WebP; of the beginning of a text or an office document, SVG), made with the first request; null for files that never have one. A content that cannot be drawn is 404 there, and 503 a file in an account that cannot be asked now.',
      args: { size: t.arg({ type: ThumbnailSize, required: true, defaultValue: 'SMALL' }) },
      resolve: (file, { size }, context) => thumbnailPath(file, size, context),
    }),
    folderThumbnailUrls: t.stringList({
      complexity: 1,
      description:
        'Of a folder: paths of small pictures of the newest files in it that may have one, at most four; empty for files.',
      args: { size: t.arg({ type: ThumbnailSize, required: true, defaultValue: 'SMALL' }) },
      resolve: async (folder, { size }, context) =>
        (await folderThumbnails(folder, size, context)).map(({ url }) => url),
    }),
    folderThumbnails: t.field({
      type: [FolderThumbnail],
      complexity: 1,
      description: 'As `folderThumbnailUrls`, with what each picture shows.',
      args: { size: t.arg({ type: ThumbnailSize, required: true, defaultValue: 'SMALL' }) },
      resolve: (folder, { size }, context) => folderThumbnails(folder, size, context),
    }),
    durationMs: t.int({
      complexity: 0,
      nullable: true,
      description:
        'The length of a video in milliseconds, as the browser that uploaded it has reported it; null: not known.',
      resolve: async (file, _args, context) =>
        isMadeByBrowsers(file) ? ((await context.load().browserPicture(file.id))?.durationMs ?? null) : null,
    }),
    picture: t.field({
      type: Picture,
      nullable: true,
      complexity: 0,
      description: 'Facts about a picture; null until its thumbnail was made, and for files in accounts.',
      resolve: ({ picture }) => picture,
    }),
    inlineUrl: t.string({
      nullable: true,
      description: 'Path for showing the file in the browser; null for types that are not safe to show.',
      resolve: ({ id, mimeType }) => (isInlineSafe(mimeType) ? `${downloadPath(id)}?disposition=inline` : null),
    }),
  }),
})

/** Of the newest files in a folder that have a picture. */
async function folderThumbnails(folder: DomainFile, size: ThumbnailSizeName, context: Context) {
  if (folder.kind !== 'FOLDER' || folder.childCount === 0) return []
  const files = await context.load().folderPictures(folder.id)
  const urls = await Promise.all(files.map((file) => thumbnailPath(file, size, context)))
  return files.flatMap(({ category }, index) => (urls[index] ? [{ url: urls[index], category }] : []))
}

/** It names the content, so that the picture can be cached: the file can get another one. Null: there is no picture. */
async function thumbnailPath(file: DomainFile, size: ThumbnailSizeName, context: Context): Promise<string | null> {
  if (!mayHaveThumbnail(file)) return null
  const load = context.load()
  const picture = isMadeByBrowsers(file) ? await load.browserPicture(file.id) : null
  const contentTag = file.accountId === null ? null : await load.contentTag(file.id)
  const tag = thumbnailTagOf(file, picture, contentTag)
  if (tag === null) return null
  return `/api/v1/files/${globalIdOf('File', file.id)}/thumbnail?size=${size.toLowerCase()}&content=${tagInAddress(tag)}`
}

function downloadPath(id: string): string {
  return `/api/v1/files/${globalIdOf('File', id)}/download`
}

const CopyState = builder.enumType('CopyState', { values: ['STORING', 'STORED', 'MISSING'] as const })

const PieceState = builder.enumType('PieceState', { values: ['PLANNED', 'STORED'] as const })

const Piece = builder.objectRef<DomainCopy['pieces'][number]>('Piece').implement({
  fields: (t) => ({
    account: t.field({
      type: Account,
      resolve: async ({ accountId }, _args, context) => found(await context.load().account(accountId)),
    }),
    index: t.exposeInt('index'),
    offset: t.expose('offset', { type: 'BigInt' }),
    size: t.expose('size', { type: 'BigInt' }),
    state: t.expose('state', { type: PieceState, description: 'PLANNED: its bytes are being transferred.' }),
  }),
})

export const Copy = builder.objectRef<DomainCopy>('Copy').implement({
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('Copy', id) }),
    state: t.expose('state', { type: CopyState }),
    why: t.exposeString('why', { description: 'Reason for its placement.' }),
    changedAt: t.expose('changedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Since when the file at the provider is a different version, changed directly there. It is not touched; see keepChangedVersion.',
    }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When all of its pieces were last verified at their providers; null while the copy is incomplete.',
    }),
    pieces: t.field({
      type: [Piece],
      complexity: { field: 1, multiplier: 2 },
      resolve: ({ pieces }) => [...pieces],
    }),
  }),
})
