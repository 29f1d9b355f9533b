import { z } from 'zod'
import { NotFoundError } from '../../domain/errors.ts'
import { contentHeaders } from '../download/contentHeaders.ts'
import { bytes, CONDITIONS, CONTENT_RANGE } from '../download/documented.ts'
import { sendArchive } from '../download/sendArchive.ts'
import { sendBytes } from '../download/sendBytes.ts'
import { countDownloads } from '../download/slots.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { idParams } from '../schemas.ts'

/** As many ids as an address line holds everywhere. */
export const MOST_ARCHIVE_IDS = 200
const MOST_ARCHIVE_CHARACTERS = MOST_ARCHIVE_IDS * 40

/** Bytes of files, and of folders and selections as ZIP. */
export const filesDownloadRoutes: RestPlugin = async (app, { services: { files }, downloads }) => {
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
        documents: { headers: CONDITIONS, answerHeaders: { 206: CONTENT_RANGE } },
      },
      schema: {
        tags,
        summary: 'Download a file, or a folder as a ZIP',
        description:
          'Files take Range, If-Range, If-None-Match and If-Match; the ETag is the SHA-256. `disposition=inline` shows types that are safe to show; others are saved.',
        params: idParams,
        querystring: z.strictObject({ disposition: z.enum(['attachment', 'inline']).default('attachment') }),
        response: {
          200: bytes('The file, under its own type where that is safe; a folder as a ZIP.', '*/*', 'application/zip'),
          206: bytes('The bytes of the Range.', '*/*'),
          304: z.null().describe('The client has these bytes already.'),
        },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const id = databaseId('File', request.params.id)
      const toKeep = request.query.disposition === 'attachment'
      const content = await files.open(viewer, id, { toKeep }).catch(async (error: unknown) => {
        if (error instanceof NotFoundError && (await files.get(viewer, id)).kind === 'FOLDER') return null
        throw error
      })
      if (!content) return sendArchive(request, reply, await files.archive(viewer, [id]))
      const { file, source } = content
      return sendBytes(request, reply, {
        source,
        etag: `"${file.sha256}"`,
        modified: file.createdAt,
        headers: contentHeaders(file, request.query.disposition),
      })
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
            .max(MOST_ARCHIVE_CHARACTERS)
            .describe(`At most ${MOST_ARCHIVE_IDS} ids, with commas between.`),
        }),
        response: { 200: bytes('The ZIP, as it is made.', 'application/zip') },
      },
    },
    async (request, reply) => {
      const ids = request.query.ids.split(',').map((id) => databaseId('File', id))
      return sendArchive(request, reply, await files.archive(requireViewer(request), ids))
    },
  )
}
