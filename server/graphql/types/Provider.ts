import type { Provider as DomainProvider } from '../../domain/services.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { ProviderGlyph } from './enums.ts'

const ProviderAvailability = builder.enumType('ProviderAvailability', {
  description: 'Whether accounts of it can be connected on this server.',
  values: {
    READY: {},
    NOT_CONFIGURED: { description: 'An administrator must make `settings` first.' },
    UNAVAILABLE: { description: 'This version cannot.' },
  } as const,
})

const ConnectsBy = builder.enumType('ConnectsBy', {
  description: 'How an account is connected.',
  values: {
    OAUTH: { description: 'A person allows access in a window of the provider: `authorizeAccount`, `connectAccount`.' },
    FORM: { description: 'A person fills in a form here.' },
  } as const,
})

export const Provider = builder.objectRef<DomainProvider>('Provider').implement({
  description: 'A kind of storage service.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'As in `Account.provider`.' }),
    name: t.exposeString('name'),
    description: t.exposeString('description'),
    popular: t.exposeBoolean('popular'),
    hue: t.exposeInt('hue', { description: '1 to 12: the colour of its first account.' }),
    glyph: t.expose('glyph', { type: ProviderGlyph, description: 'The shape that stands for it.' }),
    availability: t.expose('availability', { type: ProviderAvailability }),
    settings: t.stringList({
      description: 'Settings of the server that are missing.',
      resolve: ({ settings }) => [...settings],
    }),
    setupSteps: t.stringList({
      description: 'What an administrator has to do first, in order.',
      resolve: ({ setupSteps }) => [...setupSteps],
    }),
    connectsBy: t.expose('connectsBy', {
      type: ConnectsBy,
      nullable: true,
      description: 'null: this version cannot connect it.',
    }),
    capabilities: t.stringList({
      description: 'What it can do for files, in sentences; empty while it is not set up.',
      resolve: ({ capabilities }) => [...capabilities],
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
