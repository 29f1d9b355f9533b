import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { NotFoundError } from '../../domain/errors.ts'
import type { FileJobsService, TransportKind } from '../../domain/fileJobs/contract.ts'
import type { EachAction, FilesService, OnConflict } from '../../domain/files/contract.ts'
import { namesOfPath } from '../../domain/files/service.ts'
import type { Viewer } from '../../domain/viewer.ts'
import { parsePublicId } from '../../lib/ids.ts'
import { PROBLEMS } from '../errors.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, optionalId, requireViewer } from '../request.ts'
import { idParams } from '../schemas.ts'
import { etagHeader, FileItemSchema, FileSchema, presentFileItem } from './fileSchema.ts'
import { completeFile, presentItems, surroundingsOf } from './files.ts'
import { JobSchema, presentJob } from './jobs.ts'
import { LabelColorSchema } from './tags.ts'
import { onConflictOf } from './tusHeaders.ts'

const MAX_IDS = 10_000

const id = z.string().max(200)
const ids = z.array(id).min(1).max(MAX_IDS).describe('Files and folders.')
const IdsBody = z.strictObject({ ids })
const MoveBody = z.strictObject({
  ids,
  parentId: id.nullable().describe('The folder to move them into; null is the root.'),
  onConflict: z
    .enum(['rename', 'replace', 'fail'])
    .default('rename')
    .describe('If a name is taken there: add a number, move the existing entry to the trash, or skip this one.'),
  groupCloudId: id
    .optional()
    .describe(
      'Group cloud of the files at the target. Default: that of each file; for files from an account, the default one.',
    ),
})
const StarBody = z.strictObject({ ids, starred: z.boolean() })
const TagsBody = z.strictObject({
  ids,
  add: z.array(id).max(100).default([]).describe('Tags to put on all of them.'),
  remove: z.array(id).max(100).default([]).describe('Tags to take off all of them.'),
})
const ColorBody = z.strictObject({ ids, color: LabelColorSchema.nullable().describe('null: the usual colour.') })
const CopyBody = z.strictObject({
  ids: z.array(id).min(1).max(1000).describe('Files and folders.'),
  parentId: id.nullable().describe('The target folder; null is the root.'),
  groupCloudId: id.optional().describe('Group cloud of the new files. Default: that of their originals.'),
})

const Outcomes = z.object({
  items: z
    .array(
      z.object({
        id: z.string(),
        status: z
          .int()
          .describe('200 on success; otherwise the HTTP status of the corresponding request for this entry alone.'),
        code: z.string().optional().describe('The error code, if it was not changed.'),
        detail: z.string().optional().describe('The error as text for people.'),
      }),
    )
    .describe('One for each id, in the order of `ids`.'),
})
type Outcome = z.infer<typeof Outcomes>['items'][number]

const PathQuery = z.strictObject({
  path: z.string().min(1).max(30_000).describe('Names from the root, separated by slashes: `/Photos/2024/a.jpg`.'),
})

