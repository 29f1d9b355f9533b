import type pg from 'pg'
import type { PoolClient } from 'pg'
import type { Db } from '../../db/client.ts'
import { Prisma, type User as UserRow } from '../../db/generated/prisma/client.ts'
import { transaction } from '../../db/pool.ts'
import { emailKey, networkOf } from '../../lib/addresses.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import { isLanguage, type Language } from '../../lib/languages.ts'
import {
  BusyError,
  ConflictError,
  EmailTakenError,
  InvalidInputError,
  InvalidTokenError,
  RegistrationClosedError,
  UnauthenticatedError,
} from '../errors.ts'
import type { Events } from '../events.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import { type AdministrationService, checkInvited, findInvitation, type RegistrationMode } from './administration.ts'
import type { Client, PasswordChange, PeopleService, SignedIn, User, UsersService } from './contract.ts'
import { deleteUser } from './deletion.ts'
import {
  type Confirmed,
  confirmPassword,
  createDevices,
  createPasswords,
  createThrottle,
  type Passwords,
  type PeopleDeps,
  type ThrottleRule,
} from './passwords.ts'
import {
  createSessions,
  endOtherSessions,
  endSession,
  listSessions,
  nameErrors,
  passwordErrors,
  registrationErrors,
  renewSession,
} from './sessions.ts'

/** The users that a viewer can access: only themselves. */
export const visibleTo = (viewer: Viewer) => ({ AND: { id: viewer.userId } }) satisfies Prisma.UserWhereInput

export const GUESSES_PER_ACCOUNT: ThrottleRule = { limit: 10, windowSeconds: 300, longestDelaySeconds: 900 }
export const FAILURES_PER_NETWORK: ThrottleRule = { limit: 20, windowSeconds: 60, longestDelaySeconds: null }
/** Registration reveals whether an address is taken; this limits how many can be probed. */
const REGISTRATIONS_PER_NETWORK: ThrottleRule = { limit: 60, windowSeconds: 60, longestDelaySeconds: null }

export type UsersDeps = {
  readonly db: Db
  readonly pool: pg.Pool
  readonly events: Pick<Events, 'publish'>
  /** Quota of the `local` account that every user gets; null is unlimited. */
  readonly localQuotaBytes: number | null
  /** Shared, so that its concurrency limit covers all callers. */
  readonly passwords?: Passwords
  /** REGISTRATION. */
  readonly registration: RegistrationMode
  /** The effective mode: OPEN while there is no user. */
  readonly administration: Pick<AdministrationService, 'registration'>
  /** Signs device tokens. */
  readonly encryption: Pick<Encryption, 'sign' | 'verify'>
  /** Whether the API key of a viewer is still valid. */
  readonly isKeyLive: (viewer: Viewer) => Promise<boolean>
}

export function createUsersService({
  db,
  pool,
  events,
  localQuotaBytes,
  passwords = createPasswords(),
  registration,
  administration,
  encryption,
  isKeyLive,
}: UsersDeps): UsersService {
  const sessions = createSessions(pool, events)
  const throttle = createThrottle(pool)
  const devices = createDevices(encryption)

  async function signIn(row: UserRow, remember: boolean, client: Client): Promise<SignedIn> {
    const started = await sessions.start(row, remember, client)
    if (!started) throw wrongCredentials()
    const { token, expiresAt } = started
    const device = devices.issue(row.id, client.deviceOf?.(row.id) ?? null)
    return { user: toUser(row), token, expiresAt: remember ? expiresAt : null, device }
  }

  /** Id of the invitation to use; null where none is needed. @throws RegistrationClosedError, InvalidTokenError, InvalidInputError */
  async function admit(token: string | undefined, email: string): Promise<string | null> {
    const mode = await administration.registration()
    if (mode === 'CLOSED') throw new RegistrationClosedError(mode)
    const found = token ? await findInvitation(pool, token) : null
    if (mode === 'INVITE' && !token) throw new RegistrationClosedError(mode)
    if (mode === 'INVITE' && !found) throw invitationOver()
    if (found) checkInvited(found, email)
    return found?.id ?? null
  }

  return {
    async register({ invitation, ...input }, client) {
      const errors = registrationErrors(input)
      if (errors.length > 0) throw new InvalidInputError(errors)
      await throttle.take(`register:${networkOf(client.address)}`, REGISTRATIONS_PER_NETWORK)
      const invitationId = await admit(invitation, input.email)
      const passwordHash = await passwords.hash(input.password)
      const details = { passwordHash, localQuotaBytes, registration, invitationId }
      return signIn(await createUser(db, { ...input, ...details }), false, client)
    },

    async login({ email, password, rememberMe }, client) {
      const key = emailKey(email)
      const row = await db.user.findUnique({ where: { emailKey: key, deletedAt: null } })
      const device = row && devices.nameOf(row.id, client.deviceOf?.(row.id) ?? null)
      const attempt = device ? knownDeviceAttempt(device) : unknownDeviceAttempt(networkOf(client.address), key)
      for (const { key, rule } of attempt) await throttle.take(key, rule)
      const matches = await passwords.verify(row?.passwordHash ?? null, password).catch(async (error: unknown) => {
        // The password was not checked, so the attempt does not count.
        if (error instanceof BusyError) for (const { key } of attempt) await throttle.refund(key)
        throw error
      })
      if (!row || !matches) throw wrongCredentials()
      for (const { key, forget } of attempt) await (forget ? throttle.clear(key) : throttle.refund(key))
      const signedIn = await signIn(row, rememberMe, client)
      await upgradeHash(db, passwords, row, password)
      return signedIn
    },

    viewerOf: sessions.viewerOf,
    isLive: (viewer) => (viewer.sessionId === null ? isKeyLive(viewer) : sessions.isLive(viewer.sessionId)),
    logout: (viewer) => sessions.end(sessionOf(viewer)),

    async me({ userId }) {
      const row = await db.user.findUnique({ where: { id: userId } })
      if (!row) throw new UnauthenticatedError()
      return toUser(row)
    },
  }
}

