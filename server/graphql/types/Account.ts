import type { LossPreview as DomainLossPreview, Quota as DomainQuota } from '../../domain/accounts/contract.ts'
import { quotaOf, visibleTo } from '../../domain/accounts/rows.ts'
import type { AccountIndex as DomainAccountIndex } from '../../domain/inPlace/service.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { ConnectsBy, ProviderGlyph } from './Provider.ts'

const AccountStatus = builder.enumType('AccountStatus', { values: ['CONNECTED', 'EXPIRED'] as const })

const QuotaState = builder.enumType('QuotaState', {
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
    HELD: { description: 'More than half of it seems to be gone. It is shown until `decideAccountDeletions`.' },
    PAUSED: { description: 'The account cannot be read now. Its entries are shown as they were.' },
  } as const,
})

const AccountIndex = builder.objectRef<DomainAccountIndex>('AccountIndex').implement({
  description: 'How complete and current the list of everything in an account is.',
  fields: (t) => ({
    phase: t.expose('phase', { type: IndexPhase, description: 'How far it is.' }),
    entries: t.exposeInt('entries', { description: 'Number of entries that are known.' }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      nullable: true,
      description: 'When changes of the account were last read; null: not yet.',
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
    status: t.expose('status', { type: AccountStatus }),
    statusReason: t.exposeString('statusReason', {
      nullable: true,
      description: 'Message: why the connection expired.',
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
    index: t.field({
      type: AccountIndex,
      nullable: true,
      description: 'Null with the scope OWN.',
      resolve: ({ id }, _args, context) => context.load().accountIndex(id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
})

function future(time: Date | null): Date | null {
  return time !== null && time.getTime() > Date.now() ? time : null
}
