import { z } from 'zod'
import { task } from '../task.ts'

export const sweepVersions = task({
  name: 'sweepVersions',
  input: z.object({ userId: z.uuid().optional() }),
  attempts: 3,
  cron: '47 * * * *',
  run: ({ input, housekeeping, signal }) => housekeeping.versions.sweep(input.userId, signal),
})
