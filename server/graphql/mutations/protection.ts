import { ConflictError, InvalidInputError, NotFoundError, ProviderFailedError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { File } from '../types/File.ts'
import { Job } from '../types/Job.ts'

builder.relayMutationField(
  'protectFolder',
  {
    inputFields: (t) => ({
      id: t.id({ required: true, description: 'The folder. For all of an account: the folder that shows it.' }),
      groupCloudId: t.id({ required: true, description: 'Where the copies are stored.' }),
      copies: t.int({ required: true, description: 'Number of copies in the group cloud: 1 or 2.' }),
      keepVersionsDays: t.int({ description: 'Days for which earlier versions are kept; 30 by default.' }),
    }),
  },
  {
    errors: { types: [NotFoundError, InvalidInputError, ConflictError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      const id = databaseIdOf('File', input.id)
      const { copies, keepVersionsDays } = input
      const groupCloudId = databaseIdOf('GroupCloud', input.groupCloudId)
      await context.services.protection.protect(viewer, id, {
        groupCloudId,
        copies,
        keepVersionsDays: keepVersionsDays ?? undefined,
      })
      return { file: await context.services.files.get(viewer, id) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File, description: 'The protected folder.' }) }) },
)

builder.relayMutationField(
  'unprotectFolder',
  {
    inputFields: (t) => ({ id: t.id({ required: true }) }),
  },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      const id = databaseIdOf('File', input.id)
      await context.services.protection.unprotect(viewer, id)
      return { file: await context.services.files.get(viewer, id) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File, description: 'The folder.' }) }) },
)

builder.relayMutationField(
  'restoreEarlierVersion',
  {
    inputFields: (t) => ({ id: t.id({ required: true }) }),
  },
  {
    errors: { types: [NotFoundError, ConflictError, ProviderFailedError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      const id = databaseIdOf('EarlierVersion', input.id)
      const { jobId, intoAccount, folderName } = await context.services.protection.restore(viewer, id)
      return { job: await context.load().job(jobId), intoAccount, folderName }
    },
  },
  {
    outputFields: (t) => ({
      job: t.expose('job', { type: Job, nullable: true, description: 'The job that restores it.' }),
      intoAccount: t.exposeBoolean('intoAccount', {
        description: 'It is put back into its account; otherwise into My Drive.',
      }),
      folderName: t.exposeString('folderName', {
        nullable: true,
        description: 'The name of the target folder; null for My Drive.',
      }),
    }),
  },
)
