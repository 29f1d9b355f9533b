import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { contentTagOf } from '../../domain/files/content/content.ts'
import type { SharedDownload, SharesService, Visitor } from '../../domain/shares/contract.ts'
import { linkGone } from '../../domain/shares/visits.ts'
import { parsePublicId, publicId } from '../../lib/ids.ts'
import type { ProofCookie } from '../cookies.ts'
import {
  bytes,
  CONDITIONS,
  CONTENT_RANGE,
  contentHeaders,
  countDownloads,
  sendArchive,
  sendBytes,
} from '../download/send.ts'
import { sendThumbnail, THUMBNAIL_DOCUMENTS, THUMBNAIL_RESPONSE, thumbnailQuery } from '../download/thumbnail.ts'
import type { RestPlugin } from '../plugin.ts'
import { clientOf, databaseId, optionalId } from '../request.ts'
import { asParameterError, idParams, listOf, pageQuery } from '../schemas.ts'
import { PublicShareSchema, presentPublicShare, presentSharedFile, SharedFileSchema } from './shareSchema.ts'

const tags = ['shares']
const BODY_LIMIT_BYTES = 16 * 1024

const listQuery = pageQuery.extend({
  folderId: z.string().max(200).optional().describe('A folder below the shared one. Default: the shared folder.'),
})
const fileParams = z.object({ id: z.string().max(200), fileId: z.string().max(200) })
const downloadQuery = z.strictObject({ disposition: z.enum(['attachment', 'inline']).default('attachment') })

const DOWNLOAD = {
  config: {
    public: true,
    visitors: true,
    problems: [
      'INVALID_INPUT',
      'PASSWORD_REQUIRED',
      'NOT_FOUND',
      'CONFLICT',
      'PRECONDITION_FAILED',
      'RANGE_NOT_SATISFIABLE',
      'TOO_MANY_REQUESTS',
      'CONTENT_UNAVAILABLE',
    ],
    documents: { headers: CONDITIONS, responseHeaders: { 206: CONTENT_RANGE } },
  },
  response: {
    200: bytes('The file, with its own type where that is safe; a folder as a ZIP.', '*/*', 'application/zip'),
    206: bytes('The requested range.', '*/*'),
    304: z.null().describe('The client already has this content.'),
  },
} as const

/** What a public link shows to everyone who has it. */
export const publicSharesRoutes: RestPlugin = async (app, { services: { shares }, proofCookie }) => {
  preventIndexing(app)

  app.get(
    '/shares/:id',
    {
      config: { public: true, visitors: true, problems: ['NOT_FOUND', 'TOO_MANY_REQUESTS'] },
      schema: {
        tags,
        summary: 'Look at a public link',
        description: 'Open to everyone. Before the password is given, the response contains `needsPassword` only.',
        params: idParams,
        response: { 200: PublicShareSchema },
      },
    },
    async (request) => {
      const id = shareIdOf(request.params.id)
      return presentPublicShare(await shares.visit(visitorOf(request, proofCookie, id), id))
    },
  )

  app.post(
    '/shares/:id/unlock',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        public: true,
        visitors: true,
        problems: ['INVALID_INPUT', 'NOT_FOUND', 'WRONG_PASSWORD', 'TOO_MANY_REQUESTS'],
      },
      schema: {
        tags,
        summary: 'Give the password of a public link',
        description: 'The response sets a cookie that opens the link for 12 hours.',
        params: idParams,
        body: z.strictObject({ password: z.string() }),
        response: { 200: PublicShareSchema },
      },
    },
    async (request, reply) => {
      const id = shareIdOf(request.params.id)
      const visitor = visitorOf(request, proofCookie, id)
      const proof = await shares.unlock(visitor, id, request.body.password)
      const share = await shares.visit({ ...visitor, proof }, id)
      return reply.header('set-cookie', proofCookie.write(id, proof)).send(presentPublicShare(share))
    },
  )

  app.get(
    '/shares/:id/files',
    {
      config: {
        public: true,
        visitors: true,
        problems: ['INVALID_INPUT', 'PASSWORD_REQUIRED', 'NOT_FOUND', 'TOO_MANY_REQUESTS'],
      },
      schema: {
        tags,
        summary: 'List the contents of a shared folder',
        params: idParams,
        querystring: listQuery,
        response: {
          200: listOf(SharedFileSchema).extend({
            path: z.array(z.object({ id: z.string(), name: z.string() })).describe('Path to the listed folder.'),
          }),
        },
      },
    },
    async (request) => {
      const id = shareIdOf(request.params.id)
      const { folderId, limit, cursor } = request.query
      const options = { folderId: optionalId('File', folderId), limit, after: cursor }
      const page = await shares.listFiles(visitorOf(request, proofCookie, id), id, options).catch(asParameterError)
      return {
        items: page.items.map(({ file }) => presentSharedFile(file)),
        nextCursor: page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null,
        path: page.path.map((folder) => ({ id: publicId('File', folder.id), name: folder.name })),
      }
    },
  )
}

