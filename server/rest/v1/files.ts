import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type BrowserPicture, isMadeByBrowsers } from '../../domain/files/content/browserPictures.ts'
import type { File, FilePatch } from '../../domain/files/contract.ts'
import { etagOf } from '../../domain/files/tree/step.ts'
import type { ProtectionInfo } from '../../domain/protection/contract.ts'
import type { Services } from '../../domain/services.ts'
import type { Tag } from '../../domain/tags/service.ts'
import type { Viewer } from '../../domain/viewer.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, optionalId, requireViewer } from '../request.ts'
import { asParameterError, idParams, listOf, noContent } from '../schemas.ts'
import {
  etagHeader,
  FileItemSchema,
  FileSchema,
  filesQuery,
  listOptions,
  presentFile,
  presentFileItem,
  type Surroundings,
} from './fileSchema.ts'
import { presentShare } from './shareSchema.ts'

const fileId = z.string().max(200)
const UpdateBody = z.strictObject({
  name: z.string().optional(),
  parentId: fileId
    .nullable()
    .optional()
    .describe('Moves it; null is the root. If the name is taken there, a number is added.'),
  starred: z.boolean().optional(),
  trashed: z.boolean().optional().describe('Moves it to the trash, or restores it to its folder.'),
  groupCloudId: fileId
    .optional()
    .describe('Its new group cloud; the bytes are moved in the background. For a folder: of all files below it.'),
})
const FolderBody = z.strictObject({ name: z.string(), parentId: fileId.nullable().default(null) })
const DeleteQuery = z.strictObject({
  permanent: z.enum(['', 'true', 'false']).optional().describe('Delete permanently instead of moving it to the trash.'),
})

const IfMatch = z.object({
  'if-match': z.string().optional().describe('ETags separated by commas, or `*`. Without a match nothing is changed.'),
})

