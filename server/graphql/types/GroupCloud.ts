import { visibleTo } from '../../domain/groupClouds/rows.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found, required } from '../found.ts'
import { databaseIdOf } from '../ids.ts'
import { PlacementRule } from './enums.ts'
import { GroupCloudHealth } from './GroupCloudHealth.ts'
import { PlacementPreview } from './PlacementPreview.ts'
import { Quota } from './Quota.ts'

/** What has to be computed for each group cloud. */
const COMPUTED_COST = 5

export const GroupCloud = builder.prismaNode('GroupCloud', {
  id: { resolve: (groupCloud) => groupCloud.id },
  findUnique: (id, context) => ({ id, ...visibleTo(requireViewer(context)) }),
  fields: (t) => ({
    name: t.exposeString('name'),
    defaultUploadGroup: t.exposeBoolean('defaultUploadGroup'),
    placement: t.expose('placement', { type: PlacementRule }),
    copies: t.exposeInt('copies'),
    spanning: t.exposeBoolean('spanning'),
    members: t.relation('members', {
      query: { where: { account: { disconnectedAt: null } }, orderBy: { position: 'asc' } },
    }),
    quota: t.field({
      type: Quota,
      complexity: COMPUTED_COST,
      resolve: async ({ id }, _args, context) => found(await context.load().pool(id)).quota,
    }),
    freeBytesWith: t.field({
      type: 'BigInt',
      nullable: true,
      description: '`quota.freeBytes` as it would be with this account as a member. Null when no limit is known.',
      args: { accountId: t.arg.id({ required: true }) },
      complexity: COMPUTED_COST,
      resolve: ({ id }, { accountId }, context) =>
        context.services.groupClouds.roomWith(requireViewer(context), id, databaseIdOf('Account', accountId)),
    }),
    health: t.field({
      type: GroupCloudHealth,
      complexity: COMPUTED_COST,
      resolve: async ({ id }, _args, context) => found(await context.load().health(id)),
    }),
    placementPreview: t.field({
      type: PlacementPreview,
      description: 'Where a file of so many bytes would go now, and why.',
      args: {
        bytes: t.arg({ type: 'BigInt', description: 'How large the file would be.' }),
        size: t.arg.float({ description: 'As `bytes`.', deprecationReason: 'Please give `bytes`.' }),
      },
      complexity: COMPUTED_COST,
      resolve: async ({ id }, { bytes, size }, context) =>
        found(await context.load().placementPreview(`${required('bytes', bytes ?? size)} ${id}`)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
})

builder.prismaObject('GroupCloudMember', {
  fields: (t) => ({
    account: t.relation('account'),
    position: t.exposeInt('position'),
    keepFreeBytes: t.field({ type: 'BigInt', resolve: ({ keepFreeBytes }) => Number(keepFreeBytes) }),
    draining: t.exposeBoolean('draining', {
      description: 'Takes no new files; what it holds moves to the other members, and then it leaves.',
    }),
  }),
})
