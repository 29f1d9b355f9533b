import { z } from 'zod'
import { task } from '../task.ts'

export const reconcileTransfers = task({
  name: 'reconcileTransfers',
  input: z.object({}),
  attempts: 3,
  cron: '11 * * * *',
  run: ({ housekeeping, signal }) => housekeeping.transfers.reconcileAll(signal),
})
