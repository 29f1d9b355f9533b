import type {
  ProviderField as DomainField,
  Provider as DomainProvider,
  ProviderFieldCondition as FieldCondition,
  ProviderFieldRequirement as FieldRequirement,
  ProviderFieldChoice as FormChoice,
} from '../../domain/accounts/contract.ts'
import { GLYPHS, type Glyph } from '../../domain/accounts/rows.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'

export const ProviderGlyph = builder.enumType('ProviderGlyph', {
  description: 'Icon shapes of providers.',
  values: Object.fromEntries(
    GLYPHS.map((glyph) => [glyph, { description: `Drawn as: ${glyph.toLowerCase()}.` }]),
  ) as Record<Glyph, { description: string }>,
})

export const ConnectsBy = builder.enumType('ConnectsBy', {
  description: 'How accounts of a provider are connected.',
  values: {
    OAUTH: { description: 'In a window of the provider: `authorizeAccount`, then `connectAccount`.' },
    FORM: { description: 'With values for its `fields`: `connectAccountByForm`.' },
  } as const,
})

const ProviderAvailability = builder.enumType('ProviderAvailability', {
  description: 'Whether its accounts can be connected on this server.',
  values: {
    READY: {},
    NOT_CONFIGURED: { description: 'An administrator has to set `settings` first.' },
    UNAVAILABLE: { description: 'Not supported by this version.' },
  } as const,
})

export const PoolUse = builder.enumType('PoolUse', {
  description: 'How group clouds use an account.',
  values: {
    FULL: { description: 'For any copy of a file.' },
    EXTRA_COPIES: { description: 'For the second and third copy of a file, never for its only one.' },
    NONE: { description: 'Not at all: it cannot be a member.' },
  } as const,
})

const ProviderFieldType = builder.enumType('ProviderFieldType', {
  description: 'Input type of a form field.',
  values: {
    TEXT: { description: 'One line.' },
    MULTILINE: { description: 'Several lines.' },
    URL: { description: 'An address that begins with https:// or http://.' },
    NUMBER: { description: 'A whole number from 0.' },
    CHOICE: { description: 'One of `choices`.' },
  } as const,
})

const ProviderFieldChoice = builder.objectRef<FormChoice>('ProviderFieldChoice').implement({
  description: 'A value that a form field can have.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'For the input of `connectAccountByForm`.' }),
    label: t.exposeString('label', { description: 'For people.' }),
  }),
})

const ProviderFieldCondition = builder.objectRef<FieldCondition>('ProviderFieldCondition').implement({
  description: 'What another field of the same form contains.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Its `name`.' }),
    values: t.stringList({
      description: 'The condition holds while it contains one of these; an empty text means that it is empty.',
      resolve: ({ values }) => [...values],
    }),
  }),
})

const ProviderFieldRequirement = builder.objectRef<FieldRequirement>('ProviderFieldRequirement').implement({
  description: 'When a form field must be filled in that is not always required.',
  fields: (t) => ({
    conditions: t.field({
      type: [ProviderFieldCondition],
      description: 'It must be filled in while all of them hold.',
      complexity: 1,
      resolve: ({ conditions }) => [...conditions],
    }),
    message: t.exposeString('message', { description: 'What to say when it is empty then.' }),
  }),
})

