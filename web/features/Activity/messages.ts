/** Texts of the activity log, wherever it is shown. */
export const messages = {
  list: 'Activity',
  more: 'Show more',
  loading: 'Loading activity…',
} as const
