import {
  type Invitation as DomainInvitation,
  REGISTRATION_MODES,
  type ServerOverview,
} from '../../domain/users/administration.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { ServerInfo } from './ServerInfo.ts'
import { User } from './User.ts'

const RegistrationMode = builder.enumType('RegistrationMode', {
  description: 'Who may register. OPEN: everybody. INVITE: whoever has an invitation. CLOSED: nobody.',
  values: REGISTRATION_MODES,
})

const InvitationState = builder.enumType('InvitationState', { values: ['OPEN', 'USED', 'EXPIRED'] as const })

export const Invitation = builder.objectRef<DomainInvitation>('Invitation').implement({
  description: 'A link by which somebody can register, once.',
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('Invitation', id) }),
    email: t.exposeString('email', { nullable: true, description: 'Only this address may use it; null: any.' }),
    state: t.expose('state', { type: InvitationState }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    usedAt: t.expose('usedAt', { type: 'DateTime', nullable: true }),
    usedBy: t.exposeString('usedBy', { nullable: true, description: 'Full name of who registered with it.' }),
  }),
})

const InvitationOffer = builder
  .objectRef<{ readonly email: string | null; readonly expiresAt: Date }>('InvitationOffer')
  .implement({
    description: 'What an invitation says to whoever has its link.',
    fields: (t) => ({
      email: t.exposeString('email', { nullable: true, description: 'Only this address may use it; null: any.' }),
      expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    }),
  })

/** At most 400. */
const LIST_COST = { field: 5, multiplier: 20 }

const Administration = builder.objectRef<ServerOverview>('Administration').implement({
  description: 'What only the administrator of the server sees.',
  fields: (t) => ({
    registration: t.expose('registration', { type: RegistrationMode }),
    users: t.exposeInt('users', { description: 'How many there are.' }),
    usedBytes: t.expose('usedBytes', {
      type: 'BigInt',
      description: "What all users keep, and have reserved, in this server's own storage.",
    }),
    totalBytes: t.expose('totalBytes', {
      type: 'BigInt',
      nullable: true,
      description: 'What they may; null: no limit.',
    }),
    invitations: t.field({
      type: [Invitation],
      description: 'Newest first; those that are over stay for 30 days.',
      complexity: LIST_COST,
      resolve: (_overview, _args, context) => context.services.administration.invitations(requireViewer(context)),
    }),
  }),
})

builder.objectFields(ServerInfo, (t) => ({
  registration: t.field({
    type: RegistrationMode,
    description: 'Who may register now; OPEN while there is no user.',
    resolve: (_server, _args, { services }) => services.administration.registration(),
  }),
  invitation: t.field({
    type: InvitationOffer,
    nullable: true,
    description: 'What the token of a link opens; null for what is unknown, used, revoked or over.',
    args: { token: t.arg.string({ required: true }) },
    resolve: (_server, { token }, { services }) => services.administration.offer(token),
  }),
}))

builder.prismaObjectField(User, 'administration', (t) =>
  t.field({
    type: Administration,
    nullable: true,
    description: 'The server as a whole; null for everybody but its administrator. For sessions only.',
    extensions: { scope: 'SESSION' },
    resolve: async (_user, _args, context) => {
      const viewer = requireViewer(context)
      return (await context.services.administration.isAdministrator(viewer))
        ? context.services.administration.overview(viewer)
        : null
    },
  }),
)
