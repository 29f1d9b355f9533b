import { z } from 'zod'
import type {
  LinkUpload as DomainLinkUpload,
  PublicUploadLink as DomainPublicUploadLink,
  UploadLink as DomainUploadLink,
} from '../../domain/uploadLinks/contract.ts'
import { publicId } from '../../lib/ids.ts'
import { Bytes, DateTime } from '../schemas.ts'

export const UploadLinkSchema = z
  .object({
    id: z.string().describe('A secret: everyone who knows it can send files.'),
    folderId: z.string().describe('The folder that files arrive in.'),
    url: z.string(),
    state: z
      .enum(['LIVE', 'PAUSED', 'FULL', 'EXPIRED', 'REVOKED'])
      .describe('PAUSED: its folder is in the trash. FULL: a limit is reached.'),
    title: z.string().describe('What visitors see instead of the name of the folder.'),
    message: z.string().describe('For visitors.'),
    hasPassword: z.boolean(),
    expiresAt: DateTime.nullable(),
    maxFiles: z.int().nullable().describe('Most files; null: unlimited.'),
    maxBytes: Bytes.nullable().describe('Most bytes of all files together; null: unlimited.'),
    maxFileBytes: Bytes.nullable().describe('Most bytes of one file; null: unlimited.'),
    asksName: z.boolean().describe('Whether visitors have to give a name. It becomes a folder for their files.'),
    notifies: z.boolean().describe('Whether a mail is sent when files have arrived.'),
    files: z.int().describe('Files that have arrived.'),
    bytes: Bytes.describe('Their bytes.'),
    lastFileAt: DateTime.nullable().describe('When the last file arrived; null: none yet.'),
    createdAt: DateTime,
  })
  .meta({ id: 'UploadLink' })

const mostBytes = Bytes.nullable().optional()
const settings = {
  message: z.string().optional().describe('For visitors; up to 1,000 characters.'),
  password: z.string().nullable().optional(),
  expiresAt: DateTime.nullable().optional().describe('In the future.'),
  maxFiles: z.int().nullable().optional().describe('Most files.'),
  maxBytes: mostBytes.describe('Most bytes of all files together.'),
  maxFileBytes: mostBytes.describe('Most bytes of one file.'),
  asksName: z.boolean().optional().describe('Visitors have to give a name. It becomes a folder for their files.'),
  notifies: z.boolean().optional().describe('Send a mail when files have arrived.'),
}
const title = z.string().describe('What visitors see instead of the name of the folder; 1 to 120 characters.')

export const UploadLinkBody = z.strictObject({
  folderId: z.string().max(200).describe('The folder that files arrive in.'),
  title,
  ...settings,
})
export const UploadLinkPatchBody = z
  .strictObject({ title: title.optional(), ...settings })
  .describe('Omitted fields are unchanged; null removes a setting.')

/** Settings as the domain takes them. */
export function linkSettingsOf<Given extends { readonly expiresAt?: string | null | undefined }>({
  expiresAt,
  ...rest
}: Given) {
  return { ...rest, expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt }
}

export function presentUploadLink(link: DomainUploadLink, origin: string): z.infer<typeof UploadLinkSchema> {
  const id = publicId('UploadLink', link.id)
  const { folderId, expiresAt, lastFileAt, createdAt } = link
  return {
    ...link,
    id,
    folderId: publicId('File', folderId),
    url: `${origin}/upload/${id}`,
    expiresAt: expiresAt?.toISOString() ?? null,
    lastFileAt: lastFileAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}

const Locked = z.strictObject({ needsPassword: z.literal(true) })
const Opened = z.strictObject({
  needsPassword: z.literal(false),
  id: z.string(),
  title: z.string().describe('What is asked for.'),
  message: z.string().describe('From the owner.'),
  askedBy: z.string().describe('Name of the owner.'),
  expiresAt: DateTime.nullable(),
  maxFiles: z.int().nullable().describe('Most files of all visitors together; null: unlimited.'),
  maxBytes: Bytes.nullable().describe('Most bytes of all visitors together; null: unlimited.'),
  maxFileBytes: Bytes.nullable().describe('Most bytes of one file; null: unlimited.'),
  asksName: z.boolean().describe('Whether `visitorName` is required.'),
})

/** What visitors see of an upload link. */
export const PublicUploadLinkSchema = z
  .discriminatedUnion('needsPassword', [Locked, Opened])
  .meta({ id: 'PublicUploadLink' })

export function presentPublicUploadLink(link: DomainPublicUploadLink): z.infer<typeof PublicUploadLinkSchema> {
  if (link.needsPassword) return { needsPassword: true }
  const { id, expiresAt, ...rest } = link
  return { ...rest, id: publicId('UploadLink', id), expiresAt: expiresAt?.toISOString() ?? null }
}

/** A file that a visitor has sent: as they named it, because the name in the folder is not theirs to know. */
export const SentFileSchema = z
  .strictObject({ name: z.string().describe('As it was sent.'), size: Bytes })
  .meta({ id: 'SentFile' })

export const LinkUploadSchema = z
  .strictObject({
    id: z.string().describe('A secret of this visitor.'),
    name: z.string().describe('As it was sent.'),
    size: Bytes.describe('Bytes of the whole file.'),
    offset: Bytes.describe('Bytes safely stored; the client continues here.'),
    arrived: z.boolean().describe('Whether the whole file has arrived.'),
    expiresAt: DateTime.nullable().describe('When an inactive upload is deleted; null once it has arrived.'),
  })
  .meta({ id: 'LinkUpload' })

export function presentLinkUpload(upload: DomainLinkUpload): z.infer<typeof LinkUploadSchema> {
  const { id, expiresAt, ...rest } = upload
  return { ...rest, id: publicId('LinkUpload', id), expiresAt: expiresAt?.toISOString() ?? null }
}
