import { z } from 'zod'
import { task } from '../task.ts'

export const wakeTransfers = task({
  name: 'wakeTransfers',
  input: z.object({}),
  attempts: 3,
  cron: '* * * * *',
  run: ({ housekeeping, signal }) => housekeeping.transfers.resumeStopped(signal),
})
