import { z } from 'zod'
import { InvalidInputError } from '../../domain/errors.ts'
import type { BrowserPicture } from '../../domain/files/content/browserPictures.ts'
import {
  type Copy,
  EXPORT_TYPES,
  FILE_CATEGORIES,
  type File,
  type FileSort,
  type FileState,
  type FileView,
  type ListFiles,
  NATIVE_KINDS,
} from '../../domain/files/contract.ts'
import { etagOf } from '../../domain/files/tree/step.ts'
import type { ProtectionInfo } from '../../domain/protection/contract.ts'
import type { Tag } from '../../domain/tags/service.ts'
import { mayHaveThumbnail, tagInAddress, thumbnailTagOf } from '../../domain/thumbnails/kinds.ts'
import { isoTime } from '../../lib/format.ts'
import { publicId } from '../../lib/ids.ts'
import { databaseId, type ResponseHeaders } from '../request.ts'
import { Bytes, DateTime, pageQuery } from '../schemas.ts'
import { ProtectionSchema, presentProtection } from './protection.ts'
import { ShareSchema } from './shareSchema.ts'
import { FileTagSchema, LabelColorSchema, presentFileTag } from './tags.ts'

const CopySchema = z
  .object({
    id: z.string(),
    accountId: z.string().nullable().describe('The account of the first piece.'),
    provider: z.string().nullable(),
    state: z.enum(['STORING', 'STORED', 'MISSING']),
    pieces: z.array(
      z.object({
        accountId: z.string(),
        provider: z.string(),
        index: z.int(),
        offset: Bytes,
        size: Bytes,
        state: z.enum(['PLANNED', 'STORED']).describe('PLANNED: not stored there yet.'),
      }),
    ),
    why: z.string().describe('The reason for this location, as text.'),
    changedAt: DateTime.nullable().describe(
      'Since when the account holds a different version, changed there by someone. That version is kept.',
    ),
  })
  .meta({ id: 'Copy' })

const Rights = z
  .object({
    read: z.boolean().describe('Open and download.'),
    write: z.boolean().describe('Change the content, or add to a folder.'),
    rename: z.boolean().describe('Change the name.'),
    move: z.boolean().describe('Move to another folder.'),
    delete: z.boolean().describe('Move to the trash of the provider.'),
    share: z.boolean().describe("Create links of the provider. Skypool's own links do not need it."),
  })
  .meta({ id: 'FileRights' })

/** A file or folder in a list. */
export const FileItemSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(['FILE', 'FOLDER']),
    category: z.enum(FILE_CATEGORIES).describe('Kind of content.'),
    mimeType: z.string().nullable().describe('Detected from the content; null for folders.'),
    size: Bytes.nullable().describe(
      'Bytes; 0 for folders. null for native documents (`nativeKind`), which have no size: they are sorted like 0, and never counted.',
    ),
    sha256: z.string().nullable(),
    state: z.enum(['RECEIVED', 'STORING', 'STORED', 'AT_RISK']),
    stateReason: z.string().nullable().describe('Why it is at risk, as text.'),
    parentId: z.string().nullable().describe('null at the root.'),
    path: z.array(z.string()).describe('Names of the folders above it, from the root.'),
    groupCloudId: z.string().nullable(),
    home: z
      .enum(['POOL', 'ACCOUNT'])
      .describe('POOL: Skypool has it. ACCOUNT: an account has it under its own name, and Skypool shows it.'),
    accountId: z.string().nullable().describe('The account of `home` ACCOUNT.'),
    webUrl: z.string().nullable().describe("The provider's page of it; null for `home` POOL."),
    nativeKind: z
      .enum(NATIVE_KINDS)
      .nullable()
      .describe('Set for documents that exist only at their provider: they are exported instead of downloaded.'),
    exportTypes: z
      .array(z.enum(EXPORT_TYPES))
      .describe('Formats for `GET /files/{id}/export`; empty for files that are downloaded as they are.'),
    targetId: z
      .string()
      .nullable()
      .describe(
        'Shortcuts: what they point to, if it is shown here; downloading a shortcut downloads that. null otherwise.',
      ),
    asOf: DateTime.nullable().describe(
      'When the content of a folder was last read, in an account whose provider reports no changes. Listing the folder reads it again in the background. null for everything else.',
    ),
    rights: Rights.nullable().describe('What the provider allows; null for `home` POOL.'),
    protection: ProtectionSchema.nullable().describe(
      'How it is protected; null for what is not in an account or not protected.',
    ),
    picture: z
      .object({
        width: z.int().describe('Pixels of the upright picture.'),
        height: z.int().describe('Pixels of the upright picture.'),
        takenAt: DateTime.nullable().describe('By the clock of the camera, as if that were UTC; null: not known.'),
      })
      .nullable()
      .describe(
        'Facts about a picture; null until its thumbnail was made, for files in accounts, and for everything else.',
      ),
    childCount: z
      .int()
      .nullable()
      .describe(
        'For folders: number of entries. Null for files, and in an account that is being listed for the first time: more may come.',
      ),
    thumbnailUrl: z
      .string()
      .nullable()
      .describe(
        'Path of a small picture of it; `size` can be changed. It names the content, so it can be cached; of a file in an account it does not, and the picture can be missing (404). null: there is none.',
      ),
    durationMs: z
      .int()
      .nullable()
      .describe('Length of a video, as the browser that uploaded it has reported it; null: not known.'),
    starred: z.boolean(),
    tags: z.array(FileTagSchema).describe('Your tags on it, by name.'),
    color: LabelColorSchema.nullable().describe('For folders: your colour for it; null: the usual one.'),
    trashedAt: DateTime.nullable(),
    createdAt: DateTime,
    updatedAt: DateTime,
    etag: z.string().describe('Changes with name, folder, star, group cloud and content; for `If-Match`.'),
  })
  .meta({ id: 'FileItem' })

