import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { InvalidInputError } from '../../domain/errors.ts'
import type { FilesService } from '../../domain/files/contract.ts'
import { namesOfPath } from '../../domain/files/service.ts'
import type { UploadInput } from '../../domain/uploads/contract.ts'
import type { Viewer } from '../../domain/viewer.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, requireViewer } from '../request.ts'
import { closeAfterEarlyAnswers, type MultipartFile, readFirstFile } from '../uploadBody.ts'
import { FileSchema, presentFile } from './fileSchema.ts'
import { surroundingsOf } from './files.ts'
import { onConflictOf } from './tusHeaders.ts'

/** For documentation only; the parts are parsed as they arrive (uploadBody.ts). */
const MultipartBody = z.object({
  groupCloudId: z.string().optional().describe('Default: the default group cloud. Not for a folder in an account.'),
  parentId: z
    .string()
    .optional()
    .describe('The folder, which can be in an account: then the file is stored there. Default: the root.'),
  onConflict: z.enum(['rename', 'replace', 'fail']).default('rename').describe('If the name is taken in the folder.'),
  path: z
    .string()
    .optional()
    .describe('Path and name below `parentId`, such as `Photos/2024/a.jpg`; missing folders are created.'),
  file: z.file().describe('The last part.'),
})

/** Fields that count only before the file. */
const OPTIONS = Object.keys(MultipartBody.omit({ file: true }).shape)

/** `POST /files`: one file in one multipart request, streamed. */
export const filesCreateRoute: RestPlugin = async (app, { services: { uploads, files, ...services } }) => {
  acceptMultipart(app)
  closeAfterEarlyAnswers(app)

  app.post(
    '/files',
    {
      config: {
        problems: [
          'INVALID_INPUT',
          'NOT_FOUND',
          'NAME_TAKEN',
          'CONFLICT',
          'TOO_LARGE',
          'PROVIDER_FAILED',
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
          'multipart/form-data with the field `file`, optionally preceded by `groupCloudId`, `parentId`, `path` and `onConflict` (rename, replace or fail); after the file they are refused, as are a second file and more than 10 fields. A file for a folder in an account is received here and then sent to the account: until that has it, its `state` is RECEIVED or STORING.',
        consumes: ['multipart/form-data'],
        response: { 201: FileSchema },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const key = idempotencyKeyOf(request)
      const part = await readFirstFile(request.raw, OPTIONS)
      try {
        const input = await placeByPath(files, viewer, inputOf(request, part), part.fields.path)
        const file = await uploads.receive(viewer, input, part.body, key)
        const around = await surroundingsOf({ files, ...services }, viewer, [file])
        return reply.code(201).send(presentFile(file, around(file), file.copies))
      } finally {
        part.release()
      }
    },
  )
}

/** Accepts multipart bodies only, as a stream. */
function acceptMultipart(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('multipart/form-data', (_request: FastifyRequest, payload, done) => done(null, payload))
}

/** Resolves the path and creates missing folders. @throws InvalidInputError, NotFoundError, NameTakenError */
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
    const message = 'A path must end with the name of the file, such as Photos/2024/a.jpg.'
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
    throw new InvalidInputError([{ path: 'file', message: 'The field “file” must have a file name.' }])
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
