import type { Viewer } from '../viewer.ts'

export const REGISTRATION_MODES = ['OPEN', 'INVITE', 'CLOSED'] as const
/** Who may sign up: everybody, whoever has an invitation, nobody. */
export type RegistrationMode = (typeof REGISTRATION_MODES)[number]

export type Invitation = {
  readonly id: string
  /** Only this address may use it; null: any. */
  readonly email: string | null
  readonly state: 'OPEN' | 'USED' | 'EXPIRED'
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly usedAt: Date | null
  /** Full name of who signed up with it; null while it is unused, and when they are gone. */
  readonly usedBy: string | null
}

/** `expiresInDays` 1 to 365, 7 by default. */
export type NewInvitation = { readonly email?: string | null | undefined; readonly expiresInDays?: number | undefined }

export type ServerOverview = {
  readonly registration: RegistrationMode
  readonly users: number
  /** What all users keep, and have reserved, in this server's own storage. */
  readonly usedBytes: number
  /** TOTAL_QUOTA; null: no limit. */
  readonly totalBytes: number | null
}

/** What concerns the server as a whole. All but the first three are for sessions of an administrator. @throws NotAdministratorError, KeyRefusedError */
export interface AdministrationService {
  /** Open as long as there is no user at all: the first one becomes the administrator. */
  registration(): Promise<RegistrationMode>
  /** What an invitation's token opens; null for what is unknown, used, revoked or over. */
  offer(token: string): Promise<Pick<Invitation, 'email' | 'expiresAt'> | null>
  isAdministrator(viewer: Viewer): Promise<boolean>
  overview(viewer: Viewer): Promise<ServerOverview>
  /** Newest first; those that are over stay for 30 days. */
  invitations(viewer: Viewer): Promise<Invitation[]>
  /** Single use. The token is told here once. @throws InvalidInputError, ConflictError (too many), RegistrationClosedError */
  invite(viewer: Viewer, input: NewInvitation): Promise<{ readonly invitation: Invitation; readonly token: string }>
  /** Its link opens nothing from then on. @throws NotFoundError, for everybody but an administrator too */
  revokeInvitation(viewer: Viewer, id: string): Promise<void>
}
