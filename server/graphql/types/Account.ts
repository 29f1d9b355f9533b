import type { LossPreview as DomainLossPreview } from '../../domain/accounts/contract.ts'
import { quotaOf, visibleTo } from '../../domain/accounts/rows.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found } from '../found.ts'
import { AccountStatus, ConnectsBy, ProviderGlyph } from './enums.ts'
import { Quota } from './Quota.ts'

/** What has to be counted over all that an account holds. */
const COUNTED_COST = 10

const LossPreview = builder.objectRef<DomainLossPreview>('LossPreview').implement({
  description: 'What would happen to files if the account were gone.',
  fields: (t) => ({
    lostFiles: t.exposeInt('lostFiles', { description: 'Their only complete copy is there.' }),
    lostBytes: t.expose('lostBytes', { type: 'BigInt' }),
    keptFiles: t.exposeInt('keptFiles', { description: 'Have another copy elsewhere.' }),
  }),
})

export const Account = builder.prismaNode('Account', {
  id: { resolve: (account) => account.id },
  findUnique: (id, context) => ({ id, ...visibleTo(requireViewer(context)) }),
  fields: (t) => ({
    provider: t.exposeString('provider'),
    providerName: t.string({
      description: 'For people.',
      resolve: ({ provider }, _args, context) => context.services.accounts.providerName(provider),
    }),
    glyph: t.field({
      type: ProviderGlyph,
      description: 'The shape that stands for its provider.',
      resolve: ({ provider }, _args, context) => context.services.accounts.providerGlyph(provider),
    }),
    connectsBy: t.field({
      type: ConnectsBy,
      nullable: true,
      description: 'How it is connected again; null for the storage of this server.',
      resolve: ({ provider }, _args, context) => context.services.accounts.connectsBy(provider),
    }),
    name: t.exposeString('name'),
    email: t.exposeString('email', { nullable: true }),
    status: t.expose('status', { type: AccountStatus }),
    statusReason: t.exposeString('statusReason', { nullable: true, description: 'Why it is expired, in words.' }),
    unreachableSince: t.expose('unreachableSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when the provider has not answered; null while it does.',
    }),
    pausedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The provider asked to be left alone until then; null when it did not, or when that is over.',
      resolve: ({ pausedUntil }) => future(pausedUntil),
    }),
    writesPausedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'The provider asked to be sent nothing until then, though it can be read from; null when it did not, or when that is over.',
      resolve: ({ writesPausedUntil }) => future(writesPausedUntil),
    }),
    hue: t.exposeInt('hue', { description: "1 to 12; 0 is this server's own." }),
    quota: t.field({ type: Quota, resolve: (account) => quotaOf(account) }),
    atRiskFiles: t.int({
      description: 'Files with a piece here that cannot be read whole now, or have fewer copies than they should.',
      complexity: COUNTED_COST,
      resolve: ({ id }, _args, context) => context.load().atRiskFiles(id),
    }),
    lossPreview: t.field({
      type: LossPreview,
      description: 'What disconnecting it would cost.',
      complexity: COUNTED_COST,
      resolve: async ({ id }, _args, context) => found(await context.load().lossPreview(id)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
})

function future(time: Date | null): Date | null {
  return time !== null && time.getTime() > Date.now() ? time : null
}
