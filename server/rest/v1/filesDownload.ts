import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ContentUnavailableError, NotFoundError } from '../../domain/errors.ts'
import { contentTagOf } from '../../domain/files/content/content.ts'
import { EXPORT_TYPES } from '../../domain/files/contract.ts'
import {
  bytes,
  CONDITIONS,
  CONTENT_RANGE,
  contentHeaders,
  countDownloads,
  sendArchive,
  sendBytes,
  sendStream,
} from '../download/send.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { idParams } from '../schemas.ts'

/** So that the URL fits the limits of common servers and proxies. */
export const MAX_ARCHIVE_IDS = 200
const MAX_ARCHIVE_CHARACTERS = MAX_ARCHIVE_IDS * 40

const ExportQuery = z.strictObject({
  type: z
    .string()
    .max(20)
    .optional()
    .describe(
      `One of \`exportTypes\`: ${EXPORT_TYPES.join(', ')}. Default: docx, xlsx, pptx or pdf, by the kind of document.`,
    ),
  disposition: z.enum(['attachment', 'inline']).default('attachment'),
})

/** Downloads of files, and of folders and selections as ZIP. */
export const filesDownloadRoutes: RestPlugin = async (app, { services: { files, inPlace }, downloads }) => {
  countDownloads(app, downloads)
  const tags = ['files']

  app.get(
    '/files/:id/download',
    {
      config: {
        problems: [
          'INVALID_INPUT',
          'NOT_FOUND',
          'PRECONDITION_FAILED',
          'RANGE_NOT_SATISFIABLE',
          'TOO_MANY_REQUESTS',
          'CONTENT_UNAVAILABLE',
        ],
        documents: { headers: CONDITIONS, responseHeaders: { 206: CONTENT_RANGE } },
      },
      schema: {
        tags,
        summary: 'Download a file, or a folder as a ZIP',
        description:
          'A shortcut downloads what it points to. Files support Range, If-Range, If-None-Match and If-Match; the ETag is the SHA-256. `disposition=inline` displays types that are safe to display; others are saved.',
        params: idParams,
        querystring: z.strictObject({ disposition: z.enum(['attachment', 'inline']).default('attachment') }),
        response: {
          200: bytes('The file, with its own type where that is safe; a folder as a ZIP.', '*/*', 'application/zip'),
          206: bytes('The requested range.', '*/*'),
          302: z
            .null()
            .describe('With DOWNLOAD_REDIRECT: the address of the file at the object store, for two minutes.'),
          304: z.null().describe('The client already has this content.'),
        },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      let id = databaseId('File', request.params.id)
      const toKeep = request.query.disposition === 'attachment'
      const open = () =>
        files.open(viewer, id, { toKeep }).catch(async (error: unknown) => {
          if (error instanceof NotFoundError && (await files.get(viewer, id)).kind === 'FOLDER') return null
          throw error
        })
      const content = await open().catch(async (error: unknown) => {
        const shortcut = error instanceof ContentUnavailableError ? await inPlace.shortcut(viewer, id) : null
        if (shortcut === null) throw error
        if (shortcut.targetId === null) throw new ContentUnavailableError(String(shortcut.message))
        id = shortcut.targetId
        return open()
      })
      if (!content) return sendArchive(request, reply, await files.archive(viewer, [id]))
      const { file, source } = content
      const headers = contentHeaders(file, request.query.disposition)
      if (toKeep && source.address && canRedirect(request)) {
        const as = { type: String(headers['content-type']), disposition: String(headers['content-disposition']) }
        return reply.header('cache-control', 'private, no-store').redirect(source.address(as).href, 302)
      }
      return sendBytes(request, reply, {
        source,
        etag: `"${contentTagOf(file)}"`,
        modified: file.updatedAt,
        headers,
      })
    },
  )

  app.get(
    '/files/:id/export',
    {
      config: {
        problems: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT', 'TOO_LARGE', 'TOO_MANY_REQUESTS', 'CONTENT_UNAVAILABLE'],
      },
      schema: {
        tags,
        summary: 'Download a native document in another format',
        description:
          'For documents that exist only at their provider (`nativeKind`): Google Docs, Dropbox Paper and others. Their provider converts them; `exportTypes` are the formats that it offers. Other files are CONFLICT: download them as they are.',
        params: idParams,
        querystring: ExportQuery,
        response: { 200: bytes('The document, of a length that is not known before.', '*/*') },
      },
    },
    async (request, reply) => {
      const { type, disposition } = request.query
      const id = databaseId('File', request.params.id)
      const toKeep = disposition === 'attachment'
      const document = await files.export(requireViewer(request), id, { type, toKeep })
      const headers = { 'cache-control': 'private, no-store', ...contentHeaders(document, disposition) }
      return sendStream(request, reply, { headers, open: document.read })
    },
  )

  app.get(
    '/files/archive',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Download files and folders as one ZIP',
        querystring: z.strictObject({
          ids: z
            .string()
            .min(1)
            .max(MAX_ARCHIVE_CHARACTERS)
            .describe(`At most ${MAX_ARCHIVE_IDS} ids, separated by commas.`),
        }),
        response: { 200: bytes('The ZIP, streamed.', 'application/zip') },
      },
    },
    async (request, reply) => {
      const ids = request.query.ids.split(',').map((id) => databaseId('File', id))
      return sendArchive(request, reply, await files.archive(requireViewer(request), ids))
    },
  )
}

/**
 * A whole file that a browser saves, or a program with a key reads. Scripts of the web client may not read other origins, and only the
 * headers of browsers say that a request is not one of them.
 */
function canRedirect({ method, headers, viewer }: FastifyRequest): boolean {
  const isForEnd = headers['sec-fetch-mode'] === 'navigate' || (viewer?.key ?? null) !== null
  const isWhole = ['range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'].every(
    (name) => headers[name] === undefined,
  )
  return method === 'GET' && isForEnd && isWhole
}
