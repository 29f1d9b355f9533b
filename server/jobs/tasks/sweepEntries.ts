import { z } from 'zod'
import { task } from '../task.ts'

export const sweepEntries = task({
  name: 'sweepEntries',
  input: z.object({}),
  attempts: 3,
  cron: '27 * * * *',
  run: ({ housekeeping }) => housekeeping.inPlace.sweepEntries(),
})
