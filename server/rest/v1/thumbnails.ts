import { sendThumbnail, THUMBNAIL_DOCUMENTS, THUMBNAIL_RESPONSE, thumbnailQuery } from '../download/thumbnail.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { idParams } from '../schemas.ts'

/** The content of Skypool's own files never changes under their id. */
const UNCHANGING = 'private, max-age=31536000, immutable'
/** What is in an account can be replaced there. */
const CHANGING = 'private, no-cache'

/** Small pictures of files, for lists. */
export const thumbnailsRoutes: RestPlugin = async (app, { services: { thumbnails } }) => {
  app.get(
    '/files/:id/thumbnail',
    {
      config: {
        problems: [
          'INVALID_INPUT',
          'NOT_FOUND',
          'NO_THUMBNAIL',
          'PRECONDITION_FAILED',
          'RANGE_NOT_SATISFIABLE',
          'TOO_MANY_REQUESTS',
          'CONTENT_UNAVAILABLE',
        ],
        documents: THUMBNAIL_DOCUMENTS,
      },
      schema: {
        tags: ['files'],
        summary: 'A small picture of a file',
        description:
          'For JPEG, PNG, WebP, GIF, TIFF and AVIF up to 64 MiB, and the first page of PDFs up to 32 MiB, upright and without metadata. It is made with the first request and kept; it never changes, so it can be cached. `NO_THUMBNAIL` for other types, for content that cannot be drawn, and for files that are in an account under its own name.',
        params: idParams,
        querystring: thumbnailQuery,
        response: THUMBNAIL_RESPONSE,
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const id = databaseId('File', request.params.id)
      return sendThumbnail(request, reply, {
        size: request.query.size,
        open: (size, signal) => thumbnails.get(viewer, id, size, signal),
        etagOf: (tag) => tag,
        cacheControl: ({ file }) => (file.accountId === null ? UNCHANGING : CHANGING),
      })
    },
  )
}
