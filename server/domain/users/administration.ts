import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { emailKey, isEmail } from '../../lib/addresses.ts'
import { newId } from '../../lib/ids.ts'
import {
  ConflictError,
  InvalidInputError,
  NotAdministratorError,
  NotFoundError,
  RegistrationClosedError,
} from '../errors.ts'
import { sessionOf, type Viewer } from '../viewer.ts'

export const REGISTRATION_MODES = ['OPEN', 'INVITE', 'CLOSED'] as const
/** Who can register: everyone, holders of an invitation, no one. */
export type RegistrationMode = (typeof REGISTRATION_MODES)[number]

export type Invitation = {
  readonly id: string
  /** The only address that can use it; null: any address. */
  readonly email: string | null
  readonly state: 'OPEN' | 'USED' | 'EXPIRED'
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly usedAt: Date | null
  /** Full name of the user who registered with it; null while it is unused, and after that user is deleted. */
  readonly usedBy: string | null
}

/** `expiresInDays` 1 to 365, 7 by default. */
export type NewInvitation = { readonly email?: string | null | undefined; readonly expiresInDays?: number | undefined }

export type ServerOverview = {
  readonly registration: RegistrationMode
  readonly users: number
  /** Bytes used and reserved by all users in this server's own storage. */
  readonly usedBytes: number
  /** TOTAL_QUOTA; null: no limit. */
  readonly totalBytes: number | null
}

/** The server as a whole. All methods but the first three are for sessions of an administrator. @throws NotAdministratorError, KeyRefusedError */
export interface AdministrationService {
  /** OPEN while there is no user: the first one becomes the administrator. */
  registration(): Promise<RegistrationMode>
  /** The invitation of a token; null when it is unknown, used, revoked or expired. */
  offer(token: string): Promise<Pick<Invitation, 'email' | 'expiresAt'> | null>
  isAdministrator(viewer: Viewer): Promise<boolean>
  overview(viewer: Viewer): Promise<ServerOverview>
  /** Newest first; used and expired ones are listed for 30 days. */
  invitations(viewer: Viewer): Promise<Invitation[]>
  /** Creates an invitation for one use. The token is returned only here. @throws InvalidInputError, ConflictError (too many), RegistrationClosedError */
  invite(viewer: Viewer, input: NewInvitation): Promise<{ readonly invitation: Invitation; readonly token: string }>
  /** Its link stops working. @throws NotFoundError, also for viewers who are no administrator */
  revokeInvitation(viewer: Viewer, id: string): Promise<void>
}

export type AdministrationDeps = {
  readonly pool: pg.Pool
  /** REGISTRATION. */
  readonly registration: RegistrationMode
}

const OVERVIEW = `select (select count(*)::int from users where deleted_at is null) as users,
  coalesce(sum(used_bytes + reserved_bytes), 0)::float8 as "usedBytes",
  (select total_quota_bytes from server_limits where id = 1)::float8 as "totalBytes"
  from accounts where provider = 'local'`

/** Who can register, and what the administrator sees of the server. */
export function createAdministrationService({ pool, registration }: AdministrationDeps): AdministrationService {
  /** Checks the role in the database. @throws NotAdministratorError, KeyRefusedError */
  async function requireAdministrator(viewer: Viewer): Promise<void> {
    sessionOf(viewer)
    if (!(await isAdministrator(viewer))) throw new NotAdministratorError()
  }
  async function isAdministrator({ userId }: Viewer): Promise<boolean> {
    const text = `select from users where id = $1 and role = 'ADMINISTRATOR' and deleted_at is null`
    return (await pool.query(text, [userId])).rowCount === 1
  }

  return {
    async registration() {
      if (registration === 'OPEN') return registration
      const { rowCount } = await pool.query('select from users where deleted_at is null limit 1')
      return rowCount === 0 ? 'OPEN' : registration
    },
    async offer(token) {
      if (registration === 'CLOSED') return null
      const found = await findInvitation(pool, token)
      return found && { email: found.email, expiresAt: found.expiresAt }
    },
    isAdministrator,
    async overview(viewer) {
      await requireAdministrator(viewer)
      const { rows } = await pool.query<{ users: number; usedBytes: number; totalBytes: number | null }>(OVERVIEW)
      return { registration, ...(rows[0] ?? { users: 0, usedBytes: 0, totalBytes: null }) }
    },
    async invitations(viewer) {
      await requireAdministrator(viewer)
      return listInvitations(pool)
    },
    async invite(viewer, input) {
      await requireAdministrator(viewer)
      if (registration === 'CLOSED') throw new RegistrationClosedError('CLOSED')
      return createInvitation(pool, viewer.userId, input)
    },
    async revokeInvitation(viewer, id) {
      sessionOf(viewer)
      if (!(await isAdministrator(viewer))) throw new NotFoundError()
      await revokeInvitation(pool, id)
    },
  }
}

