/** Texts of the window of an authorization. */
export const messages = {
  title: 'Authorization · Skypool',
  processing: (service: string) => `Processing ${service} authorization...`,
  mayClose: 'You can close this window now.',
} as const
