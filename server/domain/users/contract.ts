import type { Language } from '../../lib/languages.ts'
import type { Viewer } from '../viewer.ts'

export type User = {
  readonly id: string
  readonly fullName: string
  readonly email: string
  readonly role: 'MEMBER' | 'ADMINISTRATOR'
  /** Of the pages; null: as the browser asks. */
  readonly language: Language | null
  readonly createdAt: Date
}

/** Origin of a request, for throttling and the session list. */
export type Client = {
  readonly address: string
  readonly userAgent: string
  /** Of the browser, for mails to users who have chosen none. */
  readonly language?: Language
  /** The browser's device token for a user (`SignedIn.device`); null for none. */
  readonly deviceOf?: (userId: string) => string | null
}

/** `token` is for the session cookie only; `expiresAt` is null for a cookie without expiry (until the browser closes). */
export type SignedIn = {
  readonly user: User
  readonly token: string
  readonly expiresAt: Date | null
  /** For a long-lived cookie: exempts this browser from throttling caused by other clients. */
  readonly device: string
}

export interface UsersService {
  /**
   * Creates user, `local` account and default group cloud in one transaction, and signs in. The first user can always register and
   * becomes the administrator. `invitation`: a token, which is used up.
   * @throws InvalidInputError, EmailTakenError, TooManyRequestsError, RegistrationClosedError, InvalidTokenError
   */
  register(
    input: { fullName: string; email: string; password: string; invitation?: string | undefined },
    client: Client,
  ): Promise<SignedIn>
  /**
   * Same response and timing for an unknown address and a wrong password. Attempts from a known device are counted separately.
   * @throws UnauthenticatedError, TooManyRequestsError
   */
  login(input: { email: string; password: string; rememberMe: boolean }, client: Client): Promise<SignedIn>
  /** The viewer of a valid session by its cookie token; null otherwise. One indexed statement. */
  viewerOf(token: string): Promise<Viewer | null>
  /** Whether the viewer's session or key is still valid. Does not count as activity: an open stream does not extend a session. */
  isLive(viewer: Viewer): Promise<boolean>
  /** Ends the session immediately. Idempotent. */
  logout(viewer: Viewer): Promise<void>
  /** @throws UnauthenticatedError when the user was deleted */
  me(viewer: Viewer): Promise<User>
}

/** A signed-in browser. */
export type Session = {
  readonly id: string
  /** "Chrome on Linux"; "A program" when unknown. */
  readonly name: string
  readonly address: string
  /** Whether it is the session of this request. */
  readonly current: boolean
  readonly remember: boolean
  readonly createdAt: Date
  readonly lastSeenAt: Date
}

export type PasswordChange = {
  readonly currentPassword: string
  readonly newPassword: string
  /** Of the browser, for the mail to a user who has chosen none. */
  readonly language?: Language | undefined
}

/** A user's own profile, password and sessions. Not for API keys. @throws KeyRefusedError for a viewer with a key */
export interface PeopleService {
  /** The current session first, then by last activity. */
  sessions(viewer: Viewer): Promise<Session[]>
  /** Ends a session immediately. @throws NotFoundError */
  endSession(viewer: Viewer, id: string): Promise<void>
  /** Ends all sessions but the current one. @returns their number */
  endOtherSessions(viewer: Viewer): Promise<number>
  /** @throws InvalidInputError */
  changeName(viewer: Viewer, fullName: string): Promise<void>
  /** Null: as the browser asks. */
  changeLanguage(viewer: Viewer, language: Language | null): Promise<void>
  /**
   * Ends all other sessions and open password resets, and notifies the user by mail. The current session continues with the
   * returned token. @throws InvalidInputError (path `currentPassword` or `newPassword`), TooManyRequestsError, ConflictError
   */
  changePassword(viewer: Viewer, input: PasswordChange): Promise<Omit<SignedIn, 'device'>>
  /**
   * Immediately ends all sessions, keys and shares and frees the e-mail address; a job then deletes the bytes on this server and
   * disconnects the accounts. Files on connected accounts stay there unless `deleteRemote`.
   * @throws InvalidInputError (path `password`), TooManyRequestsError
   */
  deleteUser(viewer: Viewer, input: { password: string; deleteRemote: boolean }): Promise<void>
}

/** Password resets. */
export interface RecoveryService {
  /** Same response and timing for known and unknown addresses; a job sends the mail. @throws InvalidInputError, TooManyRequestsError */
  forgot(email: string, client: Client): Promise<void>
  /**
   * Sets the password, ends all sessions, uses up the token and notifies the user by mail. `device` as in SignedIn: access to the
   * user's mail proves a known device. @throws InvalidInputError (`password`), InvalidTokenError, TooManyRequestsError
   */
  reset(
    input: { token: string; password: string },
    client: Client,
  ): Promise<{ readonly userId: string; readonly device: string }>
}
