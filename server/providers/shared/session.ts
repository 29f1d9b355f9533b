/** How a driver saves its uploads in progress, as text that later calls get back. */
export type SessionFormat<Session> = {
  sessionText(session: Session): string
  /** Null for text that is no session of this driver, so that the upload starts over. */
  readSession(text: string | null): Session | null
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
