import { ConflictError, InvalidInputError, NameTakenError, NotFoundError } from '../../domain/errors.ts'
import type { FilesOfDeleted } from '../../domain/groupClouds/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, databaseIdsOf, globalIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { GroupCloud, PlacementRule, required } from '../types/GroupCloud.ts'
import { User } from '../types/User.ts'

const ALLOW_ONLY_COPY =
  'Members that may hold the only copy of a file although `Account.poolUse` is EXTRA_COPIES; replaces the list. Default: none.'

builder.relayMutationField(
  'createGroupCloud',
  {
    inputFields: (t) => ({
      name: t.string({ required: true }),
      accountIds: t.idList(),
      placement: t.field({ type: PlacementRule }),
      copies: t.int(),
      spanning: t.boolean(),
      defaultUploadGroup: t.boolean(),
      allowOnlyCopy: t.idList({ description: ALLOW_ONLY_COPY }),
    }),
  },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, ConflictError] },
    resolve: (_root, { input }, context) => {
      const asked = {
        name: input.name,
        accountIds: input.accountIds ? databaseIdsOf('Account', input.accountIds) : undefined,
        placement: input.placement ?? undefined,
        copies: input.copies ?? undefined,
        spanning: input.spanning ?? undefined,
        defaultUploadGroup: input.defaultUploadGroup ?? undefined,
        allowOnlyCopy: input.allowOnlyCopy ? databaseIdsOf('Account', input.allowOnlyCopy) : undefined,
      }
      return context.services.groupClouds.create(requireViewer(context), asked, context.idempotencyKey)
    },
  },
  {
    outputFields: (t) => ({
      groupCloud: t.field({
        type: GroupCloud,
        resolve: async ({ id }, _args, context) => found(await context.load().groupCloud(id)),
      }),
      viewer: t.field({
        type: User,
        description: 'Another group cloud may have stopped being the default.',
        resolve: (_payload, _args, context) => ({ id: requireViewer(context).userId }),
      }),
    }),
  },
)

const KeepFree = builder.inputType('KeepFreeInput', {
  description: 'Bytes to keep free on an account.',
  fields: (t) => ({
    accountId: t.id({ required: true }),
    keepFreeBytes: t.field({ type: 'BigInt', description: 'Bytes to keep free.' }),
    bytes: t.float({ description: 'As `keepFreeBytes`.', deprecationReason: 'Please give `keepFreeBytes`.' }),
  }),
})

function bytesByAccount(input: readonly (typeof KeepFree.$inferInput)[]): Record<string, number> {
  return Object.fromEntries(
    input.map(({ accountId, keepFreeBytes, bytes }) => [
      databaseIdOf('Account', accountId),
      required('keepFreeBytes', keepFreeBytes ?? bytes),
    ]),
  )
}

builder.relayMutationField(
  'updateGroupCloud',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      name: t.string(),
      accountIds: t.idList({
        description: 'The members in their new order. A member that holds files cannot be removed this way: drain it.',
      }),
      keepFreeBytes: t.field({ type: [KeepFree], description: 'Members that are not listed keep their value.' }),
      placement: t.field({ type: PlacementRule }),
      copies: t.int(),
      spanning: t.boolean(),
      defaultUploadGroup: t.boolean(),
      allowOnlyCopy: t.idList({ description: ALLOW_ONLY_COPY }),
    }),
  },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, ConflictError] },
    resolve: (_root, { input }, context) =>
      context.services.groupClouds.update(requireViewer(context), databaseIdOf('GroupCloud', input.id), {
        ...(input.name != null && { name: input.name }),
        accountIds: input.accountIds ? databaseIdsOf('Account', input.accountIds) : undefined,
        keepFreeBytes: input.keepFreeBytes ? bytesByAccount(input.keepFreeBytes) : undefined,
        placement: input.placement ?? undefined,
        copies: input.copies ?? undefined,
        spanning: input.spanning ?? undefined,
        defaultUploadGroup: input.defaultUploadGroup ?? undefined,
        allowOnlyCopy: input.allowOnlyCopy ? databaseIdsOf('Account', input.allowOnlyCopy) : undefined,
      }),
  },
  {
    outputFields: (t) => ({
      groupCloud: t.field({
        type: GroupCloud,
        resolve: async ({ id }, _args, context) => found(await context.load().groupCloud(id)),
      }),
      viewer: t.field({
        type: User,
        description: 'Another group cloud may have stopped being the default.',
        resolve: (_payload, _args, context) => ({ id: requireViewer(context).userId }),
      }),
    }),
  },
)

builder.relayMutationField(
  'drainMember',
  {
    description: 'Moves the content of a member to the others and then removes it; `draining: false` stops that.',
    inputFields: (t) => ({
      id: t.id({ required: true }),
      accountId: t.id({ required: true }),
      draining: t.boolean({ required: true }),
    }),
  },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: (_root, { input: { id, accountId, draining } }, context) =>
      context.services.groupClouds.drain(
        requireViewer(context),
        databaseIdOf('GroupCloud', id),
        databaseIdOf('Account', accountId),
        draining,
      ),
  },
  {
    outputFields: (t) => ({
      groupCloud: t.field({
        type: GroupCloud,
        resolve: async ({ id }, _args, context) => found(await context.load().groupCloud(id)),
      }),
    }),
  },
)

builder.relayMutationField(
  'deleteGroupCloud',
  {
    description: 'A group cloud that holds files needs either `moveTo` or `trash`.',
    inputFields: (t) => ({
      id: t.id({ required: true }),
      moveTo: t.id({ description: 'Group cloud to move its files to.' }),
      trash: t.boolean({ description: 'Moves its files to Trash.' }),
    }),
  },
  {
    errors: { types: [NotFoundError, ConflictError, InvalidInputError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      const id = databaseIdOf('GroupCloud', input.id)
      await context.services.groupClouds.remove(viewer, id, filesOf(input), context.idempotencyKey)
      return { deletedId: globalIdOf('GroupCloud', id) }
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId'),
      viewer: t.field({ type: User, resolve: (_gone, _args, context) => ({ id: requireViewer(context).userId }) }),
    }),
  },
)

type Input = { readonly moveTo?: string | null | undefined; readonly trash?: boolean | null | undefined }

function filesOf({ moveTo, trash }: Input): FilesOfDeleted | undefined {
  if (moveTo == null) return trash ? 'TRASH' : undefined
  if (!trash) return { moveTo: databaseIdOf('GroupCloud', moveTo) }
  throw new InvalidInputError([{ path: 'moveTo', message: 'Files can move or go to Trash, not both.' }])
}
