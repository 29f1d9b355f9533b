import { ConflictError, InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { File } from '../types/File.ts'
import { UploadLink } from '../types/UploadLink.ts'

type Settings = {
  readonly title?: string | null | undefined
  readonly message?: string | null | undefined
  readonly asksName?: boolean | null | undefined
  readonly notifies?: boolean | null | undefined
}

/** Null in a setting that cannot be removed leaves it as it is. */
function settingsOf<Given extends Settings>({ title, message, asksName, notifies, ...rest }: Given) {
  return {
    ...rest,
    title: title ?? undefined,
    message: message ?? undefined,
    asksName: asksName ?? undefined,
    notifies: notifies ?? undefined,
  }
}

builder.relayMutationField(
  'createUploadLink',
  {
    inputFields: (t) => ({
      folderId: t.id({ required: true, description: 'The folder that files arrive in.' }),
      title: t.string({ required: true, description: 'What visitors see instead of the name of the folder.' }),
      message: t.string({ description: 'For visitors.' }),
      password: t.string(),
      expiresAt: t.field({ type: 'DateTime' }),
      maxFiles: t.int({ description: 'Most files.' }),
      maxBytes: t.field({ type: 'BigInt', description: 'Most bytes of all files together.' }),
      maxFileBytes: t.field({ type: 'BigInt', description: 'Most bytes of one file.' }),
      asksName: t.boolean({ description: 'Visitors have to give a name. It becomes a folder for their files.' }),
      notifies: t.boolean({ description: 'Send a mail when files have arrived.' }),
    }),
  },
  {
    extensions: { scope: 'SHARE' },
    errors: { types: [InvalidInputError, NotFoundError, ConflictError] },
    resolve: async (_root, { input: { folderId, title, ...settings } }, context) => {
      const asked = { ...settingsOf(settings), title, folderId: databaseIdOf('File', folderId) }
      const { uploadLinks } = context.services
      const uploadLink = await uploadLinks.create(requireViewer(context), asked, context.idempotencyKey)
      return { uploadLink, folder: found(await context.load().file(uploadLink.folderId)) }
    },
  },
  {
    outputFields: (t) => ({
      uploadLink: t.expose('uploadLink', { type: UploadLink, description: 'The new link.' }),
      folder: t.expose('folder', { type: File, description: 'Its folder.' }),
    }),
  },
)

builder.relayMutationField(
  'updateUploadLink',
  {
    description: 'Omitted fields stay as they are; null removes the password, the expiry or a limit.',
    inputFields: (t) => ({
      id: t.id({ required: true }),
      title: t.string({ description: 'What visitors see instead of the name of the folder.' }),
      message: t.string({ description: 'For visitors.' }),
      password: t.string(),
      expiresAt: t.field({ type: 'DateTime' }),
      maxFiles: t.int({ description: 'Most files.' }),
      maxBytes: t.field({ type: 'BigInt', description: 'Most bytes of all files together.' }),
      maxFileBytes: t.field({ type: 'BigInt', description: 'Most bytes of one file.' }),
      asksName: t.boolean({ description: 'Visitors have to give a name.' }),
      notifies: t.boolean({ description: 'Send a mail when files have arrived.' }),
    }),
  },
  {
    extensions: { scope: 'SHARE' },
    errors: { types: [InvalidInputError, NotFoundError] },
    resolve: async (_root, { input: { id, ...settings } }, context) => {
      const viewer = requireViewer(context)
      const { uploadLinks } = context.services
      return { uploadLink: await uploadLinks.update(viewer, databaseIdOf('UploadLink', id), settingsOf(settings)) }
    },
  },
  { outputFields: (t) => ({ uploadLink: t.expose('uploadLink', { type: UploadLink, description: 'The link.' }) }) },
)

builder.relayMutationField(
  'revokeUploadLink',
  {
    description: 'Ends an upload link, with the uploads in progress. Files that have arrived stay.',
    inputFields: (t) => ({ id: t.id({ required: true }) }),
  },
  {
    extensions: { scope: 'SHARE' },
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input: { id } }, context) => {
      const viewer = requireViewer(context)
      const uploadLink = await context.services.uploadLinks.revoke(viewer, databaseIdOf('UploadLink', id))
      return { uploadLink, folder: found(await context.load().file(uploadLink.folderId)) }
    },
  },
  {
    outputFields: (t) => ({
      uploadLink: t.expose('uploadLink', { type: UploadLink, description: 'The ended link.' }),
      folder: t.expose('folder', { type: File, description: 'Its folder.' }),
    }),
  },
)
