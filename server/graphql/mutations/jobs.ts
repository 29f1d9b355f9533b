import { ConflictError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { Job } from '../types/Job.ts'

builder.relayMutationField(
  'pauseJob',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input: { id } }, context) => {
      return { job: await context.services.fileJobs.pause(requireViewer(context), databaseIdOf('Job', id)) }
    },
  },
  { outputFields: (t) => ({ job: t.expose('job', { type: Job, description: 'The job.' }) }) },
)

builder.relayMutationField(
  'undoJob',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    description:
      'Restores what a TRASH job has moved to the trash, in another job. A job that has not ended is cancelled first.',
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input: { id } }, context) => {
      const { fileJobs } = context.services
      return { job: await fileJobs.undo(requireViewer(context), databaseIdOf('Job', id), context.idempotencyKey) }
    },
  },
  { outputFields: (t) => ({ job: t.expose('job', { type: Job, description: 'The job that restores.' }) }) },
)

builder.relayMutationField(
  'resumeJob',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input: { id } }, context) => {
      return { job: await context.services.fileJobs.resume(requireViewer(context), databaseIdOf('Job', id)) }
    },
  },
  { outputFields: (t) => ({ job: t.expose('job', { type: Job, description: 'The job.' }) }) },
)

builder.relayMutationField(
  'cancelJob',
  {
    inputFields: (t) => ({ id: t.id({ required: true }) }),
  },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input: { id } }, context) => {
      return { job: await context.services.fileJobs.cancel(requireViewer(context), databaseIdOf('Job', id)) }
    },
  },
  { outputFields: (t) => ({ job: t.expose('job', { type: Job, description: 'The job.' }) }) },
)

builder.relayMutationField(
  'retryJob',
  {
    inputFields: (t) => ({ id: t.id({ required: true }) }),
  },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input: { id } }, context) => {
      return { job: await context.services.fileJobs.retry(requireViewer(context), databaseIdOf('Job', id)) }
    },
  },
  { outputFields: (t) => ({ job: t.expose('job', { type: Job, description: 'The job.' }) }) },
)
