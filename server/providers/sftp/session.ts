import type { EntryRef, NewEntry } from '../driver.ts'

/**
 * A saved upload. `part`: the ref of its bytes until they get their name. `modifiedAt`: set before it was to get its name, with the
 * time of the complete part, in seconds, by which it is recognised; null before, and when the name turned out to be taken.
 */
export type Session = {
  readonly part: EntryRef
  readonly parent: EntryRef
  readonly name: string
  readonly size: number
  readonly modifiedAt: number | null
  /** What the server has kept under the name with another size, and is to be deleted: recognised by these. */
  readonly wrong?: { readonly size: number; readonly modifiedAt: number }
}

export function sessionText(session: Session): string {
  return JSON.stringify(session)
}

/** Null for what is no session of this driver. */
export function readSession(text: string | null): Session | null {
  if (text === null) return null
  try {
    const session: Partial<Record<keyof Session, unknown>> | null = JSON.parse(text)
    const { part, parent, name, size, modifiedAt, wrong } = session ?? {}
    const isSession =
      typeof part === 'string' && typeof parent === 'string' && typeof name === 'string' && typeof size === 'number'
    if (!isSession || !(modifiedAt === null || typeof modifiedAt === 'number')) return null
    const saved = { part: part as EntryRef, parent: parent as EntryRef, name, size, modifiedAt }
    return wrong ? { ...saved, wrong: wrong as NonNullable<Session['wrong']> } : saved
  } catch {
    return null
  }
}

/** Whether the upload of an entry can continue it. */
export function isOf({ parent, name, size }: NewEntry, session: Session): boolean {
  return session.parent === parent && session.name === name && session.size === size
}