type Counted = {
  readonly key: string
  readonly rule: ThrottleRule
  /** A success resets the count; otherwise it only refunds this attempt. */
  readonly forget: boolean
}

/** Attempts from known devices and from unknown clients are counted separately. */
function knownDeviceAttempt(device: string): Counted[] {
  return [{ key: `device:${device}`, rule: GUESSES_PER_ACCOUNT, forget: true }]
}

function unknownDeviceAttempt(network: string, account: string): Counted[] {
  return [
    { key: `address:${network}`, rule: FAILURES_PER_NETWORK, forget: false },
    { key: `account:${account}`, rule: GUESSES_PER_ACCOUNT, forget: true },
  ]
}

function wrongCredentials(): UnauthenticatedError {
  return new UnauthenticatedError('The email address or the password is not right.')
}

function orBusy(error: unknown): null {
  if (error instanceof BusyError) return null
  throw error
}

/** Rehashes a password whose hash has outdated parameters. */
async function upgradeHash(db: Db, passwords: Passwords, row: UserRow, password: string): Promise<void> {
  if (!passwords.isOutdated(row.passwordHash)) return
  const passwordHash = await passwords.hash(password).catch(orBusy)
  // Too busy: the next sign-in tries again.
  if (passwordHash === null) return
  await db.user.updateMany({ where: { id: row.id, passwordHash: row.passwordHash }, data: { passwordHash } })
}

function toUser({ id, fullName, email, role, language, createdAt }: UserRow): User {
  return {
    id,
    fullName,
    email,
    role,
    language: isLanguage(language ?? undefined) ? (language as Language) : null,
    createdAt,
  }
}

/** Serialises registrations while there is no user, so that only one becomes the first. */
const FIRST_USER_LOCK = 1936421494
const LOCAL_ACCOUNT_NAME = 'This server'
const DEFAULT_GROUP_CLOUD_NAME = 'My Cloud'

export type NewUser = {
  readonly fullName: string
  readonly email: string
  readonly passwordHash: string
  readonly localQuotaBytes: number | null
  readonly registration: RegistrationMode
  /** The invitation that was used; null: none. */
  readonly invitationId: string | null
}

/**
 * Creates the user, the `local` account and the default group cloud, and uses the invitation, in one transaction.
 * @throws EmailTakenError, RegistrationClosedError, InvalidTokenError
 */
async function createUser(db: Db, input: NewUser): Promise<UserRow> {
  try {
    return await db.$transaction(async (tx) => {
      const isFirst = await isFirstUser(tx)
      if (!isFirst) requireEntry(input)
      const role = isFirst ? 'ADMINISTRATOR' : 'MEMBER'
      const user = await tx.user.create({ data: { ...userData(input), role } })
      if (input.invitationId) await useInvitation(tx, input.invitationId, user.id)
      await createLocalCloud(tx, user.id, input.localQuotaBytes)
      return user
    })
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') throw new EmailTakenError()
    throw error
  }
}

async function isFirstUser(tx: Prisma.TransactionClient): Promise<boolean> {
  if (await hasUsers(tx)) return false
  await tx.$executeRaw`select pg_advisory_xact_lock(${FIRST_USER_LOCK}::bigint)`
  return !(await hasUsers(tx))
}

async function hasUsers(tx: Prisma.TransactionClient): Promise<boolean> {
  return (await tx.user.findFirst({ where: { deletedAt: null }, select: { id: true } })) !== null
}

/** @throws RegistrationClosedError */
function requireEntry({ registration, invitationId }: NewUser): void {
  if (registration === 'CLOSED' || (registration === 'INVITE' && !invitationId)) {
    throw new RegistrationClosedError(registration)
  }
}

/** @throws InvalidTokenError when it was used or revoked in the meantime */
async function useInvitation(tx: Prisma.TransactionClient, id: string, userId: string): Promise<void> {
  const { count } = await tx.invitation.updateMany({
    where: { id, usedAt: null },
    data: { usedAt: new Date(), usedBy: userId },
  })
  if (count !== 1) throw invitationOver()
}

function invitationOver(): InvalidTokenError {
  return new InvalidTokenError('This invitation does not work. It may have been used, revoked, or have expired.')
}