const ProviderField = builder.objectRef<DomainField>('ProviderField').implement({
  description: 'A field of the form that connects an account.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'For the input of `connectAccountByForm`.' }),
    label: t.exposeString('label', { description: 'Label of the field.' }),
    help: t.exposeString('help', { nullable: true, description: 'Help text.' }),
    type: t.expose('type', { type: ProviderFieldType, description: 'Input type.' }),
    choices: t.field({
      type: [ProviderFieldChoice],
      description: 'What can be chosen; empty for other types.',
      complexity: 1,
      resolve: ({ choices = [] }) => [...choices],
    }),
    secret: t.exposeBoolean('secret', { description: 'Whether to mask the input.' }),
    required: t.exposeBoolean('required', {
      description: 'Whether it must be filled in, whatever the others contain.',
    }),
    requiredWhen: t.field({
      type: ProviderFieldRequirement,
      nullable: true,
      description: 'When else it must be filled in; null: never.',
      resolve: ({ requiredWhen }) => requiredWhen ?? null,
    }),
    onRequest: t.boolean({
      description: 'Whether to show it only after an error about it, such as for a two-factor code.',
      resolve: ({ onRequest }) => onRequest === true,
    }),
    stored: t.boolean({
      description: 'Whether its value is stored; one that is not must be entered again to re-connect an account.',
      resolve: ({ notStored }) => notStored !== true,
    }),
  }),
})

export const Provider = builder.objectRef<DomainProvider>('Provider').implement({
  description: 'A storage service.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'As in `Account.provider`.' }),
    name: t.exposeString('name'),
    description: t.exposeString('description'),
    popular: t.exposeBoolean('popular'),
    hue: t.exposeInt('hue', { description: '1 to 12: default colour of its accounts.' }),
    glyph: t.expose('glyph', { type: ProviderGlyph, description: 'Its icon shape.' }),
    availability: t.expose('availability', { type: ProviderAvailability }),
    settings: t.stringList({
      description: 'Missing settings of the server.',
      resolve: ({ settings }) => [...settings],
    }),
    requiredSettings: t.stringList({
      description: 'Settings of the server that it needs; those in `settings` are missing.',
      resolve: ({ requiredSettings }) => [...requiredSettings],
    }),
    setupSteps: t.stringList({
      description:
        'Setup steps for the administrator, in order; links are in brackets, what is to be copied in backquotes.',
      resolve: ({ setupSteps }) => [...setupSteps],
    }),
    connectSteps: t.stringList({
      description:
        'What each user does in the form, or at the provider before its window opens, in order; links are in brackets, commands in backquotes.',
      resolve: ({ connectSteps }) => [...connectSteps],
    }),
    signInHints: t.stringList({
      description: 'What to do about what its window may ask or warn of.',
      resolve: ({ signInHints }) => [...signInHints],
    }),
    connectsBy: t.expose('connectsBy', {
      type: ConnectsBy,
      nullable: true,
      description: 'null: not supported by this version.',
    }),
    fields: t.field({
      type: [ProviderField],
      description: 'Fields of its form, in order; empty while it is not set up, and where `connectsBy` is OAUTH.',
      complexity: 1,
      resolve: ({ fields }) => [...fields],
    }),
    capabilities: t.stringList({
      description: 'What it supports, in sentences; empty while it is not set up.',
      resolve: ({ capabilities }) => [...capabilities],
    }),
    limits: t.stringList({
      description: 'What it cannot do, or does in its own way, in sentences.',
      resolve: ({ limits }) => [...limits],
    }),
    poolUse: t.expose('poolUse', { type: PoolUse, description: 'How group clouds use its accounts.' }),
    poolReason: t.exposeString('poolReason', { nullable: true, description: 'Why `poolUse` is not FULL, as text.' }),
    access: t.exposeString('access', { nullable: true, description: 'The requested permissions, as text.' }),
    canShowEverything: t.exposeBoolean('canShowEverything', {
      description: 'Its accounts can have the scope `EVERYTHING`; false while it is not set up.',
    }),
    hasExtraRoots: t.exposeBoolean('hasExtraRoots', {
      description:
        'What others share with its accounts, and shared drives, are shown only once chosen; false while it is not set up.',
    }),
  }),
})

builder.queryField('providers', (t) =>
  t.field({
    type: [Provider],
    description: 'All supported providers, in display order.',
    resolve: (_root, _args, context) => {
      requireViewer(context)
      return [...context.services.accounts.providers()]
    },
  }),
)
