import { z } from 'zod'
import { task } from '../task.ts'

export const forgetKeys = task({
  name: 'forgetKeys',
  input: z.object({}),
  attempts: 3,
  cron: '17 * * * *',
  run: ({ housekeeping }) => housekeeping.forgetKeys(),
})
