import type { ContentMatches as DomainMatches, ExcerptPart as Part } from '../../domain/search/service.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { optionalIdOf } from '../ids.ts'
import { checkedPage, DEFAULT_PAGE, pageInfoOf } from '../pages.ts'
import { File, FileCategory, FileHome, FileState } from './File.ts'

const ContentView = builder.enumType('ContentView', {
  description: 'The views whose files can be searched by their text: as FileView, without the trash.',
  values: {
    ALL: { description: 'All files.' },
    DRIVE: { description: 'The same.' },
    SHARED: { description: 'Files with a public link.' },
    STARRED: { description: 'Starred files.' },
  } as const,
})

const ExcerptPart = builder.objectRef<Part>('ExcerptPart').implement({
  description: 'A part of an excerpt.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'Plain text; the parts follow each other without a gap.' }),
    isMatch: t.exposeBoolean('isMatch', { description: 'It is what was searched for.' }),
  }),
})

/** Most excerpts have two or three matches. */
const EXCERPT_COST = { field: 0, multiplier: 1 }

const ContentMatch = builder.objectRef<DomainMatches['items'][number]>('ContentMatch').implement({
  description: 'A file whose text contains the words.',
  fields: (t) => ({
    file: t.field({ type: File, complexity: 0, description: 'The file.', resolve: ({ file }) => file }),
    excerpt: t.field({
      type: [ExcerptPart],
      complexity: EXCERPT_COST,
      description: 'Text around a place with the words, in parts.',
      resolve: ({ excerpt }) => [...excerpt],
    }),
  }),
})

type Page = DomainMatches & { readonly isFirst: boolean }

const Edge = builder.objectRef<DomainMatches['items'][number]>('UserContentMatchesConnectionEdge').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor'),
    node: t.field({ type: ContentMatch, complexity: 0, resolve: (match) => match }),
  }),
})

const UserContentMatchesConnection = builder.objectRef<Page>('UserContentMatchesConnection').implement({
  fields: (t) => ({
    edges: t.field({ type: [Edge], complexity: { field: 0, multiplier: 1 }, resolve: ({ items }) => [...items] }),
    pageInfo: t.field({ type: builder.pageInfoRef(), complexity: 0, resolve: pageInfoOf }),
    isReading: t.exposeBoolean('isReading', {
      description: 'Documents are still being read: matches may be missing.',
    }),
  }),
})

builder.prismaObjectField('User', 'contentMatches', (t) =>
  t.field({
    type: UserContentMatchesConnection,
    description:
      'Files whose text contains the words of `query`, those changed last first: text, PDF, Word, Excel, PowerPoint and OpenDocument, of what\n' +
      'Skypool stores and of accounts with `searchContents`. Never in the trash or in earlier versions.',
    args: {
      query: t.arg.string({
        required: true,
        description:
          'Words that all have to be in the text; case and accents are ignored. The last one may be the beginning of a longer word. Words in quotation marks have to follow each other.',
      }),
      view: t.arg({ type: ContentView, required: true, defaultValue: 'ALL', description: 'The files to search.' }),
      categories: t.arg({ type: [FileCategory], description: 'Only these types.' }),
      groupCloudId: t.arg.id({ description: 'Only files of this group cloud.' }),
      provider: t.arg.string({ description: 'Only files with bytes at this provider.' }),
      accountId: t.arg.id({
        description: 'Only files with bytes on this account, or planned there, and what it has itself.',
      }),
      tagId: t.arg.id({ description: 'Only what has this tag.' }),
      home: t.arg({ type: FileHome, description: 'Only what Skypool has, or only what accounts have.' }),
      minSize: t.arg({ type: 'BigInt', description: 'Only files of this size or larger.' }),
      maxSize: t.arg({ type: 'BigInt', description: 'Only files of this size or smaller.' }),
      modifiedAfter: t.arg({ type: 'DateTime', description: 'Only what was changed at this time or later.' }),
      modifiedBefore: t.arg({ type: 'DateTime', description: 'Only what was changed before this time.' }),
      states: t.arg({ type: [FileState], description: 'Only files in one of these states.' }),
      first: t.arg.int(),
      after: t.arg.string(),
    },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
    resolve: async (_user, { query, view, groupCloudId, accountId, tagId, first, after, ...filters }, context) => {
      const page = await context.services.search.find(requireViewer(context), {
        query,
        view,
        groupCloudId: optionalIdOf('GroupCloud', groupCloudId),
        accountId: optionalIdOf('Account', accountId),
        tagId: optionalIdOf('Tag', tagId),
        categories: filters.categories ?? undefined,
        provider: filters.provider ?? undefined,
        home: filters.home ?? undefined,
        minSize: filters.minSize ?? undefined,
        maxSize: filters.maxSize ?? undefined,
        modifiedAfter: filters.modifiedAfter ?? undefined,
        modifiedBefore: filters.modifiedBefore ?? undefined,
        states: filters.states ?? undefined,
        limit: checkedPage(first),
        after: after ?? undefined,
      })
      return { ...page, isFirst: !after }
    },
  }),
)
