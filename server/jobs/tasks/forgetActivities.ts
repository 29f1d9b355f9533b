import { z } from 'zod'
import { task } from '../task.ts'

export const forgetActivities = task({
  name: 'forgetActivities',
  input: z.object({}),
  attempts: 3,
  cron: '41 3 * * *',
  run: ({ housekeeping, signal }) => housekeeping.forgetActivities(signal),
})
