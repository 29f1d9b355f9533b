/** Words of the log, wherever it is shown. */
export const words = {
  list: 'Activity',
  more: 'Show more',
  loading: 'Reading the log…',
} as const
