import { z } from 'zod'
import { InvalidInputError } from '../../domain/errors.ts'
import { sendThumbnail, THUMBNAIL_DOCUMENTS, THUMBNAIL_RESPONSE, thumbnailQuery } from '../download/thumbnail.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { idParams } from '../schemas.ts'
import { closeAfterEarlyAnswers } from '../uploadBody.ts'

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
          'For JPEG, PNG, WebP, GIF, TIFF and AVIF up to 64 MiB, and the first page of PDFs up to 32 MiB, upright and without metadata (WebP). Of text and code of any size and of Word, Excel, PowerPoint and OpenDocument files up to 32 MiB, the first lines or cells on white paper (SVG, drawn with the fonts of the client), or the picture of the first page that the document contains (WebP). Of videos and HEIC images, the picture that the browser made which uploaded them. It is made with the first request and kept; it can be cached when `content` is given. Of files that are in an account under their own name, it is made of the picture that Google Drive, Dropbox, OneDrive, Box and pCloud make themselves (also of videos), and elsewhere of images, texts and documents up to 8 MiB; while the account cannot be reached or asks to wait, `CONTENT_UNAVAILABLE` unless it was made before. `NO_THUMBNAIL` for other types, and for content that cannot be drawn.',
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

const PICTURE_TYPES = ['image/webp', 'image/jpeg', 'image/png']
/** A picture with 640 pixels on its longest side has some 50 kB. */
const MAX_PICTURE_BYTES = 2 * 1024 * 1024

/** About three weeks. */
const MAX_DURATION_MS = 2 ** 31 - 1

/** `PUT /files/{id}/thumbnail`: the body is a picture that the browser made of a file that this server cannot draw. */
export const offeredThumbnailRoute: RestPlugin = async (app, { services: { thumbnails } }) => {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer', bodyLimit: MAX_PICTURE_BYTES } as const
  app.addContentTypeParser<Buffer>(PICTURE_TYPES, options, (_request, body, done) => done(null, body))
  closeAfterEarlyAnswers(app)

  app.put(
    '/files/:id/thumbnail',
    {
      config: {
        problems: ['INVALID_INPUT', 'NOT_FOUND', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS', 'CONTENT_UNAVAILABLE'],
        documents: {
          body: z.file().describe('The picture, at most 2 MiB.'),
          consumes: PICTURE_TYPES,
        },
      },
      schema: {
        tags: ['files'],
        summary: 'Send the picture of a video',
        description:
          'For videos and HEIC images that Skypool stores itself, which it cannot draw: the body is a frame or a smaller picture, made by the client that uploads the file. It is decoded and encoded again without metadata, and shown for all files of this user with the same content. Other files are `INVALID_INPUT`, and so is a body that is no picture.',
        params: idParams,
        querystring: z.strictObject({
          size: z.coerce
            .number()
            .int()
            .min(1)
            .max(Number.MAX_SAFE_INTEGER)
            .describe(
              'Of the file that the picture was made of, in bytes; with another size it is `PRECONDITION_FAILED`.',
            ),
          durationMs: z.coerce.number().int().min(0).max(MAX_DURATION_MS).optional().describe('Length of the video.'),
        }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { body } = request
      if (!(body instanceof Buffer) || body.length === 0) {
        throw new InvalidInputError([{ path: 'body', message: 'The picture is missing.' }])
      }
      const { size, durationMs = null } = request.query
      const id = databaseId('File', request.params.id)
      await thumbnails.offer(requireViewer(request), id, { bytes: body, size, durationMs })
      return reply.code(204).send(null)
    },
  )
}
