import { z } from 'zod'
import { task } from '../task.ts'

export const hashFiles = task({
  name: 'hashFiles',
  input: z.object({ fileIds: z.array(z.uuid()).readonly() }),
  attempts: 5,
  run: ({ input, housekeeping, signal }) => housekeeping.duplicates.hash(input.fileIds, signal),
})
