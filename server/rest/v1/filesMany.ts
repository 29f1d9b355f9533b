import { z } from 'zod'
import { NotFoundError } from '../../domain/errors.ts'
import type { EachAction, FilesService } from '../../domain/files/contract.ts'
import { namesOfPath } from '../../domain/files/tree/paths.ts'
import type { Viewer } from '../../domain/viewer.ts'
import { parsePublicId } from '../../lib/ids.ts'
import { PROBLEMS } from '../errors.ts'
import type { RestPlugin } from '../plugin.ts'
import { optionalId, requireViewer } from '../request.ts'
import { etagHeader, FileSchema } from './fileSchema.ts'
import { wholeFile } from './files.ts'
import { onConflictOf } from './tusHeaders.ts'

const MOST_IDS = 10_000

const id = z.string().max(200)
const ids = z.array(id).min(1).max(MOST_IDS).describe('Files and folders.')
const IdsBody = z.strictObject({ ids })
const MoveBody = z.strictObject({
  ids,
  parentId: id.nullable().describe('The folder to move them into; null is the root.'),
  onConflict: z
    .enum(['rename', 'replace', 'fail'])
    .default('rename')
    .describe('When a name is taken there: number it, put what has it into the trash, or leave this one where it is.'),
})
const StarBody = z.strictObject({ ids, starred: z.boolean() })

const Outcomes = z.object({
  items: z
    .array(
      z.object({
        id: z.string(),
        status: z
          .int()
          .describe('200 when it was done; otherwise the HTTP status that the call for this one alone has.'),
        code: z.string().optional().describe('Why nothing happened to it; one of the error codes.'),
        detail: z.string().optional().describe('The same for people.'),
      }),
    )
    .describe('One for each id, in the order of `ids`.'),
})
type Outcome = z.infer<typeof Outcomes>['items'][number]

const PathQuery = z.strictObject({
  path: z.string().min(1).max(30_000).describe('Names from the root with slashes between: `/Photos/2024/a.jpg`.'),
})

/** Many entries in one call, each by itself; and entries by their path. */
export const filesManyRoutes: RestPlugin = async (app, { services: { files, shares } }) => {
  const tags = ['files']
  const description = `At most ${MOST_IDS.toLocaleString('en')} in a call. Each has its own status: one that cannot be changed does not stop the others.`
  const schemaOf = <Body extends z.ZodType>(summary: string, body: Body) => ({
    tags,
    summary,
    description,
    body,
    response: { 200: Outcomes },
  })
  const problems = ['INVALID_INPUT'] as const
  const change = (viewer: Viewer, asked: readonly string[], action: EachAction) =>
    changeEach(files, viewer, asked, action)

  app.post(
    '/files/move',
    { config: { problems: [...problems, 'NOT_FOUND'] }, schema: schemaOf('Move many', MoveBody) },
    async (request) => {
      const { ids, parentId, onConflict } = request.body
      const action = {
        kind: 'MOVE',
        parentId: optionalId('File', parentId),
        onConflict: onConflictOf(onConflict),
      } as const
      return { items: await change(requireViewer(request), ids, action) }
    },
  )
  app.post(
    '/files/trash',
    { config: { problems }, schema: schemaOf('Put many into the trash', IdsBody) },
    async (request) => ({ items: await change(requireViewer(request), request.body.ids, { kind: 'TRASH' }) }),
  )
  app.post(
    '/files/restore',
    { config: { problems }, schema: schemaOf('Take many out of the trash', IdsBody) },
    async (request) => ({ items: await change(requireViewer(request), request.body.ids, { kind: 'RESTORE' }) }),
  )
  app.post(
    '/files/delete',
    { config: { problems }, schema: schemaOf('Delete many permanently', IdsBody) },
    async (request) => ({ items: await change(requireViewer(request), request.body.ids, { kind: 'REMOVE' }) }),
  )
  app.post(
    '/files/star',
    { config: { problems }, schema: schemaOf('Star many, or remove their stars', StarBody) },
    async (request) => {
      const { ids, starred } = request.body
      return { items: await change(requireViewer(request), ids, { kind: 'STAR', starred }) }
    },
  )
  app.post(
    '/files/trash/empty',
    {
      schema: {
        tags,
        summary: 'Empty the trash',
        description: 'Deletes permanently what is in the trash when the call begins.',
        response: { 200: z.object({ deletedCount: z.int().describe('How many entries the trash listed.') }) },
      },
    },
    async (request) => ({ deletedCount: await files.emptyTrash(requireViewer(request)) }),
  )

  app.get(
    '/files/by-path',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND'], documents: { answerHeaders: { 200: etagHeader } } },
      schema: {
        tags,
        summary: 'Look one up by its path',
        description: 'Names count in any case. What is in the trash has no path.',
        querystring: PathQuery,
        response: { 200: FileSchema },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const found = await files.byPath(viewer, namesOfPath(request.query.path))
      return wholeFile({ files, shares }, request, reply, found)
    },
  )
}

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
  return asked.map((text, index) => {
    const databaseId = databaseIds[index]
    const error = databaseId == null ? new NotFoundError() : (byId.get(databaseId) ?? null)
    if (error === null) return { id: text, status: 200 }
    return { id: text, status: PROBLEMS[error.code].status, code: error.code, detail: error.message }
  })
}
