import {
  ConflictError,
  ContentUnavailableError,
  FolderCycleError,
  InvalidInputError,
  NameTakenError,
  NotFoundError,
  PreconditionFailedError,
  ProviderFailedError,
  StorageFullError,
  TypeRefusedError,
} from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, databaseIdsOf, optionalIdOf } from '../ids.ts'
import { takeFile } from '../multipart.ts'
import { File, OnConflict } from '../types/File.ts'
import { Job } from '../types/Job.ts'
import { JOB, startJob } from './manyFiles.ts'

builder.relayMutationField(
  'createFolder',
  { inputFields: (t) => ({ name: t.string({ required: true }), parentId: t.id() }) },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, ConflictError, ProviderFailedError] },
    resolve: async (_root, { input: { name, parentId } }, context) => {
      const folder = { name, parentId: optionalIdOf('File', parentId) ?? null }
      const { files } = context.services
      return { file: await files.createFolder(requireViewer(context), folder, context.idempotencyKey) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File }) }) },
)

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
    errors: {
      types: [
        InvalidInputError,
        NotFoundError,
        NameTakenError,
        StorageFullError,
        TypeRefusedError,
        ConflictError,
        ProviderFailedError,
      ],
    },
    resolve: async (_root, { input: { file, parentId, groupCloudId, onConflict } }, context) => {
      const { uploads } = context.services
      const upload = {
        // Unlike the library's type says, a part can have no file name.
        name: file.filename ?? '',
        mimeType: file.mimetype,
        size: null,
        parentId: optionalIdOf('File', parentId),
        groupCloudId: optionalIdOf('GroupCloud', groupCloudId),
        onConflict: onConflict ?? undefined,
      }
      return { file: await uploads.receive(requireViewer(context), upload, takeFile(file), context.idempotencyKey) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File }) }) },
)

builder.relayMutationField(
  'renameFile',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      name: t.string({ required: true }),
      ifMatch: t.string({ description: 'An earlier `File.etag`: renames only if the entry has not changed since.' }),
    }),
  },
  {
    errors: {
      types: [
        InvalidInputError,
        NotFoundError,
        NameTakenError,
        PreconditionFailedError,
        ConflictError,
        ProviderFailedError,
      ],
    },
    resolve: async (_root, { input: { id, name, ifMatch } }, context) => {
      const viewer = requireViewer(context)
      const expected = ifMatch == null ? undefined : [ifMatch]
      return { file: await context.services.files.rename(viewer, databaseIdOf('File', id), name, expected) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File }) }) },
)

builder.relayMutationField(
  'copyFiles',
  {
    description:
      'Copies folders with their contents, at most 1,000 files; a name that is taken in the target gets a number. Returns when everything is copied, and continues if the connection breaks. If it fails, the files copied so far remain. If entries or the target are in an account, it is done in the background without such a limit: then there is a `job`.',
    inputFields: (t) => ({
      ids: t.idList({ required: true }),
      parentId: t.id(),
      groupCloudId: t.id({ description: 'Group cloud of the new files. Default: that of the originals.' }),
    }),
  },
  {
    errors: {
      types: [
        InvalidInputError,
        NotFoundError,
        FolderCycleError,
        StorageFullError,
        ContentUnavailableError,
        ConflictError,
      ],
    },
    resolve: async (_root, { input: { ids, parentId, groupCloudId } }, context) => {
      const job = await startJob(context, 'COPY', { ids, parentId, groupCloudId })
      if (job) return { files: [], job }
      const input = {
        ids: databaseIdsOf('File', ids),
        parentId: optionalIdOf('File', parentId) ?? null,
        groupCloudId: optionalIdOf('GroupCloud', groupCloudId),
      }
      const { files } = context.services
      return { files: await files.copy(requireViewer(context), input, context.idempotencyKey), job: null }
    },
  },
  {
    outputFields: (t) => ({
      files: t.expose('files', { type: [File], description: 'The copies.' }),
      job: t.expose('job', { type: Job, nullable: true, description: JOB }),
    }),
  },
)

builder.relayMutationField(
  'keepChangedVersion',
  {
    description:
      'Saves the version of a copy that was changed directly at its provider as a new file next to the original.',
    inputFields: (t) => ({
      copyId: t.id({ required: true, description: 'A copy whose `changedAt` is not null.' }),
    }),
  },
  {
    errors: { types: [NotFoundError, ConflictError, StorageFullError, ContentUnavailableError] },
    resolve: async (_root, { input: { copyId } }, context) => {
      const { files } = context.services
      return { file: await files.keepVersion(requireViewer(context), databaseIdOf('Copy', copyId)) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File, description: 'The new file.' }) }) },
)
