import type { Session as DomainSession } from '../../domain/users/contract.ts'
import { builder } from '../builder.ts'
import { globalIdOf } from '../ids.ts'

export const Session = builder.objectRef<DomainSession>('Session').implement({
  description: 'A signed-in browser.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('Session', id) }),
    name: t.exposeString('name', { description: 'As “Chrome on Linux”.' }),
    address: t.exposeString('address', { description: 'Where it signed in from.' }),
    current: t.exposeBoolean('current', { description: 'The one that asks.' }),
    remember: t.exposeBoolean('remember'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime', description: 'To the minute.' }),
  }),
})
