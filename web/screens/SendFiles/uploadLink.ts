import { inPageLanguage } from '../../lib/serverText.ts'
import { messages } from './messages.ts'

/** What the server says about a link whose page may be shown. */
export type OpenLink = {
  readonly id: string
  readonly title: string
  readonly message: string
  readonly askedBy: string
  readonly expiresAt: string | null
  readonly maxFiles: number | null
  readonly maxBytes: number | null
  readonly maxFileBytes: number | null
  readonly asksName: boolean
}

/** `locked`: the password is needed first. `ended`: unknown, expired, full or revoked; the server does not say which. */
export type LinkAnswer =
  | { readonly kind: 'open'; readonly link: OpenLink }
  | { readonly kind: 'locked' | 'ended' }
  | { readonly kind: 'failed'; readonly text: string }

const addressOf = (id: string) => `/api/v1/upload-links/${encodeURIComponent(id)}`

/** Where the files of a link are sent (tus). */
export const uploadsOf = (id: string): string => new URL(`${addressOf(id)}/uploads`, window.location.href).href

/** Never throws. */
export async function readLink(id: string): Promise<LinkAnswer> {
  try {
    const response = await fetch(addressOf(id))
    if (response.status === 404) return { kind: 'ended' }
    if (response.status === 429) return { kind: 'failed', text: messages.throttledText }
    return response.ok ? answerOf(await response.json()) : { kind: 'failed', text: messages.failedText }
  } catch {
    return { kind: 'failed', text: messages.failedText }
  }
}

function answerOf(body: { needsPassword: true } | ({ needsPassword: false } & OpenLink)): LinkAnswer {
  return body.needsPassword ? { kind: 'locked' } : { kind: 'open', link: body }
}

/** Gives the password; `text` is why it was refused. Never throws. */
export async function unlockLink(id: string, password: string): Promise<LinkAnswer | { kind: 'wrong'; text: string }> {
  try {
    const response = await fetch(`${addressOf(id)}/unlock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    })
    if (response.status === 404) return { kind: 'ended' }
    const body = await inPageLanguage(await response.json())
    return response.ok ? answerOf(body) : { kind: 'wrong', text: body.detail ?? messages.failedText }
  } catch {
    return { kind: 'wrong', text: messages.failedText }
  }
}
