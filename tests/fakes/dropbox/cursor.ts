/**
 * Where a listing stands. One and the same string serves to page through what there is, and afterwards to ask what has
 * changed since the listing began.
 */
export type Cursor = {
  readonly uid: string
  /** Folded; '' is the root. */
  readonly folder: string
  readonly recursive: boolean
  readonly includeDeleted: boolean
  readonly limit: number
  /** The last entry that was given, while pages are left; null afterwards. */
  readonly after: string | null
  /** How many changes of the account are known to the holder. */
  readonly known: number
  /** Cursors of an earlier epoch are answered by `reset`. */
  readonly epoch: number
}

const PREFIX = 'AAF'

export function encodeCursor(cursor: Cursor): string {
  return PREFIX + Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** Null for what no listing has given out. */
export function decodeCursor(text: string): Cursor | null {
  if (!text.startsWith(PREFIX)) return null
  try {
    const value: unknown = JSON.parse(Buffer.from(text.slice(PREFIX.length), 'base64url').toString('utf8'))
    return isCursor(value) ? value : null
  } catch {
    return null
  }
}

function isCursor(value: unknown): value is Cursor {
  return typeof value === 'object' && value !== null && 'uid' in value && 'known' in value && 'epoch' in value
}