const THUMBNAIL = {
  config: {
    public: true,
    visitors: true,
    problems: [
      'INVALID_INPUT',
      'PASSWORD_REQUIRED',
      'NOT_FOUND',
      'NO_THUMBNAIL',
      'PRECONDITION_FAILED',
      'RANGE_NOT_SATISFIABLE',
      'TOO_MANY_REQUESTS',
      'CONTENT_UNAVAILABLE',
    ],
    documents: THUMBNAIL_DOCUMENTS,
  },
  response: THUMBNAIL_RESPONSE,
} as const

/** Thumbnails by a public link, for everyone who has it. They are never counted. */
export const publicThumbnailsRoutes: RestPlugin = async (app, { services: { shares }, proofCookie }) => {
  preventIndexing(app)

  const send = (request: FastifyRequest, reply: FastifyReply, { id, fileId, size }: Pictured) => {
    const visitor = visitorOf(request, proofCookie, id)
    return sendThumbnail(request, reply, {
      size,
      open: (side, signal) => shares.thumbnail(visitor, id, { fileId, size: side, signal }),
      etagOf: (tag) => hashOf(id, tag),
      // The link may end, or get a password.
      cacheControl: () => 'private, no-cache',
    })
  }

  app.get(
    '/shares/:id/thumbnail',
    {
      config: THUMBNAIL.config,
      schema: {
        tags,
        summary: 'A small picture of the shared file',
        description:
          'As `GET /files/{id}/thumbnail`, for visitors. It is never counted as a download; a link with a download limit has none.',
        params: idParams,
        querystring: thumbnailQuery,
        response: THUMBNAIL.response,
      },
    },
    async (request, reply) => send(request, reply, { id: shareIdOf(request.params.id), ...request.query }),
  )

  app.get(
    '/shares/:id/files/:fileId/thumbnail',
    {
      config: THUMBNAIL.config,
      schema: {
        tags,
        summary: 'A small picture of a file of a shared folder',
        description: 'It is never counted as a download; a link with a download limit has none.',
        params: fileParams,
        querystring: thumbnailQuery,
        response: THUMBNAIL.response,
      },
    },
    async (request, reply) => {
      const id = shareIdOf(request.params.id)
      return send(request, reply, { id, fileId: databaseId('File', request.params.fileId), ...request.query })
    },
  )
}

type Pictured = { readonly id: string; readonly fileId?: string } & z.infer<typeof thumbnailQuery>

/** Downloads by a public link, for everyone who has it. */
export const publicDownloadsRoutes: RestPlugin = async (app, { services: { shares }, proofCookie, downloads }) => {
  preventIndexing(app)
  countDownloads(app, downloads)

  app.get(
    '/shares/:id/download',
    {
      config: DOWNLOAD.config,
      schema: {
        tags,
        summary: 'Download what is shared; a folder as a ZIP',
        description: 'Files support Range and If-Range. An aborted download does not count.',
        params: idParams,
        querystring: downloadQuery,
        response: DOWNLOAD.response,
      },
    },
    async (request, reply) => {
      const id = shareIdOf(request.params.id)
      return sendShared(shares, request, reply, visitorOf(request, proofCookie, id), { id, ...request.query })
    },
  )

  app.get(
    '/shares/:id/files/:fileId/download',
    {
      config: DOWNLOAD.config,
      schema: {
        tags,
        summary: 'Download a file or a folder of a shared folder',
        params: fileParams,
        querystring: downloadQuery,
        response: DOWNLOAD.response,
      },
    },
    async (request, reply) => {
      const id = shareIdOf(request.params.id)
      const fileId = databaseId('File', request.params.fileId)
      return sendShared(shares, request, reply, visitorOf(request, proofCookie, id), { id, fileId, ...request.query })
    },
  )
}

