import {
  type Comparison as DomainComparison,
  type DuplicateGroup as DomainGroup,
  type DuplicateSummary as DomainSummary,
  DUPLICATE_MATCHES,
  type DuplicatePage,
  type DuplicateFilter as Filter,
  type KeepRule,
  MOST_FILES,
  type Reclaimable,
} from '../../domain/duplicates/contract.ts'
import { InvalidInputError } from '../../domain/errors.ts'
import type { FileCategory as Category } from '../../domain/files/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, globalIdOf, optionalIdOf } from '../ids.ts'
import { checkedPage, DEFAULT_PAGE, pageInfoOf } from '../pages.ts'
import { Account } from './Account.ts'
import { File, FileCategory } from './File.ts'

const DuplicateCertainty = builder.enumType('DuplicateCertainty', {
  description: 'How sure it is that files have the same content.',
  values: {
    CERTAIN: { description: 'They have the same size and hash.' },
    LIKELY: { description: 'They have the same size, and the same name or time, but no hash in common.' },
  } as const,
})

const DuplicateMatch = builder.enumType('DuplicateMatch', {
  description: 'What files have in common besides their size.',
  values: Object.fromEntries(DUPLICATE_MATCHES.map((match) => [match, { description: matchText(match) }])) as Record<
    (typeof DUPLICATE_MATCHES)[number],
    { description: string }
  >,
})

function matchText(match: (typeof DUPLICATE_MATCHES)[number]): string {
  if (match === 'NAME') return 'The name.'
  if (match === 'TIME') return 'The time of the last change.'
  if (match === 'SEVERAL_HASHES') return 'Each file has one of several hashes that are known to be of the same content.'
  return 'The hash by this algorithm.'
}

const DuplicateHome = builder.enumType('DuplicateHome', {
  description: 'Where a file of a group has to be.',
  values: { POOL: { description: 'Stored by Skypool.' } } as const,
})

export const DuplicateRule = builder.enumType('DuplicateRule', {
  description: 'Which file of each group stays.',
  values: {
    OLDEST: { description: 'The oldest one.' },
    NEWEST: { description: 'The newest one.' },
    POOL: { description: 'The oldest one that Skypool stores. Groups without one stay as they are.' },
    ACCOUNT: { description: 'The oldest one in an account. Groups without one stay as they are.' },
    FOLDER: { description: 'The oldest one in a folder, or in folders in it. Groups without one stay as they are.' },
  } as const,
})

/** Most groups have two or three files. */
const FILES_COST = { field: 0, multiplier: 3 }

const DuplicateGroup = builder.objectRef<DomainGroup>('DuplicateGroup').implement({
  description: 'Files with the same content, or that may have it.',
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('DuplicateGroup', id) }),
    certainty: t.expose('certainty', {
      type: DuplicateCertainty,
      complexity: 0,
      description: 'How sure it is that they have the same content.',
    }),
    match: t.expose('match', {
      type: DuplicateMatch,
      complexity: 0,
      description: 'What they have in common besides the size.',
    }),
    hash: t.exposeString('hash', {
      nullable: true,
      complexity: 0,
      description: '`<algorithm>:<digest>`; null for LIKELY.',
    }),
    size: t.expose('size', { type: 'BigInt', complexity: 0, description: 'Bytes of one file.' }),
    category: t.expose('category', { type: FileCategory, complexity: 0 }),
    fileCount: t.exposeInt('fileCount', { complexity: 0, description: 'Number of files.' }),
    reclaimableBytes: t.expose('reclaimableBytes', {
      type: 'BigInt',
      complexity: 0,
      description: 'Bytes of all files but one.',
    }),
    compareBytes: t.expose('compareBytes', {
      type: 'BigInt',
      complexity: 0,
      description: 'Bytes that a comparison reads; 0 for CERTAIN.',
    }),
    files: t.field({
      type: [File],
      complexity: FILES_COST,
      description: `Oldest first, at most ${MOST_FILES}. For LIKELY: one file of each content that may be the same.`,
      resolve: ({ files }) => [...files],
    }),
  }),
})

