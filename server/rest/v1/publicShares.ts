import { z } from 'zod'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { optionalId } from '../request.ts'
import { idParams, listOf, pageQuery } from '../schemas.ts'
import { asCursorError } from './filesQuery.ts'
import { PublicShareSchema, presentPublicShare, presentSharedFile, SharedFileSchema } from './shareSchema.ts'
import { keepFromSearch, shareIdOf, visitorOf } from './shareVisitor.ts'

const tags = ['shares']
const BODY_LIMIT_BYTES = 16 * 1024

const listQuery = pageQuery.extend({
  folderId: z.string().max(200).optional().describe('A folder below the shared one; without it that one itself.'),
})

/** What stands behind a public link, for everybody who has it. */
export const publicSharesRoutes: RestPlugin = async (app, { services: { shares }, proofCookie }) => {
  keepFromSearch(app)

  app.get(
    '/shares/:id',
    {
      config: { public: true, visitors: true, problems: ['NOT_FOUND', 'TOO_MANY_REQUESTS'] },
      schema: {
        tags,
        summary: 'Look at a public link',
        description:
          'Nobody needs to be signed in. Before its password is proved, `needsPassword` is all that is told.',
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
        summary: 'Prove the password of a public link',
        description: 'The answer sets a cookie that opens the link for 12 hours.',
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
        summary: 'List what is in a shared folder',
        params: idParams,
        querystring: listQuery,
        response: {
          200: listOf(SharedFileSchema).extend({
            path: z.array(z.object({ id: z.string(), name: z.string() })).describe('Down to the folder listed.'),
          }),
        },
      },
    },
    async (request) => {
      const id = shareIdOf(request.params.id)
      const { folderId, limit, cursor } = request.query
      const options = { folderId: optionalId('File', folderId), limit, after: cursor }
      const page = await shares.listFiles(visitorOf(request, proofCookie, id), id, options).catch(asCursorError)
      return {
        items: page.items.map(({ file }) => presentSharedFile(file)),
        nextCursor: page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null,
        path: page.path.map((folder) => ({ id: publicId('File', folder.id), name: folder.name })),
      }
    },
  )
}
