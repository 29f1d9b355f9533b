import { ConflictError, InvalidInputError, NameTakenError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, databaseIdsOf, globalIdOf } from '../ids.ts'
import { File } from '../types/File.ts'
import { LabelColor, Tag } from '../types/Tag.ts'
import { User } from '../types/User.ts'
import { changeMany, FAILURES, FileFailure } from './manyFiles.ts'

builder.relayMutationField(
  'createTag',
  {
    inputFields: (t) => ({
      name: t.string({ required: true, description: '1 to 50 characters, unique among your tags, ignoring case.' }),
      color: t.field({ type: LabelColor, required: true, description: 'Its colour.' }),
    }),
  },
  {
    errors: { types: [InvalidInputError, NameTakenError, ConflictError] },
    resolve: async (_root, { input: { name, color } }, context) => {
      const viewer = requireViewer(context)
      const tag = await context.services.tags.create(viewer, { name, color }, context.idempotencyKey)
      return { tag, viewer: { id: viewer.userId } }
    },
  },
  {
    outputFields: (t) => ({
      tag: t.expose('tag', { type: Tag, description: 'The new tag.' }),
      viewer: t.expose('viewer', { type: User, description: 'Its owner.' }),
    }),
  },
)

builder.relayMutationField(
  'updateTag',
  {
    description: 'Omitted fields stay as they are.',
    inputFields: (t) => ({
      id: t.id({ required: true }),
      name: t.string({ description: '1 to 50 characters, unique among your tags, ignoring case.' }),
      color: t.field({ type: LabelColor, description: 'Its colour.' }),
    }),
  },
  {
    errors: { types: [NotFoundError, InvalidInputError, NameTakenError] },
    resolve: async (_root, { input: { id, name, color } }, context) => {
      const viewer = requireViewer(context)
      const patch = { name: name ?? undefined, color: color ?? undefined }
      return { tag: await context.services.tags.update(viewer, databaseIdOf('Tag', id), patch) }
    },
  },
  { outputFields: (t) => ({ tag: t.expose('tag', { type: Tag, description: 'The tag.' }) }) },
)

builder.relayMutationField(
  'deleteTag',
  {
    description: 'Deletes a tag and takes it off all files, which stay.',
    inputFields: (t) => ({ id: t.id({ required: true }) }),
  },
  {
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      const id = databaseIdOf('Tag', input.id)
      await context.services.tags.remove(viewer, id)
      return { deletedId: id, viewer: { id: viewer.userId } }
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.id({ description: 'The deleted tag.', resolve: ({ deletedId }) => globalIdOf('Tag', deletedId) }),
      viewer: t.expose('viewer', { type: User, description: 'Its former owner.' }),
    }),
  },
)

builder.relayMutationField(
  'tagFiles',
  {
    description: 'Puts tags on files and folders, and takes others off. Each entry succeeds or fails separately.',
    inputFields: (t) => ({
      ids: t.idList({ required: true, description: 'Files and folders.' }),
      addTagIds: t.idList({ description: 'Tags to put on all of them.' }),
      removeTagIds: t.idList({ description: 'Tags to take off all of them.' }),
    }),
  },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: (_root, { input: { ids, addTagIds, removeTagIds } }, context) =>
      changeMany(context, ids, {
        kind: 'TAG',
        addIds: databaseIdsOf('Tag', addTagIds ?? []),
        removeIds: databaseIdsOf('Tag', removeTagIds ?? []),
      }),
  },
  {
    outputFields: (t) => ({
      files: t.expose('files', { type: [File], description: 'The changed entries.' }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
    }),
  },
)

builder.relayMutationField(
  'colorFolders',
  {
    description: 'Gives folders a colour. Each succeeds or fails separately.',
    inputFields: (t) => ({
      ids: t.idList({ required: true, description: 'Folders.' }),
      color: t.field({ type: LabelColor, description: 'null: the usual colour.' }),
    }),
  },
  {
    errors: { types: [NotFoundError, InvalidInputError, ConflictError] },
    resolve: (_root, { input: { ids, color } }, context) =>
      changeMany(context, ids, { kind: 'COLOR', color: color ?? null }),
  },
  {
    outputFields: (t) => ({
      files: t.expose('files', { type: [File], description: 'The changed folders.' }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
    }),
  },
)
