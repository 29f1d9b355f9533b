import { z } from 'zod'
import { task } from '../task.ts'

export const sweepProtections = task({
  name: 'sweepProtections',
  input: z.object({}),
  attempts: 3,
  cron: '41 * * * *',
  run: ({ housekeeping, signal }) => housekeeping.protection.sweep(signal),
})
