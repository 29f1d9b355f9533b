import type { EntryRef } from '../driver.ts'
import { sessionFormat } from '../shared/session.ts'
import type { Found } from './entry.ts'

/** The saved state of an upload or a copy. */
export type Session = {
  readonly parent: EntryRef
  readonly name: string
  readonly size: number
  /** Where the bytes are until they are complete. */
  readonly temporary: EntryRef
  /** Folder of its chunks at the server, and their size; null for an upload in one request. */
  readonly chunks: { readonly folder: string; readonly bytes: number } | null
  /** What identifies the complete bytes, saved before they get their name; null before. */
  readonly stored: Marks | null
}

/** At least one of them survives a rename at every server. */
export type Marks = {
  readonly fileId: string | null
  readonly revision: string | null
  readonly modified: string | null
}

export function marksOf({ entry, fileId }: Found): Marks {
  return { fileId, revision: entry.details?.revision ?? null, modified: entry.modifiedAt?.toISOString() ?? null }
}

/** Whether a file is the one that was uploaded. */
export function isMarked(found: Found, size: number, marks: Marks): boolean {
  if (found.entry.size !== size) return false
  const own = marksOf(found)
  if (own.fileId !== null && marks.fileId !== null) return own.fileId === marks.fileId
  const isSame = (name: 'revision' | 'modified'): boolean => marks[name] !== null && own[name] === marks[name]
  return isSame('revision') || isSame('modified')
}

export const { sessionText, readSession } = sessionFormat(isSession)

function isSession(value: unknown): value is Session {
  if (!isObject(value)) return false
  const { parent, name, size, temporary, chunks, stored } = value
  const hasTexts = [parent, name, temporary].every((text) => typeof text === 'string')
  return (
    hasTexts &&
    typeof size === 'number' &&
    (chunks === null || isChunks(chunks)) &&
    (stored === null || isObject(stored))
  )
}

function isChunks(value: unknown): boolean {
  return isObject(value) && typeof value.folder === 'string' && Number.isSafeInteger(value.bytes)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
