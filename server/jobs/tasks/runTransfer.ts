import { z } from 'zod'
import { keepCause } from '../../lib/cause.ts'
import { task } from '../task.ts'

export const runTransfer = task({
  name: 'runTransfer',
  input: z.object({ transferId: z.uuid(), ids: z.array(z.uuid()).optional() }),
  attempts: 3,
  run: async ({ housekeeping, input }) => {
    for (const id of input.ids ?? [input.transferId]) keepCause(id)
    housekeeping.transfers.wake()
  },
})
