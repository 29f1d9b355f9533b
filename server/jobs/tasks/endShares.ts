import { z } from 'zod'
import { task } from '../task.ts'

export const endShares = task({
  name: 'endShares',
  input: z.object({}),
  attempts: 3,
  cron: '* * * * *',
  run: ({ housekeeping, signal }) => housekeeping.endShares(signal),
})
