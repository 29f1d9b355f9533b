import { z } from 'zod'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, requireViewer } from '../request.ts'
import { asParameterError, idParams, listOf, noContent, pageQuery } from '../schemas.ts'
import {
  linkSettingsOf,
  presentUploadLink,
  UploadLinkBody,
  UploadLinkPatchBody,
  UploadLinkSchema,
} from './uploadLinkSchema.ts'

const listQuery = pageQuery.extend({
  live: z.enum(['true', 'false']).default('false').describe('Only links that have not ended.'),
})

const tags = ['upload-links']
const BODY_LIMIT_BYTES = 16 * 1024

/** Upload links, for their owner. GET /upload-links/{id} is for visitors (publicUploadLinks.ts). */
export const uploadLinksRoutes: RestPlugin = async (app, { services: { uploadLinks } }) => {
  app.get(
    '/upload-links',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List all upload links, including ended ones, newest first',
        querystring: listQuery,
        response: { 200: listOf(UploadLinkSchema) },
      },
    },
    async (request) => {
      const { limit, cursor, live } = request.query
      const options = { limit, after: cursor, live: live === 'true' }
      const page = await uploadLinks.list(requireViewer(request), options).catch(asParameterError)
      const nextCursor = page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null
      return { items: page.items.map(({ link }) => presentUploadLink(link, request.linkOrigin)), nextCursor }
    },
  )

  app.post(
    '/upload-links',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        scope: 'SHARE',
        problems: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
        idempotent: true,
      },
      schema: {
        tags,
        summary: 'Ask for files: create a link for uploads into a folder',
        description: 'Visitors can send files, and can neither see nor change anything in the folder.',
        body: UploadLinkBody,
        response: { 201: UploadLinkSchema },
      },
    },
    async (request, reply) => {
      const { folderId, ...settings } = request.body
      const input = { ...linkSettingsOf(settings), folderId: databaseId('File', folderId) }
      const link = await uploadLinks.create(requireViewer(request), input, idempotencyKeyOf(request))
      return reply.code(201).send(presentUploadLink(link, request.linkOrigin))
    },
  )

  app.patch(
    '/upload-links/:id',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { scope: 'SHARE', problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Change an upload link that has not ended',
        params: idParams,
        body: UploadLinkPatchBody,
        response: { 200: UploadLinkSchema },
      },
    },
    async (request) => {
      const id = databaseId('UploadLink', request.params.id)
      const link = await uploadLinks.update(requireViewer(request), id, linkSettingsOf(request.body))
      return presentUploadLink(link, request.linkOrigin)
    },
  )

  app.delete(
    '/upload-links/:id',
    {
      config: { scope: 'SHARE', problems: ['NOT_FOUND'] },
      schema: {
        tags,
        summary: 'End an upload link, with the uploads in progress',
        params: idParams,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      await uploadLinks.revoke(requireViewer(request), databaseId('UploadLink', request.params.id))
      return reply.code(204).send(null)
    },
  )
}