/** List, read, change and delete files and folders. */
export const filesRoutes: RestPlugin = async (app, { services }) => {
  const { files } = services
  const tags = ['files']

  const complete = (request: FastifyRequest, reply: FastifyReply, file: File) =>
    completeFile(services, request, reply, file)

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
      const viewer = requireViewer(request)
      const page = await files.list(viewer, listOptions(request.query)).catch(asParameterError)
      const items = await presentItems(
        services,
        viewer,
        page.items.map(({ file }) => file),
      )
      return { items, nextCursor: page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null }
    },
  )

  app.get(
    '/files/:id',
    {
      config: { problems: ['NOT_FOUND'], documents: { responseHeaders: { 200: etagHeader } } },
      schema: { tags, summary: 'Read one', params: idParams, response: { 200: FileSchema } },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      return complete(request, reply, await files.get(viewer, databaseId('File', request.params.id)))
    },
  )

  app.patch(
    '/files/:id',
    {
      config: {
        problems: [
          'INVALID_INPUT',
          'NOT_FOUND',
          'NAME_TAKEN',
          'FOLDER_CYCLE',
          'PRECONDITION_FAILED',
          'CONFLICT',
          'PROVIDER_FAILED',
        ],
        documents: { headers: IfMatch, responseHeaders: { 200: etagHeader } },
      },
      schema: {
        tags,
        summary: 'Rename, move, star, trash or restore one, or change its group cloud',
        description:
          'Applies all fields or none; of an entry in an account, one after the other, until one fails. With `If-Match` only if it has not been changed since it was read.',
        params: idParams,
        body: UpdateBody,
        response: { 200: FileSchema },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const id = databaseId('File', request.params.id)
      return complete(request, reply, await files.update(viewer, id, patchOf(request.body), ifMatchOf(request)))
    },
  )

  app.delete(
    '/files/:id',
    {
      config: {
        problems: ['INVALID_INPUT', 'NOT_FOUND', 'PRECONDITION_FAILED', 'CONFLICT', 'PROVIDER_FAILED'],
        documents: { headers: IfMatch },
      },
      schema: {
        tags,
        summary: 'Delete one',
        description: 'Moves it to the trash; permanently with `?permanent=true`, or if it is in the trash already.',
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
      config: {
        problems: ['INVALID_INPUT', 'NOT_FOUND', 'NAME_TAKEN', 'IDEMPOTENCY_KEY_REUSED', 'CONFLICT', 'PROVIDER_FAILED'],
        idempotent: true,
      },
      schema: { tags, summary: 'Create a folder', body: FolderBody, response: { 201: FileSchema } },
    },
    async (request, reply) => {
      const { name, parentId } = request.body
      const input = { name, parentId: optionalId('File', parentId) }
      const viewer = requireViewer(request)
      const folder = await files.createFolder(viewer, input, idempotencyKeyOf(request))
      const around = await surroundingsOf(services, viewer, [folder])
      return reply
        .code(201)
        .header('etag', etagOf(folder))
        .send(presentFile(folder, around(folder)))
    },
  )
}

type Around = Pick<Services, 'files' | 'inPlace' | 'protection' | 'tags' | 'thumbnails'>

/** Files and folders for a list. */
export async function presentItems(
  services: Around,
  viewer: Viewer,
  files: readonly File[],
): Promise<z.infer<typeof FileItemSchema>[]> {
  const around = await surroundingsOf(services, viewer, files)
  return files.map((file) => presentFileItem(file, around(file)))
}

/**
 * Two statements for any number of files; one more each with shortcuts, with videos, and if something in their accounts is
 * protected.
 */
export async function surroundingsOf(
  services: Around,
  viewer: Viewer,
  files: readonly File[],
): Promise<(file: File) => Surroundings> {
  const folderIds = [...new Set(files.flatMap(({ parentId }) => parentId ?? []))]
  const guarded = idsOf(files.filter(({ inPlace }) => inPlace?.mayBeProtected))
  const shortcuts = idsOf(files.filter(({ inPlace }) => inPlace?.nativeKind === 'SHORTCUT'))
  const films = idsOf(files.filter(isMadeByBrowsers))
  const [paths, targets, protections, tags, pictures] = await Promise.all([
    folderIds.length === 0 ? new Map<string, readonly File[]>() : services.files.pathsTo(viewer, folderIds),
    shortcuts.length === 0 ? new Map<string, string>() : services.inPlace.targets(viewer, shortcuts),
    guarded.length === 0 ? new Map<string, ProtectionInfo>() : services.protection.find(viewer, guarded),
    files.length === 0 ? new Map<string, Tag[]>() : services.tags.ofFiles(viewer, idsOf(files)),
    films.length === 0 ? new Map<string, BrowserPicture>() : services.thumbnails.fromBrowsers(viewer, films),
  ])
  const names = new Map([...paths].map(([folderId, path]) => [folderId, path.map(({ name }) => name)]))
  return ({ id, parentId }) => ({
    path: names.get(parentId ?? '') ?? [],
    targetId: targets.get(id),
    protection: protections.get(id),
    tags: tags.get(id),
    browserPicture: pictures.get(id),
  })
}

function idsOf(files: readonly File[]): string[] {
  return files.map(({ id }) => id)
}

/** One file or folder with its copies and links, and its ETag in the header. */
export async function completeFile(
  services: Around & Pick<Services, 'shares'>,
  request: FastifyRequest,
  reply: FastifyReply,
  file: File,
): Promise<z.infer<typeof FileSchema>> {
  const viewer = requireViewer(request)
  const [copies, links, around] = await Promise.all([
    services.files.copies(viewer, [file.id]),
    services.shares.ofFiles(viewer, [file.id]),
    surroundingsOf(services, viewer, [file]),
  ])
  const shown = (links.get(file.id) ?? []).map((share) => presentShare(share, request.linkOrigin))
  reply.header('etag', etagOf(file))
  return presentFile(file, around(file), copies.get(file.id) ?? [], shown)
}

/** The ETags of `If-Match`; undefined without the header and for `*`, which any entry matches. Weak ones never match (RFC 9110 13.1.1). */
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
