import { z } from 'zod'
import {
  type Comparison as DomainComparison,
  type DuplicateGroup as DomainGroup,
  DUPLICATE_MATCHES,
  type DuplicateFilter,
  type KeepRule,
} from '../../domain/duplicates/contract.ts'
import { InvalidInputError } from '../../domain/errors.ts'
import type { File } from '../../domain/files/contract.ts'
import { FILE_CATEGORIES } from '../../domain/files/contract.ts'
import { isoTime } from '../../lib/format.ts'
import { parsePublicId, publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, requireViewer } from '../request.ts'
import { asParameterError, Bytes, DateTime, listOf, pageQuery } from '../schemas.ts'
import { FileItemSchema, presentFileItem, type Surroundings } from './fileSchema.ts'
import { surroundingsOf } from './files.ts'
import { JobSchema, presentJob } from './jobs.ts'

const DuplicateGroup = z
  .object({
    id: z.string(),
    certainty: z
      .enum(['CERTAIN', 'LIKELY'])
      .describe('CERTAIN: the same size and hash. LIKELY: the same size, and name or time, but no hash in common.'),
    match: z
      .enum(DUPLICATE_MATCHES)
      .describe(
        'What they have in common besides the size. SEVERAL_HASHES: each has one of several hashes of one content.',
      ),
    hash: z.string().nullable().describe('`<algorithm>:<digest>`; null for LIKELY.'),
    size: Bytes.describe('Bytes of one file.'),
    category: z.enum(FILE_CATEGORIES).describe('Kind of content.'),
    fileCount: z.int().describe('Number of files.'),
    reclaimableBytes: Bytes.describe('Bytes of all files but one.'),
    compareBytes: Bytes.describe('Bytes that a comparison reads; 0 for CERTAIN.'),
    files: z
      .array(FileItemSchema)
      .describe('Oldest first, at most 100. For LIKELY: one file of each content that may be the same.'),
  })
  .meta({ id: 'DuplicateGroup' })

const Summary = z
  .object({
    certainGroups: z.int().describe('Number of groups that are CERTAIN.'),
    certainBytes: Bytes.describe('What they can free: all files but one of each group.'),
    likelyGroups: z.int().describe('Number of groups that are LIKELY.'),
    likelyBytes: Bytes.describe('What they can free if all of them turn out to be equal.'),
    isComplete: z.boolean().describe('false: files are still being checked.'),
    checkedAt: DateTime.nullable().describe('When all files were last checked; null: never.'),
    reclaimable: z
      .array(
        z.object({
          accountId: z.string().nullable().describe('null: files that Skypool stores.'),
          bytes: Bytes.describe('What the rule frees there.'),
          files: z.int().describe('Number of files that the rule removes there.'),
        }),
      )
      .nullable()
      .meta({ examples: [[{ accountId: null, bytes: 52_000, files: 2 }]] })
      .describe('With `keep`: where how much can be freed in the groups that are CERTAIN; otherwise null.'),
  })
  .meta({ id: 'DuplicateSummary' })

const Comparison = z
  .object({
    id: z.string(),
    name: z.string().describe('Name of one of the files.'),
    fileIds: z.array(z.string()).describe('The compared files.'),
    state: z
      .enum(['RUNNING', 'EQUAL', 'PARTLY_EQUAL', 'DIFFERENT', 'FAILED'])
      .describe('PARTLY_EQUAL: some of them are equal; these are a CERTAIN group now.'),
    totalBytes: Bytes.describe('Bytes to read.'),
    doneBytes: Bytes.describe('Bytes read so far.'),
    error: z.string().nullable().describe('Why it failed, as text.'),
    createdAt: DateTime,
    endedAt: DateTime.nullable(),
  })
  .meta({ id: 'DuplicateComparison' })

const CERTAINTIES = ['CERTAIN', 'LIKELY'] as const

const upper = (text: string) => text.toUpperCase()

const FILTER = {
  certainty: z
    .string()
    .transform(upper)
    .pipe(z.enum(CERTAINTIES))
    .optional()
    .describe('`certain` or `likely`. Default: both.'),
  accountId: z
    .string()
    .max(200)
    .optional()
    .describe('Only groups with a file that is in this account under its own name.'),
  home: z
    .string()
    .transform(upper)
    .pipe(z.enum(['POOL']))
    .optional()
    .describe('`pool`: only groups with a file that Skypool stores.'),
  parentId: z.string().max(200).optional().describe('Only groups with a file anywhere below this folder.'),
  type: z
    .string()
    .max(200)
    .transform((text) => text.toUpperCase().split(','))
    .pipe(z.array(z.enum(FILE_CATEGORIES)))
    .optional()
    .describe(`Any of ${FILE_CATEGORIES.join(', ').toLowerCase()}, separated by commas.`),
  minSize: z.coerce.number().int().min(0).optional().describe('Only files of at least so many bytes.'),
}

const RULES = ['OLDEST', 'NEWEST', 'POOL', 'ACCOUNT', 'FOLDER'] as const

const listQuery = pageQuery.extend({ ...FILTER, limit: z.coerce.number().int().min(1).max(100).default(50) })

const summaryQuery = z.strictObject({
  ...FILTER,
  keep: z
    .string()
    .transform(upper)
    .pipe(z.enum(RULES))
    .optional()
    .describe(
      'Which file of each group stays: `oldest`, `newest`, the oldest one in the `pool` (stored by Skypool), or in the `account` or `folder` of `keepIn`.',
    ),
  keepIn: z.string().max(200).optional().describe('An account or a folder, for `keep`.'),
})

