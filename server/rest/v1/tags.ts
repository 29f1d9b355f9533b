import { z } from 'zod'
import { LABEL_COLORS } from '../../domain/files/contract.ts'
import type { Tag } from '../../domain/tags/service.ts'
import { isoTime } from '../../lib/format.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, requireViewer } from '../request.ts'
import { DateTime, idParams, listOf, noContent, pageOf, pageQuery } from '../schemas.ts'

/** A colour of a tag or folder. */
export const LabelColorSchema = z.enum(LABEL_COLORS)

/** A tag as it is shown on a file. */
export const FileTagSchema = z
  .object({ id: z.string(), name: z.string(), color: LabelColorSchema })
  .meta({ id: 'FileTag' })

const TagSchema = FileTagSchema.extend({
  fileCount: z.int().describe('Number of files and folders with it, without the trash.'),
  createdAt: DateTime,
}).meta({ id: 'Tag' })

const name = z.string().describe('1 to 50 characters, unique among your tags, ignoring case.')
const TagBody = z.strictObject({ name, color: LabelColorSchema })
const TagPatchBody = z.strictObject({ name: name.optional(), color: LabelColorSchema.optional() })

export function presentFileTag({ id, name, color }: Tag): z.infer<typeof FileTagSchema> {
  return { id: publicId('Tag', id), name, color }
}

const present = (tag: Tag, fileCount: number): z.infer<typeof TagSchema> => ({
  ...presentFileTag(tag),
  fileCount,
  createdAt: isoTime(tag.createdAt),
})

/** A user's own tags. They are put on files by POST /files/tags (filesMany.ts). */
export const tagsRoutes: RestPlugin = async (app, { services }) => {
  const tags = ['tags']

  app.get(
    '/tags',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List your tags, by name',
        querystring: pageQuery,
        response: { 200: listOf(TagSchema) },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const all = (await services.tags.list(viewer)).map((tag) => ({ tag, id: publicId('Tag', tag.id) }))
      const { items, nextCursor } = pageOf(all, request.query)
      const counts = await services.tags.counts(
        viewer,
        items.map(({ tag }) => tag.id),
      )
      return { items: items.map(({ tag }) => present(tag, counts.get(tag.id) ?? 0)), nextCursor }
    },
  )

  app.post(
    '/tags',
    {
      config: { problems: ['INVALID_INPUT', 'NAME_TAKEN', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'], idempotent: true },
      schema: {
        tags,
        summary: 'Create a tag',
        description: 'At most 100 per user.',
        body: TagBody,
        response: { 201: TagSchema },
      },
    },
    async (request, reply) => {
      const tag = await services.tags.create(requireViewer(request), request.body, idempotencyKeyOf(request))
      return reply.code(201).send(present(tag, 0))
    },
  )

  app.patch(
    '/tags/:id',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND', 'NAME_TAKEN'] },
      schema: {
        tags,
        summary: 'Rename a tag, or change its colour',
        params: idParams,
        body: TagPatchBody,
        response: { 200: TagSchema },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const tag = await services.tags.update(viewer, databaseId('Tag', request.params.id), request.body)
      const counts = await services.tags.counts(viewer, [tag.id])
      return present(tag, counts.get(tag.id) ?? 0)
    },
  )

  app.delete(
    '/tags/:id',
    {
      config: { problems: ['NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Delete a tag; files that have it stay',
        params: idParams,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      await services.tags.remove(requireViewer(request), databaseId('Tag', request.params.id))
      return reply.code(204).send(null)
    },
  )
}
