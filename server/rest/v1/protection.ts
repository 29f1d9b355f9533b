import { z } from 'zod'
import {
  type EarlierVersion as DomainVersion,
  PROTECTION_STATES,
  type ProtectionInfo,
  VERSION_REASONS,
} from '../../domain/protection/contract.ts'
import { isoTime } from '../../lib/format.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { Bytes, DateTime, idParams, noContent } from '../schemas.ts'

export const ProtectionSchema = z
  .object({
    folderId: z.string().describe('The protected folder: the entry itself, or a folder above it.'),
    groupCloudId: z.string().describe('Where the copies are.'),
    copies: z.int().describe('Number of copies in the group cloud.'),
    keepVersionsDays: z.int().describe('Days for which earlier versions are kept.'),
    state: z
      .enum(PROTECTION_STATES)
      .describe(
        'Of a file: its own. Of a folder: of everything that is protected with it. `SKIPPED`: a document of the provider, which has no bytes to copy.',
      ),
    reason: z.string().nullable().describe('Why it is at risk or skipped, as text.'),
  })
  .meta({ id: 'Protection' })

export function presentProtection(info: ProtectionInfo): z.infer<typeof ProtectionSchema> {
  const { folderId, groupCloudId, copies, keepVersionsDays, state, reason } = info
  return {
    folderId: publicId('File', folderId),
    groupCloudId: publicId('GroupCloud', groupCloudId),
    ...{ copies, keepVersionsDays, state, reason },
  }
}

const EarlierVersion = z
  .object({
    id: z.string(),
    fileId: z.string().describe('The file that it was a version of; it may be deleted.'),
    name: z.string().describe('The name that the file had last.'),
    path: z.array(z.string()).describe('Names of the folders above it in its account.'),
    size: Bytes,
    modifiedAt: DateTime.describe('When this version was last changed, as the account reported it.'),
    endedAt: DateTime.describe('Since when it is an earlier version.'),
    keptUntil: DateTime.describe('It is removed after this time.'),
    reason: z.enum(VERSION_REASONS).describe('`MOVED`: moved out of what is protected.'),
  })
  .meta({ id: 'EarlierVersion' })

const ProtectBody = z.strictObject({
  groupCloudId: z
    .string()
    .max(200)
    .describe('The group cloud for the copies. It needs other accounts than the protected one.'),
  copies: z.int().describe('Number of copies in the group cloud: 1 or 2.'),
  keepVersionsDays: z.int().optional().describe('Days for which earlier versions are kept; 30 by default.'),
})

const Restored = z
  .object({
    jobId: z.string().describe('The job that restores it.'),
    intoAccount: z.boolean().describe('It is put back into its account; otherwise into My Drive.'),
    folderName: z.string().nullable().describe('The name of the target folder; null for My Drive.'),
  })
  .meta({ id: 'RestoredVersion' })

/** Copies of what is in accounts, and earlier versions. */
export const protectionRoutes: RestPlugin = async (app, { services: { protection } }) => {
  const tags = ['protection']

  app.put(
    '/files/:id/protection',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'Protect a folder of an account, or change how',
        description:
          'Keeps copies of everything below it in a group cloud, and of what is changed there from now on. For all of an account: its `rootFileId`.',
        params: idParams,
        body: ProtectBody,
        response: { 200: ProtectionSchema },
      },
    },
    async (request) => {
      const { groupCloudId, ...input } = request.body
      const id = databaseId('File', request.params.id)
      const chosen = { ...input, groupCloudId: databaseId('GroupCloud', groupCloudId) }
      return presentProtection(await protection.protect(requireViewer(request), id, chosen))
    },
  )

  app.delete(
    '/files/:id/protection',
    {
      config: { problems: ['NOT_FOUND', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'End the protection of a folder; its copies and earlier versions are removed',
        params: idParams,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      await protection.unprotect(requireViewer(request), databaseId('File', request.params.id))
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/files/:id/earlier-versions',
    {
      config: { problems: ['NOT_FOUND'] },
      schema: {
        tags,
        summary: 'List earlier versions of a protected file, or of files that were deleted from a folder',
        description: 'Of a protected folder: from all folders below it. Newest first, at most 200.',
        params: idParams,
        response: { 200: z.object({ items: z.array(EarlierVersion) }) },
      },
    },
    async (request) => {
      const versions = await protection.earlierVersions(requireViewer(request), databaseId('File', request.params.id))
      return { items: versions.map(presentVersion) }
    },
  )

  app.post(
    '/earlier-versions/:id/restore',
    {
      config: { problems: ['NOT_FOUND', 'CONFLICT', 'PROVIDER_FAILED'] },
      schema: {
        tags,
        summary: 'Restore an earlier version, in the background',
        description:
          'At its place in the account, next to what has its name now; folders that are gone are created again. Into My Drive while the account cannot be used.',
        params: idParams,
        response: { 202: Restored },
      },
    },
    async (request, reply) => {
      const id = databaseId('EarlierVersion', request.params.id)
      const { jobId, intoAccount, folderName } = await protection.restore(requireViewer(request), id)
      return reply.code(202).send({ jobId: publicId('Job', jobId), intoAccount, folderName })
    },
  )
}

function presentVersion({
  id,
  fileId,
  name,
  path,
  size,
  reason,
  ...times
}: DomainVersion): z.infer<typeof EarlierVersion> {
  return {
    id: publicId('EarlierVersion', id),
    fileId: publicId('File', fileId),
    ...{ name, path: [...path], size, reason },
    modifiedAt: isoTime(times.modifiedAt),
    endedAt: isoTime(times.endedAt),
    keptUntil: isoTime(times.keptUntil),
  }
}
