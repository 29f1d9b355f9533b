import {
  type Invitation as DomainInvitation,
  REGISTRATION_MODES,
  type ServerOverview,
} from '../../domain/users/administration.ts'
import { builder } from '../builder.ts'
import { type ServerInfo as Info, requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { User } from './User.ts'

const UploadType = builder.objectRef<NonNullable<Info['uploadTypes']>[number]>('UploadType').implement({
  fields: (t) => ({
    mimeType: t.exposeString('mimeType'),
    extensions: t.stringList({ resolve: ({ extensions }) => [...extensions] }),
  }),
})

const ServerInfo = builder.objectRef<Info>('ServerInfo').implement({
  fields: (t) => ({
    version: t.exposeString('version'),
    uploadTypes: t.field({
      type: [UploadType],
      nullable: true,
      description: 'MIME types and extensions of accepted uploads; null: any.',
      resolve: ({ uploadTypes }) => uploadTypes && [...uploadTypes],
    }),
    mail: t.exposeBoolean('mail', {
      description: 'Whether mail is sent; otherwise it is written to a folder on the server.',
    }),
  }),
})

builder.queryField('server', (t) => t.field({ type: ServerInfo, resolve: (_root, _args, { server }) => server }))

const RegistrationMode = builder.enumType('RegistrationMode', {
  description: 'Who can register. OPEN: everyone. INVITE: holders of an invitation. CLOSED: no one.',
  values: REGISTRATION_MODES,
})

const InvitationState = builder.enumType('InvitationState', { values: ['OPEN', 'USED', 'EXPIRED'] as const })

export const Invitation = builder.objectRef<DomainInvitation>('Invitation').implement({
  description: 'A link for one registration.',
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('Invitation', id) }),
    email: t.exposeString('email', { nullable: true, description: 'Only this address can use it; null: any.' }),
    state: t.expose('state', { type: InvitationState }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    usedAt: t.expose('usedAt', { type: 'DateTime', nullable: true }),
    usedBy: t.exposeString('usedBy', { nullable: true, description: 'Full name of the user who registered with it.' }),
  }),
})

const InvitationOffer = builder
  .objectRef<{ readonly email: string | null; readonly expiresAt: Date }>('InvitationOffer')
  .implement({
    description: 'An invitation, as the holder of its link sees it.',
    fields: (t) => ({
      email: t.exposeString('email', { nullable: true, description: 'Only this address can use it; null: any.' }),
      expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    }),
  })

/** At most 400. */
const LIST_COST = { field: 5, multiplier: 20 }

const Administration = builder.objectRef<ServerOverview>('Administration').implement({
  description: 'The server, as its administrator sees it.',
  fields: (t) => ({
    registration: t.expose('registration', { type: RegistrationMode }),
    users: t.exposeInt('users', { description: 'Number of users.' }),
    usedBytes: t.expose('usedBytes', {
      type: 'BigInt',
      description: "Bytes used and reserved by all users in this server's own storage.",
    }),
    totalBytes: t.expose('totalBytes', {
      type: 'BigInt',
      nullable: true,
      description: 'Limit for all users together; null: no limit.',
    }),
    invitations: t.field({
      type: [Invitation],
      description: 'Newest first; used and expired ones are listed for 30 days.',
      complexity: LIST_COST,
      resolve: (_overview, _args, context) => context.services.administration.invitations(requireViewer(context)),
    }),
  }),
})

builder.objectFields(ServerInfo, (t) => ({
  registration: t.field({
    type: RegistrationMode,
    description: 'Who can register now; OPEN while there is no user.',
    resolve: (_server, _args, { services }) => services.administration.registration(),
  }),
  invitation: t.field({
    type: InvitationOffer,
    nullable: true,
    description: 'The invitation of this token; null when it is unknown, used, revoked or expired.',
    args: { token: t.arg.string({ required: true }) },
    resolve: (_server, { token }, { services }) => services.administration.offer(token),
  }),
}))

builder.prismaObjectField(User, 'administration', (t) =>
  t.field({
    type: Administration,
    nullable: true,
    description: 'The server as a whole; null unless the viewer is its administrator. Not for API keys.',
    extensions: { scope: 'SESSION' },
    resolve: async (_user, _args, context) => {
      const viewer = requireViewer(context)
      return (await context.services.administration.isAdministrator(viewer))
        ? context.services.administration.overview(viewer)
        : null
    },
  }),
)