/** On every response that is one file or folder. */
export const etagHeader: ResponseHeaders = {
  ETag: { type: 'string', description: 'The same as `etag`.' },
}

/** A single file or folder, with its copies and links. */
export const FileSchema = FileItemSchema.extend({
  copies: z.array(CopySchema),
  shares: z.array(ShareSchema).describe('Active public links to it, newest first.'),
}).meta({ id: 'File' })

/** What is presented of a file beyond its row. */
export type Surroundings = {
  /** Names of the folders above it, from the root. */
  readonly path: readonly string[]
  /** Shortcuts: the entry that they point to, if it is shown here. */
  readonly targetId?: string | undefined
  readonly protection?: ProtectionInfo | undefined
  readonly tags?: readonly Tag[] | undefined
  /** Of files whose picture browsers make. */
  readonly browserPicture?: BrowserPicture | undefined
}

/** `shares` as presented; empty for a new file. */
export function presentFile(
  file: File,
  surroundings: Surroundings,
  copies: readonly Copy[] = [],
  shares: z.infer<typeof FileSchema>['shares'] = [],
): z.infer<typeof FileSchema> {
  return { ...presentFileItem(file, surroundings), copies: copies.map(presentCopy), shares }
}

export function presentFileItem(
  file: File,
  { path, targetId, protection, tags = [], browserPicture }: Surroundings,
): z.infer<typeof FileItemSchema> {
  const { inPlace } = file
  return {
    id: publicId('File', file.id),
    name: file.name,
    kind: file.kind,
    category: file.category,
    mimeType: file.mimeType,
    size: file.isNative ? null : file.size,
    sha256: file.sha256,
    state: file.state,
    stateReason: file.stateReason,
    parentId: file.parentId && publicId('File', file.parentId),
    path: [...path],
    groupCloudId: file.groupCloudId && publicId('GroupCloud', file.groupCloudId),
    home: file.accountId === null ? 'POOL' : 'ACCOUNT',
    accountId: file.accountId && publicId('Account', file.accountId),
    webUrl: inPlace?.webUrl ?? null,
    nativeKind: inPlace?.nativeKind ?? null,
    exportTypes: [...(inPlace?.exportTypes ?? [])],
    targetId: targetId ? publicId('File', targetId) : null,
    asOf: inPlace?.asOf ? isoTime(inPlace.asOf) : null,
    rights: inPlace?.rights ?? null,
    protection: protection ? presentProtection(protection) : null,
    picture: file.picture && { ...file.picture, takenAt: file.picture.takenAt?.toISOString() ?? null },
    childCount: file.kind === 'FOLDER' ? file.childCount : null,
    thumbnailUrl: thumbnailPath(file, browserPicture),
    durationMs: browserPicture?.durationMs ?? null,
    starred: file.starred,
    tags: tags.map(presentFileTag),
    color: file.color,
    trashedAt: file.trashedAt && isoTime(file.trashedAt),
    createdAt: isoTime(file.createdAt),
    updatedAt: isoTime(file.updatedAt),
    etag: etagOf(file),
  }
}

/** Of a file in an account without its content: that would be another statement for a page, which takes as long as the page. */
function thumbnailPath(file: File, picture: BrowserPicture | undefined): string | null {
  if (!mayHaveThumbnail(file)) return null
  const path = `/api/v1/files/${publicId('File', file.id)}/thumbnail?size=medium`
  if (file.accountId !== null) return path
  const tag = thumbnailTagOf(file, picture, null)
  return tag && `${path}&content=${tagInAddress(tag)}`
}

