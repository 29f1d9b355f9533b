import { z } from 'zod'
import { task } from '../task.ts'

export const expireTrash = task({
  name: 'expireTrash',
  input: z.object({}),
  attempts: 3,
  cron: '37 * * * *',
  async run({ housekeeping, signal }) {
    await housekeeping.files.expireTrash(signal)
    await housekeeping.inPlace.expireTrash(signal)
  },
})
