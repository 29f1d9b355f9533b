import type { LossPreview as DomainLossPreview, Quota as DomainQuota } from '../../domain/accounts/contract.ts'
import { quotaOf, searchesContents, visibleTo } from '../../domain/accounts/rows.ts'
import type {
  AccountDrive as DomainAccountDrive,
  AccountRoots as DomainAccountRoots,
} from '../../domain/inPlace/roots.ts'
import type { AccountIndex as DomainAccountIndex } from '../../domain/inPlace/service.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { ConnectsBy, PoolUse, ProviderGlyph } from './Provider.ts'

const AccountStatus = builder.enumType('AccountStatus', { values: ['CONNECTED', 'EXPIRED'] as const })

export const QuotaState = builder.enumType('QuotaState', {
  description: 'Whether there is a total; without one the account is unlimited, or its provider does not report it.',
  values: ['KNOWN', 'UNLIMITED', 'UNKNOWN'] as const,
})

export const Quota = builder.objectRef<DomainQuota>('Quota').implement({
  fields: (t) => ({
    state: t.expose('state', { type: QuotaState }),
    usedBytes: t.expose('usedBytes', { type: 'BigInt' }),
    totalBytes: t.expose('totalBytes', {
      type: 'BigInt',
      nullable: true,
      description: 'Null when unlimited or unknown.',
    }),
    reservedBytes: t.expose('reservedBytes', { type: 'BigInt' }),
    freeBytes: t.field({
      type: 'BigInt',
      nullable: true,
      description:
        'Bytes of new files that fit now. For an account: one copy of each file; for a group cloud: as many copies as it keeps, each\n' +
        'on a different account; for a user: the sum of the group clouds. Null when no limit is known.',
      resolve: ({ freeBytes, totalBytes, usedBytes, reservedBytes }) => {
        if (freeBytes !== undefined) return freeBytes
        return totalBytes === null ? null : Math.max(0, totalBytes - usedBytes - reservedBytes)
      },
    }),
  }),
})

/** Counts over all content of an account. */
const COUNTED_COST = 10

const LossPreview = builder.objectRef<DomainLossPreview>('LossPreview').implement({
  description: 'What would happen to files if the account were disconnected.',
  fields: (t) => ({
    lostFiles: t.exposeInt('lostFiles', { description: 'Files whose only complete copy is there.' }),
    lostBytes: t.expose('lostBytes', { type: 'BigInt' }),
    keptFiles: t.exposeInt('keptFiles', { description: 'Files with another copy elsewhere.' }),
    inPlaceLost: t.exposeInt('inPlaceLost', {
      description:
        'Files that the account has under their own names, of which no copy of the newest version is anywhere else. Disconnecting deletes\nnothing at the provider.',
    }),
    inPlaceLostBytes: t.expose('inPlaceLostBytes', { type: 'BigInt', description: 'Their size.' }),
    inPlaceProtected: t.exposeInt('inPlaceProtected', { description: 'Those that a copy elsewhere protects.' }),
  }),
})

export const AccountScope = builder.enumType('AccountScope', {
  description: 'What is shown of an account.',
  values: {
    EVERYTHING: { description: 'All that the account holds, in a folder of its name.' },
    OWN: { description: 'Only what Skypool stores in it.' },
  } as const,
})

const IndexPhase = builder.enumType('IndexPhase', {
  description: 'State of the list of everything in an account.',
  values: {
    FIRST_PASS: { description: 'The account is being listed for the first time; what was found is shown.' },
    LIVE: { description: 'Changes are read as they happen.' },
    WALK: {
      description:
        'The provider reports no changes: everything is listed again each night, and a folder when it is opened.',
    },
    HELD: { description: 'More than half of it seems to be gone. It is shown until `decideAccountDeletions`.' },
    PAUSED: { description: 'The account cannot be read now. Its entries are shown as they were.' },
  } as const,
})

