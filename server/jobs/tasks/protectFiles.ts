import { z } from 'zod'
import { task } from '../task.ts'

export const protectFiles = task({
  name: 'protectFiles',
  input: z.object({ accountId: z.uuid(), fileIds: z.array(z.uuid()).optional() }),
  attempts: 25,
  run: ({ input, housekeeping }) => housekeeping.protection.follow(input.accountId, input.fileIds),
})
