import type { AccountsService, QuotaReading as DomainQuotaReading } from '../../domain/accounts/contract.ts'
import {
  AccountConnectedError,
  AuthorizationFailedError,
  ConflictError,
  FilesWouldBeLostError,
  InvalidInputError,
  NotFoundError,
  OtherLoginError,
  ProviderFailedError,
  ProviderUnavailableError,
} from '../../domain/errors.ts'
import { type AccountScope as DomainScope, scopeRefusal } from '../../domain/inPlace/service.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, databaseIdsOf, globalIdOf, optionalIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { Account, AccountScope } from '../types/Account.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'authorizeAccount',
  { inputFields: (t) => ({ provider: t.string({ required: true }), accountId: t.id() }) },
  {
    extensions: { scope: 'SESSION' },
    description:
      'Starts the OAuth authorization of a new account, or of `accountId` again: the address for the browser, and the state that it returns with.',
    errors: { types: [ProviderUnavailableError, NotFoundError] },
    resolve: (_root, { input }, context) =>
      context.services.accounts.authorize(
        requireViewer(context),
        input.provider,
        context.origin,
        optionalIdOf('Account', input.accountId),
      ),
  },
  {
    outputFields: (t) => ({
      state: t.exposeString('state'),
      authorizationUrl: t.exposeString('url', { description: 'Complete, including state and PKCE challenge.' }),
    }),
  },
)

const FIRST_SCOPE =
  'What is shown of it; default `EVERYTHING` where `Provider.canShowEverything` allows it, else `OWN`.'

/** Before the account is connected. @throws InvalidInputError */
function refuseScope(
  accounts: Pick<AccountsService, 'providers'>,
  provider: string,
  scope: DomainScope | null | undefined,
): void {
  const known = accounts.providers().find(({ id }) => id === provider)
  if (scope === 'EVERYTHING' && known && !known.canShowEverything) throw scopeRefusal(known.name)
}

builder.relayMutationField(
  'connectAccount',
  {
    inputFields: (t) => ({
      provider: t.string({ required: true }),
      code: t.string({ required: true }),
      name: t.string({ required: true }),
      state: t.string({ description: "Default: the session's newest authorization with this provider." }),
      scope: t.field({
        type: AccountScope,
        description: FIRST_SCOPE,
      }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: {
      types: [
        InvalidInputError,
        AuthorizationFailedError,
        AccountConnectedError,
        ProviderUnavailableError,
        ProviderFailedError,
      ],
    },
    resolve: async (_root, { input }, context) => {
      const { provider, code, name, state, scope } = input
      const viewer = requireViewer(context)
      const { accounts, inPlace } = context.services
      const grant = { code, name, state: state ?? undefined }
      refuseScope(accounts, provider, scope)
      const account = await accounts.connect(viewer, provider, grant, context.origin)
      await inPlace.setFirstScope(viewer, account.id, scope ?? undefined)
      return account
    },
  },
  {
    outputFields: (t) => ({
      account: t.field({
        type: Account,
        resolve: async ({ id }, _args, context) => found(await context.load().account(id)),
      }),
      viewer: t.field({ type: User, resolve: (_account, _args, context) => ({ id: requireViewer(context).userId }) }),
    }),
  },
)

/** Input of both form mutations. */
const FieldValue = builder.inputType('FieldValue', {
  description: 'The value of one field of a form.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'As `ProviderField.name`.' }),
    value: t.string({ required: true, description: 'An empty value counts as omitted.' }),
  }),
})

/** Values by field name; of two values for one field the last one counts. */
function valuesOf(fields: readonly (typeof FieldValue)['$inferInput'][]): Record<string, string> {
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]))
}

