import { ConflictError, InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, globalIdOf } from '../ids.ts'
import { File } from '../types/File.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'restoreVersion',
  {
    inputFields: (t) => ({ id: t.id({ required: true, description: 'The earlier version.' }) }),
  },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      return context.services.versions.restore(viewer, databaseIdOf('FileVersion', input.id))
    },
  },
  {
    outputFields: (t) => ({
      file: t.expose('file', { type: File, description: 'The file.' }),
      previousId: t.id({
        nullable: true,
        description: 'The version that the file had before: restoring it undoes this. Null if nothing was changed.',
        resolve: ({ previousId }) => (previousId === null ? null : globalIdOf('FileVersion', previousId)),
      }),
    }),
  },
)

builder.relayMutationField(
  'deleteVersion',
  {
    inputFields: (t) => ({ id: t.id({ required: true, description: 'The earlier version.' }) }),
  },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      const { fileId } = await context.services.versions.remove(viewer, databaseIdOf('FileVersion', input.id))
      return { file: await context.services.files.get(viewer, fileId) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File, description: 'The file.' }) }) },
)

builder.relayMutationField(
  'setVersionLimits',
  {
    inputFields: (t) => ({
      days: t.int({ description: 'Days for which earlier versions are kept: 1 to 3650.' }),
      most: t.int({ description: 'How many of a file are kept: 1 to 1000.' }),
    }),
  },
  {
    errors: { types: [InvalidInputError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      const limits = { days: input.days ?? undefined, most: input.most ?? undefined }
      await context.services.versions.setLimits(viewer, limits)
      return { viewer: { id: viewer.userId } }
    },
  },
  { outputFields: (t) => ({ viewer: t.expose('viewer', { type: User }) }) },
)
