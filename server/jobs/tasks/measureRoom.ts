import { z } from 'zod'
import { task } from '../task.ts'

export const measureRoom = task({
  name: 'measureRoom',
  input: z.object({ accountId: z.uuid(), home: z.enum(['ACCOUNT', 'POOL']) }),
  attempts: 3,
  run: ({ input, housekeeping, signal }) => housekeeping.room.measure(input.accountId, input.home, signal),
})
