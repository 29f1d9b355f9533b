import { z } from 'zod'
import { task } from '../task.ts'

export const forgetEntries = task({
  name: 'forgetEntries',
  input: z.object({ accountId: z.uuid() }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.inPlace.forgetEntries(input.accountId, signal),
})