type Wanted = { readonly id: string; readonly fileId?: string; readonly disposition: 'attachment' | 'inline' }

async function sendShared(
  shares: SharesService,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
  { id, fileId, disposition }: Wanted,
): Promise<FastifyReply> {
  const opened = await shares.open(visitor, id, {
    fileId,
    inline: disposition === 'inline',
    headersOnly: request.method === 'HEAD',
    continues: request.headers.range !== undefined,
  })
  return sendCounted(request, reply, opened, (onStart) => {
    if ('archive' in opened) {
      onStart(null)
      return sendArchive(request, reply, opened.archive)
    }
    const { file, source } = opened
    return sendBytes(request, reply, {
      source,
      etag: etagOf(id, contentTagOf(file)),
      modified: file.updatedAt,
      headers: { ...contentHeaders(file, disposition), 'cache-control': 'private, no-store' },
      onStart: ({ start, end }) => onStart({ length: end - start + 1, reachesEnd: end === source.size - 1 }),
    })
  })
}

/** Distinguishes contents within one share, without revealing whether other files have the same content. */
function etagOf(shareId: string, contentTag: string): string {
  return `"${hashOf(shareId, contentTag)}"`
}

function hashOf(shareId: string, contentTag: string): string {
  return createHash('sha256').update(`${shareId} ${contentTag}`).digest('base64url').slice(0, 22)
}

/** What a response will contain; null: its length is not known in advance. */
type Part = { readonly length: number; readonly reachesEnd: boolean } | null

/**
 * Sends a download, reports to it how many bytes were sent, and aborts when its signal does. `send` calls `onStart` with what
 * it is about to send; a response without that call (HEAD, 304) is not counted.
 */
async function sendCounted(
  request: FastifyRequest,
  reply: FastifyReply,
  download: SharedDownload,
  send: (onStart: (part: Part) => void) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { socket } = request.raw
  const abort = () => void socket.destroy()
  const sentBytes = countSent(reply.raw, socket)
  const outcome = outcomeOf(reply.raw, socket)
  let part: Part | undefined
  download.signal.addEventListener('abort', abort, { once: true })
  let isSent = false
  try {
    if (download.signal.aborted) abort()
    await send((started) => {
      part = started
    })
    isSent = part !== undefined
  } finally {
    const isComplete = isSent && (await outcome)
    download.signal.removeEventListener('abort', abort)
    const sent = part === undefined ? 0 : sentBytes()
    const bytes = isComplete && part ? part.length : Math.min(sent, part?.length ?? sent)
    await download.done({ bytes, whole: isComplete && (part?.reachesEnd ?? true) })
  }
  return reply
}

/** Bytes of this response alone: with pipelining, it waits until those before it on its connection are sent. */
function countSent(response: ServerResponse, socket: Socket): () => number {
  let before = response.socket ? socket.bytesWritten : null
  response.once('socket', () => {
    before ??= socket.bytesWritten
  })
  return () => (before === null ? 0 : socket.bytesWritten - before)
}

/** Resolves with whether the operating system accepted the whole response: the connection was open when its last byte was written. */
function outcomeOf(response: ServerResponse, socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    response.once('finish', () => resolve(!socket.destroyed))
    response.once('close', () => resolve(false))
    if (socket.destroyed) resolve(false)
  })
}

/** The visitor of a share: address, and the proof in the share's cookie. */
function visitorOf(request: FastifyRequest, proofCookie: ProofCookie, id: string): Visitor {
  return { ...clientOf(request), proof: proofCookie.read(request.headers.cookie, id) }
}

/** Tells search engines not to index. Set on the raw response, so that downloads carry it too. */
function preventIndexing(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.raw.setHeader('x-robots-tag', 'noindex, nofollow')
  })
}

/** @throws NotFoundError with the same message as for every link that does not open */
function shareIdOf(text: string): string {
  const parsed = parsePublicId(text)
  if (parsed?.type !== 'Share') throw linkGone()
  return parsed.id
}
