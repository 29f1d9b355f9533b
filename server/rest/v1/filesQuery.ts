import { z } from 'zod'
import { InvalidInputError } from '../../domain/errors.ts'
import {
  FILE_CATEGORIES,
  type FileSort,
  type FileState,
  type FileView,
  type ListFiles,
} from '../../domain/files/contract.ts'
import { databaseId } from '../request.ts'
import { pageQuery } from '../schemas.ts'

const VIEWS = ['all', 'drive', 'shared', 'starred', 'trash'] as const
const SORTS = ['name', '-name', 'modified', '-modified', 'size', '-size'] as const

const types = z
  .string()
  .max(200)
  .transform((text) => text.toUpperCase().split(','))
  .pipe(z.array(z.enum(FILE_CATEGORIES)))

const STATES = ['RECEIVED', 'STORING', 'STORED', 'AT_RISK'] as const satisfies readonly FileState[]
const states = z
  .string()
  .max(200)
  .transform((text) => text.toUpperCase().split(','))
  .pipe(z.array(z.enum(STATES)))

/** `GET /files?...`: which list, narrowed how, in which order. */
export const filesQuery = pageQuery.extend({
  view: z
    .enum(VIEWS)
    .optional()
    .describe('`drive` is one folder; the others are flat. Default: `all`, with parentId `drive`.'),
  parentId: z.string().max(200).optional().describe('The folder of `drive`; without it the root.'),
  q: z
    .string()
    .max(255)
    .optional()
    .describe(
      'Part of the name, in any case, accents or not. Searches the whole view. One or two letters: the beginning of a name, or any part of the 2,000 changed last.',
    ),
  type: types.optional().describe(`Of ${FILE_CATEGORIES.join(', ').toLowerCase()}, with commas between.`),
  groupCloudId: z.string().max(200).optional(),
  accountId: z.string().max(200).optional().describe('Only what has bytes there, or is about to.'),
  state: states.optional().describe(`Only files, in one of ${STATES.join(', ')}, with commas between.`),
  provider: z
    .string()
    .max(100)
    .optional()
    .describe('Only what has bytes at this provider, or on this server (`local`).'),
  sort: z.enum(SORTS).optional().describe('With a minus: descending.'),
})

/** @throws NotFoundError for an id that is none */
export function listOptions(query: z.infer<typeof filesQuery>): ListFiles {
  const {
    view = query.parentId ? 'drive' : 'all',
    parentId,
    q,
    type,
    groupCloudId,
    accountId,
    state,
    provider,
    sort,
    limit,
    cursor,
  } = query
  return {
    view: view.toUpperCase() as FileView,
    parentId: parentId ? databaseId('File', parentId) : null,
    query: q,
    categories: type,
    groupCloudId: groupCloudId ? databaseId('GroupCloud', groupCloudId) : undefined,
    accountId: accountId ? databaseId('Account', accountId) : undefined,
    states: state,
    provider,
    sort: sort && sortOf(sort),
    limit,
    after: cursor,
  }
}

function sortOf(sort: (typeof SORTS)[number]): FileSort {
  const field = sort.replace('-', '').toUpperCase() as FileSort['field']
  return { field, direction: sort.startsWith('-') ? 'DESC' : 'ASC' }
}

/** Rethrows; what the domain says about `after` is about our `cursor`. */
export function asCursorError(error: unknown): never {
  if (!(error instanceof InvalidInputError)) throw error
  throw new InvalidInputError(
    error.fields.map((field) => (field.path === 'after' ? { ...field, path: 'cursor' } : field)),
  )
}