function presentCopy({ id, state, pieces, why, changedAt }: Copy): z.infer<typeof CopySchema> {
  const shown = pieces.map((piece) => ({ ...piece, accountId: publicId('Account', piece.accountId) }))
  const [first] = shown
  const where = { accountId: first?.accountId ?? null, provider: first?.provider ?? null }
  return { id: publicId('Copy', id), ...where, state, pieces: shown, why, changedAt: changedAt && isoTime(changedAt) }
}

const VIEWS = ['all', 'drive', 'shared', 'starred', 'trash'] as const
const SORTS = ['name', '-name', 'modified', '-modified', 'size', '-size', 'taken', '-taken'] as const

const types = z
  .string()
  .max(200)
  .transform((text) => text.toUpperCase().split(','))
  .pipe(z.array(z.enum(FILE_CATEGORIES)))

const STATES = ['RECEIVED', 'STORING', 'STORED', 'AT_RISK'] as const satisfies readonly FileState[]
const states = z
  .string()
  .max(200)
  .transform((text) => text.toUpperCase().split(','))
  .pipe(z.array(z.enum(STATES)))

const home = z
  .string()
  .max(20)
  .transform((text) => text.toUpperCase())
  .pipe(z.enum(['POOL', 'ACCOUNT']))
const size = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional()
const time = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .optional()

/** Query of `GET /files`: view, filters, order and page. */
export const filesQuery = pageQuery.extend({
  view: z
    .enum(VIEWS)
    .optional()
    .describe('`drive` lists one folder, the others all folders. Default: `all`; with `parentId` or `path`, `drive`.'),
  parentId: z.string().max(200).optional().describe('The folder for `drive`. Default: the root.'),
  path: z
    .string()
    .max(5000)
    .optional()
    .describe('Instead of `parentId`: the folder at this path, such as `/Projects/2026`. Case does not matter.'),
  q: z
    .string()
    .max(255)
    .optional()
    .describe(
      'Part of the name; case and accents are ignored. Searches the whole view. One or two letters match the beginning of a name, or any part of a name among the 2,000 entries changed last.',
    ),
  type: types.optional().describe(`Any of ${FILE_CATEGORIES.join(', ').toLowerCase()}, separated by commas.`),
  groupCloudId: z.string().max(200).optional(),
  accountId: z
    .string()
    .max(200)
    .optional()
    .describe('Only files stored on this account, or about to be, and what it has under its own name.'),
  home: home.optional().describe('`pool`: only what Skypool has. `account`: only what accounts have.'),
  tagId: z.string().max(200).optional().describe('Only what has this tag.'),
  minSize: size.describe('Bytes: only files of this size or larger. Native documents have no size.'),
  maxSize: size.describe('Bytes: only files of this size or smaller.'),
  modifiedAfter: time.describe('ISO 8601: only what was changed at this time or later.'),
  modifiedBefore: time.describe('ISO 8601: only what was changed before this time.'),
  state: states.optional().describe(`Only files in any of ${STATES.join(', ')}, separated by commas.`),
  provider: z.string().max(100).optional().describe('Only files stored at this provider, or on this server (`local`).'),
  sort: z
    .enum(SORTS)
    .optional()
    .describe('With a minus: descending. `taken`: only photos and videos, by the time they were taken, else changed.'),
})

/** @throws NotFoundError for an invalid id, InvalidInputError */
export function listOptions(query: z.infer<typeof filesQuery>): ListFiles {
  const {
    view = query.parentId || query.path !== undefined ? 'drive' : 'all',
    parentId,
    path,
    q,
    type,
    groupCloudId,
    accountId,
    tagId,
    state,
    provider,
    sort,
    limit,
    cursor,
    ...filters
  } = query
  if (parentId && path !== undefined) {
    throw new InvalidInputError([{ path: 'path', message: 'Please give either a path or the id of a folder.' }])
  }
  return {
    ...filters,
    view: view.toUpperCase() as FileView,
    path,
    parentId: parentId ? databaseId('File', parentId) : null,
    query: q,
    categories: type,
    groupCloudId: groupCloudId ? databaseId('GroupCloud', groupCloudId) : undefined,
    accountId: accountId ? databaseId('Account', accountId) : undefined,
    tagId: tagId ? databaseId('Tag', tagId) : undefined,
    states: state,
    provider,
    sort: sort && sortOf(sort),
    limit,
    after: cursor,
  }
}

function sortOf(sort: (typeof SORTS)[number]): FileSort {
  const field = sort.replace('-', '').toUpperCase() as FileSort['field']
  return { field, direction: sort.startsWith('-') ? 'DESC' : 'ASC' }
}
