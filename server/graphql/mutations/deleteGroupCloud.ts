import { ConflictError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, globalIdOf } from '../ids.ts'

builder.relayMutationField(
  'deleteGroupCloud',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      const id = databaseIdOf('GroupCloud', input.id)
      await context.services.groupClouds.remove(viewer, id)
      return { deletedId: globalIdOf('GroupCloud', id) }
    },
  },
  { outputFields: (t) => ({ deletedId: t.exposeID('deletedId') }) },
)
