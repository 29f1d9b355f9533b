import { messages } from './messages.ts'

/** Why a file has no preview, in words that complete "This file cannot be shown: …". */
export class PreviewError extends Error {
  override readonly name = 'PreviewError'
}

/** The reason of any failure; those that are not ours are in the content. */
export function reasonOfPreview(error: unknown): string {
  if (error instanceof PreviewError) return error.message
  // Fetch has no other way to say that there is no connection.
  return error instanceof TypeError && /fetch|network/i.test(error.message) ? messages.notLoaded : messages.damaged
}

/** Rejects when `work` takes longer than `milliseconds`. @throws PreviewError */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new PreviewError(messages.tooSlow)), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
