import { visibleTo as accountsOf } from '../../domain/accounts/rows.ts'
import { visibleTo as groupCloudsOf, inListOrder } from '../../domain/groupClouds/rows.ts'
import { visibleTo } from '../../domain/users/service.ts'
import { parsePublicId } from '../../lib/ids.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { Account } from './Account.ts'
import { ApiKey } from './ApiKey.ts'
import { File } from './File.ts'
import { GroupCloud } from './GroupCloud.ts'
import { Provider } from './Provider.ts'
import { Quota } from './Quota.ts'
import { Session } from './Session.ts'
import { Transfer } from './Transfer.ts'

/** What is read from other tables than the user's own row. */
const LIST_COST = { field: 1, multiplier: 10 }

const UserRole = builder.enumType('UserRole', {
  description: 'ADMINISTRATOR: also sees to the server. The first user is one.',
  values: ['MEMBER', 'ADMINISTRATOR'] as const,
})

/** Selects its columns only when they are asked for: a page of files does not read the user's row at all. */
export const User = builder.prismaNode('User', {
  id: { resolve: ({ id }) => id },
  select: { id: true },
  findUnique: (id, context) => ({ id, ...visibleTo(requireViewer(context)) }),
  fields: (t) => ({
    fullName: t.exposeString('fullName'),
    email: t.exposeString('email'),
    avatarUrl: t.string({ nullable: true, resolve: ({ id }) => `/avatars/${globalIdOf('User', id)}` }),
    role: t.expose('role', { type: UserRole }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    groupClouds: t.prismaField({
      type: [GroupCloud],
      complexity: LIST_COST,
      resolve: async (query, _user, _args, context) => {
        const rows = await context.db.groupCloud.findMany({ ...query, where: groupCloudsOf(requireViewer(context)) })
        return rows.sort(inListOrder)
      },
    }),
    accounts: t.prismaField({
      type: [Account],
      complexity: LIST_COST,
      resolve: (query, _user, _args, context) =>
        context.db.account.findMany({
          ...query,
          where: accountsOf(requireViewer(context)),
          orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        }),
    }),
    providers: t.field({
      type: [Provider],
      description: 'The whole catalogue, in its order.',
      resolve: (_user, _args, context) => [...context.services.accounts.providers()],
    }),
    quota: t.field({
      type: Quota,
      description:
        'Sum over the accounts that group clouds use, but those that have to be connected again. `freeBytes` counts copies.',
      complexity: 5,
      resolve: (_user, _args, context) => context.services.accounts.quota(requireViewer(context)),
    }),
    transfers: t.field({
      type: [Transfer],
      description: 'Those that are not over, and those that ended within a day; newest first, at most 200.',
      deprecationReason: 'Please read `transfersConnection`, which has all of them.',
      args: { open: t.arg.boolean({ description: 'Only those that are not over, or only those that are.' }) },
      complexity: LIST_COST,
      resolve: (_user, { open }, context) =>
        context.services.transfers.list(requireViewer(context), { open: open ?? undefined }),
    }),
    apiKeys: t.field({
      type: [ApiKey],
      description: 'Newest first, at most 500. For sessions only.',
      deprecationReason: 'Please read `apiKeysConnection`, which has all of them.',
      extensions: { scope: 'SESSION' },
      complexity: LIST_COST,
      resolve: (_user, _args, context) => context.services.keys.list(requireViewer(context)),
    }),
    sessions: t.field({
      type: [Session],
      description: 'Signed-in browsers: this one first, then the last seen.',
      complexity: LIST_COST,
      extensions: { scope: 'SESSION' },
      resolve: (_user, _args, context) => context.services.people.sessions(requireViewer(context)),
    }),
    file: t.field({
      type: File,
      nullable: true,
      args: { id: t.arg.id({ required: true }) },
      resolve: (_user, { id }, context) => {
        const parsed = parsePublicId(id)
        return parsed?.type === 'File' ? context.load().file(parsed.id) : null
      },
    }),
  }),
})
