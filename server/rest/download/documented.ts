import { z } from 'zod'

/** An answer of bytes, as the OpenAPI document shows it. */
export const bytes = (description: string, ...types: string[]) => ({
  description,
  content: Object.fromEntries(types.map((type) => [type, { schema: z.string().meta({ format: 'binary' }) }])),
})

export const CONTENT_RANGE = {
  'Content-Range': { type: 'string', description: 'Which bytes these are, and of how many.' },
} as const
