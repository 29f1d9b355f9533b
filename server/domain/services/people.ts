import type { Client, SignedIn } from '../services.ts'
import type { Viewer } from '../viewer.ts'

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
