import { z } from 'zod'
import { task } from '../task.ts'

export const forgetEntries = task({
  name: 'forgetEntries',
  input: z.object({ accountId: z.uuid(), thenShowTo: z.uuid().optional() }),
  attempts: 25,
  run: ({ input: { accountId, thenShowTo }, housekeeping, signal }) =>
    housekeeping.inPlace.forgetEntries(accountId, signal, thenShowTo),
})
