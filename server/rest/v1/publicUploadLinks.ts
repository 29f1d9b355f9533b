import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { InvalidInputError } from '../../domain/errors.ts'
import type { Visitor } from '../../domain/shares/contract.ts'
import type { LinkUpload, UploadLinksService } from '../../domain/uploadLinks/contract.ts'
import { linkGone } from '../../domain/uploadLinks/visits.ts'
import { parsePublicId, publicId } from '../../lib/ids.ts'
import type { ProofCookie } from '../cookies.ts'
import type { RestPlugin } from '../plugin.ts'
import { clientOf, databaseId } from '../request.ts'
import { idParams } from '../schemas.ts'
import { closeAfterEarlyAnswers, readFirstFile } from '../uploadBody.ts'
import {
  acceptRawBodies,
  BODY_TYPE,
  bodyLengthOf,
  bytesOf,
  checkBodyType,
  checksumOf,
  checkVersion,
  metadataOf,
  TUS_LINK_DOCS,
} from './tusHeaders.ts'
import {
  LinkUploadSchema,
  PublicUploadLinkSchema,
  presentLinkUpload,
  presentPublicUploadLink,
  SentFileSchema,
} from './uploadLinkSchema.ts'

const tags = ['upload-links']
const BODY_LIMIT_BYTES = 16 * 1024

const uploadParams = z.object({
  id: z.string().max(200),
  uploadId: z.string().max(200).describe('The id in the address of the upload.'),
})

const VISITORS = { public: true, visitors: true } as const
const REFUSALS = [
  'INVALID_INPUT',
  'PASSWORD_REQUIRED',
  'NOT_FOUND',
  'CONFLICT',
  'TOO_LARGE',
  'TYPE_REFUSED',
  'STORAGE_FULL',
  'UPLOAD_INCOMPLETE',
  'TOO_MANY_REQUESTS',
] as const

/** What an upload link shows to everyone who has it. */
export const publicUploadLinksRoutes: RestPlugin = async (app, { services: { uploadLinks }, proofCookie }) => {
  preventIndexing(app)

  app.get(
    '/upload-links/:id',
    {
      config: { ...VISITORS, problems: ['NOT_FOUND', 'TOO_MANY_REQUESTS'] },
      schema: {
        tags,
        summary: 'Look at an upload link',
        description: 'Open to everyone. Before the password is given, the response contains `needsPassword` only.',
        params: idParams,
        response: { 200: PublicUploadLinkSchema },
      },
    },
    async (request) => {
      const id = linkIdOf(request.params.id)
      return presentPublicUploadLink(await uploadLinks.visit(visitorOf(request, proofCookie, id), id))
    },
  )

  app.post(
    '/upload-links/:id/unlock',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { ...VISITORS, problems: ['INVALID_INPUT', 'NOT_FOUND', 'WRONG_PASSWORD', 'TOO_MANY_REQUESTS'] },
      schema: {
        tags,
        summary: 'Give the password of an upload link',
        description: 'The response sets a cookie that opens the link for 12 hours.',
        params: idParams,
        body: z.strictObject({ password: z.string() }),
        response: { 200: PublicUploadLinkSchema },
      },
    },
    async (request, reply) => {
      const id = linkIdOf(request.params.id)
      const visitor = visitorOf(request, proofCookie, id)
      const proof = await uploadLinks.unlock(visitor, id, request.body.password)
      const link = await uploadLinks.visit({ ...visitor, proof }, id)
      return reply.header('set-cookie', proofCookie.write(id, proof)).send(presentPublicUploadLink(link))
    },
  )
}

/** For documentation only; the parts are parsed as they arrive (uploadBody.ts). */
const MultipartBody = z.object({
  visitorName: z.string().optional().describe('Name of the visitor; required if the link asks for it.'),
  file: z.file().describe('The last part.'),
})

