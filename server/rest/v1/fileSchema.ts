import { z } from 'zod'
import { type Copy, FILE_CATEGORIES, type File } from '../../domain/files/contract.ts'
import { etagOf } from '../../domain/files/tree/steps.ts'
import { publicId } from '../../lib/ids.ts'
import { isoTime } from '../../lib/isoTime.ts'
import type { AnswerHeaders } from '../request.ts'
import { Bytes, DateTime } from '../schemas.ts'
import { ShareSchema } from './shareSchema.ts'

const CopySchema = z
  .object({
    id: z.string(),
    accountId: z.string().nullable().describe('Of the first piece.'),
    provider: z.string().nullable(),
    state: z.enum(['STORING', 'STORED', 'MISSING']),
    pieces: z.array(
      z.object({
        accountId: z.string(),
        provider: z.string(),
        index: z.int(),
        offset: Bytes,
        size: Bytes,
        state: z.enum(['PLANNED', 'STORED']).describe('PLANNED: its bytes are on their way there.'),
      }),
    ),
    why: z.string().describe('Why it was put there, in words.'),
    changedAt: DateTime.nullable().describe(
      'Since when an account has another version in its place, which somebody made there. It is left alone.',
    ),
  })
  .meta({ id: 'Copy' })

/** A file or folder as lists show it. */
export const FileItemSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(['FILE', 'FOLDER']),
    category: z.enum(FILE_CATEGORIES).describe('What it is to a person.'),
    mimeType: z.string().nullable().describe('By its content; null for folders.'),
    size: Bytes.describe('Bytes; 0 for folders.'),
    sha256: z.string().nullable(),
    state: z.enum(['RECEIVED', 'STORING', 'STORED', 'AT_RISK']),
    stateReason: z.string().nullable().describe('Why it is at risk, in words.'),
    parentId: z.string().nullable().describe('null at the root.'),
    groupCloudId: z.string().nullable(),
    starred: z.boolean(),
    trashedAt: DateTime.nullable(),
    createdAt: DateTime,
    updatedAt: DateTime,
    etag: z.string().describe('Of its name, place, star, group cloud and content; goes into `If-Match` of a change.'),
  })
  .meta({ id: 'FileItem' })

/** With each answer that is one file or folder. */
export const etagHeader: AnswerHeaders = {
  ETag: { type: 'string', description: 'The same as `etag`.' },
}

/** A file or folder by itself: where its bytes are comes along. */
export const FileSchema = FileItemSchema.extend({
  copies: z.array(CopySchema),
  shares: z.array(ShareSchema).describe('Public links to it that have not ended, the newest first.'),
}).meta({ id: 'File' })

/** `shares` as presented. A file that was made just now has none. */
export function presentFile(
  file: File,
  copies: readonly Copy[],
  shares: z.infer<typeof FileSchema>['shares'] = [],
): z.infer<typeof FileSchema> {
  return { ...presentFileItem(file), copies: copies.map(presentCopy), shares }
}

export function presentFileItem(file: File): z.infer<typeof FileItemSchema> {
  return {
    id: publicId('File', file.id),
    name: file.name,
    kind: file.kind,
    category: file.category,
    mimeType: file.mimeType,
    size: file.size,
    sha256: file.sha256,
    state: file.state,
    stateReason: file.stateReason,
    parentId: file.parentId && publicId('File', file.parentId),
    groupCloudId: file.groupCloudId && publicId('GroupCloud', file.groupCloudId),
    starred: file.starred,
    trashedAt: file.trashedAt && isoTime(file.trashedAt),
    createdAt: isoTime(file.createdAt),
    updatedAt: isoTime(file.updatedAt),
    etag: etagOf(file),
  }
}

function presentCopy({ id, state, pieces, why, changedAt }: Copy): z.infer<typeof CopySchema> {
  const shown = pieces.map((piece) => ({ ...piece, accountId: publicId('Account', piece.accountId) }))
  const [first] = shown
  const where = { accountId: first?.accountId ?? null, provider: first?.provider ?? null }
  return { id: publicId('Copy', id), ...where, state, pieces: shown, why, changedAt: changedAt && isoTime(changedAt) }
}
