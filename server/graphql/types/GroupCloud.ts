import { visibleTo } from '../../domain/groupClouds/policy.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found } from '../found.ts'
import { PlacementRule } from './enums.ts'
import { Quota } from './Quota.ts'
import './Account.ts'

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
    members: t.relation('members', { query: { orderBy: { position: 'asc' } } }),
    quota: t.field({
      type: Quota,
      complexity: COMPUTED_COST,
      resolve: async ({ id }, _args, context) => found(await context.load().pool(id)).quota,
    }),
    nextPlacement: t.string({
      description: 'Where the next file would go and why, in words.',
      complexity: COMPUTED_COST,
      resolve: ({ id }, _args, context) => context.services.groupClouds.nextPlacement(requireViewer(context), id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
})

builder.prismaObject('GroupCloudMember', {
  fields: (t) => ({
    account: t.relation('account'),
    position: t.exposeInt('position'),
    keepFreeBytes: t.float({ resolve: ({ keepFreeBytes }) => Number(keepFreeBytes) }),
  }),
})