const AccountIndex = builder.objectRef<DomainAccountIndex>('AccountIndex').implement({
  description: 'How complete and current the list of everything in an account is.',
  fields: (t) => ({
    phase: t.expose('phase', { type: IndexPhase, description: 'How far it is.' }),
    entries: t.exposeInt('entries', { description: 'Number of entries that are known.' }),
    expected: t.exposeInt('expected', {
      nullable: true,
      description: 'During `FIRST_PASS`: how many there may be, as far as earlier listings tell; otherwise null.',
    }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'During `FIRST_PASS`: when it began; otherwise null.',
    }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      nullable: true,
      description:
        'When changes of the account were last read; with `WALK`, when the last complete listing began. Null: not yet.',
    }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Message: why the account cannot be read; null while it can.',
    }),
    heldDeletions: t.exposeInt('heldDeletions', {
      description: 'Entries that are reported as gone and wait for a decision.',
    }),
    rootFileId: t.id({
      description: 'The folder that shows the account.',
      resolve: ({ rootFileId }) => globalIdOf('File', rootFileId),
    }),
  }),
})

const AccountDrive = builder.objectRef<DomainAccountDrive>('AccountDrive').implement({
  description: 'A shared drive: files that belong to an organisation, and that the account can see.',
  fields: (t) => ({
    id: t.exposeString('id', { description: "The provider's id, for `drives` of `updateAccount`." }),
    name: t.exposeString('name', { description: 'Its name at the provider.' }),
    isShown: t.exposeBoolean('isShown', { description: 'Whether it is shown.' }),
  }),
})

const AccountRoots = builder.objectRef<DomainAccountRoots>('AccountRoots').implement({
  description: 'Trees that an account has in addition to its own files. They are hidden until they are chosen.',
  fields: (t) => ({
    sharedWithMe: t.exposeBoolean('sharedWithMe', {
      nullable: true,
      description: 'Whether what others share is shown; null if the provider does not keep it apart.',
    }),
    drives: t.field({
      type: [AccountDrive],
      description: 'The shared drives that exist.',
      resolve: ({ drives }) => [...drives],
    }),
  }),
})

const FieldText = builder.objectRef<{ readonly name: string; readonly value: string }>('FieldText').implement({
  description: 'The value of one field of a form.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As `ProviderField.name`.' }),
    value: t.exposeString('value', { description: 'As it was entered.' }),
  }),
})

/** A request to the provider. */
const ASKED_COST = { field: 50, multiplier: 2 }

