import type { FastifyInstance } from 'fastify'
import { NotFoundError } from '../domain/errors.ts'
import type { UsersService } from '../domain/users/contract.ts'
import { requireAccess } from '../domain/viewer.ts'
import { databaseId, requireViewer } from '../rest/request.ts'
import { initialsSvg } from './initials.ts'
import { createPictureService } from './pictureService.ts'

const CACHE = 'private, max-age=3600'

/**
 * `/avatars/{userId}`: the picture of the signed-in user, or their initials; with `?picture=only` 204 instead of initials,
 * for whoever draws them in colours of their own. The browser talks to nobody but us.
 */
export async function serveAvatars(app: FastifyInstance, users: UsersService, serviceUrl: URL | null): Promise<void> {
  const pictureOf = createPictureService(serviceUrl)

  app.get<{ Params: { userId: string }; Querystring: { picture?: string } }>(
    '/avatars/:userId',
    { schema: { hide: true } },
    async (request, reply) => {
      const viewer = requireViewer(request)
      requireAccess(viewer, 'READ')
      const userId = databaseId('User', request.params.userId)
      if (userId !== viewer.userId) throw new NotFoundError()
      const { email, fullName } = await users.me(viewer)
      const picture = await pictureOf(email)
      reply.header('cache-control', CACHE)
      if (!picture && request.query.picture === 'only') return reply.code(204).send()
      return picture
        ? reply.type(picture.type).send(picture.bytes)
        : reply.type('image/svg+xml').send(initialsSvg(fullName))
    },
  )
}
