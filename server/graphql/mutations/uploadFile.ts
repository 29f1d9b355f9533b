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
import { takeFile } from '../multipart.ts'
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
        // A part may carry no name, whatever the library's type says.
        name: file.filename ?? '',
        mimeType: file.mimetype,
        size: null,
        parentId: optionalIdOf('File', parentId),
        groupCloudId: optionalIdOf('GroupCloud', groupCloudId),
        onConflict: onConflict ?? undefined,
      }
      return { file: await context.services.uploads.receive(requireViewer(context), upload, takeFile(file)) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File }) }) },
)
