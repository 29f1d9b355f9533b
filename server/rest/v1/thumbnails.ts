import { z } from 'zod'
import { sendThumbnail, THUMBNAIL_DOCUMENTS, THUMBNAIL_RESPONSE, thumbnailQuery } from '../download/thumbnail.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { idParams } from '../schemas.ts'

/** For an address that names the content. Without it the picture is asked for again, because the file can get another content. */
const UNCHANGING = 'private, max-age=31536000, immutable'
const CHANGING = 'private, no-cache'

const Query = thumbnailQuery.extend({
  content: z
    .string()
    .max(64)
    .optional()
    .describe(
      'The `sha256` of the file, or its beginning, or what `File.thumbnailUrl` of GraphQL names: then the picture can be cached.',
    ),
})

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
          'For JPEG, PNG, WebP, GIF, TIFF and AVIF up to 64 MiB, and the first page of PDFs up to 32 MiB, upright and without metadata (WebP). Of text and code of any size and of Word, Excel, PowerPoint and OpenDocument files up to 32 MiB, the first lines or cells on white paper (SVG, drawn with the fonts of the client), or the picture of the first page that the document contains (WebP). It is made with the first request and kept; it can be cached when `content` is given. Of files that are in an account under their own name, it is made of the picture that Google Drive, Dropbox, OneDrive, Box and pCloud make themselves (also of videos), and elsewhere of images, texts and documents up to 8 MiB; while the account cannot be reached or asks to wait, `CONTENT_UNAVAILABLE` unless it was made before. `NO_THUMBNAIL` for other types, and for content that cannot be drawn.',
        params: idParams,
        querystring: Query,
        response: THUMBNAIL_RESPONSE,
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const id = databaseId('File', request.params.id)
      const { size, content } = request.query
      return sendThumbnail(request, reply, {
        size,
        open: (side, signal) => thumbnails.get(viewer, id, side, signal),
        etagOf: (tag) => tag,
        cacheControl: (thumbnail) => (content && thumbnail.content.startsWith(content) ? UNCHANGING : CHANGING),
      })
    },
  )
}
