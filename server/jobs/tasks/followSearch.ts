import { z } from 'zod'
import { task } from '../task.ts'

export const followSearch = task({
  name: 'followSearch',
  input: z.object({ userId: z.uuid(), accountId: z.uuid() }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.search.follow(input.userId, input.accountId, signal),
})
