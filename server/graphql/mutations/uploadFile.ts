import {
  InvalidInputError,
  NameTakenError,
  NotFoundError,
  StorageFullError,
  TypeRefusedError,
} from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { optionalIdOf } from '../ids.ts'
import { OnConflict } from '../types/enums.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'uploadFile',
  {
    inputFields: (t) => ({
      file: t.field({ type: 'Upload', required: true }),
      parentId: t.id(),
      groupCloudId: t.id(),
      onConflict: t.field({ type: OnConflict }),
    }),
  },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, StorageFullError, TypeRefusedError] },
    resolve: async (_root, { input: { file, parentId, groupCloudId, onConflict } }, context) => {
      const upload = {
        name: file.name,
        mimeType: file.mimeType,
        size: null,
        parentId: optionalIdOf('File', parentId),
        groupCloudId: optionalIdOf('GroupCloud', groupCloudId),
        onConflict: onConflict ?? undefined,
      }
      return { file: await context.services.uploads.receive(requireViewer(context), upload, file.take()) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File }) }) },
)