const DuplicateReclaimable = builder.objectRef<Reclaimable>('DuplicateReclaimable').implement({
  description: 'What removing duplicates frees in one place.',
  fields: (t) => ({
    account: t.field({
      type: Account,
      nullable: true,
      description: 'null: files that Skypool stores.',
      resolve: ({ accountId }, _args, context) => (accountId === null ? null : context.load().account(accountId)),
    }),
    bytes: t.expose('bytes', { type: 'BigInt', complexity: 0, description: 'Bytes that are freed.' }),
    files: t.exposeInt('files', { complexity: 0, description: 'Number of files that are removed.' }),
  }),
})

type Summary = DomainSummary & { readonly filter: Filter }

const DuplicateSummary = builder.objectRef<Summary>('DuplicateSummary').implement({
  description: 'Number of groups of duplicates, and what they can free.',
  fields: (t) => ({
    certainGroups: t.exposeInt('certainGroups', { description: 'Number of groups that are CERTAIN.' }),
    certainBytes: t.expose('certainBytes', {
      type: 'BigInt',
      description: 'What they can free: all files but one of each group.',
    }),
    likelyGroups: t.exposeInt('likelyGroups', { description: 'Number of groups that are LIKELY.' }),
    likelyBytes: t.expose('likelyBytes', {
      type: 'BigInt',
      description: 'What they can free if all of them turn out to be equal.',
    }),
    isComplete: t.exposeBoolean('isComplete', { description: 'false: files are still being checked.' }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When all files were last checked; null: never.',
    }),
    reclaimable: t.field({
      type: [DuplicateReclaimable],
      description: 'Where a rule frees how much, in the groups that are CERTAIN; the most first.',
      args: {
        keep: t.arg({ type: DuplicateRule, required: true, description: 'Which file of each group stays.' }),
        keepIn: t.arg.id({ description: 'The account or folder of the rule.' }),
      },
      complexity: { field: 1, multiplier: 10 },
      resolve: ({ filter }, { keep, keepIn }, context) =>
        context.services.duplicates.reclaimable(requireViewer(context), filter, ruleOf(keep, keepIn)),
    }),
  }),
})

/** @throws NotFoundError, InvalidInputError */
export function ruleOf(keep: KeepRule['keep'], keepIn: string | null | undefined): KeepRule {
  if (keep === 'OLDEST' || keep === 'NEWEST' || keep === 'POOL') return { keep }
  if (keepIn == null) {
    const message = `Please name the ${keep.toLowerCase()} of which one file stays.`
    throw new InvalidInputError([{ path: 'keepIn', message }])
  }
  if (keep === 'ACCOUNT') return { keep, accountId: databaseIdOf('Account', keepIn) }
  return { keep, folderId: databaseIdOf('File', keepIn) }
}

const ComparisonState = builder.enumType('DuplicateComparisonState', {
  description: 'Result of a comparison.',
  values: {
    RUNNING: { description: 'Files are being read.' },
    EQUAL: { description: 'All files are equal: they are a CERTAIN group now.' },
    PARTLY_EQUAL: { description: 'Some files are equal: these are a CERTAIN group now.' },
    DIFFERENT: { description: 'No two files are equal.' },
    FAILED: { description: 'A file could not be read.' },
  } as const,
})

export const DuplicateComparison = builder.objectRef<DomainComparison>('DuplicateComparison').implement({
  description: 'Reading the files of a LIKELY group, to find out which ones are equal.',
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('DuplicateComparison', id) }),
    name: t.exposeString('name', { description: 'Name of one of the files.' }),
    state: t.expose('state', { type: ComparisonState, description: 'Its result, or RUNNING.' }),
    totalBytes: t.expose('totalBytes', { type: 'BigInt', description: 'Bytes to read.' }),
    doneBytes: t.expose('doneBytes', { type: 'BigInt', description: 'Bytes read so far.' }),
    fileIds: t.field({
      type: ['ID'],
      complexity: 0,
      description: 'The compared files.',
      resolve: ({ fileIds }) => fileIds.map((id) => globalIdOf('File', id)),
    }),
    error: t.exposeString('error', { nullable: true, description: 'Message: why it failed.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
  }),
})