const TOKEN_BYTES = 32
const LONGEST_DAYS = 365
const DEFAULT_DAYS = 7
/** Each is an access to the server: a longer list could not be overseen. */
const MOST_OPEN = 200

const COLUMNS = `id, email, created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt",
  (select full_name from users where users.id = used_by and deleted_at is null) as "usedBy",
  case when used_at is not null then 'USED' when expires_at <= now() then 'EXPIRED' else 'OPEN' end as state`

const LIST = `select ${COLUMNS} from invitations order by created_at desc, id desc limit ${2 * MOST_OPEN}`

/** Used and expired ones are kept for 30 days. */
const SWEEP = `delete from invitations where coalesce(used_at, expires_at) < now() - interval '30 days'`

/** One statement, so that concurrent requests cannot exceed the limit of open ones. */
const CREATE = `insert into invitations (id, token_hash, created_by, email, expires_at)
  select $1::uuid, $2::bytea, $3::uuid, $4::text, now() + $5 * interval '1 day'
  where (select count(*) from invitations where used_at is null and expires_at > now()) < ${MOST_OPEN}
  returning ${COLUMNS}`

const FIND = `select id, email, expires_at as "expiresAt" from invitations
  where token_hash = $1 and used_at is null and expires_at > now()`

/** An invitation that can be used. */
export type OpenInvitation = { readonly id: string; readonly email: string | null; readonly expiresAt: Date }

/** The invitation of a token; null when it is unknown, used, revoked or expired. */
export async function findInvitation(pool: pg.Pool, token: string): Promise<OpenInvitation | null> {
  if (!/^[\w-]{43}$/.test(token)) return null
  const { rows } = await pool.query<OpenInvitation>(FIND, [hashOf(token)])
  return rows[0] ?? null
}

/** Newest first; used and expired ones for 30 days. */
async function listInvitations(pool: pg.Pool): Promise<Invitation[]> {
  return (await pool.query<Invitation>(LIST)).rows
}

/** The token is returned only here, the database stores its hash. @throws InvalidInputError, ConflictError for too many open ones */
async function createInvitation(
  pool: pg.Pool,
  userId: string,
  { email = null, expiresInDays = DEFAULT_DAYS }: NewInvitation,
): Promise<{ invitation: Invitation; token: string }> {
  const address = email?.trim().normalize('NFC') || null
  const fields = [
    ...(address !== null && !isEmail(address)
      ? [{ path: 'email', message: 'Please enter a valid email address.' }]
      : []),
    ...(Number.isInteger(expiresInDays) && expiresInDays >= 1 && expiresInDays <= LONGEST_DAYS
      ? []
      : [{ path: 'expiresInDays', message: `An invitation lasts 1 to ${LONGEST_DAYS} days.` }]),
  ]
  if (fields.length > 0) throw new InvalidInputError(fields)
  await pool.query(SWEEP)
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const values = [newId(), hashOf(token), userId, address, expiresInDays]
  const { rows } = await pool.query<Invitation>(CREATE, values)
  if (!rows[0]) throw new ConflictError(`${MOST_OPEN} invitations are open. Please revoke some of them first.`)
  return { invitation: rows[0], token }
}

/** @throws NotFoundError */
async function revokeInvitation(pool: pg.Pool, id: string): Promise<void> {
  const { rowCount } = await pool.query('delete from invitations where id = $1', [id])
  if (rowCount !== 1) throw new NotFoundError()
}

/** Checks that this address can use the invitation. @throws InvalidInputError */
export function checkInvited({ email }: Pick<OpenInvitation, 'email'>, address: string): void {
  if (email === null || emailKey(email) === emailKey(address)) return
  throw new InvalidInputError([{ path: 'email', message: 'This invitation is for another email address.' }])
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
