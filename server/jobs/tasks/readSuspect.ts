import { z } from 'zod'
import { task } from '../task.ts'

export const readSuspect = task({
  name: 'readSuspect',
  input: z.object({ copyId: z.uuid() }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.files.readSuspect(input, signal),
})
