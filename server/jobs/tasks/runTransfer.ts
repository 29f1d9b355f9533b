import { z } from 'zod'
import { task } from '../task.ts'

export const runTransfer = task({
  name: 'runTransfer',
  input: z.object({ transferId: z.uuid() }),
  attempts: 3,
  run: async ({ housekeeping }) => housekeeping.transfers.wake(),
})
