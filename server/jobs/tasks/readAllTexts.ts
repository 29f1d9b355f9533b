import { z } from 'zod'
import { task } from '../task.ts'

export const readAllTexts = task({
  name: 'readAllTexts',
  input: z.object({}),
  attempts: 3,
  cron: '* * * * *',
  run: ({ housekeeping }) => housekeeping.search.readAll(),
})
