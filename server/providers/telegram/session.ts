import { sessionFormat } from '../shared/session.ts'
import type { Part, Place } from './objects.ts'

/** The saved state of an upload. It is saved before each document is sent, so that none can be stored without being found again. */
export type Session = {
  readonly objectId: string
  readonly size: number
  /** The documents with parts that were stored, in order. */
  readonly parts: readonly Part[]
  /** The object's head: it is complete. */
  readonly head: (Place & { readonly headBytes: number }) | null
  /** A document that was sent since then has a higher message number than this. */
  readonly after: number
  /** The document that may have been stored since then without an answer; null: none. `bytes`: of the document. */
  readonly pending: { readonly salt: string; readonly bytes: number } | null
  /** Documents that Telegram stored only after they were looked for have higher numbers than this; null: there can be none. */
  readonly lateAfter: number | null
}

export const { sessionText, readSession } = sessionFormat(isSession)

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { objectId, size, parts, head, after, pending } = value as Record<string, unknown>
  return (
    typeof objectId === 'string' &&
    typeof size === 'number' &&
    Array.isArray(parts) &&
    typeof head === 'object' &&
    typeof after === 'number' &&
    typeof pending === 'object'
  )
}
