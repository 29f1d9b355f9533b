import { InvalidInputError } from '../../domain/errors.ts'
import {
  type CategoryUsage,
  type PhotoMonth as DomainMonth,
  type FilesSummary as DomainSummary,
  FILE_CATEGORIES,
  type SelectedFiles,
  type WhichFiles,
} from '../../domain/files/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdsOf, optionalIdOf } from '../ids.ts'
import { Account } from './Account.ts'
import { File, FileCategory, FileHome, FileState } from './File.ts'
import { FileView } from './FileList.ts'

/** Traverses the contents of folders, or copies. */
const DEEP_COST = 50
/** Counts every photo of a list. */
export const MONTHS_COST = DEEP_COST

export const FileSelection = builder.inputType('FileSelection', {
  description: 'All entries of a list, given by its arguments: see `User.files`.',
  fields: (t) => ({
    view: t.field({ type: FileView, required: true, description: 'The list.' }),
    parentId: t.id({ description: 'Folder for DRIVE; null is the root.' }),
    query: t.string({ description: 'Part of the name.' }),
    categories: t.field({ type: [FileCategory], description: 'Only these types.' }),
    groupCloudId: t.id({ description: 'Only files of this group cloud.' }),
    provider: t.string({ description: 'Only files with bytes at this provider.' }),
    accountId: t.id({
      description: 'Only files with bytes on this account, or planned there, and what it has itself.',
    }),
    home: t.field({ type: FileHome, description: 'Only what Skypool has, or only what accounts have.' }),
    tagId: t.id({ description: 'Only what has this tag.' }),
    minSize: t.field({ type: 'BigInt', description: 'Only files of this size or larger; native documents have none.' }),
    maxSize: t.field({ type: 'BigInt', description: 'Only files of this size or smaller.' }),
    modifiedAfter: t.field({ type: 'DateTime', description: 'Only what was changed at this time or later.' }),
    modifiedBefore: t.field({ type: 'DateTime', description: 'Only what was changed before this time.' }),
    states: t.field({ type: [FileState], description: 'Only files in one of these states.' }),
    exceptIds: t.idList({ description: 'Excludes these entries.' }),
    asOf: t.field({
      type: 'DateTime',
      description: '`FilesSummary.asOf`: excludes entries created since, or trashed since.',
    }),
    trashedFrom: t.field({ type: 'DateTime', description: 'TRASH only: entries trashed at this time or later.' }),
    trashedUntil: t.field({
      type: 'DateTime',
      description: 'TRASH only: entries that were in the trash at this time.',
    }),
  }),
})

type Given = typeof FileSelection.$inferInput

/** @throws NotFoundError, InvalidInputError */
export function selectionOf(given: Given): SelectedFiles {
  const { view, query, provider, categories, states, asOf } = given
  return {
    view,
    query: query || undefined,
    provider: provider ?? undefined,
    categories: categories ?? undefined,
    states: states ?? undefined,
    parentId: optionalIdOf('File', given.parentId) ?? null,
    groupCloudId: optionalIdOf('GroupCloud', given.groupCloudId),
    accountId: optionalIdOf('Account', given.accountId),
    tagId: optionalIdOf('Tag', given.tagId),
    home: given.home ?? undefined,
    minSize: given.minSize ?? undefined,
    maxSize: given.maxSize ?? undefined,
    modifiedAfter: given.modifiedAfter ?? undefined,
    modifiedBefore: given.modifiedBefore ?? undefined,
    exceptIds: given.exceptIds ? databaseIdsOf('File', given.exceptIds) : undefined,
    createdUntil: view === 'TRASH' ? undefined : (asOf ?? undefined),
    trashedFrom: given.trashedFrom ?? undefined,
    trashedUntil: given.trashedUntil ?? (view === 'TRASH' ? (asOf ?? undefined) : undefined),
  }
}

type Summary = DomainSummary & { readonly which: WhichFiles }

const CategoryCount = builder.objectRef<DomainSummary['categories'][number]>('CategoryCount').implement({
  description: 'The entries of one type.',
  fields: (t) => ({
    category: t.expose('category', { type: FileCategory, description: 'The type.' }),
    count: t.exposeInt('files', { description: 'Number of entries.' }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'Their size in bytes; 0 for folders.' }),
  }),
})

export const PhotoMonth = builder.objectRef<DomainMonth>('PhotoMonth').implement({
  description: 'The photos and videos of one month.',
  fields: (t) => ({
    month: t.exposeString('month', { description: 'As `2026-11`, in UTC.' }),
    count: t.exposeInt('count', { description: 'Number of photos and videos.' }),
  }),
})

