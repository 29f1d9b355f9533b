import { z } from 'zod'
import { task } from '../task.ts'

export const propagateTrash = task({
  name: 'propagateTrash',
  input: z.object({ userId: z.uuid(), folderId: z.uuid() }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.files.propagateTrash(input.userId, input.folderId, signal),
})
