/** Every word shown to people, by screen. Functions where a number or a name goes in. */
export const messages = {
  common: {
    product: 'Skypool',
    cancel: 'Cancel',
    close: 'Close',
    dismiss: 'Dismiss',
    undo: 'Undo',
    retry: 'Try again',
    loading: 'Loading...',
    notifications: 'Notifications',
  },
} as const
