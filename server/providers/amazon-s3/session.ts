import type { EntryRef, NewEntry } from '../driver.ts'
import { sessionFormat } from '../shared/session.ts'

/** The saved state of an upload or a copy. */
export type Session = {
  /** Of an upload in parts; null for one in one request. */
  readonly uploadId: string | null
  readonly partBytes: number
  readonly parent: EntryRef
  readonly name: string
  readonly size: number
  /** MD5 of the whole content. */
  readonly md5: string
  /** Whether the request that gives the bytes their key may have been sent. */
  readonly named: boolean
}

export const { sessionText, readSession } = sessionFormat(isSession)

export const isFor = (session: Session, { parent, name, size }: NewEntry): boolean =>
  session.parent === parent && session.name === name && session.size === size

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { uploadId, partBytes, parent, name, size, md5, named } = value as Record<string, unknown>
  const hasTexts = [parent, name, md5].every((text) => typeof text === 'string')
  const hasNumbers = [partBytes, size].every((number) => typeof number === 'number')
  return hasTexts && hasNumbers && typeof named === 'boolean' && (uploadId === null || typeof uploadId === 'string')
}
