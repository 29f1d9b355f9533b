import { z } from 'zod'
import { task } from '../task.ts'

export const renameObjects = task({
  name: 'renameObjects',
  input: z.object({ fileId: z.uuid() }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.files.renameObjects(input.fileId, signal),
})
