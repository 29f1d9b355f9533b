import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Thumbnail, ThumbnailSize } from '../../domain/thumbnails/kinds.ts'
import { sourceOfBytes } from '../../storage/byteSource.ts'
import { bytes, CONDITIONS, CONTENT_RANGE, sendBytes } from './send.ts'

/** Query of every route that sends a thumbnail. */
export const thumbnailQuery = z.strictObject({
  size: z
    .enum(['small', 'medium', 'large', '64', '256', '1024'])
    .default('medium')
    .describe(
      'The longest side is at most 96, 320 or 640 pixels; smaller pictures keep their size. `64`, `256` and `1024` are other names of the three.',
    ),
})

const SIZES = { small: 'SMALL', medium: 'MEDIUM', large: 'LARGE', 64: 'SMALL', 256: 'MEDIUM', 1024: 'LARGE' } as const

/** What the documentation of such a route says. */
export const THUMBNAIL_DOCUMENTS = { headers: CONDITIONS, responseHeaders: { 206: CONTENT_RANGE } } as const
export const THUMBNAIL_RESPONSE = {
  200: bytes(
    'The picture: WebP, or SVG of the beginning of a text or an office document.',
    'image/webp',
    'image/svg+xml',
  ),
  206: bytes('The requested range.', 'image/webp', 'image/svg+xml'),
  304: z.null().describe('The client already has this picture.'),
} as const

type Sending = {
  readonly size: z.infer<typeof thumbnailQuery>['size']
  /** Its signal aborts when the client disconnects. */
  readonly open: (size: ThumbnailSize, signal: AbortSignal) => Promise<Thumbnail>
  readonly etagOf: (tag: string) => string
  readonly cacheControl: (thumbnail: Thumbnail) => string
}

/** @throws what `open` throws, unless the client has disconnected */
export async function sendThumbnail(
  request: FastifyRequest,
  reply: FastifyReply,
  { size, open, etagOf, cacheControl }: Sending,
): Promise<FastifyReply> {
  const { socket } = request.raw
  const left = new AbortController()
  const onClose = () => left.abort()
  socket.once('close', onClose)
  try {
    const thumbnail = await open(SIZES[size], left.signal)
    return await sendBytes(request, reply, {
      source: sourceOfBytes(thumbnail.bytes),
      etag: `"${etagOf(thumbnail.tag)}"`,
      modified: thumbnail.file.updatedAt,
      headers: {
        'content-type': thumbnail.mimeType,
        'x-content-type-options': 'nosniff',
        'cache-control': cacheControl(thumbnail),
      },
    })
  } catch (error) {
    if (!left.signal.aborted) throw error
    // No one waits for the response.
    return reply.hijack()
  } finally {
    socket.off('close', onClose)
  }
}
