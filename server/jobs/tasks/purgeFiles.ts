import { z } from 'zod'
import { task } from '../task.ts'

export const purgeFiles = task({
  name: 'purgeFiles',
  input: z.object({ userId: z.uuid() }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.files.purge(input.userId, signal),
})
