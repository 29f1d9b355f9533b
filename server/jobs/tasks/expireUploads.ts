import { z } from 'zod'
import { task } from '../task.ts'

export const expireUploads = task({
  name: 'expireUploads',
  input: z.object({}),
  attempts: 3,
  cron: '*/10 * * * *',
  run: ({ housekeeping, signal }) => housekeeping.uploads.expire(signal),
})
