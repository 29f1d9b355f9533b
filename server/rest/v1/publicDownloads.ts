import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { SharesService, Visitor } from '../../domain/shares/contract.ts'
import { contentHeaders } from '../download/contentHeaders.ts'
import { bytes, CONDITIONS, CONTENT_RANGE } from '../download/documented.ts'
import { sendArchive } from '../download/sendArchive.ts'
import { sendBytes } from '../download/sendBytes.ts'
import { sendCounted } from '../download/sendCounted.ts'
import { countDownloads } from '../download/slots.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId } from '../request.ts'
import { idParams } from '../schemas.ts'
import { keepFromSearch, shareIdOf, visitorOf } from './shareVisitor.ts'

const tags = ['shares']

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
    documents: { headers: CONDITIONS, answerHeaders: { 206: CONTENT_RANGE } },
  },
  response: {
    200: bytes('The file, under its own type where that is safe; a folder as a ZIP.', '*/*', 'application/zip'),
    206: bytes('The bytes of the Range.', '*/*'),
    304: z.null().describe('The client has these bytes already.'),
  },
} as const

/** The bytes behind a public link, for everybody who has it. */
export const publicDownloadsRoutes: RestPlugin = async (app, { services: { shares }, proofCookie, downloads }) => {
  keepFromSearch(app)
  countDownloads(app, downloads)

  app.get(
    '/shares/:id/download',
    {
      config: DOWNLOAD.config,
      schema: {
        tags,
        summary: 'Download what is shared; a folder as a ZIP',
        description: 'Files take Range and If-Range. What is cut off does not count as a download.',
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
    looks: request.method === 'HEAD',
    continues: request.headers.range !== undefined,
  })
  return sendCounted(request, reply, opened, (begins) => {
    if ('archive' in opened) {
      begins(null)
      return sendArchive(request, reply, opened.archive)
    }
    const { file, source } = opened
    return sendBytes(request, reply, {
      source,
      etag: etagOf(id, file.sha256),
      modified: file.createdAt,
      headers: { ...contentHeaders(file, disposition), 'cache-control': 'private, no-store' },
      begins: ({ start, end }) => begins({ length: end - start + 1, reachesEnd: end === source.size - 1 }),
    })
  })
}

/** Tells contents of one share apart, and nothing about what else holds the same bytes. */
function etagOf(shareId: string, sha256: string | null): string {
  return `"${createHash('sha256').update(`${shareId} ${sha256}`).digest('base64url').slice(0, 22)}"`
}
