import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { InvalidInputError } from '../../domain/errors.ts'
import { VERSION_SOURCES } from '../../domain/files/content/versions.ts'
import type { FileVersion as DomainVersion } from '../../domain/versions/service.ts'
import { isoTime } from '../../lib/format.ts'
import { publicId } from '../../lib/ids.ts'
import { bytes, CONDITIONS, CONTENT_RANGE, contentHeaders, countDownloads, sendBytes } from '../download/send.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { asParameterError, Bytes, DateTime, idParams, listOf, noContent, pageQuery } from '../schemas.ts'
import { closeAfterEarlyAnswers } from '../uploadBody.ts'
import { FileSchema } from './fileSchema.ts'
import { completeFile } from './files.ts'

const FileVersion = z
  .object({
    id: z.string(),
    fileId: z.string(),
    isCurrent: z.boolean().describe('It is what the file has now; it cannot be restored or deleted.'),
    size: Bytes,
    sha256: z.string().describe('Of the content, in lower-case hex.'),
    createdAt: DateTime.describe('Since when it was the content of the file.'),
    endedAt: DateTime.nullable().describe('Until when; null for the current one.'),
    keptUntil: DateTime.nullable().describe('An earlier version is removed after this time.'),
    source: z.enum(VERSION_SOURCES).describe('By an upload, from the editor, or by restoring an earlier version.'),
    by: z.string().describe('Who made it: the name of the API key, otherwise your own.'),
    byKey: z.boolean().describe('An API key made it.'),
    restoredFrom: DateTime.nullable().describe('`RESTORE`: the `createdAt` of the version that was restored.'),
  })
  .meta({ id: 'FileVersion' })

const Limits = z
  .object({
    days: z.int().describe('Earlier versions are kept for so many days after they were replaced.'),
    most: z.int().describe('Earlier versions of a file are kept, at most so many.'),
    versions: z.int().describe('Number of earlier versions of all files.'),
    bytes: Bytes.describe('Their size, once for versions with the same content, and without further copies.'),
  })
  .meta({ id: 'VersionLimits' })

const LimitsBody = z.strictObject({
  days: z.int().optional().describe('1 to 3650.'),
  most: z.int().optional().describe('1 to 1000.'),
})

const IfMatch = z.object({
  'if-match': z
    .string()
    .optional()
    .describe('ETags of downloads of the file, separated by commas, or `*`. Without a match nothing is changed.'),
})

const DOWNLOAD_PROBLEMS = [
  'INVALID_INPUT',
  'NOT_FOUND',
  'CONFLICT',
  'PRECONDITION_FAILED',
  'RANGE_NOT_SATISFIABLE',
  'TOO_MANY_REQUESTS',
  'CONTENT_UNAVAILABLE',
] as const

