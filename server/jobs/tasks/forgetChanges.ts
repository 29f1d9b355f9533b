import { z } from 'zod'
import { task } from '../task.ts'

export const forgetChanges = task({
  name: 'forgetChanges',
  input: z.object({}),
  attempts: 3,
  cron: '47 * * * *',
  run: ({ housekeeping }) => housekeeping.forgetChanges(),
})
