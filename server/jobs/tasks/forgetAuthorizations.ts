import { z } from 'zod'
import { task } from '../task.ts'

export const forgetAuthorizations = task({
  name: 'forgetAuthorizations',
  input: z.object({}),
  attempts: 3,
  cron: '*/10 * * * *',
  run: ({ housekeeping }) => housekeeping.forgetAuthorizations(),
})
