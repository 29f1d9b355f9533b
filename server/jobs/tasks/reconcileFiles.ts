import { z } from 'zod'
import { task } from '../task.ts'

export const reconcileFiles = task({
  // As it is stored in queues since the first version.
  name: 'settleFiles',
  input: z.object({
    userId: z.uuid(),
    accountId: z.uuid().exactOptional(),
    groupCloudId: z.uuid().exactOptional(),
    fileIds: z.array(z.uuid()).exactOptional(),
    room: z.literal(true).exactOptional(),
    after: z.uuid().exactOptional(),
  }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.transfers.reconcile(input, signal),
})
