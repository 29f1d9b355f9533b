import { InvalidInputError } from '../../domain/errors.ts'
import {
  type FilesSummary as DomainSummary,
  FILE_CATEGORIES,
  type SelectedFiles,
  type WhichFiles,
} from '../../domain/files/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdsOf, optionalIdOf } from '../ids.ts'
import { Account } from './Account.ts'
import { FileCategory, FileState, FileView } from './enums.ts'

/** Walks through what is below folders, or through copies. */
const DEEP_COST = 50

export const FileSelection = builder.inputType('FileSelection', {
  description: 'Everything that a list shows, by what it is asked for: see `User.files`.',
  fields: (t) => ({
    view: t.field({ type: FileView, required: true, description: 'Which list.' }),
    parentId: t.id({ description: 'The folder of DRIVE; null is the root.' }),
    query: t.string({ description: 'Part of the name.' }),
    categories: t.field({ type: [FileCategory], description: 'Only these types.' }),
    groupCloudId: t.id({ description: 'Only what belongs to it.' }),
    provider: t.string({ description: 'Only what has bytes at this provider.' }),
    accountId: t.id({ description: 'Only what has bytes there, or is about to.' }),
    states: t.field({ type: [FileState], description: 'Only files, in one of these.' }),
    exceptIds: t.idList({ description: 'All but these.' }),
    asOf: t.field({
      type: 'DateTime',
      description: '`FilesSummary.asOf`: without what was made since, or put into the trash since.',
    }),
    trashedFrom: t.field({ type: 'DateTime', description: 'TRASH only: what went into the trash from then on.' }),
    trashedUntil: t.field({ type: 'DateTime', description: 'TRASH only: what was in the trash then.' }),
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
    count: t.exposeInt('files', { description: 'How many of them there are.' }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'What they take; 0 for folders.' }),
  }),
})

const FilesSummary = builder.objectRef<Summary>('FilesSummary').implement({
  description: 'What many entries come to, counted on the server.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'DateTime', description: 'When it was counted: goes into `FileSelection.asOf`.' }),
    count: t.exposeInt('count', { description: 'Files and folders.' }),
    files: t.exposeInt('files', { description: 'Files alone.' }),
    folders: t.exposeInt('folders', { description: 'Folders alone; what is in them does not count.' }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'Of the files; not of what is in the folders.' }),
    categories: t.field({
      type: [CategoryCount],
      description: 'By type; types without entries are left out.',
      complexity: { field: 1, multiplier: FILE_CATEGORIES.length },
      resolve: ({ categories }) => [...categories],
    }),
    contentBytes: t.field({
      type: 'BigInt',
      description: 'Of the files and of all that is below the folders, each file once.',
      complexity: DEEP_COST,
      resolve: ({ which }, _args, context) => context.services.files.bytesOf(requireViewer(context), which),
    }),
    storedIn: t.field({
      type: [Account],
      description: 'The accounts that hold bytes of them.',
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
    description: 'What these entries come to. Either `ids` or `selection`.',
    args: {
      ids: t.arg.idList({ description: 'At most 10,000; what is gone or not yours counts for nothing.' }),
      selection: t.arg({ type: FileSelection, description: 'Everything that a list shows.' }),
    },
    complexity: 20,
    resolve: async (_user, { ids, selection }, context) => {
      const which = whichOf(ids, selection)
      return { ...(await context.services.files.summarize(requireViewer(context), which)), which }
    },
  }),
)

/** @throws InvalidInputError unless exactly one of them is given; NotFoundError */
function whichOf(ids: readonly string[] | null | undefined, selection: Given | null | undefined): WhichFiles {
  if (ids && !selection) return { ids: databaseIdsOf('File', ids) }
  if (selection && !ids) return { list: selectionOf(selection) }
  throw new InvalidInputError([{ path: 'ids', message: 'Please give either ids or a selection.' }])
}
