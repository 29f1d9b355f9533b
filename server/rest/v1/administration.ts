import { z } from 'zod'
import { type Invitation as DomainInvitation, REGISTRATION_MODES } from '../../domain/users/administration.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { Bytes, DateTime, idParams, listOf, noContent, pageOf, pageQuery } from '../schemas.ts'

const BODY_LIMIT_BYTES = 16 * 1024

const registration = z.enum(REGISTRATION_MODES).describe('Who may register.')

const Invitation = z
  .object({
    id: z.string(),
    email: z.string().nullable().describe('The only address that may use it; null: any.'),
    state: z.enum(['OPEN', 'USED', 'EXPIRED']),
    createdAt: DateTime,
    expiresAt: DateTime,
    usedAt: DateTime.nullable(),
    usedBy: z.string().nullable().describe('Full name of the person who registered with it.'),
  })
  .meta({ id: 'Invitation' })

const NewInvitation = Invitation.extend({
  url: z.string().describe('The link; only contained in this response.'),
}).meta({ id: 'NewInvitation' })

const CreateBody = z.strictObject({
  email: z.string().nullable().optional().describe('Restricts it to this address.'),
  expiresInDays: z.int().optional().describe('1 to 365; 7 by default.'),
})

const Overview = z
  .object({
    registration,
    users: z.int(),
    usedBytes: Bytes.describe('Bytes used and reserved by all users in the storage of this server.'),
    totalBytes: Bytes.nullable().describe('The limit for all users; null: none.'),
  })
  .meta({ id: 'ServerOverview' })

/** Registration mode, invitations and totals: for sessions only. */
export const administrationRoutes: RestPlugin = async (app, { services: { administration } }) => {
  const tags = ['administration']
  const config = { scope: 'SESSION', problems: ['NOT_ADMINISTRATOR'] } as const

  app.get(
    '/auth/registration',
    {
      config: { public: true, scope: 'SESSION' },
      schema: { tags: ['auth'], summary: 'Who may register', response: { 200: z.object({ registration }) } },
    },
    async () => ({ registration: await administration.registration() }),
  )

  app.get(
    '/administration',
    { config, schema: { tags, summary: 'Users and storage of the server', response: { 200: Overview } } },
    async (request) => administration.overview(requireViewer(request)),
  )

  app.get(
    '/invitations',
    {
      config: { ...config, problems: ['NOT_ADMINISTRATOR', 'INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List invitations, newest first',
        querystring: pageQuery,
        response: { 200: listOf(Invitation) },
      },
    },
    async (request) => pageOf((await administration.invitations(requireViewer(request))).map(present), request.query),
  )

  app.post(
    '/invitations',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { ...config, problems: ['NOT_ADMINISTRATOR', 'INVALID_INPUT', 'CONFLICT', 'REGISTRATION_CLOSED'] },
      schema: {
        tags,
        summary: 'Create an invitation link',
        body: CreateBody,
        response: { 201: NewInvitation },
      },
    },
    async (request, reply) => {
      const { invitation, token } = await administration.invite(requireViewer(request), request.body)
      return reply.code(201).send({ ...present(invitation), url: `${request.linkOrigin}/register?invite=${token}` })
    },
  )

  app.delete(
    '/invitations/:id',
    {
      config: { ...config, problems: ['NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Revoke an invitation; its link stops working at once',
        params: idParams,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      await administration.revokeInvitation(requireViewer(request), databaseId('Invitation', request.params.id))
      return reply.code(204).send(null)
    },
  )
}

function present({ id, createdAt, expiresAt, usedAt, ...rest }: DomainInvitation): z.infer<typeof Invitation> {
  return {
    id: publicId('Invitation', id),
    ...rest,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    usedAt: usedAt?.toISOString() ?? null,
  }
}
