/** The server could not be reached: offline, or it is down. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

/** The server responded, but not with data. `status` is HTTP's; `code` is the server's own, where it gave one. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  constructor(
    readonly status: number,
    readonly code: string | null,
    message: string,
  ) {
    super(message)
  }
}

/** No one is signed in any more; the app is navigating to the login page. */
export class SessionLostError extends Error {
  override readonly name = 'SessionLostError'
}
