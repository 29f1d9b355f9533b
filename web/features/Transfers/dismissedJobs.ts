/** Ended jobs that the user does not want to see any more, kept in this browser. */
const KEY = 'skypool-dismissed-jobs'
/** The server lists no more than those of a day. */
const MOST = 200

const listeners = new Set<() => void>()

function read(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

/** Without storage (private windows can refuse it) it is dismissed until the page is left. */
const dismissed = new Set(read())

export function isDismissed(jobId: string): boolean {
  return dismissed.has(jobId)
}

export function dismissJob(jobId: string): void {
  dismissed.add(jobId)
  try {
    localStorage.setItem(KEY, JSON.stringify([...new Set([...read(), jobId])].slice(-MOST)))
  } catch {
    // It is kept in memory.
  }
  for (const listener of listeners) listener()
}

/** @returns a function that unsubscribes */
export function onDismissed(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
