import { z } from 'zod'
import { NOTICES } from '../../domain/users/mails.ts'
import { LANGUAGES } from '../../lib/languages.ts'
import { task } from '../task.ts'

/** Of whoever asked, for users who have chosen none. */
export const language = z.enum(LANGUAGES).optional()

export const mailNotice = task({
  name: 'mailNotice',
  input: z.object({ userId: z.uuid(), notice: z.enum(NOTICES), about: z.string().optional(), language }),
  attempts: 10,
  run: ({ input, housekeeping }) => housekeeping.recovery.mailNotice(input),
})
