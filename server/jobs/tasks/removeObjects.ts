import { z } from 'zod'
import { task } from '../task.ts'

export const removeObjects = task({
  name: 'removeObjects',
  input: z.object({ accountId: z.uuid() }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.files.removeObjects(input.accountId, signal),
})