/** Changes of many entries in one request, each with its own result; and finding an entry by its path. */
export const filesManyRoutes: RestPlugin = async (app, { services: { files, fileJobs, ...services } }) => {
  const tags = ['files']
  const description = `At most ${MAX_IDS.toLocaleString('en')} per request. Each has its own status: one that cannot be changed does not affect the others. If none of them exists, the response is \`NOT_FOUND\`.`
  const schemaOf = <Body extends z.ZodType>(summary: string, body: Body) => ({
    tags,
    summary,
    description,
    body,
    response: { 200: Outcomes },
  })
  const problems = ['INVALID_INPUT', 'NOT_FOUND'] as const
  const change = (viewer: Viewer, asked: readonly string[], action: EachAction) =>
    changeEach(files, viewer, asked, action)

  app.post(
    '/files/move',
    {
      config: {
        problems: [...problems, 'FOLDER_CYCLE', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
        idempotent: true,
      },
      schema: {
        ...schemaOf('Move many', MoveBody),
        description: `${description} If entries and target are in different accounts, or in an account and in group clouds, the content is moved in the background: the response is a job, without those that do not exist. So it is for more than 50 entries in accounts.`,
        response: { 200: Outcomes, 202: JobSchema },
      },
    },
    async (request, reply) => {
      const { ids, parentId, groupCloudId, onConflict } = request.body
      const rule = onConflictOf(onConflict)
      const job = await startJob(fileJobs, request, 'MOVE', { ids, parentId, groupCloudId, onConflict: rule })
      if (job) return reply.code(202).send(job)
      const action = {
        kind: 'MOVE',
        parentId: optionalId('File', parentId),
        onConflict: rule,
        groupCloudId: optionalId('GroupCloud', groupCloudId),
      } as const
      return { items: await change(requireViewer(request), ids, action) }
    },
  )
  const changes = [
    { path: '/files/trash', summary: 'Move many to the trash', kind: 'TRASH', action: 'TRASH' },
    { path: '/files/restore', summary: 'Restore many from the trash', kind: 'RESTORE', action: 'RESTORE' },
    { path: '/files/delete', summary: 'Delete many permanently', kind: 'DELETE', action: 'REMOVE' },
  ] as const
  for (const { path, summary, kind, action } of changes) {
    app.post(
      path,
      {
        config: { problems: [...problems, 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'], idempotent: true },
        schema: {
          ...schemaOf(summary, IdsBody),
          description: `${description} More than 50 entries in accounts are changed in the background: the response is a job, without those that do not exist.`,
          response: { 200: Outcomes, 202: JobSchema },
        },
      },
      async (request, reply) => {
        const { ids } = request.body
        const job = await startJob(fileJobs, request, kind, { ids, parentId: null })
        if (job) return reply.code(202).send(job)
        return { items: await change(requireViewer(request), ids, { kind: action }) }
      },
    )
  }
  app.post(
    '/files/star',
    { config: { problems }, schema: schemaOf('Star many, or remove their stars', StarBody) },
    async (request) => {
      const { ids, starred } = request.body
      return { items: await change(requireViewer(request), ids, { kind: 'STAR', starred }) }
    },
  )
  app.post(
    '/files/tags',
    { config: { problems }, schema: schemaOf('Put tags on many, or take them off', TagsBody) },
    async (request) => {
      const { ids, add, remove } = request.body
      const tagIds = (given: readonly string[]) => given.map((one) => databaseId('Tag', one))
      const action = { kind: 'TAG', addIds: tagIds(add), removeIds: tagIds(remove) } as const
      return { items: await change(requireViewer(request), ids, action) }
    },
  )
  app.post(
    '/files/color',
    { config: { problems }, schema: schemaOf('Give many folders a colour', ColorBody) },
    async (request) => {
      const { ids, color } = request.body
      return { items: await change(requireViewer(request), ids, { kind: 'COLOR', color }) }
    },
  )
  app.post(
    '/files/trash/empty',
    {
      schema: {
        tags,
        summary: 'Empty the trash',
        description: 'Permanently deletes what is in the trash when the request arrives.',
        response: { 200: z.object({ deletedCount: z.int().describe('Number of entries in the trash.') }) },
      },
    },
    async (request) => ({ deletedCount: await files.emptyTrash(requireViewer(request)) }),
  )

  app.get(
    '/files/by-path',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND'], documents: { responseHeaders: { 200: etagHeader } } },
      schema: {
        tags,
        summary: 'Find one by its path',
        description: 'Case does not matter. Entries in the trash have no path.',
        querystring: PathQuery,
        response: { 200: FileSchema },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const found = await files.byPath(viewer, namesOfPath(request.query.path))
      return completeFile({ files, ...services }, request, reply, found)
    },
  )
}

/** @throws NotFoundError when none of them exists; what changeEach of the service throws */
async function changeEach(
  files: Pick<FilesService, 'changeEach'>,
  viewer: Viewer,
  asked: readonly string[],
  action: EachAction,
): Promise<Outcome[]> {
  const databaseIds = asked.map((text) => {
    const parsed = parsePublicId(text)
    return parsed?.type === 'File' ? parsed.id : null
  })
  const outcomes = await files.changeEach(
    viewer,
    databaseIds.filter((one) => one !== null),
    action,
  )
  const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome.error]))
  const errors = databaseIds.map((one) => (one === null ? new NotFoundError() : (byId.get(one) ?? null)))
  const [first] = errors
  if (first && errors.every((error) => error instanceof NotFoundError)) throw first
  return asked.map((text, index) => {
    const error = errors[index] ?? null
    if (error === null) return { id: text, status: 200 }
    return { id: text, status: PROBLEMS[error.code].status, code: error.code, detail: error.message }
  })
}

