import { ConflictError, InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found } from '../found.ts'
import { databaseIdOf, optionalIdOf } from '../ids.ts'
import { File } from '../types/File.ts'
import { Share } from '../types/Share.ts'

builder.relayMutationField(
  'createShare',
  {
    inputFields: (t) => ({
      fileId: t.id({ required: true }),
      copyId: t.id({ description: 'The copy whose provider shall make its own link, too.' }),
      password: t.string(),
      expiresAt: t.field({ type: 'DateTime' }),
      maxDownloads: t.int(),
      providerLink: t.boolean({ description: "Also makes the cloud drive's own link where a copy can have one." }),
    }),
  },
  {
    extensions: { scope: 'SHARE' },
    errors: { types: [InvalidInputError, NotFoundError, ConflictError] },
    resolve: async (_root, { input }, context) => {
      const share = await context.services.shares.create(requireViewer(context), {
        ...input,
        fileId: databaseIdOf('File', input.fileId),
        copyId: optionalIdOf('Copy', input.copyId),
        providerLink: input.providerLink ?? false,
      })
      return { share, file: found(await context.load().file(share.fileId)) }
    },
  },
  {
    outputFields: (t) => ({
      share: t.expose('share', { type: Share }),
      providerNote: t.string({
        nullable: true,
        description: 'Why there is no provider link although one was asked for, in words.',
        resolve: ({ share }) => share.providerNote,
      }),
      file: t.expose('file', { type: File }),
    }),
  },
)
