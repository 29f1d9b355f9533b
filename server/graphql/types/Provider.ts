import type { Provider as DomainProvider } from '../../domain/services.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'

const ProviderAvailability = builder.enumType('ProviderAvailability', {
  description: 'Whether accounts of it can be connected on this server.',
  values: {
    READY: {},
    NOT_CONFIGURED: { description: 'An administrator must make `settings` first.' },
    UNAVAILABLE: { description: 'This version cannot.' },
  } as const,
})

export const Provider = builder.objectRef<DomainProvider>('Provider').implement({
  description: 'A kind of storage service.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'As in `Account.provider`.' }),
    name: t.exposeString('name'),
    description: t.exposeString('description'),
    popular: t.exposeBoolean('popular'),
    availability: t.expose('availability', { type: ProviderAvailability }),
    settings: t.stringList({
      description: 'Settings of the server that are missing.',
      resolve: ({ settings }) => [...settings],
    }),
    access: t.exposeString('access', { nullable: true, description: 'What is asked of the provider, in words.' }),
  }),
})

builder.queryField('providers', (t) =>
  t.field({
    type: [Provider],
    description: 'The whole catalogue, in its order.',
    resolve: (_root, _args, context) => {
      requireViewer(context)
      return [...context.services.accounts.providers()]
    },
  }),
)