function userData({ fullName, email, passwordHash }: NewUser): Prisma.UserCreateInput {
  return {
    id: newId(),
    fullName: fullName.trim().normalize('NFC'),
    email: email.trim().normalize('NFC'),
    emailKey: emailKey(email),
    passwordHash,
  }
}

/** The `local` account and the default group cloud that holds it. */
async function createLocalCloud(
  tx: Prisma.TransactionClient,
  userId: string,
  quotaBytes: number | null,
): Promise<void> {
  const account = await tx.account.create({
    data: {
      id: newId(),
      userId,
      provider: 'local',
      name: LOCAL_ACCOUNT_NAME,
      hue: 0,
      quotaState: quotaBytes === null ? 'UNLIMITED' : 'KNOWN',
      quotaBytes: quotaBytes === null ? null : BigInt(quotaBytes),
    },
  })
  await tx.groupCloud.create({
    data: {
      id: newId(),
      userId,
      name: DEFAULT_GROUP_CLOUD_NAME,
      defaultUploadGroup: true,
      members: { create: { accountId: account.id, position: 0 } },
    },
  })
}

export function createPeopleService(deps: PeopleDeps & { readonly me: UsersService['me'] }): PeopleService {
  return {
    sessions: (viewer) => listSessions(deps.pool, viewer),
    endSession: (viewer, id) => endSession(deps, viewer, id),
    endOtherSessions: (viewer) => endOtherSessions(deps, viewer),
    changeName: (viewer, fullName) => changeName(deps, viewer, fullName),
    changeLanguage: (viewer, language) => changeLanguage(deps, viewer, language),
    changePassword: async (viewer, input) => ({
      ...(await changePassword(deps, viewer, input)),
      user: await deps.me(viewer),
    }),
    deleteUser: (viewer, input) => deleteUser(deps, viewer, input),
  }
}

const RENAME = `update users u set full_name = $2, updated_at = now()
  from (select id, full_name from users where id = $1 and deleted_at is null for update) was
  where u.id = was.id returning was.full_name as from`

/** @throws InvalidInputError */
async function changeName({ pool, activity }: PeopleDeps, viewer: Viewer, fullName: string): Promise<void> {
  sessionOf(viewer)
  const errors = nameErrors('fullName', fullName)
  if (errors.length > 0) throw new InvalidInputError(errors)
  const to = fullName.trim().normalize('NFC')
  const { rows } = await pool.query<{ from: string }>(RENAME, [viewer.userId, to])
  const [changed] = rows
  if (!changed) throw new UnauthenticatedError()
  if (changed.from === to) return
  const subject = { type: 'User', id: viewer.userId, name: to } as const
  activity.record({ kind: 'VIEWER', viewer }, { action: 'NAME_CHANGED', subject, details: { from: changed.from, to } })
}

const SPEAK = `update users set language = $2, updated_at = now() where id = $1 and deleted_at is null`

async function changeLanguage({ pool }: PeopleDeps, viewer: Viewer, language: Language | null): Promise<void> {
  sessionOf(viewer)
  const { rowCount } = await pool.query(SPEAK, [viewer.userId, language])
  if (rowCount === 0) throw new UnauthenticatedError()
}

/**
 * The current session continues with a new token; all others, and open password resets, end.
 * @throws InvalidInputError, TooManyRequestsError, ConflictError when the password was changed elsewhere in the meantime
 */
async function changePassword(
  deps: PeopleDeps,
  viewer: Viewer,
  { currentPassword, newPassword, language }: PasswordChange,
): Promise<Omit<SignedIn, 'user' | 'device'>> {
  const sessionId = sessionOf(viewer)
  const confirmed = await confirmPassword(deps, viewer.userId, currentPassword, 'currentPassword')
  const errors = passwordErrors('newPassword', newPassword, confirmed.email)
  if (errors.length > 0) throw new InvalidInputError(errors)
  const passwordHash = await deps.passwords.hash(newPassword)
  const renewed = await transaction(deps.pool, async (tx) => {
    await storePassword(tx, viewer.userId, confirmed, passwordHash)
    await tx.query('delete from sessions where user_id = $1 and id <> $2', [viewer.userId, sessionId])
    await deps.enqueue(tx, 'mailNotice', { userId: viewer.userId, notice: 'PASSWORD_CHANGED', language })
    return renewSession(tx, sessionId)
  })
  deps.activity.record({ kind: 'VIEWER', viewer }, { action: 'PASSWORD_CHANGED' })
  deps.events.publish('accessChanged', viewer.userId, {})
  return renewed
}

async function storePassword(tx: PoolClient, userId: string, was: Confirmed, passwordHash: string): Promise<void> {
  const { rowCount } = await tx.query(
    'update users set password_hash = $3, updated_at = now() where id = $1 and password_hash = $2 and deleted_at is null',
    [userId, was.passwordHash, passwordHash],
  )
  if (rowCount !== 1) throw new ConflictError('The password was changed elsewhere at the same time. Please try again.')
  await tx.query('delete from password_resets where user_id = $1', [userId])
}
