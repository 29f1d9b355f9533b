import { z } from 'zod'
import { task } from '../task.ts'

export const resumeRemovals = task({
  name: 'resumeRemovals',
  input: z.object({}),
  attempts: 3,
  cron: '37 * * * *',
  async run({ housekeeping }) {
    await housekeeping.people.resumeRemovals()
    await housekeeping.recovery.forgetResets()
  },
})
