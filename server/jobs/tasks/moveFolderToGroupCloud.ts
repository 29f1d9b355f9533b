import { z } from 'zod'
import { task } from '../task.ts'

export const moveFolderToGroupCloud = task({
  name: 'moveFolderToGroupCloud',
  input: z.object({ userId: z.uuid(), folderId: z.uuid(), groupCloudId: z.uuid() }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.files.moveFolderToGroupCloud(input, signal),
})
