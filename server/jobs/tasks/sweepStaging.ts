import { z } from 'zod'
import { task } from '../task.ts'

export const sweepStaging = task({
  name: 'sweepStaging',
  input: z.object({}),
  attempts: 3,
  cron: '*/10 * * * *',
  run: ({ housekeeping, signal }) => housekeeping.uploads.sweepStaging(signal),
})
