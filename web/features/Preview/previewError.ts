import { messages } from './messages.ts'

/** Why a file has no preview; its message completes "This file cannot be shown: …". */
export class PreviewError extends Error {
  override readonly name = 'PreviewError'
}

/** Why the server does not send a file. */
export function refusedPreview(status: number): PreviewError {
  if (status === 404) return new PreviewError(messages.gone)
  if (status === 401) return new PreviewError(messages.locked)
  return new PreviewError(status === 429 ? messages.busy : messages.unavailable)
}

/** Why an element of the page could not show what is at `url`: elements do not say what the server answered. */
export async function reasonOfElement(url: string): Promise<string> {
  try {
    const { ok, status } = await fetch(url, { method: 'HEAD' })
    return ok ? messages.browserCannot : refusedPreview(status).message
  } catch {
    return messages.notLoaded
  }
}

/** The reason of any failure; those that are not ours are in the content. */
export function reasonOfPreview(error: unknown): string {
  if (error instanceof PreviewError) return error.message
  // Fetch has no other way to say that there is no connection.
  return error instanceof TypeError && /fetch|network|load failed/i.test(error.message)
    ? messages.notLoaded
    : messages.damaged
}
