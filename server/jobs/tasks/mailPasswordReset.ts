import { z } from 'zod'
import { task } from '../task.ts'

export const mailPasswordReset = task({
  name: 'mailPasswordReset',
  input: z.object({ userId: z.uuid() }),
  attempts: 10,
  run: ({ input, housekeeping }) => housekeeping.recovery.mailPasswordReset(input.userId),
})
