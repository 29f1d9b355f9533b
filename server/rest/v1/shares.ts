import { z } from 'zod'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, optionalId, requireViewer } from '../request.ts'
import { asParameterError, idParams, listOf, noContent, pageQuery } from '../schemas.ts'
import { presentShare, ShareBody, SharePatchBody, ShareSchema, ShareSettings, settingsOf } from './shareSchema.ts'

const copyParams = z.object({ fileId: z.string().max(200), uploadFileId: z.string().max(200) })
const listQuery = pageQuery.extend({
  live: z.enum(['true', 'false']).default('false').describe('Only active links.'),
})

const tags = ['shares']
const BODY_LIMIT_BYTES = 16 * 1024

/** Public links, for their owner. GET /shares/{id} is for visitors (publicShares.ts). */
export const sharesRoutes: RestPlugin = async (app, { services: { shares } }) => {
  app.get(
    '/shares',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List all links, including ended ones, newest first',
        querystring: listQuery,
        response: { 200: listOf(ShareSchema) },
      },
    },
    async (request) => {
      const { limit, cursor, live } = request.query
      const options = { limit, after: cursor, live: live === 'true' }
      const page = await shares.list(requireViewer(request), options).catch(asParameterError)
      const nextCursor = page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null
      return { items: page.items.map(({ share }) => presentShare(share, request.linkOrigin)), nextCursor }
    },
  )

  app.post(
    '/shares',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        scope: 'SHARE',
        problems: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
        idempotent: true,
      },
      schema: { tags, summary: 'Share a file or a folder', body: ShareBody, response: { 201: ShareSchema } },
    },
    async (request, reply) => {
      const { fileId, uploadFileId, providerLink, ...settings } = request.body
      const input = {
        ...settingsOf(settings),
        fileId: databaseId('File', fileId),
        copyId: optionalId('Copy', uploadFileId),
        providerLink,
      }
      const share = await shares.create(requireViewer(request), input, idempotencyKeyOf(request))
      return reply.code(201).send(presentShare(share, request.linkOrigin))
    },
  )

  app.patch(
    '/shares/:id',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { scope: 'SHARE', problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Change a link that has not ended',
        params: idParams,
        body: SharePatchBody,
        response: { 200: ShareSchema },
      },
    },
    async (request) => {
      const id = databaseId('Share', request.params.id)
      const share = await shares.update(requireViewer(request), id, settingsOf(request.body))
      return presentShare(share, request.linkOrigin)
    },
  )

  app.delete(
    '/shares/:id',
    {
      config: { scope: 'SHARE', problems: ['NOT_FOUND'] },
      schema: { tags, summary: 'End a link', params: idParams, response: { 204: noContent } },
    },
    async (request, reply) => {
      await shares.revoke(requireViewer(request), databaseId('Share', request.params.id))
      return reply.code(204).send(null)
    },
  )
}

/** Links to one copy of a file, if possible with a link of its provider. */
export const copySharesRoutes: RestPlugin = async (app, { services: { shares } }) => {
  const idsOf = (params: z.infer<typeof copyParams>) =>
    [databaseId('File', params.fileId), databaseId('Copy', params.uploadFileId)] as const

  app.post(
    '/files/:fileId/share/:uploadFileId',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        scope: 'SHARE',
        problems: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
        idempotent: true,
      },
      schema: {
        tags,
        summary: 'Share a file, with the link of the cloud drive that holds this copy',
        description:
          'With a password or a download limit there is no link of the cloud drive, because that could enforce neither.',
        params: copyParams,
        body: ShareSettings.nullish(),
        response: { 201: ShareSchema },
      },
    },
    async (request, reply) => {
      const [fileId, copyId] = idsOf(request.params)
      const settings = settingsOf(request.body ?? {})
      const providerLink = settings.password == null && settings.maxDownloads == null
      const input = { ...settings, fileId, copyId, providerLink }
      const share = await shares.create(requireViewer(request), input, idempotencyKeyOf(request))
      return reply.code(201).send(presentShare(share, request.linkOrigin))
    },
  )

  app.delete(
    '/files/:fileId/share/:uploadFileId',
    {
      config: { scope: 'SHARE', problems: ['NOT_FOUND'] },
      schema: {
        tags,
        summary: 'End all links created for this copy',
        params: copyParams,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      await shares.revokeOfCopy(requireViewer(request), ...idsOf(request.params))
      return reply.code(204).send(null)
    },
  )
}
