import { z } from 'zod'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, optionalId, requireViewer } from '../request.ts'
import { idParams } from '../schemas.ts'
import { FileItemSchema, presentFileItem } from './fileSchema.ts'

const id = z.string().max(200)
const CopyBody = z.strictObject({
  ids: z.array(id).min(1).max(1000).describe('Files and folders.'),
  parentId: id.nullable().describe('The folder to put them into; null is the root.'),
  groupCloudId: id.optional().describe('Where the new files belong. Default: where their originals do.'),
})

/** New files of the bytes of others, and of those that accounts have in the place of a copy. */
export const filesCopyRoute: RestPlugin = async (app, { services: { files } }) => {
  app.post(
    '/files/copy',
    {
      config: {
        problems: [
          'INVALID_INPUT',
          'NOT_FOUND',
          'FOLDER_CYCLE',
          'STORAGE_FULL',
          'CONTENT_UNAVAILABLE',
          'IDEMPOTENCY_KEY_REUSED',
        ],
        idempotent: true,
      },
      schema: {
        tags: ['files'],
        summary: 'Copy files and folders',
        description:
          'Folders with all that is in them, at most 1,000 files. A name taken in the target gets a number. Answers when all is copied, with what stands in the target now; goes on when the connection breaks. What fails on the way leaves the files that were finished, and under the same Idempotency-Key goes on from there.',
        body: CopyBody,
        response: { 201: z.object({ items: z.array(FileItemSchema) }) },
      },
    },
    async (request, reply) => {
      const { ids, parentId, groupCloudId } = request.body
      const input = {
        ids: ids.map((one) => databaseId('File', one)),
        parentId: optionalId('File', parentId),
        groupCloudId: optionalId('GroupCloud', groupCloudId),
      }
      const copies = await files.copy(requireViewer(request), input, idempotencyKeyOf(request))
      return reply.code(201).send({ items: copies.map(presentFileItem) })
    },
  )

  app.post(
    '/copies/:id/keep',
    {
      config: { problems: ['NOT_FOUND', 'CONFLICT', 'STORAGE_FULL', 'CONTENT_UNAVAILABLE'] },
      schema: {
        tags: ['files'],
        summary: 'Keep a version that was made in an account',
        description:
          'Where `changedAt` of a copy is not null, somebody made another version of it in its account. This makes a file of its own of that version, beside the old one; it stays in the account too.',
        params: idParams,
        response: { 201: FileItemSchema },
      },
    },
    async (request, reply) => {
      const file = await files.keepVersion(requireViewer(request), databaseId('Copy', request.params.id))
      return reply.code(201).send(presentFileItem(file))
    },
  )
}
