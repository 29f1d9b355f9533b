import { z } from 'zod'
import { task } from '../task.ts'

export const takePlace = task({
  name: 'takePlace',
  input: z.object({
    userId: z.uuid(),
    id: z.uuid(),
    storedAs: z.string(),
    parentId: z.uuid(),
    name: z.string(),
    replacedId: z.uuid(),
    revision: z.string().nullable(),
  }),
  attempts: 25,
  run: ({ input, housekeeping }) => housekeeping.inPlace.takePlace(input),
})
