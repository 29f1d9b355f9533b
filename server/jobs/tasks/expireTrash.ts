import { z } from 'zod'
import { task } from '../task.ts'

export const expireTrash = task({
  name: 'expireTrash',
  input: z.object({}),
  attempts: 3,
  cron: '37 * * * *',
  run: ({ housekeeping, signal }) => housekeeping.files.expireTrash(signal),
})