const trashBody = z.strictObject({
  ...FILTER,
  certainty: FILTER.certainty.describe('Only `certain` groups are changed.'),
  keep: z.string().transform(upper).pipe(z.enum(RULES)).describe('As in the summary.'),
  keepIn: summaryQuery.shape.keepIn,
})

/** Files with the same content. */
export const duplicatesRoutes: RestPlugin = async (app, { services: { duplicates, files, fileJobs, ...services } }) => {
  const tags = ['duplicates']

  app.post(
    '/duplicates/trash',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'], idempotent: true },
      schema: {
        tags,
        summary: 'Move all files but one of each certain group to the trash',
        description: 'In the background; `undo` of the job brings every one back.',
        body: trashBody,
        response: { 202: JobSchema },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const { keep, keepIn, ...filter } = request.body
      const rule = ruleOf(keep, keepIn) ?? { keep: 'OLDEST' }
      const key = idempotencyKeyOf(request)
      const job = await fileJobs.trashDuplicates(viewer, filterOf(filter), rule, key)
      return reply.code(202).send(await presentJob(fileJobs, viewer, job))
    },
  )

  app.get(
    '/duplicates',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags,
        summary: 'List groups of files with the same content, those that can free most first',
        querystring: listQuery,
        response: { 200: listOf(DuplicateGroup) },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const { limit, cursor, ...filter } = request.query
      const page = await duplicates.list(viewer, { ...filterOf(filter), limit, after: cursor }).catch(asParameterError)
      const groups = page.items.map(({ group }) => group)
      const shown = groups.flatMap((group) => group.files)
      const around = await surroundingsOf({ files, ...services }, viewer, shown)
      const nextCursor = page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null
      return { items: groups.map((group) => present(group, around)), nextCursor }
    },
  )

  app.get(
    '/duplicates/summary',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Count groups of files with the same content, and what they can free',
        querystring: summaryQuery,
        response: { 200: Summary },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const { keep, keepIn, ...rest } = request.query
      const filter = filterOf(rest)
      const rule = ruleOf(keep, keepIn)
      const summary = await duplicates.summary(viewer, filter)
      const reclaimable = rule ? await duplicates.reclaimable(viewer, filter, rule) : null
      return {
        ...summary,
        checkedAt: summary.checkedAt && isoTime(summary.checkedAt),
        reclaimable:
          reclaimable?.map((one) => ({ ...one, accountId: one.accountId && publicId('Account', one.accountId) })) ??
          null,
      }
    },
  )

  app.post(
    '/duplicates/compare',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'Read the files of likely groups, to find out which ones are equal',
        body: z.strictObject({ ids: z.array(z.string().max(200)).min(1).max(100).describe('Ids of LIKELY groups.') }),
        response: { 202: z.object({ items: z.array(Comparison) }) },
      },
    },
    async (request, reply) => {
      const ids = request.body.ids.map((id) => databaseId('DuplicateGroup', id))
      const started = await duplicates.compare(requireViewer(request), ids)
      return reply.code(202).send({ items: started.map(presentComparison) })
    },
  )

  app.get(
    '/duplicates/comparisons',
    {
      schema: {
        tags,
        summary: 'List comparisons in progress, and those of the last day; newest first, at most 100',
        response: { 200: z.object({ items: z.array(Comparison) }) },
      },
    },
    async (request) => ({ items: (await duplicates.comparisons(requireViewer(request))).map(presentComparison) }),
  )
}

type Filter = { readonly [Name in keyof typeof FILTER]?: z.infer<(typeof FILTER)[Name]> }

/** @throws NotFoundError for an invalid id */
function filterOf({ certainty, accountId, home, parentId, type, minSize }: Filter): DuplicateFilter {
  return {
    certainty,
    accountId: accountId === undefined ? undefined : databaseId('Account', accountId),
    home,
    parentId: parentId === undefined ? undefined : databaseId('File', parentId),
    categories: type,
    minSize,
  }
}

/** @throws InvalidInputError */
function ruleOf(keep: KeepRule['keep'] | undefined, keepIn: string | undefined): KeepRule | null {
  if (keep === undefined) return null
  if (keep === 'OLDEST' || keep === 'NEWEST' || keep === 'POOL') return { keep }
  const place = parsePublicId(keepIn ?? '')
  if (keep === 'ACCOUNT' && place?.type === 'Account') return { keep, accountId: place.id }
  if (keep === 'FOLDER' && place?.type === 'File') return { keep, folderId: place.id }
  const message = `Please name the ${keep.toLowerCase()} of which one file stays.`
  throw new InvalidInputError([{ path: 'keepIn', message }])
}

function present(group: DomainGroup, around: (file: File) => Surroundings): z.infer<typeof DuplicateGroup> {
  const files = group.files.map((file) => presentFileItem(file, around(file)))
  return { ...group, id: publicId('DuplicateGroup', group.id), files }
}

function presentComparison(comparison: DomainComparison): z.infer<typeof Comparison> {
  return {
    ...comparison,
    id: publicId('DuplicateComparison', comparison.id),
    fileIds: comparison.fileIds.map((id) => publicId('File', id)),
    createdAt: isoTime(comparison.createdAt),
    endedAt: comparison.endedAt && isoTime(comparison.endedAt),
  }
}
