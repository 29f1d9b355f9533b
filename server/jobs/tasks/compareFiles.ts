import { z } from 'zod'
import { task } from '../task.ts'

export const compareFiles = task({
  name: 'compareFiles',
  input: z.object({ comparisonId: z.uuid() }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.duplicates.compare(input.comparisonId, signal),
})
