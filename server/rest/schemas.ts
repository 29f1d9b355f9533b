import { z } from 'zod'
import { InvalidInputError } from '../domain/errors.ts'
import { PROBLEMS, type ProblemCode } from './errors.ts'

const CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]

/** A size or an offset in bytes. JSON numbers are exact up to 2^53. */
export const Bytes = z.int().meta({ format: 'int64' })

/** Shapes that several resources share. A schema with an `id` becomes a component of the OpenAPI document. */
export const Problem = z
  .object({
    type: z.string().describe('Link to the explanation of this code.'),
    title: z.string(),
    status: z.int(),
    code: z.enum(CODES).describe('Stable; for programs.'),
    detail: z.string().describe('For people.'),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('The invalid fields.'),
    lostFiles: z.int().optional().describe('With `FILES_WOULD_BE_LOST`: number of files.'),
    lostBytes: Bytes.optional(),
    neededBytes: Bytes.optional().describe('With `STORAGE_FULL`: size of the file, or of the part received so far.'),
    freeBytes: Bytes.optional().describe('With `STORAGE_FULL`: available bytes.'),
  })
  .meta({ id: 'Problem' })

export const DateTime = z.iso.datetime().describe('UTC, ISO 8601.')

export const Quota = z
  .object({
    state: z.enum(['KNOWN', 'UNLIMITED', 'UNKNOWN']).describe('Whether there is a limit, and whether it is known.'),
    usedBytes: Bytes,
    totalBytes: Bytes.nullable().describe('null when unlimited or unknown.'),
    reservedBytes: Bytes.describe('Reserved for uploads in progress.'),
  })
  .meta({ id: 'Quota' })

/** `?limit=&cursor=` of every list. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(1000).optional().describe('`nextCursor` of the previous page.'),
})

/** `{ items, nextCursor }` */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() })
}

/** Path parameters `{ id }`; an invalid id is treated as not found. */
export const idParams = z.object({ id: z.string().max(200) })

/** A response without a body. */
export const noContent = z.null().describe('Done.')

/** One page of a list that is loaded as a whole. The cursor is the last id of the previous page. @throws InvalidInputError */
export function pageOf<Item extends { id: string }>(
  all: readonly Item[],
  { limit, cursor }: z.infer<typeof pageQuery>,
): { items: Item[]; nextCursor: string | null } {
  const start = cursor === undefined ? 0 : all.findIndex((item) => item.id === cursor) + 1
  if (cursor !== undefined && start === 0) {
    throw new InvalidInputError([
      { path: 'cursor', message: 'This cursor does not belong to this list. Please start again without one.' },
    ])
  }
  const items = all.slice(start, start + limit)
  return { items, nextCursor: start + limit < all.length ? (items.at(-1)?.id ?? null) : null }
}

/** Parameters of lists that the domain knows by another name. */
const PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['after', 'cursor'],
  ['query', 'q'],
])

/** Rethrows an error, with the names that the parameters have in REST. */
export function asParameterError(error: unknown): never {
  if (!(error instanceof InvalidInputError)) throw error
  throw new InvalidInputError(
    error.fields.map((field) => ({ ...field, path: PARAMETERS.get(field.path) ?? field.path })),
  )
}
