import { z } from 'zod'
import { task } from '../task.ts'
import { language } from './mailNotice.ts'

export const mailPasswordReset = task({
  name: 'mailPasswordReset',
  input: z.object({ userId: z.uuid(), language }),
  attempts: 10,
  run: ({ input, housekeeping }) => housekeeping.recovery.mailPasswordReset(input),
})
