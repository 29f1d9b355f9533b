import type { Viewer } from '../viewer.ts'

export type User = {
  readonly id: string
  readonly fullName: string
  readonly email: string
  readonly role: 'MEMBER' | 'ADMINISTRATOR'
  readonly createdAt: Date
}

/** Where a request comes from, for throttling and the session list. */
export type Client = {
  readonly address: string
  readonly userAgent: string
  /** What this browser was given when the user signed in on it (`SignedIn.device`); null for none. */
  readonly deviceOf?: (userId: string) => string | null
}

/** `token` goes into the cookie and nowhere else; `expiresAt` is null for a cookie that ends with the browser. */
export type SignedIn = {
  readonly user: User
  readonly token: string
  readonly expiresAt: Date | null
  /** For a long-lived cookie: a browser that shows it is not held up by what strangers have guessed. */
  readonly device: string
}

export interface UsersService {
  /**
   * Makes user, `local` account and default group cloud in one transaction, and signs in. The first user becomes the administrator,
   * whatever the mode. `invitation`: the token of one, which is used up.
   * @throws InvalidInputError, EmailTakenError, TooManyRequestsError, RegistrationClosedError, InvalidTokenError
   */
  register(
    input: { fullName: string; email: string; password: string; invitation?: string | undefined },
    client: Client,
  ): Promise<SignedIn>
  /**
   * Same answer and timing for an unknown address and a wrong password. Attempts of a device that the user has signed in on are
   * counted apart from all others. @throws UnauthenticatedError, TooManyRequestsError
   */
  login(input: { email: string; password: string; rememberMe: boolean }, client: Client): Promise<SignedIn>
  /** The viewer of a live session by its cookie token; null otherwise. One indexed statement. */
  viewerOf(token: string): Promise<Viewer | null>
  /** Whether the viewer's session or key still lives. Asking does not count as activity: an open stream keeps no session alive. */
  isLive(viewer: Viewer): Promise<boolean>
  /** Ends the session at once. Idempotent. */
  logout(viewer: Viewer): Promise<void>
  /** @throws UnauthenticatedError when the user is gone */
  me(viewer: Viewer): Promise<User>
}

/** A signed-in browser. */
export type Session = {
  readonly id: string
  /** "Chrome on Linux"; "A program" when nothing can be told. */
  readonly name: string
  readonly address: string
  /** The one that asks. */
  readonly current: boolean
  readonly remember: boolean
  readonly createdAt: Date
  readonly lastSeenAt: Date
}

/** What a viewer may do with their own sign-in. For sessions only. @throws KeyRefusedError for a viewer with a key */
export interface PeopleService {
  /** The current one first, then the last seen. */
  sessions(viewer: Viewer): Promise<Session[]>
  /** The very next request of it is refused. @throws NotFoundError */
  endSession(viewer: Viewer, id: string): Promise<void>
  /** All but the current one. Resolves with how many. */
  endOtherSessions(viewer: Viewer): Promise<number>
  /** @throws InvalidInputError */
  changeName(viewer: Viewer, fullName: string): Promise<void>
  /**
   * Ends all other sessions, and every password reset under way; a mail says so. The session that asks goes on under the new token
   * that is returned. @throws InvalidInputError (path `currentPassword` or `newPassword`), TooManyRequestsError, ConflictError
   */
  changePassword(
    viewer: Viewer,
    input: { currentPassword: string; newPassword: string },
  ): Promise<Omit<SignedIn, 'device'>>
  /**
   * At once nobody can sign in, every session, key and share is dead and the address is free again; a job then removes the bytes on this
   * server and disconnects the accounts. What lies on them stays there unless `deleteRemote`. @throws InvalidInputError (path `password`), TooManyRequestsError
   */
  deleteUser(viewer: Viewer, input: { password: string; deleteRemote: boolean }): Promise<void>
}

/** For people who cannot sign in. */
export interface RecoveryService {
  /** Same answer and timing for known and unknown addresses; the mail is sent by job. @throws InvalidInputError, TooManyRequestsError */
  forgot(email: string, client: Client): Promise<void>
  /**
   * Sets the password, ends all sessions, uses the token up, tells the owner by mail. `device` as in SignedIn: whoever reads the
   * owner's mail is no stranger. @throws InvalidInputError (`password`), InvalidTokenError, TooManyRequestsError
   */
  reset(
    input: { token: string; password: string },
    client: Client,
  ): Promise<{ readonly userId: string; readonly device: string }>
}
