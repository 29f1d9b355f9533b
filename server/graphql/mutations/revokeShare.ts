import { NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found } from '../found.ts'
import { databaseIdOf } from '../ids.ts'
import { File } from '../types/File.ts'
import { Share } from '../types/Share.ts'

builder.relayMutationField(
  'revokeShare',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: { scope: 'SHARE' },
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input: { id } }, context) => {
      const share = await context.services.shares.revoke(requireViewer(context), databaseIdOf('Share', id))
      return { share, file: found(await context.load().file(share.fileId)) }
    },
  },
  { outputFields: (t) => ({ share: t.expose('share', { type: Share }), file: t.expose('file', { type: File }) }) },
)
