import { InvalidInputError } from '../../domain/errors.ts'
import {
  type GroupCloudHealth as DomainHealth,
  type PlacementPreview as DomainPreview,
  visibleTo,
} from '../../domain/groupClouds/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { Account, Quota } from './Account.ts'

export const PlacementRule = builder.enumType('PlacementRule', {
  values: ['MOST_FREE', 'IN_ORDER', 'ROUND_ROBIN'] as const,
})

const GroupCloudHealth = builder.objectRef<DomainHealth>('GroupCloudHealth').implement({
  description: 'State of the files of a group cloud, without those in Trash.',
  fields: (t) => ({
    files: t.exposeInt('files'),
    bytes: t.expose('bytes', { type: 'BigInt' }),
    atRiskFiles: t.exposeInt('atRiskFiles', {
      description: 'Files that cannot be read completely now, or have too few copies and none in transfer.',
    }),
    storingFiles: t.exposeInt('storingFiles', { description: 'Files with a copy in transfer.' }),
    summary: t.exposeString('summary', { description: 'The state in one sentence.' }),
  }),
})

type PreviewCopy = DomainPreview['copies'][number]

const PreviewPiece = builder.objectRef<PreviewCopy['pieces'][number]>('PlacementPreviewPiece').implement({
  fields: (t) => ({
    account: t.field({
      type: Account,
      resolve: async ({ accountId }, _args, context) => found(await context.load().account(accountId)),
    }),
    size: t.expose('size', { type: 'BigInt', description: 'Bytes of the copy that would be on this account.' }),
  }),
})

const PreviewCopy = builder.objectRef<PreviewCopy>('PlacementPreviewCopy').implement({
  fields: (t) => ({
    pieces: t.field({ type: [PreviewPiece], resolve: ({ pieces }) => [...pieces] }),
  }),
})

const PlacementPreview = builder.objectRef<DomainPreview>('PlacementPreview').implement({
  fields: (t) => ({
    placed: t.exposeBoolean('placed', { description: 'False when there is not enough space for one copy.' }),
    why: t.exposeString('why', { description: 'Reason for the placement.' }),
    copies: t.field({ type: [PreviewCopy], resolve: ({ copies }) => [...copies] }),
  }),
})

/** Computed for each group cloud. */
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
      description: '`quota.freeBytes` if this account were a member. Null when no limit is known.',
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
      description: 'Where a file of this size would be stored now, and why.',
      args: {
        bytes: t.arg({ type: 'BigInt', description: 'Size of the file.' }),
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
      description:
        'Takes no new files; its content moves to the other members, then it is removed from the group cloud.',
    }),
    allowOnlyCopy: t.exposeBoolean('allowOnlyCopy', {
      description: 'It may hold the only copy of a file, although `Account.poolUse` is EXTRA_COPIES.',
    }),
  }),
})

/** Checks a required argument that is optional in the schema while its deprecated name exists. @throws InvalidInputError */
export function required<Value>(path: string, value: Value | null | undefined): Value {
  if (value !== null && value !== undefined) return value
  throw new InvalidInputError([{ path, message: `Please give ${path}.` }])
}
