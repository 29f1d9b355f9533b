import type { NewEntry } from '../driver.ts'

/** An upload as it is stored. `uri` is a credential: whoever has it can send the bytes. */
export type Session = {
  /** The id that the file will have, or has. */
  readonly id: string
  /** Null for an upload by one request, and until Drive has opened one. */
  readonly uri: string | null
  readonly parent: string
  readonly name: string
  readonly size: number
}

export function sessionText(session: Session): string {
  return JSON.stringify({ v: 1, ...session })
}

/** Null for what cannot be read, so that the upload begins again. */
export function readSession(text: string | null): Session | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return isSession(value) ? value : null
  } catch {
    return null
  }
}

export function isFor(session: Session, { parent, name, size }: NewEntry): boolean {
  return session.parent === parent && session.name === name && session.size === size
}

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { id, uri, parent, name, size } = value as Record<string, unknown>
  const texts = [id, parent, name].every((text) => typeof text === 'string')
  return texts && typeof size === 'number' && (uri === null || (typeof uri === 'string' && isUploadAddress(uri)))
}

/** Bytes go to Google and nowhere else, whatever an answer named as the session's address. */
export function isUploadAddress(uri: string): boolean {
  const host = URL.canParse(uri) ? new URL(uri) : null
  return host?.protocol === 'https:' && /(^|\.)googleapis\.com$/.test(host.hostname)
}