builder.relayMutationField(
  'connectAccountByForm',
  {
    inputFields: (t) => ({
      provider: t.string({ required: true }),
      name: t.string({ required: true }),
      fields: t.field({ type: [FieldValue], required: true, description: 'Values for `Provider.fields`.' }),
      scope: t.field({ type: AccountScope, description: FIRST_SCOPE }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    description:
      'Connects an account of a provider whose `connectsBy` is FORM. Errors of a field have the path `fields.<name>`.',
    errors: {
      types: [
        InvalidInputError,
        AuthorizationFailedError,
        AccountConnectedError,
        ProviderUnavailableError,
        ProviderFailedError,
      ],
    },
    resolve: async (_root, { input: { provider, name, fields, scope } }, context) => {
      const viewer = requireViewer(context)
      const { accounts, inPlace } = context.services
      refuseScope(accounts, provider, scope)
      const account = await accounts.connectByForm(viewer, provider, { name, fields: valuesOf(fields) })
      await inPlace.setFirstScope(viewer, account.id, scope ?? undefined)
      return account
    },
  },
  {
    outputFields: (t) => ({
      account: t.field({
        type: Account,
        resolve: async ({ id }, _args, context) => found(await context.load().account(id)),
      }),
      viewer: t.field({ type: User, resolve: (_account, _args, context) => ({ id: requireViewer(context).userId }) }),
    }),
  },
)

builder.relayMutationField(
  'reconnectAccount',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      code: t.string({ required: true }),
      state: t.string(),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: {
      types: [
        InvalidInputError,
        NotFoundError,
        AuthorizationFailedError,
        OtherLoginError,
        ConflictError,
        ProviderUnavailableError,
        ProviderFailedError,
      ],
    },
    resolve: (_root, { input }, context) => {
      const grant = { code: input.code, state: input.state ?? undefined }
      const id = databaseIdOf('Account', input.id)
      return context.services.accounts.reconnect(requireViewer(context), id, grant, context.origin)
    },
  },
  {
    outputFields: (t) => ({
      account: t.field({
        type: Account,
        resolve: async ({ id }, _args, context) => found(await context.load().account(id)),
      }),
    }),
  },
)

builder.relayMutationField(
  'reconnectAccountByForm',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      fields: t.field({ type: [FieldValue], required: true, description: 'Values for `Provider.fields`.' }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    description: 'Reconnects an account with the same login. Errors of a field have the path `fields.<name>`.',
    errors: {
      types: [
        InvalidInputError,
        NotFoundError,
        AuthorizationFailedError,
        OtherLoginError,
        ConflictError,
        ProviderUnavailableError,
        ProviderFailedError,
      ],
    },
    resolve: (_root, { input }, context) => {
      const id = databaseIdOf('Account', input.id)
      return context.services.accounts.reconnectByForm(requireViewer(context), id, valuesOf(input.fields))
    },
  },
  {
    outputFields: (t) => ({
      account: t.field({
        type: Account,
        resolve: async ({ id }, _args, context) => found(await context.load().account(id)),
      }),
    }),
  },
)

builder.relayMutationField(
  'updateAccount',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      name: t.string(),
      hue: t.int({ description: '1 to 12.' }),
      scope: t.field({ type: AccountScope, description: 'What to show of it.' }),
      sharedWithMe: t.boolean({ description: 'Shows what others share with the account. Needs the scope EVERYTHING.' }),
      drives: t.stringList({
        description: '`AccountDrive.id` of all shared drives to show. Needs the scope EVERYTHING.',
      }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, NotFoundError, ConflictError, ProviderFailedError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      const id = databaseIdOf('Account', input.id)
      const account = await context.services.accounts.update(viewer, id, {
        name: input.name ?? undefined,
        hue: input.hue ?? undefined,
      })
      const shown = {
        scope: input.scope ?? undefined,
        sharedWithMe: input.sharedWithMe ?? undefined,
        drives: input.drives ?? undefined,
      }
      if (Object.values(shown).some((value) => value !== undefined)) {
        await context.services.inPlace.setShown(viewer, id, shown)
      }
      return account
    },
  },
  {
    outputFields: (t) => ({
      account: t.field({
        type: Account,
        resolve: async ({ id }, _args, context) => found(await context.load().account(id)),
      }),
    }),
  },
)

builder.relayMutationField(
  'setAccountScope',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      scope: t.field({ type: AccountScope, required: true, description: 'What to show of it.' }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, NotFoundError, ConflictError] },
    resolve: async (_root, { input }, context) => {
      const id = databaseIdOf('Account', input.id)
      await context.services.inPlace.setScope(requireViewer(context), id, input.scope)
      return { id }
    },
  },
  {
    outputFields: (t) => ({
      account: t.field({
        type: Account,
        resolve: async ({ id }, _args, context) => found(await context.load().account(id)),
      }),
    }),
  },
)

