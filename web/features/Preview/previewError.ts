import { messages } from './messages.ts'

/** Why a file has no preview; its message completes "This file cannot be shown: …". */
export class PreviewError extends Error {
  override readonly name = 'PreviewError'
}

/** The reason of any failure; those that are not ours are in the content. */
export function reasonOfPreview(error: unknown): string {
  if (error instanceof PreviewError) return error.message
  // Fetch has no other way to say that there is no connection.
  return error instanceof TypeError && /fetch|network/i.test(error.message) ? messages.notLoaded : messages.damaged
}
