import { z } from 'zod'
import type { File } from '../../domain/files/contract.ts'
import { sourceOfBytes } from '../../storage/byteSource.ts'
import { bytes, CONDITIONS, CONTENT_RANGE } from '../download/headers.ts'
import { sendBytes } from '../download/send.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { idParams } from '../schemas.ts'

/** For an address that names the content. Without it the picture is asked for again, because the file can get another content. */
const CACHE = 'private, max-age=31536000, immutable'

const Query = z.strictObject({
  size: z
    .enum(['small', 'medium', 'large'])
    .default('medium')
    .describe('The longest side is at most 96, 320 or 640 pixels; smaller pictures keep their size.'),
  content: z
    .string()
    .max(64)
    .optional()
    .describe('The `sha256` of the file, or its beginning: then the picture can be cached.'),
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
        documents: { headers: CONDITIONS, responseHeaders: { 206: CONTENT_RANGE } },
      },
      schema: {
        tags: ['files'],
        summary: 'A small picture of a file',
        description:
          'For JPEG, PNG, WebP, GIF, TIFF and AVIF up to 64 MiB, and the first page of PDFs up to 32 MiB, upright and without metadata. It is made with the first request and kept; it can be cached when `content` is given. `NO_THUMBNAIL` for other types, for content that cannot be drawn, and for files that are in an account under its own name.',
        params: idParams,
        querystring: Query,
        response: {
          200: bytes('The picture.', 'image/webp'),
          206: bytes('The requested range.', 'image/webp'),
          304: z.null().describe('The client already has this picture.'),
        },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const id = databaseId('File', request.params.id)
      const { socket } = request.raw
      const left = new AbortController()
      const onClose = () => left.abort()
      socket.once('close', onClose)
      try {
        const size = SIZES[request.query.size]
        const { bytes: picture, file, tag } = await thumbnails.get(viewer, id, size, left.signal)
        return await sendBytes(request, reply, {
          source: sourceOfBytes(picture),
          etag: `"${tag}"`,
          modified: file.updatedAt,
          headers: {
            'content-type': 'image/webp',
            'x-content-type-options': 'nosniff',
            'cache-control': cacheOf(request.query.content, file),
          },
        })
      } catch (error) {
        if (!left.signal.aborted) throw error
        // No one waits for the response.
        return reply.hijack()
      } finally {
        socket.off('close', onClose)
      }
    },
  )
}

function cacheOf(content: string | undefined, { sha256 }: Pick<File, 'sha256'>): string {
  return content && sha256?.startsWith(content) ? CACHE : 'private, no-cache'
}

const SIZES = { small: 'SMALL', medium: 'MEDIUM', large: 'LARGE' } as const
