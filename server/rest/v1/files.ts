import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { File, FilePatch } from '../../domain/files/contract.ts'
import { etagOf } from '../../domain/files/tree/steps.ts'
import type { Services } from '../../domain/services.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, optionalId, requireViewer } from '../request.ts'
import { idParams, listOf, noContent } from '../schemas.ts'
import { etagHeader, FileItemSchema, FileSchema, presentFile, presentFileItem } from './fileSchema.ts'
import { asCursorError, filesQuery, listOptions } from './filesQuery.ts'
import { presentShare } from './shareSchema.ts'

const fileId = z.string().max(200)
const UpdateBody = z.strictObject({
  name: z.string().optional(),
  parentId: fileId.nullable().optional().describe('Moves it; null is the root. A name taken there gets a number.'),
  starred: z.boolean().optional(),
  trashed: z.boolean().optional().describe('Into the trash, or back to its old place.'),
  groupCloudId: fileId
    .optional()
    .describe('The group cloud to belong to; the bytes follow. With a folder, all files below it.'),
})
const FolderBody = z.strictObject({ name: z.string(), parentId: fileId.nullable().default(null) })
const DeleteQuery = z.strictObject({
  permanent: z.enum(['', 'true', 'false']).optional().describe('Delete for good, not into the trash.'),
})

const IfMatch = z.object({
  'if-match': z
    .string()
    .optional()
    .describe('ETags with commas between, or `*`: without one that fits nothing happens.'),
})

/** Files and folders by their entries: list, look, change, delete. */
export const filesRoutes: RestPlugin = async (app, { services: { files, shares } }) => {
  const tags = ['files']

  const whole = (request: FastifyRequest, reply: FastifyReply, file: File) =>
    wholeFile({ files, shares }, request, reply, file)

  app.get(
    '/files',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags,
        summary: 'List files and folders',
        querystring: filesQuery,
        response: { 200: listOf(FileItemSchema) },
      },
    },
    async (request) => {
      const page = await files.list(requireViewer(request), listOptions(request.query)).catch(asCursorError)
      const nextCursor = page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null
      return { items: page.items.map(({ file }) => presentFileItem(file)), nextCursor }
    },
  )

  app.get(
    '/files/:id',
    {
      config: { problems: ['NOT_FOUND'], documents: { answerHeaders: { 200: etagHeader } } },
      schema: { tags, summary: 'Look at one', params: idParams, response: { 200: FileSchema } },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      return whole(request, reply, await files.get(viewer, databaseId('File', request.params.id)))
    },
  )

  app.patch(
    '/files/:id',
    {
      config: {
        problems: ['INVALID_INPUT', 'NOT_FOUND', 'NAME_TAKEN', 'FOLDER_CYCLE', 'PRECONDITION_FAILED'],
        documents: { headers: IfMatch, answerHeaders: { 200: etagHeader } },
      },
      schema: {
        tags,
        summary: 'Rename, move, star, trash or restore one, or change its group cloud',
        description: 'All of the body or nothing. With `If-Match` only when nobody has changed it since it was read.',
        params: idParams,
        body: UpdateBody,
        response: { 200: FileSchema },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const id = databaseId('File', request.params.id)
      return whole(request, reply, await files.update(viewer, id, patchOf(request.body), ifMatchOf(request)))
    },
  )

  app.delete(
    '/files/:id',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND', 'PRECONDITION_FAILED'], documents: { headers: IfMatch } },
      schema: {
        tags,
        summary: 'Delete one',
        description: 'Into the trash; what is in the trash already, or with `?permanent=true`, for good.',
        params: idParams,
        querystring: DeleteQuery,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const id = databaseId('File', request.params.id)
      const { permanent = 'false' } = request.query
      const ifMatch = ifMatchOf(request)
      await (permanent === 'false' ? files.discard(viewer, id, ifMatch) : files.remove(viewer, [id], ifMatch))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/files/folders',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND', 'NAME_TAKEN', 'IDEMPOTENCY_KEY_REUSED'], idempotent: true },
      schema: { tags, summary: 'Make a folder', body: FolderBody, response: { 201: FileSchema } },
    },
    async (request, reply) => {
      const { name, parentId } = request.body
      const input = { name, parentId: optionalId('File', parentId) }
      const folder = await files.createFolder(requireViewer(request), input, idempotencyKeyOf(request))
      return reply.code(201).header('etag', etagOf(folder)).send(presentFile(folder, []))
    },
  )
}

/** One file or folder with its copies and links, and its ETag in the header. */
export async function wholeFile(
  { files, shares }: Pick<Services, 'files' | 'shares'>,
  request: FastifyRequest,
  reply: FastifyReply,
  file: File,
): Promise<z.infer<typeof FileSchema>> {
  const viewer = requireViewer(request)
  const [copies, links] = await Promise.all([files.copies(viewer, [file.id]), shares.ofFiles(viewer, [file.id])])
  const shown = (links.get(file.id) ?? []).map((share) => presentShare(share, request.linkOrigin))
  reply.header('etag', etagOf(file))
  return presentFile(file, copies.get(file.id) ?? [], shown)
}

/** The ETags of `If-Match`; undefined without the header, and for `*`, which any entry fits. Weak ones never fit (RFC 9110 13.1.1). */
function ifMatchOf({ headers }: FastifyRequest): string[] | undefined {
  const text = headers['if-match']?.trim()
  return text === undefined || text === '*' ? undefined : text.split(',').map((tag) => tag.trim())
}

/** The body with database ids. @throws NotFoundError */
function patchOf({ parentId, groupCloudId, ...rest }: z.infer<typeof UpdateBody>): FilePatch {
  return {
    ...rest,
    parentId: optionalId('File', parentId),
    groupCloudId: optionalId('GroupCloud', groupCloudId),
  }
}
