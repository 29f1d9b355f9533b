import type { AccountsService, QuotaReading as DomainQuotaReading, FormTest } from '../../domain/accounts/contract.ts'
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
import { Account, AccountScope, QuotaState } from '../types/Account.ts'
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

const TestedFolder = builder.objectRef<FormTest['folders'][number]>('TestedFolder').implement({
  description: 'A folder that can be used instead of the one that was tried.',
  fields: (t) => ({
    name: t.exposeString('name'),
    value: t.exposeString('value', { description: 'For the field `folderField`.' }),
  }),
})

const TestedQuota = builder.objectRef<NonNullable<FormTest['quota']>>('TestedQuota').implement({
  description: 'The space of an account that is not connected yet.',
  fields: (t) => ({
    state: t.expose('state', { type: QuotaState }),
    usedBytes: t.expose('usedBytes', { type: 'BigInt', nullable: true, description: 'Null: not reported.' }),
    totalBytes: t.expose('totalBytes', {
      type: 'BigInt',
      nullable: true,
      description: 'Null when unlimited or unknown.',
    }),
  }),
})

builder.relayMutationField(
  'testAccountForm',
  {
    inputFields: (t) => ({
      provider: t.string({ required: true }),
      fields: t.field({ type: [FieldValue], required: true, description: 'Values for `Provider.fields`.' }),
      accountId: t.id({ description: 'As for `reconnectAccountByForm`, whose stored secrets are used then.' }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    description:
      'Tries to connect with the values of a form and keeps nothing. Errors of a field have the path `fields.<name>`.',
    errors: { types: [InvalidInputError, NotFoundError, ProviderUnavailableError] },
    resolve: (_root, { input: { provider, fields, accountId } }, context) =>
      context.services.accounts.testForm(
        requireViewer(context),
        provider,
        valuesOf(fields),
        optionalIdOf('Account', accountId),
      ),
  },
  {
    outputFields: (t) => ({
      ok: t.exposeBoolean('ok', { description: 'Whether the account can be connected with these values.' }),
      identity: t.exposeString('identity', { nullable: true, description: 'The login, as text.' }),
      quota: t.expose('quota', { type: TestedQuota, nullable: true, description: 'Its space; null unless `ok`.' }),
      fingerprint: t.exposeString('fingerprint', {
        nullable: true,
        description: 'Of the host key of the server, where it has to be compared and entered before anything is sent.',
      }),
      folderField: t.exposeString('folderField', {
        nullable: true,
        description: '`ProviderField.name` of the field with the folder to use.',
      }),
      folders: t.field({
        type: [TestedFolder],
        complexity: 1,
        description: 'Folders inside the one that was tried, at most 200.',
        resolve: ({ folders }) => [...folders],
      }),
      problem: t.exposeString('problem', { nullable: true, description: 'What is wrong, as text; null for `ok`.' }),
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
    description:
      'Reconnects an account with the same login. Secrets that are left empty stay as they are, unless another server is named. Errors of a field have the path `fields.<name>`.',
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
      capacityBytes: t.field({
        type: 'BigInt',
        description: 'The size of the account where its provider reports none; 0 removes it.',
      }),
      searchContents: t.boolean({
        description: 'Searches the text inside its files, or deletes the texts: see `Account.searchContents`.',
      }),
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
        capacityBytes: input.capacityBytes == null ? undefined : input.capacityBytes || null,
      })
      const shown = {
        scope: input.scope ?? undefined,
        sharedWithMe: input.sharedWithMe ?? undefined,
        drives: input.drives ?? undefined,
      }
      if (Object.values(shown).some((value) => value !== undefined)) {
        await context.services.inPlace.setShown(viewer, id, shown)
      }
      if (input.searchContents != null) await context.services.search.setAccount(viewer, id, input.searchContents)
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
