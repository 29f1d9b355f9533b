import { z } from 'zod'
import { FILE_CATEGORIES } from '../../domain/files/contract.ts'
import type {
  PublicShare as DomainPublicShare,
  Share as DomainShare,
  SharedFile as DomainSharedFile,
} from '../../domain/shares/contract.ts'
import { publicId } from '../../lib/ids.ts'
import { Bytes, DateTime } from '../schemas.ts'

export const ShareSchema = z
  .object({
    id: z.string().describe('Anyone who knows it can open the link.'),
    fileId: z.string(),
    uploadFileId: z.string().nullable().describe('The copy it was created for.'),
    url: z.string(),
    providerUrl: z.string().nullable().describe("The cloud drive's own link, if it has one."),
    providerNote: z
      .string()
      .nullable()
      .describe('Why there is no such link although one was requested; only in that response.'),
    expiresAt: DateTime.nullable(),
    maxDownloads: z.int().nullable(),
    downloads: z.int().describe('Completed downloads.'),
    hasPassword: z.boolean(),
    state: z.enum(['LIVE', 'PAUSED', 'EXPIRED', 'USED_UP', 'REVOKED']).describe('PAUSED: its file is in the trash.'),
    createdAt: DateTime,
  })
  .meta({ id: 'Share' })

const settings = {
  password: z.string().nullable().optional(),
  expiresAt: DateTime.nullable().optional().describe('In the future.'),
  maxDownloads: z.int().nullable().optional().describe('The link ends after this number of downloads.'),
}

/** Settings of a new link to one copy. */
export const ShareSettings = z.strictObject(settings)
export const SharePatchBody = z.strictObject(settings).describe('Omitted fields are unchanged; null removes a setting.')
export const ShareBody = z.strictObject({
  fileId: z.string().max(200),
  uploadFileId: z.string().max(200).nullable().optional().describe('One of its copies.'),
  ...settings,
  providerLink: z.boolean().optional().describe('Also creates a link of the cloud drive.'),
})

/** Settings as the domain takes them. */
export function settingsOf({ password, expiresAt, maxDownloads }: z.infer<typeof ShareSettings>) {
  return { password, expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt, maxDownloads }
}

export function presentShare(share: DomainShare, origin: string): z.infer<typeof ShareSchema> {
  const id = publicId('Share', share.id)
  return {
    id,
    fileId: publicId('File', share.fileId),
    uploadFileId: share.copyId && publicId('Copy', share.copyId),
    url: `${origin}/shares/${id}`,
    providerUrl: share.providerUrl,
    providerNote: share.providerNote,
    expiresAt: share.expiresAt?.toISOString() ?? null,
    maxDownloads: share.maxDownloads,
    downloads: share.downloads,
    hasPassword: share.hasPassword,
    state: share.state,
    createdAt: share.createdAt.toISOString(),
  }
}

const named = {
  id: z.string(),
  name: z.string(),
  kind: z.enum(['FILE', 'FOLDER']),
  category: z.enum(FILE_CATEGORIES),
  mimeType: z.string().nullable(),
  size: Bytes.describe('Bytes; 0 for folders.'),
}

const Locked = z.strictObject({ needsPassword: z.literal(true) })
const Opened = z.strictObject({
  needsPassword: z.literal(false),
  ...named,
  sharedBy: z.string().describe('First name.'),
  expiresAt: DateTime.nullable(),
  downloadsLeft: z.int().nullable().describe('null: unlimited.'),
  previews: z.boolean().describe('Whether downloads support `disposition=inline`.'),
  hasThumbnail: z.boolean().describe('Whether requesting its thumbnail makes sense.'),
  available: z.boolean().describe('false while no copy is readable.'),
})

/** What visitors see of a share. */
export const PublicShareSchema = z.discriminatedUnion('needsPassword', [Locked, Opened]).meta({ id: 'PublicShare' })

export function presentPublicShare(share: DomainPublicShare): z.infer<typeof PublicShareSchema> {
  if (share.needsPassword) return { needsPassword: true }
  const { id, expiresAt, ...rest } = share
  return { ...rest, id: publicId('Share', id), expiresAt: expiresAt?.toISOString() ?? null }
}

export const SharedFileSchema = z
  .strictObject({
    ...named,
    childCount: z
      .int()
      .nullable()
      .describe(
        'For folders: number of entries. Null for files, and in an account that is being listed for the first time: more may come.',
      ),
    durationMs: z.int().nullable().describe('Length of a video; null: not known.'),
    hasThumbnail: z.boolean().describe('Whether requesting its thumbnail makes sense.'),
  })
  .meta({ id: 'SharedFile' })

export function presentSharedFile({
  picture: _picture,
  updatedAt: _updatedAt,
  ...file
}: DomainSharedFile): z.infer<typeof SharedFileSchema> {
  return { ...file, id: publicId('File', file.id), childCount: file.kind === 'FOLDER' ? file.childCount : null }
}