/** A whole file in one request, for programs such as curl. */
export const publicUploadLinkFilesRoute: RestPlugin = async (app, { services: { uploadLinks }, proofCookie }) => {
  preventIndexing(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('multipart/form-data', (_request: FastifyRequest, payload, done) => done(null, payload))
  closeAfterEarlyAnswers(app)

  app.post(
    '/upload-links/:id/files',
    {
      config: {
        ...VISITORS,
        problems: [...REFUSALS, 'UNSUPPORTED_MEDIA_TYPE'],
        documents: { body: MultipartBody },
      },
      schema: {
        tags,
        summary: 'Send a file through an upload link',
        description:
          'multipart/form-data with the field `file`, optionally preceded by `visitorName`. It never replaces another file.',
        consumes: ['multipart/form-data'],
        params: idParams,
        response: { 201: SentFileSchema },
      },
    },
    async (request, reply) => {
      const id = linkIdOf(request.params.id)
      const visitor = visitorOf(request, proofCookie, id)
      const part = await readFirstFile(request.raw, ['visitorName'])
      try {
        if (part.name === undefined) {
          throw new InvalidInputError([{ path: 'file', message: 'The field “file” must have a file name.' }])
        }
        const length = request.headers['content-length']
        const atMostBytes = length === undefined ? null : Number(length)
        const { visitorName } = part.fields
        const file = { name: part.name, mimeType: part.mimeType, visitorName, atMostBytes }
        return reply.code(201).send(await uploadLinks.receive(visitor, id, file, part.body))
      } finally {
        part.release()
      }
    },
  )
}

type ByUpload = FastifyRequest<{ Params: { id: string; uploadId: string } }>

/** Resumable uploads of visitors: tus 1.0 with fewer extensions than `/uploads`, and with ids that belong to the link. */
export const publicUploadLinkTusRoutes: RestPlugin = async (app, { services: { uploadLinks }, proofCookie }) => {
  preventIndexing(app)
  acceptRawBodies(app)
  closeAfterEarlyAnswers(app)
  app.addHook('onRequest', checkVersion)
  const partiesOf = (request: ByUpload) => {
    const id = linkIdOf(request.params.id)
    return [visitorOf(request, proofCookie, id), id, databaseId('LinkUpload', request.params.uploadId)] as const
  }

  app.post(
    '/upload-links/:id/uploads',
    {
      config: {
        ...VISITORS,
        problems: [...REFUSALS, 'PRECONDITION_FAILED', 'CHECKSUM_MISMATCH', 'UPLOAD_OFFSET_MISMATCH'],
        documents: TUS_LINK_DOCS.create,
      },
      schema: {
        tags,
        summary: 'Begin a resumable upload through an upload link (tus creation, optionally with the first bytes)',
        params: idParams,
      },
    },
    async (request, reply) => {
      const id = linkIdOf(request.params.id)
      return begin(uploadLinks, visitorOf(request, proofCookie, id), id, request, reply)
    },
  )

  app.get(
    '/upload-links/:id/uploads/:uploadId',
    {
      exposeHeadRoute: false,
      config: { ...VISITORS, problems: ['PASSWORD_REQUIRED', 'NOT_FOUND', 'TOO_MANY_REQUESTS'] },
      schema: { tags, summary: 'Progress of an upload', params: uploadParams, response: { 200: LinkUploadSchema } },
    },
    async (request) => presentLinkUpload(await uploadLinks.progress(...partiesOf(request))),
  )

  app.head(
    '/upload-links/:id/uploads/:uploadId',
    {
      config: {
        ...VISITORS,
        problems: ['PASSWORD_REQUIRED', 'NOT_FOUND', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS'],
        documents: TUS_LINK_DOCS.head,
        swagger: { exposeHeadRoute: true },
      },
      schema: { tags, summary: 'Progress of an upload (tus)', params: uploadParams },
    },
    async (request, reply) => reply.headers(headersOf(await uploadLinks.progress(...partiesOf(request)))).send(),
  )

  app.patch(
    '/upload-links/:id/uploads/:uploadId',
    {
      config: {
        ...VISITORS,
        problems: [
          ...REFUSALS,
          'UPLOAD_OFFSET_MISMATCH',
          'UNSUPPORTED_MEDIA_TYPE',
          'CHECKSUM_MISMATCH',
          'PRECONDITION_FAILED',
        ],
        documents: TUS_LINK_DOCS.append,
      },
      schema: { tags, summary: 'Send the next bytes (tus)', params: uploadParams },
    },
    async (request, reply) => {
      checkBodyType(request)
      const offset = bytesOf(request, 'upload-offset')
      const sent = [offset, request.raw, checksumOf(request), bodyLengthOf(request)] as const
      const upload = await uploadLinks.append(...partiesOf(request), ...sent)
      return reply.code(204).headers(headersOf(upload)).send()
    },
  )

  app.delete(
    '/upload-links/:id/uploads/:uploadId',
    {
      config: {
        ...VISITORS,
        problems: ['PASSWORD_REQUIRED', 'NOT_FOUND', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS'],
        documents: TUS_LINK_DOCS.remove,
      },
      schema: {
        tags,
        summary: 'Cancel an upload that has not arrived (tus termination)',
        params: uploadParams,
      },
    },
    async (request, reply) => {
      await uploadLinks.cancel(...partiesOf(request))
      return reply.code(204).send()
    },
  )
}

async function begin(
  uploadLinks: UploadLinksService,
  visitor: Visitor,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { filename, filetype, visitorName } = metadataOf(request)
  if (!filename) {
    const message = 'Upload-Metadata must contain the filename.'
    throw new InvalidInputError([{ path: 'upload-metadata', message }])
  }
  const file = { name: filename, mimeType: filetype ?? undefined, visitorName: visitorName ?? undefined }
  const size = bytesOf(request, 'upload-length')
  const begun = await uploadLinks.begin(visitor, id, { ...file, size })
  const address = `/api/v1/upload-links/${publicId('UploadLink', id)}/uploads/${publicId('LinkUpload', begun.id)}`
  reply.header('location', address)
  const hasBody = request.headers['content-type'] === BODY_TYPE || size === 0
  const sent = [0, request.raw, checksumOf(request), bodyLengthOf(request)] as const
  const upload = hasBody ? await uploadLinks.append(visitor, id, begun.id, ...sent) : begun
  return reply.code(201).headers(headersOf(upload)).send()
}

function headersOf({ offset, size, expiresAt }: LinkUpload): Record<string, string> {
  return {
    'upload-offset': String(offset),
    'upload-length': String(size),
    ...(expiresAt && { 'upload-expires': expiresAt.toUTCString() }),
  }
}

/** The visitor of a link: address, and the proof in the link's cookie. */
function visitorOf(request: FastifyRequest, proofCookie: ProofCookie, id: string): Visitor {
  return { ...clientOf(request), proof: proofCookie.read(request.headers.cookie, id) }
}

/** Tells search engines not to index. */
function preventIndexing(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.raw.setHeader('x-robots-tag', 'noindex, nofollow')
  })
}

/** @throws NotFoundError with the same message as for every link that does not open */
function linkIdOf(text: string): string {
  const parsed = parsePublicId(text)
  if (parsed?.type !== 'UploadLink') throw linkGone()
  return parsed.id
}
