import { visibleTo as accountsOf } from '../../domain/accounts/rows.ts'
import { visibleTo as groupCloudsOf, inListOrder } from '../../domain/groupClouds/contract.ts'
import type { Session as DomainSession } from '../../domain/users/contract.ts'
import { visibleTo } from '../../domain/users/service.ts'
import { parsePublicId } from '../../lib/ids.ts'
import { isLanguage, type Language as KnownLanguage } from '../../lib/languages.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { Account, Quota } from './Account.ts'
import { ApiKey } from './ApiKey.ts'
import { File } from './File.ts'
import { GroupCloud } from './GroupCloud.ts'
import { Provider } from './Provider.ts'
import { Transfer } from './Transfer.ts'

/** Lists from other tables than the user's own row. */
const LIST_COST = { field: 1, multiplier: 10 }

const UserRole = builder.enumType('UserRole', {
  description: 'ADMINISTRATOR: also manages the server. The first user is one.',
  values: ['MEMBER', 'ADMINISTRATOR'] as const,
})

export const Language = builder.enumType('Language', {
  description: 'A language of the web client.',
  values: { EN: { value: 'en', description: 'English.' }, DE: { value: 'de', description: 'German.' } } as const,
})

/** Selects its columns only when they are requested: a page of files does not read the user's row. */
export const User = builder.prismaNode('User', {
  id: { resolve: ({ id }) => id },
  select: { id: true },
  findUnique: (id, context) => ({ id, ...visibleTo(requireViewer(context)) }),
  fields: (t) => ({
    fullName: t.exposeString('fullName'),
    email: t.exposeString('email'),
    avatarUrl: t.string({ nullable: true, resolve: ({ id }) => `/avatars/${globalIdOf('User', id)}` }),
    role: t.expose('role', { type: UserRole }),
    language: t.field({
      type: Language,
      nullable: true,
      description: 'Of the pages; null: as the browser asks.',
      select: { language: true },
      resolve: ({ language }) => (isLanguage(language ?? undefined) ? (language as KnownLanguage) : null),
    }),
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
      description: 'All supported providers, in display order.',
      resolve: (_user, _args, context) => [...context.services.accounts.providers()],
    }),
    quota: t.field({
      type: Quota,
      description:
        'Sum over all accounts in group clouds, without expired ones. `freeBytes` takes the number of copies into account.',
      complexity: 5,
      resolve: (_user, _args, context) => context.services.accounts.quota(requireViewer(context)),
    }),
    transfers: t.field({
      type: [Transfer],
      description: 'Active transfers and those that ended within a day; newest first, at most 200.',
      deprecationReason: 'Please read `transfersConnection`, which has all of them.',
      args: { open: t.arg.boolean({ description: 'true: only active ones; false: only ended ones.' }) },
      complexity: LIST_COST,
      resolve: (_user, { open }, context) =>
        context.services.transfers.list(requireViewer(context), { open: open ?? undefined }),
    }),
    apiKeys: t.field({
      type: [ApiKey],
      description: 'Newest first, at most 500. Not for API keys.',
      deprecationReason: 'Please read `apiKeysConnection`, which has all of them.',
      extensions: { scope: 'SESSION' },
      complexity: LIST_COST,
      resolve: (_user, _args, context) => context.services.keys.list(requireViewer(context)),
    }),
    apiKey: t.field({
      type: ApiKey,
      nullable: true,
      description: 'The API key of this request, masked; null for a session.',
      resolve: (_user, _args, context) => context.services.keys.current(requireViewer(context)),
    }),
    sessions: t.field({
      type: [Session],
      description: 'Signed-in browsers: the current one first, then by last activity.',
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

builder.queryField('viewer', (t) =>
  t.field({
    type: User,
    nullable: true,
    description: 'The signed-in user; null when not signed in.',
    complexity: 0,
    resolve: (_root, _args, context) => {
      const viewer = context.viewer()
      return viewer && { id: viewer.userId }
    },
  }),
)

export const Session = builder.objectRef<DomainSession>('Session').implement({
  description: 'A signed-in browser.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('Session', id) }),
    name: t.exposeString('name', { description: 'As “Chrome on Linux”.' }),
    address: t.exposeString('address', { description: 'IP address at sign-in.' }),
    current: t.exposeBoolean('current', { description: 'Whether it is the session of this request.' }),
    remember: t.exposeBoolean('remember'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime', description: 'Accurate to the minute.' }),
  }),
})
