import { z } from 'zod'
import { task } from '../task.ts'

export const readTexts = task({
  name: 'readTexts',
  input: z.object({ userId: z.uuid() }),
  attempts: 5,
  run: ({ input, housekeeping, signal }) => housekeeping.search.read(input.userId, signal),
})
