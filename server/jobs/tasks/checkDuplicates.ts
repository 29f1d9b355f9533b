import { z } from 'zod'
import { task } from '../task.ts'

export const checkDuplicates = task({
  name: 'checkDuplicates',
  input: z.object({ userId: z.uuid() }),
  attempts: 5,
  run: ({ input, housekeeping, signal }) => housekeeping.duplicates.check(input.userId, signal),
})