export const Account = builder.prismaNode('Account', {
  id: { resolve: (account) => account.id },
  findUnique: (id, context) => ({ id, ...visibleTo(requireViewer(context)) }),
  fields: (t) => ({
    provider: t.exposeString('provider'),
    providerName: t.string({
      description: 'Display name of the provider.',
      resolve: ({ provider }, _args, context) => context.services.accounts.providerName(provider),
    }),
    glyph: t.field({
      type: ProviderGlyph,
      description: 'Icon shape of its provider.',
      resolve: ({ provider }, _args, context) => context.services.accounts.providerGlyph(provider),
    }),
    connectsBy: t.field({
      type: ConnectsBy,
      nullable: true,
      description: 'How it is reconnected; null for the storage of this server.',
      resolve: ({ provider }, _args, context) => context.services.accounts.connectsBy(provider),
    }),
    name: t.exposeString('name'),
    email: t.exposeString('email', { nullable: true }),
    place: t.exposeString('place', {
      nullable: true,
      description:
        'Where its files are, such as `user@host`, `host/bucket`, a repository or a channel; null where `email` says it, and if it is unknown.',
    }),
    status: t.expose('status', { type: AccountStatus }),
    statusReason: t.exposeString('statusReason', {
      nullable: true,
      description: 'Message: why the connection expired, or the provider cannot be reached.',
    }),
    unreachableSince: t.expose('unreachableSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when the provider has not responded; null while it does.',
    }),
    pausedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The provider asked for no requests until then (rate limit); null when there is no such pause.',
      resolve: ({ pausedUntil }) => future(pausedUntil),
    }),
    writesPausedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The provider asked for no uploads until then, reading works; null when there is no such pause.',
      resolve: ({ writesPausedUntil }) => future(writesPausedUntil),
    }),
    hue: t.exposeInt('hue', { description: "1 to 12; 0 is reserved for this server's storage." }),
    quota: t.field({ type: Quota, resolve: (account) => quotaOf(account) }),
    capacityBytes: t.field({
      type: 'BigInt',
      nullable: true,
      description: 'The total of `quota`, typed by the user because the provider reports none; null where it is not.',
      resolve: ({ capacityBytes }) => (capacityBytes === null ? null : Number(capacityBytes)),
    }),
    poolUse: t.expose('poolUse', { type: PoolUse, description: 'How group clouds may use it.' }),
    searchContents: t.boolean({
      description:
        'Whether the text inside files is searched: of what the account has itself, which downloads its documents once, or with the storage of this s' +
        'erver of everything that Skypool stores, wherever its copies are.',
      resolve: searchesContents,
    }),
    poolReason: t.string({
      nullable: true,
      description: 'Why `poolUse` is not FULL, as text.',
      resolve: ({ provider }, _args, context) => providerOf(context, provider)?.poolReason ?? null,
    }),
    formValues: t.field({
      type: [FieldText],
      complexity: COUNTED_COST,
      description: 'The values that it was connected with, without secrets; empty where `connectsBy` is not FORM.',
      resolve: async ({ id }, _args, context) => {
        const values = await context.services.accounts.formValues(requireViewer(context), id)
        return Object.entries(values).map(([name, value]) => ({ name, value }))
      },
    }),
    capabilities: t.stringList({
      description: 'What its provider supports and what not, in sentences.',
      resolve: ({ provider }, _args, context) => {
        const found = providerOf(context, provider)
        return found ? [...found.capabilities, ...found.limits] : []
      },
    }),
    atRiskFiles: t.int({
      description:
        'Files with a piece on this account that cannot be read completely now, or have fewer copies than required.',
      complexity: COUNTED_COST,
      resolve: ({ id }, _args, context) => context.load().atRiskFiles(id),
    }),
    lossPreview: t.field({
      type: LossPreview,
      description: 'Effect of disconnecting it.',
      complexity: COUNTED_COST,
      resolve: async ({ id }, _args, context) => found(await context.load().lossPreview(id)),
    }),
    scope: t.field({
      type: AccountScope,
      description: 'What is shown of it.',
      resolve: async ({ id }, _args, context) => ((await context.load().accountIndex(id)) ? 'EVERYTHING' : 'OWN'),
    }),
    canShowEverything: t.boolean({
      description: 'Whether `setAccountScope` can set EVERYTHING: its provider and the granted access allow it.',
      resolve: ({ id }, _args, context) => context.load().canShowEverything(id),
    }),
    rootFileId: t.id({
      // Read together with the other facts about the index, for all rows of a list at once.
      complexity: 0,
      nullable: true,
      description: 'The folder that shows the account; null with the scope OWN.',
      resolve: async ({ id }, _args, context) => {
        const index = await context.load().accountIndex(id)
        return index && globalIdOf('File', index.rootFileId)
      },
    }),
    sharedWithMe: t.boolean({
      description: 'Whether what others share with the account is shown too, in a separate folder.',
      resolve: async ({ id }, _args, context) => (await context.load().shownRoots(id))?.sharedWithMe ?? false,
    }),
    drives: t.stringList({
      description: 'Ids of the shared drives that are shown too, each in a separate folder. `AccountDrive.id`.',
      resolve: async ({ id }, _args, context) => [...((await context.load().shownRoots(id))?.drives ?? [])],
    }),
    roots: t.field({
      type: AccountRoots,
      complexity: ASKED_COST,
      description: 'What the account has in addition to its own files. Asks the provider.',
      resolve: ({ id }, _args, context) => context.services.inPlace.roots(requireViewer(context), id),
    }),
    index: t.field({
      type: AccountIndex,
      nullable: true,
      description: 'Null with the scope OWN.',
      resolve: ({ id }, _args, context) => context.load().accountIndex(id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
})

function providerOf({ services }: Context, provider: string) {
  return services.accounts.providers().find(({ id }) => id === provider)
}

function future(time: Date | null): Date | null {
  return time !== null && time.getTime() > Date.now() ? time : null
}
