import { formatDay } from '../../lib/formatDate.ts'

/** "11:42" today, "Yesterday, 11:42" or the day before that. `at`: Unix ms. */
export const timeText = (at: number): string => formatDay(new Date(at).toISOString()).replace(/^Today, /, '')
