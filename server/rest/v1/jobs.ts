import { z } from 'zod'
import { NotFoundError } from '../../domain/errors.ts'
import {
  FILE_JOB_ITEM_STATES,
  FILE_JOB_KINDS,
  FILE_JOB_STATES,
  type FileJob,
  type FileJobProblem,
  type FileJobsService,
} from '../../domain/fileJobs/contract.ts'
import type { Viewer } from '../../domain/viewer.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { asParameterError, Bytes, DateTime, idParams, listOf, pageQuery } from '../schemas.ts'

const JobItem = z
  .object({
    id: z.string().describe('The original.'),
    kind: z.enum(['FILE', 'FOLDER']),
    name: z.string(),
    state: z.enum(FILE_JOB_ITEM_STATES),
    detail: z.string().describe('Why it failed, waits, or stays where it is, as text.'),
  })
  .meta({ id: 'JobItem' })

export const JobSchema = z
  .object({
    id: z.string(),
    kind: z.enum(FILE_JOB_KINDS),
    state: z.enum(FILE_JOB_STATES).describe('`FAILED`: it has ended, and something could not be done with some items.'),
    name: z.string().describe('The name of the first entry.'),
    parentId: z.string().nullable().describe('The target folder; null is the root, or there is no target.'),
    total: z.int().describe('Files and folders; grows until everything is listed.'),
    done: z.int().describe('Files and folders that are at the target, or changed.'),
    failed: z.int().describe('Files and folders that could not be copied, moved or changed.'),
    totalBytes: Bytes,
    doneBytes: Bytes.describe('Bytes that are at the target.'),
    bytesPerSecond: z.number().nullable().describe('Average of the last seconds, while it is running.'),
    error: z.string().nullable().describe('What it waits for, or why it could not do everything, as text.'),
    nextTryAt: DateTime.nullable(),
    createdAt: DateTime,
    endedAt: DateTime.nullable(),
    undone: z.boolean().describe('`TRASH`: another job restores, or has restored, what it has moved (`undo`).'),
    items: z.array(JobItem).describe('The first 100 items that failed, wait, or stay where they are.'),
  })
  .meta({ id: 'Job' })

const listQuery = pageQuery.extend({
  open: z.enum(['true', 'false']).optional().describe('`true`: only unfinished ones. `false`: only ended ones.'),
})

type Command = 'pause' | 'undo' | 'resume' | 'cancel' | 'retry'

const COMMANDS: Readonly<Record<Command, string>> = {
  pause: 'Pause a job; what is stored is kept',
  resume: 'Resume a paused job',
  cancel: 'Cancel a job; copies that were made and all remaining originals stay',
  undo: 'Restore what a TRASH job has moved to the trash, in another job; one that has not ended is cancelled first',
  retry: 'Retry what failed in a job that has ended',
}

/** Copying and moving between accounts and group clouds, and changes of many entries of accounts, in the background. */
export const jobsRoutes: RestPlugin = async (app, { services: { fileJobs } }) => {
  const tags = ['jobs']

  app.get(
    '/jobs',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List unfinished jobs, and those of the last day; newest first',
        description: '`items` is empty here: read a single job for them.',
        querystring: listQuery,
        response: { 200: listOf(JobSchema) },
      },
    },
    async (request) => {
      const { open, limit, cursor } = request.query
      const options = { open: open === undefined ? open : open === 'true', limit, after: cursor }
      const page = await fileJobs.page(requireViewer(request), options).catch(asParameterError)
      const nextCursor = page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null
      return { items: page.items.map(({ job }) => present(job, [])), nextCursor }
    },
  )

  app.get(
    '/jobs/:id',
    {
      config: { problems: ['NOT_FOUND'] },
      schema: { tags, summary: 'Read a job', params: idParams, response: { 200: JobSchema } },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const [job] = await fileJobs.getMany(viewer, [databaseId('Job', request.params.id)])
      if (!job) throw new NotFoundError()
      return presentJob(fileJobs, viewer, job)
    },
  )

  for (const command of Object.keys(COMMANDS) as Command[]) {
    app.post(
      `/jobs/:id/${command}`,
      {
        config: { problems: ['NOT_FOUND', 'CONFLICT'] },
        schema: { tags, summary: COMMANDS[command], params: idParams, response: { 200: JobSchema } },
      },
      async (request) => {
        const viewer = requireViewer(request)
        return presentJob(fileJobs, viewer, await fileJobs[command](viewer, databaseId('Job', request.params.id)))
      },
    )
  }
}

export async function presentJob(
  fileJobs: Pick<FileJobsService, 'problems'>,
  viewer: Viewer,
  job: FileJob,
): Promise<z.infer<typeof JobSchema>> {
  return present(job, await fileJobs.problems(viewer, job.id))
}

function present(job: FileJob, problems: readonly FileJobProblem[]): z.infer<typeof JobSchema> {
  const { totalItems, doneItems, failedItems, parentId, ...rest } = job
  return {
    ...rest,
    id: publicId('Job', job.id),
    parentId: parentId === null ? null : publicId('File', parentId),
    total: totalItems,
    done: doneItems,
    failed: failedItems,
    nextTryAt: job.nextTryAt?.toISOString() ?? null,
    createdAt: job.createdAt.toISOString(),
    endedAt: job.endedAt?.toISOString() ?? null,
    items: problems.map((item) => ({ ...item, id: publicId('File', item.id) })),
  }
}
