import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, databaseIdsOf } from '../ids.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'moveFilesToGroupCloud',
  {
    description:
      'With a folder all files below it, by and by. The bytes follow by transfers; until then they stay where they are. All or nothing.',
    inputFields: (t) => ({ ids: t.idList({ required: true }), groupCloudId: t.id({ required: true }) }),
  },
  {
    errors: { types: [InvalidInputError, NotFoundError] },
    resolve: async (_root, { input: { ids, groupCloudId } }, context) => {
      const viewer = requireViewer(context)
      const target = databaseIdOf('GroupCloud', groupCloudId)
      const moved = databaseIdsOf('File', ids)
      return { files: await context.services.files.moveToGroupCloud(viewer, moved, target) }
    },
  },
  { outputFields: (t) => ({ files: t.expose('files', { type: [File] }) }) },
)
