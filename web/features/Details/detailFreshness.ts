/** Details of a file are fetched again when they are older than this. */
const FRESH_MS = 60_000

const readAt = new Map<string, number>()

/** Cached details are always shown; whether they are also fetched again depends on their age. */
export function detailPolicy(id: string, now: number = Date.now()): 'store-or-network' | 'store-and-network' {
  const at = readAt.get(id)
  return at !== undefined && now - at < FRESH_MS ? 'store-or-network' : 'store-and-network'
}

export function markRead(id: string, now: number = Date.now()): void {
  readAt.set(id, now)
}
