import { z } from 'zod'
import { task } from '../task.ts'

export const seekObject = task({
  name: 'seekObject',
  input: z.object({ pieceId: z.uuid(), look: z.int().nonnegative() }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.files.seekObject(input, signal),
})
