/** How a driver saves its uploads in progress, as text that later calls get back. */
export type SessionFormat<Session> = {
  sessionText(session: Session): string
  /** Null for text that is no session of this driver, so that the upload starts over. */
  readSession(text: string | null): Session | null
}

/** Clocks of services differ by less. */
const SKEW_MS = 15 * 60_000

/**
 * Whether an empty file with the name of an upload, whose answer was lost, can be all that the service has kept of it: it has no bytes to
 * compare, so it must not be older than the upload. `since`: when that began, in ms.
 */
export function isYoungerThan(since: number, createdAt: Date | null): boolean {
  return createdAt !== null && createdAt.getTime() >= since - SKEW_MS
}

/** Sessions as JSON with the number of their form. `isSession` decides whether saved JSON is a session. */
export function sessionFormat<Session extends object>(
  isSession: (value: unknown) => value is Session,
): SessionFormat<Session> {
  return {
    sessionText: (session) => JSON.stringify({ v: 1, ...session }),
    readSession(text) {
      try {
        const value: unknown = JSON.parse(text ?? 'null')
        return isSession(value) ? value : null
      } catch {
        return null
      }
    },
  }
}