type Page = DuplicatePage & { readonly isFirst: boolean }

const Edge = builder.objectRef<DuplicatePage['items'][number]>('UserDuplicatesConnectionEdge').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor'),
    node: t.field({ type: DuplicateGroup, complexity: 0, resolve: ({ group }) => group }),
  }),
})

const UserDuplicatesConnection = builder.objectRef<Page>('UserDuplicatesConnection').implement({
  fields: (t) => ({
    edges: t.field({ type: [Edge], complexity: { field: 0, multiplier: 1 }, resolve: ({ items }) => [...items] }),
    pageInfo: t.field({ type: builder.pageInfoRef(), complexity: 0, resolve: pageInfoOf }),
  }),
})

export const DuplicateFilter = builder.inputType('DuplicateFilter', {
  description: 'Which groups of duplicates are listed.',
  fields: (t) => ({
    certainty: t.field({ type: DuplicateCertainty, description: 'Default: both.' }),
    accountId: t.id({ description: 'Only groups with a file that is in this account under its own name.' }),
    home: t.field({ type: DuplicateHome, description: 'POOL: only groups with a file that Skypool stores.' }),
    parentId: t.id({ description: 'Only groups with a file anywhere below this folder.' }),
    categories: t.field({ type: [FileCategory], description: 'Only files of these kinds.' }),
    minSize: t.field({ type: 'BigInt', description: 'Only files of at least so many bytes.' }),
  }),
})

type Given<Value> = Value | null | undefined
type GivenFilter = Given<{
  readonly certainty?: Given<Filter['certainty']>
  readonly accountId?: Given<string>
  readonly home?: Given<'POOL'>
  readonly parentId?: Given<string>
  readonly categories?: Given<readonly Category[]>
  readonly minSize?: Given<number | bigint>
}>

/** @throws NotFoundError */
export function filterOf(given: GivenFilter): Filter {
  const { certainty, accountId, home, parentId, categories, minSize } = given ?? {}
  return {
    certainty: certainty ?? undefined,
    accountId: optionalIdOf('Account', accountId),
    home: home ?? undefined,
    parentId: optionalIdOf('File', parentId),
    categories: categories ?? undefined,
    minSize: minSize == null ? undefined : Number(minSize),
  }
}

builder.prismaObjectFields('User', (t) => ({
  duplicates: t.field({
    type: UserDuplicatesConnection,
    description:
      'Groups of files with the same content, in all accounts and group clouds; those that can free most first.',
    args: {
      filter: t.arg({ type: DuplicateFilter, description: 'Which groups are counted or listed.' }),
      first: t.arg.int(),
      after: t.arg.string(),
    },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
    resolve: async (_user, { filter, first, after }, context) => {
      const options = { ...filterOf(filter), limit: checkedPage(first), after: after ?? undefined }
      return { ...(await context.services.duplicates.list(requireViewer(context), options)), isFirst: !after }
    },
  }),
  duplicateSummary: t.field({
    type: DuplicateSummary,
    description: 'Number of groups of duplicates, and what they can free.',
    args: { filter: t.arg({ type: DuplicateFilter, description: 'Which groups are counted or listed.' }) },
    resolve: async (_user, args, context) => {
      const filter = filterOf(args.filter)
      return { ...(await context.services.duplicates.summary(requireViewer(context), filter)), filter }
    },
  }),
  duplicateComparisons: t.field({
    type: [DuplicateComparison],
    description: 'Comparisons in progress, and those of the last day; newest first, at most 100.',
    complexity: { field: 1, multiplier: 10 },
    resolve: (_user, _args, context) => context.services.duplicates.comparisons(requireViewer(context)),
  }),
}))
