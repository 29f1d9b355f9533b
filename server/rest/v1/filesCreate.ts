import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { InvalidInputError } from '../../domain/errors.ts'
import type { FilesService } from '../../domain/files/contract.ts'
import { namesOfPath } from '../../domain/files/tree/paths.ts'
import type { UploadInput } from '../../domain/uploads/contract.ts'
import type { Viewer } from '../../domain/viewer.ts'
import { type MultipartFile, readFirstFile } from '../multipart.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, requireViewer } from '../request.ts'
import { closeAfterEarlyAnswers } from '../unreadBody.ts'
import { FileSchema, presentFile } from './fileSchema.ts'
import { onConflictOf } from './tusHeaders.ts'

/** As it is documented; the parts are read as they come (rest/multipart.ts). */
const MultipartBody = z.object({
  groupCloudId: z.string().optional().describe('Default: the default group cloud.'),
  parentId: z.string().optional().describe('Default: the root.'),
  onConflict: z.enum(['rename', 'replace', 'fail']).default('rename').describe('When the name is taken in the folder.'),
  path: z
    .string()
    .optional()
    .describe('Path and name below `parentId`, such as `Photos/2024/a.jpg`: folders that are missing are made.'),
  file: z.file().describe('The last part.'),
})

/** `POST /files`: one file in one multipart request, streamed. */
export const filesCreateRoute: RestPlugin = async (app, { services: { uploads, files } }) => {
  takeMultipart(app)
  closeAfterEarlyAnswers(app)

  app.post(
    '/files',
    {
      config: {
        problems: [
          'INVALID_INPUT',
          'NOT_FOUND',
          'NAME_TAKEN',
          'TYPE_REFUSED',
          'UNSUPPORTED_MEDIA_TYPE',
          'STORAGE_FULL',
          'UPLOAD_INCOMPLETE',
          'IDEMPOTENCY_KEY_REUSED',
        ],
        idempotent: true,
        documents: { body: MultipartBody },
      },
      schema: {
        tags: ['files'],
        summary: 'Upload a file',
        description:
          'multipart/form-data with the field `file`, and before it, if you like, `groupCloudId`, `parentId`, `path` and `onConflict` (rename, replace or fail).',
        consumes: ['multipart/form-data'],
        response: { 201: FileSchema },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const key = idempotencyKeyOf(request)
      const part = await readFirstFile(request.raw)
      try {
        const input = await placeByPath(files, viewer, inputOf(request, part), part.fields.path)
        const file = await uploads.receive(viewer, input, part.body, key)
        return reply.code(201).send(presentFile(file, file.copies))
      } finally {
        part.letGo()
      }
    },
  )
}

/** Only multipart, and as a stream. */
function takeMultipart(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('multipart/form-data', (_request: FastifyRequest, payload, done) => done(null, payload))
}

/** Makes the folders of the path that are missing. @throws InvalidInputError, NotFoundError, NameTakenError */
async function placeByPath(
  files: Pick<FilesService, 'makeFolders'>,
  viewer: Viewer,
  input: UploadInput,
  path: string | undefined,
): Promise<UploadInput> {
  if (path === undefined) return input
  const names = namesOfPath(path)
  const name = names.at(-1)
  if (name === undefined || path.endsWith('/')) {
    const message = 'A path ends with the name of the file, such as Photos/2024/a.jpg.'
    throw new InvalidInputError([{ path: 'path', message }])
  }
  const { id } = await files.makeFolders(viewer, input.parentId ?? null, names.slice(0, -1))
  return { ...input, name, parentId: id }
}

/** @throws InvalidInputError, NotFoundError */
function inputOf({ headers }: FastifyRequest, { name, mimeType, fields }: MultipartFile): UploadInput {
  const length = headers['content-length']
  const { groupCloudId, parentId, onConflict } = fields
  if (name === undefined) {
    throw new InvalidInputError([{ path: 'file', message: 'The field “file” has to carry a file name.' }])
  }
  return {
    name,
    mimeType,
    size: null,
    atMostBytes: length === undefined ? undefined : Number(length),
    groupCloudId: groupCloudId ? databaseId('GroupCloud', groupCloudId) : undefined,
    parentId: parentId ? databaseId('File', parentId) : null,
    onConflict: onConflictOf(onConflict),
  }
}
