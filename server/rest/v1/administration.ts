import { z } from 'zod'
import { type Invitation as DomainInvitation, REGISTRATION_MODES } from '../../domain/users/administration.ts'
import { publicId } from '../../lib/ids.ts'
import { pageOf } from '../pageOf.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { Bytes, DateTime, idParams, listOf, noContent, pageQuery } from '../schemas.ts'

const BODY_LIMIT_BYTES = 16 * 1024

const registration = z.enum(REGISTRATION_MODES).describe('Who may register.')

const Invitation = z
  .object({
    id: z.string(),
    email: z.string().nullable().describe('Only this address may use it; null: any.'),
    state: z.enum(['OPEN', 'USED', 'EXPIRED']),
    createdAt: DateTime,
    expiresAt: DateTime,
    usedAt: DateTime.nullable(),
    usedBy: z.string().nullable().describe('Full name of who registered with it.'),
  })
  .meta({ id: 'Invitation' })

const NewInvitation = Invitation.extend({
  url: z.string().describe('The link. It is shown here once.'),
}).meta({ id: 'NewInvitation' })

const CreateBody = z.strictObject({
  email: z.string().nullable().optional().describe('Only this address may then use it.'),
  expiresInDays: z.int().optional().describe('1 to 365; 7 by default.'),
})

const Overview = z
  .object({
    registration,
    users: z.int(),
    usedBytes: Bytes.describe('What all users keep, and have reserved, in this server’s own storage.'),
    totalBytes: Bytes.nullable().describe('What they may; null: no limit.'),
  })
  .meta({ id: 'ServerOverview' })

/** Who may register, and what the administrator does about it: for sessions only. */
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
        summary: 'List invitations, the newest first',
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
        summary: 'Make a link by which somebody can register',
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
        summary: 'Revoke an invitation; its link opens nothing from then on',
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