/** Earlier versions of files, and how long they are kept. */
export const versionsRoutes: RestPlugin = async (app, { services, downloads }) => {
  const { versions } = services
  countDownloads(app, downloads)
  const tags = ['versions']

  app.get(
    '/files/:id/versions',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags,
        summary: 'List the versions of a file',
        description:
          'Newest first, beginning with the current one. Replacing the content of a file keeps what it had as an earlier version. Files in accounts have none here: see their earlier versions.',
        params: idParams,
        querystring: pageQuery,
        response: { 200: listOf(FileVersion) },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query
      const id = databaseId('File', request.params.id)
      const page = await versions.page(requireViewer(request), id, { limit, after: cursor }).catch(asParameterError)
      const nextCursor = page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null
      return { items: page.items.map(({ version }) => presentVersion(version)), nextCursor }
    },
  )

  app.get(
    '/versions/:id/download',
    {
      config: {
        problems: DOWNLOAD_PROBLEMS,
        documents: { headers: CONDITIONS, responseHeaders: { 206: CONTENT_RANGE } },
      },
      schema: {
        tags,
        summary: 'Download a version',
        description: 'As for files: with Range, If-Range, If-None-Match and If-Match; the ETag is the SHA-256.',
        params: idParams,
        querystring: z.strictObject({ disposition: z.enum(['attachment', 'inline']).default('attachment') }),
        response: {
          200: bytes('The version, with its own type where that is safe.', '*/*'),
          206: bytes('The requested range.', '*/*'),
          304: z.null().describe('The client already has this content.'),
        },
      },
    },
    async (request, reply) => {
      const { disposition } = request.query
      const id = databaseId('FileVersion', request.params.id)
      const options = { toKeep: disposition === 'attachment' }
      const { file, source, version } = await versions.open(requireViewer(request), id, options)
      return sendBytes(request, reply, {
        source,
        etag: `"${version.sha256}"`,
        modified: version.createdAt,
        headers: contentHeaders(file, disposition),
      })
    },
  )

  app.post(
    '/versions/:id/restore',
    {
      config: { problems: ['NOT_FOUND', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'Restore an earlier version',
        description:
          'It becomes the content of the file again, as a new version; what the file had becomes an earlier one. Restoring that one undoes it.',
        params: idParams,
        response: { 200: FileSchema },
      },
    },
    async (request, reply) => {
      const { file } = await versions.restore(requireViewer(request), databaseId('FileVersion', request.params.id))
      return completeFile(services, request, reply, file)
    },
  )

  app.delete(
    '/versions/:id',
    {
      config: { problems: ['NOT_FOUND', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'Delete an earlier version permanently',
        params: idParams,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      await versions.remove(requireViewer(request), databaseId('FileVersion', request.params.id))
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/version-limits',
    {
      config: { problems: [] },
      schema: {
        tags,
        summary: 'How long earlier versions are kept, and what they take',
        response: { 200: Limits },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      return { ...(await versions.limits(viewer)), ...(await versions.usage(viewer)) }
    },
  )

  app.patch(
    '/version-limits',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'Change how long earlier versions are kept',
        description: 'What is beyond the new limits is removed within minutes.',
        body: LimitsBody,
        response: { 200: Limits },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      return { ...(await versions.setLimits(viewer, request.body)), ...(await versions.usage(viewer)) }
    },
  )
}

/** `PUT /files/{id}/content`: the body is the new content, streamed. */
export const fileContentRoute: RestPlugin = async (app, { services }) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request: FastifyRequest, payload, done) => done(null, payload))
  closeAfterEarlyAnswers(app)

  app.put(
    '/files/:id/content',
    {
      config: {
        problems: [
          'INVALID_INPUT',
          'NOT_FOUND',
          'PRECONDITION_FAILED',
          'TYPE_REFUSED',
          'STORAGE_FULL',
          'UPLOAD_INCOMPLETE',
        ],
        documents: {
          headers: IfMatch,
          body: z.file().describe('The new content, as it is.'),
          consumes: ['application/octet-stream'],
        },
      },
      schema: {
        tags: ['versions'],
        summary: 'Replace the content of a file',
        description:
          'The body is the new content. What the file had becomes an earlier version; with the same content nothing changes. With `If-Match` only if the file still has the content that was read. Not for files in accounts.',
        params: idParams,
        querystring: z.strictObject({
          source: z.enum(['upload', 'editor']).default('upload').describe('How the content came about.'),
        }),
        response: { 200: FileSchema },
      },
    },
    async (request, reply) => {
      const length = request.headers['content-length']
      if (length === undefined && request.headers['transfer-encoding'] === undefined) {
        throw new InvalidInputError([{ path: 'body', message: 'The new content is missing.' }])
      }
      const input = {
        size: length === undefined ? null : Number(length),
        ifSha256: contentTagsOf(request),
        source: request.query.source === 'editor' ? 'EDITOR' : 'UPLOAD',
      } as const
      const id = databaseId('File', request.params.id)
      const file = await services.versions.write(requireViewer(request), id, input, request.raw)
      return completeFile(services, request, reply, file)
    },
  )
}

/** The contents that `If-Match` names; undefined without the header and for `*`. Weak ones never match. */
function contentTagsOf({ headers }: FastifyRequest): string[] | undefined {
  const text = headers['if-match']?.trim()
  if (text === undefined || text === '*') return undefined
  return text.split(',').map((tag) => /^"([0-9a-f]{64})"$/.exec(tag.trim())?.[1] ?? '')
}

function presentVersion(version: DomainVersion): z.infer<typeof FileVersion> {
  const { id, fileId, createdAt, endedAt, keptUntil, restoredFrom, ...rest } = version
  const timeOf = (time: Date | null) => (time === null ? null : isoTime(time))
  return {
    ...rest,
    id: publicId('FileVersion', id),
    fileId: publicId('File', fileId),
    createdAt: isoTime(createdAt),
    endedAt: timeOf(endedAt),
    keptUntil: timeOf(keptUntil),
    restoredFrom: timeOf(restoredFrom),
  }
}
