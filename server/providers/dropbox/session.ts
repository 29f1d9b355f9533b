import type { EntryRef } from '../driver.ts'

/** An upload as it is stored. */
export type Session = {
  /** Dropbox's id of the upload session, which has no name yet; null for an upload by one request. */
  readonly uploadId: string | null
  readonly parent: EntryRef
  readonly name: string
  readonly size: number
  /** Whether the request that gives the bytes their name may have been made. */
  readonly named: boolean
  /** Of all bytes, where it was known by then. */
  readonly hash: string | null
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

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { uploadId, parent, name, size, named, hash } = value as Record<string, unknown>
  const isTextOrNull = (text: unknown): boolean => text === null || typeof text === 'string'
  const hasPlace = typeof parent === 'string' && typeof name === 'string'
  return (
    hasPlace && typeof size === 'number' && typeof named === 'boolean' && isTextOrNull(uploadId) && isTextOrNull(hash)
  )
}
