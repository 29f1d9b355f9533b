import { InvalidInputError } from '../../domain/errors.ts'
import type { FilePage, ListFiles } from '../../domain/files/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { optionalIdOf } from '../ids.ts'
import { checkedPage, DEFAULT_PAGE, pageInfoOf } from '../pages.ts'
import { File, FileCategory, FileHome, FileState } from './File.ts'

export const FileView = builder.enumType('FileView', {
  values: ['ALL', 'DRIVE', 'SHARED', 'STARRED', 'TRASH'] as const,
})

const FileSortField = builder.enumType('FileSortField', { values: ['NAME', 'MODIFIED', 'SIZE', 'TAKEN'] as const })

const SortDirection = builder.enumType('SortDirection', { values: ['ASC', 'DESC'] as const })

const FileSort = builder.inputType('FileSort', {
  fields: (t) => ({
    field: t.field({ type: FileSortField, required: true }),
    direction: t.field({ type: SortDirection, required: true }),
  }),
})

type Page = FilePage & { readonly isFirst: boolean }

const Edge = builder.objectRef<FilePage['items'][number]>('UserFilesConnectionEdge').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor'),
    node: t.field({ type: File, complexity: 0, resolve: ({ file }) => file }),
  }),
})

const UserFilesConnection = builder.objectRef<Page>('UserFilesConnection').implement({
  fields: (t) => ({
    edges: t.field({ type: [Edge], complexity: { field: 0, multiplier: 1 }, resolve: ({ items }) => [...items] }),
    pageInfo: t.field({ type: builder.pageInfoRef(), complexity: 0, resolve: pageInfoOf }),
  }),
})

builder.prismaObjectField('User', 'files', (t) =>
  t.field({
    type: UserFilesConnection,
    description:
      'One page of a view, in keyset order. `until` is a cursor: only entries at or before it are returned, so that a client can\n' +
      'reread exactly the range that it shows. `parentId` applies to DRIVE (null: the root) unless `query` is given.',
    args: {
      view: t.arg({ type: FileView, required: true, defaultValue: 'DRIVE' }),
      parentId: t.arg.id(),
      query: t.arg.string(),
      categories: t.arg({ type: [FileCategory] }),
      groupCloudId: t.arg.id(),
      provider: t.arg.string(),
      accountId: t.arg.id({
        description: 'Only files with bytes on this account, or planned there, and what it has itself.',
      }),
      path: t.arg.string({
        description: 'Instead of `parentId`: the folder at this path, for example `/Projects/2026`.',
      }),
      home: t.arg({ type: FileHome, description: 'Only what Skypool has, or only what accounts have.' }),
      tagId: t.arg.id({ description: 'Only what has this tag.' }),
      minSize: t.arg({ type: 'BigInt', description: 'Only files of this size or larger; native documents have none.' }),
      maxSize: t.arg({ type: 'BigInt', description: 'Only files of this size or smaller.' }),
      modifiedAfter: t.arg({ type: 'DateTime', description: 'Only what was changed at this time or later.' }),
      modifiedBefore: t.arg({ type: 'DateTime', description: 'Only what was changed before this time.' }),
      states: t.arg({ type: [FileState], description: 'Only files in one of these states.' }),
      sort: t.arg({ type: FileSort }),
      foldersFirst: t.arg.boolean({
        required: true,
        defaultValue: true,
        description: 'Whether folders come before files in the listing of a folder.',
      }),
      first: t.arg.int(),
      after: t.arg.string(),
      until: t.arg.string(),
    },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
    resolve: async (_user, args, context) => {
      const page = await context.services.files.list(requireViewer(context), listOf(args))
      return { ...page, isFirst: !args.after }
    },
  }),
)

type Given<Value> = Value | null | undefined

type Args = Pick<ListFiles, 'view'> & {
  readonly [Name in
    | 'parentId'
    | 'path'
    | 'query'
    | 'groupCloudId'
    | 'provider'
    | 'accountId'
    | 'tagId'
    | 'after'
    | 'until']?: Given<string>
} & {
  readonly categories?: Given<ListFiles['categories']>
  readonly states?: Given<ListFiles['states']>
  readonly sort?: Given<ListFiles['sort']>
  readonly home?: Given<ListFiles['home']>
  readonly minSize?: Given<number>
  readonly maxSize?: Given<number>
  readonly modifiedAfter?: Given<Date>
  readonly modifiedBefore?: Given<Date>
  readonly first?: Given<number>
  readonly foldersFirst: boolean
}

/** Options for `files.list`. @throws InvalidInputError, NotFoundError */
function listOf({
  view,
  parentId,
  query,
  categories,
  groupCloudId,
  provider,
  accountId,
  states,
  sort,
  foldersFirst,
  first,
  after,
  until,
  path,
  ...filters
}: Args): ListFiles {
  const limit = checkedPage(first)
  if (parentId && path != null) {
    throw new InvalidInputError([{ path: 'path', message: 'Please give either a path or the id of a folder.' }])
  }
  return {
    view,
    limit,
    parentId: optionalIdOf('File', parentId) ?? null,
    query: query || undefined,
    categories: categories ?? undefined,
    groupCloudId: optionalIdOf('GroupCloud', groupCloudId),
    provider: provider ?? undefined,
    accountId: optionalIdOf('Account', accountId),
    tagId: optionalIdOf('Tag', filters.tagId),
    states: states ?? undefined,
    sort: sort ?? undefined,
    foldersFirst,
    path: path ?? undefined,
    home: filters.home ?? undefined,
    minSize: filters.minSize ?? undefined,
    maxSize: filters.maxSize ?? undefined,
    modifiedAfter: filters.modifiedAfter ?? undefined,
    modifiedBefore: filters.modifiedBefore ?? undefined,
    after: after ?? undefined,
    until: until ?? undefined,
  }
}