type AskedJob = {
  readonly ids: readonly string[]
  readonly parentId: string | null
  readonly groupCloudId?: string | undefined
  readonly onConflict?: OnConflict | undefined
}

/** Starts a job if one is needed; otherwise null. All of what is copied must exist, of the rest those that do not are left out. */
async function startJob(
  fileJobs: FileJobsService,
  request: FastifyRequest,
  kind: TransportKind,
  { ids, parentId, groupCloudId, onConflict }: AskedJob,
) {
  const viewer = requireViewer(request)
  const known = ids.flatMap((text) => {
    const parsed = parsePublicId(text)
    return parsed?.type === 'File' ? [parsed.id] : []
  })
  const asked = { kind, ids: known, parentId: optionalId('File', parentId) }
  if ((kind === 'COPY' && known.length < ids.length) || !(await fileJobs.isNeeded(viewer, asked))) return null
  const input = { ...asked, groupCloudId: optionalId('GroupCloud', groupCloudId), onConflict }
  return presentJob(fileJobs, viewer, await fileJobs.start(viewer, input, idempotencyKeyOf(request)))
}

/** Copies of files and folders, and new files from versions that were changed in an account. */
export const filesCopyRoute: RestPlugin = async (app, { services: { files, fileJobs, ...services } }) => {
  app.post(
    '/files/copy',
    {
      config: {
        problems: [
          'INVALID_INPUT',
          'NOT_FOUND',
          'FOLDER_CYCLE',
          'STORAGE_FULL',
          'CONTENT_UNAVAILABLE',
          'CONFLICT',
          'IDEMPOTENCY_KEY_REUSED',
        ],
        idempotent: true,
      },
      schema: {
        tags: ['files'],
        summary: 'Copy files and folders',
        description:
          'Folders with all their contents, at most 1,000 files. A name that is taken in the target gets a number. The response follows when everything is copied and lists the new entries; copying continues if the connection is lost. After a failure, files that were finished remain, and a request with the same Idempotency-Key continues from there. If entries or the target are in an account, everything is copied in the background, without a limit on the number of files: the response is a job.',
        body: CopyBody,
        response: { 201: z.object({ items: z.array(FileItemSchema) }), 202: JobSchema },
      },
    },
    async (request, reply) => {
      const { ids, parentId, groupCloudId } = request.body
      const job = await startJob(fileJobs, request, 'COPY', { ids, parentId, groupCloudId })
      if (job) return reply.code(202).send(job)
      const input = {
        ids: ids.map((one) => databaseId('File', one)),
        parentId: optionalId('File', parentId),
        groupCloudId: optionalId('GroupCloud', groupCloudId),
      }
      const viewer = requireViewer(request)
      const copies = await files.copy(viewer, input, idempotencyKeyOf(request))
      return reply.code(201).send({ items: await presentItems({ files, ...services }, viewer, copies) })
    },
  )

  app.post(
    '/copies/:id/keep',
    {
      config: { problems: ['NOT_FOUND', 'CONFLICT', 'STORAGE_FULL', 'CONTENT_UNAVAILABLE'] },
      schema: {
        tags: ['files'],
        summary: 'Keep a version that was changed in an account',
        description:
          'If `changedAt` of a copy is not null, it was changed in its account. This creates a separate file from that version, next to the old one; the version in the account remains.',
        params: idParams,
        response: { 201: FileItemSchema },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const file = await files.keepVersion(viewer, databaseId('Copy', request.params.id))
      const around = await surroundingsOf({ files, ...services }, viewer, [file])
      return reply.code(201).send(presentFileItem(file, around(file)))
    },
  )
}
