import { z } from 'zod'
import { task } from '../task.ts'

export const checkAllDuplicates = task({
  name: 'checkAllDuplicates',
  input: z.object({}),
  attempts: 3,
  cron: '* * * * *',
  run: ({ housekeeping }) => housekeeping.duplicates.checkAll(),
})
