import { z } from 'zod'

/** An answer of bytes, as the OpenAPI document shows it. */
export const bytes = (description: string, ...types: string[]) => ({
  description,
  content: Object.fromEntries(types.map((type) => [type, { schema: z.string().meta({ format: 'binary' }) }])),
})

/** What downloads of files read beside the address (RFC 9110, 13 and 14). */
export const CONDITIONS = z.object({
  range: z.string().optional(),
  'if-range': z.string().optional(),
  'if-match': z.string().optional(),
  'if-none-match': z.string().optional(),
  'if-modified-since': z.string().optional(),
  'if-unmodified-since': z.string().optional(),
})

export const CONTENT_RANGE = {
  'Content-Range': { type: 'string', description: 'Which bytes these are, and of how many.' },
} as const
