import { z } from 'zod'
import { FILE_CATEGORIES } from '../../domain/files/contract.ts'
import type { RestPlugin } from '../plugin.ts'
import { requireViewer } from '../request.ts'
import { asParameterError, listOf } from '../schemas.ts'
import { FileItemSchema, filesQuery, listOptions } from './fileSchema.ts'
import { presentItems } from './files.ts'

const ContentMatch = z
  .object({
    file: FileItemSchema,
    excerpt: z
      .array(
        z.object({
          text: z.string().describe('Plain text; the parts follow each other without a gap.'),
          isMatch: z.boolean().describe('It is what was searched for.'),
        }),
      )
      .describe('Text around a place with the words, in parts.'),
  })
  .meta({ id: 'ContentMatch' })

const VIEWS = ['all', 'drive', 'shared', 'starred'] as const

const matchesQuery = filesQuery
  .omit({ view: true, parentId: true, path: true, sort: true, q: true, type: true })
  .extend({
    q: z
      .string()
      .max(255)
      .describe(
        'Words that all have to be in the text; case and accents are ignored. The last one may be the beginning of a longer word. Words in quotation marks have to follow each other.',
      ),
    view: z.enum(VIEWS).default('all').describe('The files to search. The trash is never searched.'),
    type: filesQuery.shape.type.describe(
      `Any of ${FILE_CATEGORIES.join(', ').toLowerCase()}, separated by commas. Only documents have text.`,
    ),
  })

/** Search inside files. */
export const contentMatchesRoutes: RestPlugin = async (app, { services: { search, ...services } }) => {
  app.get(
    '/files/content-matches',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags: ['files'],
        summary: 'Search inside files',
        description:
          'Files whose text contains the words, those changed last first: text, PDF, Word, Excel, PowerPoint and OpenDocument, of what Skypool stores and of accounts with `searchContents`. New files are found once they were read, usually within seconds.',
        querystring: matchesQuery,
        response: { 200: listOf(ContentMatch) },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const { view, ...query } = request.query
      const { categories, groupCloudId, accountId, tagId, states, limit, after } = listOptions(query)
      const { provider, home, minSize, maxSize, modifiedAfter, modifiedBefore } = query
      const page = await search
        .find(viewer, {
          ...{ provider, home, minSize, maxSize, modifiedAfter, modifiedBefore },
          ...{ categories, groupCloudId, accountId, tagId, states, limit, after },
          query: query.q,
          view: view.toUpperCase() as Uppercase<typeof view>,
        })
        .catch(asParameterError)
      const files = await presentItems(
        services,
        viewer,
        page.items.map(({ file }) => file),
      )
      const items = page.items.flatMap(({ excerpt }, index) => {
        const file = files[index]
        return file ? [{ file, excerpt: [...excerpt] }] : []
      })
      return { items, nextCursor: page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null }
    },
  )
}
