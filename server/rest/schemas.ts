import { z } from 'zod'
import { PROBLEMS, type ProblemCode } from './errors.ts'

const CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]

/** A size or a place in bytes. JSON numbers are exact up to 2^53. */
export const Bytes = z.int().meta({ format: 'int64' })

/** Shapes that several resources share. A schema with an `id` becomes a component of the OpenAPI document. */
export const Problem = z
  .object({
    type: z.string().describe('Where this code is explained.'),
    title: z.string(),
    status: z.int(),
    code: z.enum(CODES).describe('Stable; what programs go by.'),
    detail: z.string().describe('For people.'),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('The fields that are not right.'),
    lostFiles: z.int().optional().describe('With `FILES_WOULD_BE_LOST`: how many.'),
    lostBytes: Bytes.optional(),
    neededBytes: Bytes.optional().describe('With `STORAGE_FULL`: the file, or what had come of it.'),
    freeBytes: Bytes.optional().describe('With `STORAGE_FULL`: what there is room for.'),
  })
  .meta({ id: 'Problem' })

export const DateTime = z.iso.datetime().describe('UTC, ISO 8601.')

export const Quota = z
  .object({
    state: z.enum(['KNOWN', 'UNLIMITED', 'UNKNOWN']).describe('Whether there is a limit, and whether it is known.'),
    usedBytes: Bytes,
    totalBytes: Bytes.nullable().describe('null when unlimited or unknown.'),
    reservedBytes: Bytes.describe('Promised to uploads under way.'),
  })
  .meta({ id: 'Quota' })

/** `?limit=&cursor=` of every list. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(1000).optional().describe('`nextCursor` of the page before.'),
})

/** `{ items, nextCursor }` */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() })
}

/** Path parameters `{ id }`; what does not parse as an id is simply not found. */
export const idParams = z.object({ id: z.string().max(200) })

/** A body-less answer. */
export const noContent = z.null().describe('Done.')
