import { ConflictError, InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import type { FilesOfDeleted } from '../../domain/groupClouds/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, globalIdOf } from '../ids.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'deleteGroupCloud',
  {
    description: 'One that holds files needs to know where they go: either `moveTo` or `trash`.',
    inputFields: (t) => ({
      id: t.id({ required: true }),
      moveTo: t.id({ description: 'The group cloud that takes its files.' }),
      trash: t.boolean({ description: 'Its files go to Trash.' }),
    }),
  },
  {
    errors: { types: [NotFoundError, ConflictError, InvalidInputError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      const id = databaseIdOf('GroupCloud', input.id)
      await context.services.groupClouds.remove(viewer, id, filesOf(input))
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
