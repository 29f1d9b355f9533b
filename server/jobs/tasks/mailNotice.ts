import { z } from 'zod'
import { NOTICES } from '../../domain/users/recovery.ts'
import { task } from '../task.ts'

export const mailNotice = task({
  name: 'mailNotice',
  input: z.object({ userId: z.uuid(), notice: z.enum(NOTICES), about: z.string().optional() }),
  attempts: 10,
  run: ({ input, housekeeping }) => housekeeping.recovery.mailNotice(input),
})
