import { z } from 'zod'
import { task } from '../task.ts'

export const deleteUser = task({
  name: 'deleteUser',
  input: z.object({ userId: z.uuid() }),
  attempts: 25,
  run: ({ input, housekeeping, signal }) => housekeeping.people.removeUser(input.userId, signal),
})
