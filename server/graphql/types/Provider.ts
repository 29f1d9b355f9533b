import type { ProviderField as DomainField, Provider as DomainProvider } from '../../domain/accounts/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { ConnectsBy, ProviderGlyph } from './enums.ts'

const ProviderAvailability = builder.enumType('ProviderAvailability', {
  description: 'Whether accounts of it can be connected on this server.',
  values: {
    READY: {},
    NOT_CONFIGURED: { description: 'An administrator must make `settings` first.' },
    UNAVAILABLE: { description: 'This version cannot.' },
  } as const,
})

const ProviderFieldType = builder.enumType('ProviderFieldType', {
  description: 'What a field of a form takes.',
  values: {
    TEXT: { description: 'One line.' },
    MULTILINE: { description: 'Several lines.' },
    URL: { description: 'An address that begins with https:// or http://.' },
    NUMBER: { description: 'A whole number from 0.' },
  } as const,
})

const ProviderField = builder.objectRef<DomainField>('ProviderField').implement({
  description: 'One thing that a person types in to connect an account.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As in the input of `connectAccountByForm`.' }),
    label: t.exposeString('label', { description: 'For people.' }),
    help: t.exposeString('help', { nullable: true, description: 'What to type, in a sentence.' }),
    type: t.expose('type', { type: ProviderFieldType, description: 'What it takes.' }),
    secret: t.exposeBoolean('secret', { description: 'Not to be shown while it is typed.' }),
    required: t.exposeBoolean('required', { description: 'Whether it may not be left out.' }),
  }),
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
    fields: t.field({
      type: [ProviderField],
      description: 'Of its form, in order; empty while it is not set up, and where `connectsBy` is OAUTH.',
      complexity: 1,
      resolve: ({ fields }) => [...fields],
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