builder.relayMutationField(
  'refreshAccountIndex',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: { scope: 'WRITE' },
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input }, context) => {
      const id = databaseIdOf('Account', input.id)
      await context.services.inPlace.refresh(requireViewer(context), id)
      return { id }
    },
  },
  {
    outputFields: (t) => ({
      account: t.field({
        type: Account,
        resolve: async ({ id }, _args, context) => found(await context.load().account(id)),
      }),
    }),
  },
)

builder.relayMutationField(
  'decideAccountDeletions',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      accept: t.boolean({
        required: true,
        description: 'True: they are gone. False: they stay, and the account is listed again.',
      }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input }, context) => {
      const id = databaseIdOf('Account', input.id)
      await context.services.inPlace.decideDeletions(requireViewer(context), id, input.accept)
      return { id }
    },
  },
  {
    outputFields: (t) => ({
      account: t.field({
        type: Account,
        resolve: async ({ id }, _args, context) => found(await context.load().account(id)),
      }),
    }),
  },
)

const READING_COST = { field: 1, multiplier: 10 }

const QuotaReading = builder.objectRef<DomainQuotaReading>('QuotaReading').implement({
  fields: (t) => ({
    account: t.field({
      type: Account,
      resolve: async ({ accountId }, _args, context) => found(await context.load().account(accountId)),
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'A message when the provider could not be reached; the quota is then the last known one.',
    }),
  }),
})

builder.relayMutationField(
  'refreshQuotas',
  { inputFields: (t) => ({ ids: t.idList({ required: true, description: 'At most 100 accounts.' }) }) },
  {
    description: 'Reads the quotas from the providers, at most once a minute per account.',
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input }, context) => {
      const ids = databaseIdsOf('Account', input.ids)
      return { readings: await context.services.accounts.readQuotas(requireViewer(context), ids) }
    },
  },
  {
    outputFields: (t) => ({
      readings: t.field({ type: [QuotaReading], complexity: READING_COST, resolve: ({ readings }) => readings }),
      accounts: t.field({
        type: [Account],
        complexity: READING_COST,
        resolve: async ({ readings }, _args, context) => {
          const rows = await Promise.all(readings.map(({ accountId }) => context.load().account(accountId)))
          return rows.filter((row) => row !== null)
        },
      }),
    }),
  },
)

builder.relayMutationField(
  'disconnectAccount',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      force: t.boolean({
        description: 'Disconnects even if files are unavailable until the account is connected again.',
      }),
      keepProtected: t.boolean({
        description:
          'Copies that protect its files become ordinary files in a folder of its name (default). `false`: they are removed.',
      }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError, FilesWouldBeLostError, ConflictError] },
    resolve: async (_root, { input }, context) => {
      const id = databaseIdOf('Account', input.id)
      await context.services.accounts.disconnect(
        requireViewer(context),
        id,
        input.force ?? false,
        input.keepProtected ?? true,
      )
      return { disconnectedId: globalIdOf('Account', id) }
    },
  },
  {
    outputFields: (t) => ({
      disconnectedId: t.exposeID('disconnectedId'),
      viewer: t.field({ type: User, resolve: (_gone, _args, context) => ({ id: requireViewer(context).userId }) }),
    }),
  },
)
