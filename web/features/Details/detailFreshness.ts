/** A file's details are read again when they are older than this. */
const FRESH_MS = 60_000

const readAt = new Map<string, number>()

/** What the store has is shown in any case; whether it is also read again depends on its age. */
export function detailPolicy(id: string, now: number = Date.now()): 'store-or-network' | 'store-and-network' {
  const at = readAt.get(id)
  return at !== undefined && now - at < FRESH_MS ? 'store-or-network' : 'store-and-network'
}

export function markRead(id: string, now: number = Date.now()): void {
  readAt.set(id, now)
}
