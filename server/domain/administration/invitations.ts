import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { newId } from '../../lib/ids.ts'
import { ConflictError, InvalidInputError, NotFoundError } from '../errors.ts'
import type { Invitation, NewInvitation } from '../services/administration.ts'
import { emailKey, isEmail } from '../users/emails.ts'

const TOKEN_BYTES = 32
const LONGEST_DAYS = 365
const DEFAULT_DAYS = 7
/** Each is a way in: more than this is no list that somebody oversees. */
const MOST_OPEN = 200

const COLUMNS = `id, email, created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt",
  (select full_name from users where users.id = used_by and deleted_at is null) as "usedBy",
  case when used_at is not null then 'USED' when expires_at <= now() then 'EXPIRED' else 'OPEN' end as state`

const LIST = `select ${COLUMNS} from invitations order by created_at desc, id desc limit ${2 * MOST_OPEN}`

/** What is over is shown for a month. */
const SWEEP = `delete from invitations where coalesce(used_at, expires_at) < now() - interval '30 days'`

/** One statement: however many are made at once, there are never more open ones. */
const CREATE = `insert into invitations (id, token_hash, created_by, email, expires_at)
  select $1::uuid, $2::bytea, $3::uuid, $4::text, now() + $5 * interval '1 day'
  where (select count(*) from invitations where used_at is null and expires_at > now()) < ${MOST_OPEN}
  returning ${COLUMNS}`

const FIND = `select id, email, expires_at as "expiresAt" from invitations
  where token_hash = $1 and used_at is null and expires_at > now()`

/** An invitation that lets somebody in. */
export type OpenInvitation = { readonly id: string; readonly email: string | null; readonly expiresAt: Date }

/** The one that this token opens; null for what is unknown, used, revoked or over. */
export async function findInvitation(pool: pg.Pool, token: string): Promise<OpenInvitation | null> {
  if (!/^[\w-]{43}$/.test(token)) return null
  const { rows } = await pool.query<OpenInvitation>(FIND, [hashOf(token)])
  return rows[0] ?? null
}

/** The newest first, those that are over for a month. */
export async function listInvitations(pool: pg.Pool): Promise<Invitation[]> {
  return (await pool.query<Invitation>(LIST)).rows
}

/** @returns the token too, which is stored as a hash only. @throws InvalidInputError, ConflictError for too many open ones */
export async function createInvitation(
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

/** It opens nothing from then on. @throws NotFoundError */
export async function revokeInvitation(pool: pg.Pool, id: string): Promise<void> {
  const { rowCount } = await pool.query('delete from invitations where id = $1', [id])
  if (rowCount !== 1) throw new NotFoundError()
}

/** Whether it may be used by whoever has this address. @throws InvalidInputError */
export function checkInvited({ email }: Pick<OpenInvitation, 'email'>, address: string): void {
  if (email === null || emailKey(email) === emailKey(address)) return
  throw new InvalidInputError([{ path: 'email', message: 'This invitation is for another email address.' }])
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