const FilesSummary = builder.objectRef<Summary>('FilesSummary').implement({
  description: 'Totals of many entries, computed on the server.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'DateTime', description: 'Time of the count, for `FileSelection.asOf`.' }),
    count: t.exposeInt('count', { description: 'Number of files and folders.' }),
    files: t.exposeInt('files', { description: 'Number of files.' }),
    folders: t.exposeInt('folders', { description: 'Number of folders, without their contents.' }),
    bytes: t.expose('bytes', {
      type: 'BigInt',
      description: 'Bytes of the files, without the contents of the folders.',
    }),
    categories: t.field({
      type: [CategoryCount],
      description: 'By type; types without entries are omitted.',
      complexity: { field: 1, multiplier: FILE_CATEGORIES.length },
      resolve: ({ categories }) => [...categories],
    }),
    photoMonths: t.field({
      type: [PhotoMonth],
      description: 'Photos and videos by the month in which they were taken, else changed; newest first.',
      complexity: { field: MONTHS_COST, multiplier: 1 },
      resolve: ({ which }, _args, context) => context.services.files.monthsOf(requireViewer(context), which),
    }),
    contentBytes: t.field({
      type: 'BigInt',
      description: 'Bytes of the files and of all files below the folders, each file counted once.',
      complexity: DEEP_COST,
      resolve: ({ which }, _args, context) => context.services.files.bytesOf(requireViewer(context), which),
    }),
    storedIn: t.field({
      type: [Account],
      description: 'The accounts that hold their bytes.',
      complexity: { field: DEEP_COST, multiplier: 10 },
      resolve: async ({ which }, _args, context) => {
        const ids = await context.services.files.accountsOf(requireViewer(context), which)
        const accounts = await Promise.all(ids.map((id) => context.load().account(id)))
        return accounts.filter((account) => account !== null)
      },
    }),
  }),
})

builder.prismaObjectField('User', 'filesSummary', (t) =>
  t.field({
    type: FilesSummary,
    description: 'Totals of entries. Give either `ids` or `selection`.',
    args: {
      ids: t.arg.idList({ description: 'At most 10,000; entries that are deleted or not yours are ignored.' }),
      selection: t.arg({ type: FileSelection, description: 'All entries of a list.' }),
    },
    complexity: 20,
    resolve: async (_user, { ids, selection }, context) => {
      const which = whichOf(ids, selection)
      return { ...(await context.services.files.summarize(requireViewer(context), which)), which }
    },
  }),
)

/** @throws InvalidInputError unless exactly one of the arguments is given; NotFoundError */
function whichOf(ids: readonly string[] | null | undefined, selection: Given | null | undefined): WhichFiles {
  if (ids && !selection) return { ids: databaseIdsOf('File', ids) }
  if (selection && !ids) return { list: selectionOf(selection) }
  throw new InvalidInputError([{ path: 'ids', message: 'Please give either ids or a selection.' }])
}

/** Number of files in the preview; `User.files` lists all of them. */
const PREVIEWED = 5

const Usage = builder.objectRef<CategoryUsage>('CategoryUsage').implement({
  description: 'Storage used by the files of one type.',
  fields: (t) => ({
    category: t.expose('category', { type: FileCategory }),
    files: t.exposeInt('files'),
    bytes: t.expose('bytes', { type: 'BigInt' }),
  }),
})

const AtRisk = builder.objectRef<object>('AtRisk').implement({
  description: 'Files that cannot be read completely now, or have fewer copies than their group cloud requires.',
  fields: (t) => ({
    files: t.int({
      complexity: 5,
      resolve: (_parent, _args, context) => context.services.files.countAtRisk(requireViewer(context)),
    }),
    first: t.field({
      type: [File],
      description: `The latest ${PREVIEWED} of them.`,
      complexity: { field: 5, multiplier: PREVIEWED },
      resolve: async (_parent, _args, context) => {
        const options = { view: 'ALL', states: ['AT_RISK'], limit: PREVIEWED } as const
        const { items } = await context.services.files.list(requireViewer(context), options)
        return items.map(({ file }) => file)
      },
    }),
  }),
})

builder.prismaObjectField('User', 'storageByType', (t) =>
  t.field({
    type: [Usage],
    description: 'Storage used by your files per type, including the trash; types without files are omitted.',
    complexity: { field: 20, multiplier: 10 },
    resolve: (_user, _args, context) => context.services.files.storageByType(requireViewer(context)),
  }),
)

builder.prismaObjectField('User', 'atRisk', (t) => t.field({ type: AtRisk, resolve: () => ({}) }))
