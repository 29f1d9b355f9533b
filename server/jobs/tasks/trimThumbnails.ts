import { z } from 'zod'
import { task } from '../task.ts'

export const trimThumbnails = task({
  name: 'trimThumbnails',
  input: z.object({}),
  attempts: 1,
  cron: '40 * * * *',
  run: ({ housekeeping, signal }) => housekeeping.trimThumbnails(signal),
})
