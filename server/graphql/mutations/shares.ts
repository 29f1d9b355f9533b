import {
  ConflictError,
  InvalidInputError,
  NotFoundError,
  TooManyRequestsError,
  WrongPasswordError,
} from '../../domain/errors.ts'
import { linkGone } from '../../domain/shares/visits.ts'
import { parsePublicId } from '../../lib/ids.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, optionalIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { File } from '../types/File.ts'
import { PublicShare, ReportReason } from '../types/PublicShare.ts'
import { Share } from '../types/Share.ts'

builder.relayMutationField(
  'createShare',
  {
    inputFields: (t) => ({
      fileId: t.id({ required: true }),
      copyId: t.id({
        description: 'The copy that the link is for; `providerLink` then creates the link at its provider.',
      }),
      password: t.string(),
      expiresAt: t.field({ type: 'DateTime' }),
      maxDownloads: t.int(),
      providerLink: t.boolean({ description: "Also creates the cloud drive's own link where a copy supports it." }),
    }),
  },
  {
    extensions: { scope: 'SHARE' },
    errors: { types: [InvalidInputError, NotFoundError, ConflictError] },
    resolve: async (_root, { input }, context) => {
      const asked = {
        ...input,
        fileId: databaseIdOf('File', input.fileId),
        copyId: optionalIdOf('Copy', input.copyId),
        providerLink: input.providerLink ?? false,
      }
      const share = await context.services.shares.create(requireViewer(context), asked, context.idempotencyKey)
      return { share, file: found(await context.load().file(share.fileId)) }
    },
  },
  {
    outputFields: (t) => ({
      share: t.expose('share', { type: Share }),
      providerNote: t.string({
        nullable: true,
        description: 'Reason why a requested provider link was not created.',
        resolve: ({ share }) => share.providerNote,
      }),
      file: t.expose('file', { type: File }),
    }),
  },
)

builder.relayMutationField(
  'updateShare',
  {
    description: 'Omitted fields stay as they are; null removes the password, the expiry or the limit.',
    inputFields: (t) => ({
      id: t.id({ required: true }),
      password: t.string(),
      expiresAt: t.field({ type: 'DateTime' }),
      maxDownloads: t.int(),
    }),
  },
  {
    extensions: { scope: 'SHARE' },
    errors: { types: [InvalidInputError, NotFoundError] },
    resolve: async (_root, { input: { id, password, expiresAt, maxDownloads } }, context) => {
      const patch = { password, expiresAt, maxDownloads }
      return { share: await context.services.shares.update(requireViewer(context), databaseIdOf('Share', id), patch) }
    },
  },
  { outputFields: (t) => ({ share: t.expose('share', { type: Share }) }) },
)

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

builder.relayMutationField(
  'unlockShare',
  {
    description: 'Checks the password of a public link and sets a cookie that opens it for 12 hours.',
    inputFields: (t) => ({ id: t.id({ required: true }), password: t.string({ required: true }) }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [WrongPasswordError, NotFoundError, TooManyRequestsError] },
    resolve: async (_root, { input: { id, password } }, { services, visitor, keepProof }) => {
      const parsed = parsePublicId(id)
      if (parsed?.type !== 'Share') throw linkGone()
      keepProof(parsed.id, await services.shares.unlock(visitor(parsed.id), parsed.id, password))
      return { share: await services.shares.visit(visitor(parsed.id), parsed.id) }
    },
  },
  { outputFields: (t) => ({ share: t.expose('share', { type: PublicShare }) }) },
)

builder.relayMutationField(
  'reportShare',
  {
    description: 'Reports a public link to its owner, in the activity log and by mail.',
    inputFields: (t) => ({
      id: t.id({ required: true }),
      reason: t.field({ type: ReportReason, required: true }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError, TooManyRequestsError] },
    resolve: async (_root, { input: { id, reason } }, { services, visitor }) => {
      const parsed = parsePublicId(id)
      if (parsed?.type !== 'Share') throw linkGone()
      await services.shares.report(visitor(parsed.id), parsed.id, reason)
      return { reportedId: id }
    },
  },
  { outputFields: (t) => ({ reportedId: t.exposeID('reportedId') }) },
)
