import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { ClientBase, Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { emailKey, isEmail, networkOf } from '../../lib/addresses.ts'
import { clientName } from '../../lib/clientName.ts'
import { createBatcher, type Outcome } from '../../lib/concurrency.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import { isLanguage, type Language } from '../../lib/languages.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { ActivityLog } from '../activity/contract.ts'
import {
  type FieldError,
  InvalidInputError,
  InvalidTokenError,
  NotFoundError,
  UnauthenticatedError,
} from '../errors.ts'
import type { Events } from '../events.ts'
import type { Enqueue, RecoveryHousekeeping } from '../jobs.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import type { Client, RecoveryService, Session } from './contract.ts'
import { type Addressee, noticeMail, resetMail } from './mails.ts'
import { createDevices, createThrottle, type Passwords, type PeopleDeps, type ThrottleRule } from './passwords.ts'

const TOKEN_BYTES = 32

export type Sessions = {
  /**
   * Starts a session after this password was verified. The token is returned only here; the database stores its hash.
   * `expiresAt`: absolute expiry. Null when the password has changed in the meantime: ending all sessions must not miss a new one.
   */
  start(user: Proven, remember: boolean, client: Client): Promise<{ token: string; expiresAt: Date } | null>
  viewerOf(token: string): Promise<Viewer | null>
  /** Whether the session is valid; does not count as activity, so the idle timeout is not extended. */
  isLive(sessionId: string): Promise<boolean>
  end(sessionId: string): Promise<void>
}

export type Proven = { readonly id: string; readonly passwordHash: string }

/** The lock waits for a concurrent change of the password. */
const START = `insert into sessions (id, user_id, token_hash, remember, user_agent, address, expires_at)
  select $1::uuid, u.id, $3::bytea, $4::boolean, $5, $6, now() + case when $4 then interval '90 days' else interval '7 days' end
  from users u where u.id = $2 and u.password_hash = $7 and u.deleted_at is null for share
  returning expires_at`

/** SQL condition for a valid row of `sessions`. */
const LIVE_SESSION = `expires_at > now()
    and last_seen_at > now() - case when remember then interval '30 days' else interval '24 hours' end`

/**
 * Runs for every request; `at` is the index of the hash. The condition on the hash length is for the planner: it estimates one row
 * for it whatever the number of hashes, so the generic plan is kept. Without it PostgreSQL would plan each execution, which is
 * most of the work.
 */
const VIEWERS_OF = {
  name: 'viewers-of-sessions',
  text: `select at, id, user_id, last_seen_at < now() - interval '1 minute' as stale
    from unnest($1::bytea[]) with ordinality as asked(hash, at) join sessions on token_hash = hash
    where octet_length(hash) = 32 and ${LIVE_SESSION}`,
}
/** Maximum number of sessions per statement. */
const BATCH = 100

const IS_LIVE = `select 1 from sessions where id = $1 and ${LIVE_SESSION}`

const SEEN = `update sessions set last_seen_at = now() where id = $1 and last_seen_at < now() - interval '1 minute'`

/** Beyond this, the least recently used session of a user ends. */
const MOST_SESSIONS = 100

const END_OLDEST = `delete from sessions where id in (
    select id from sessions where user_id = $1 order by last_seen_at desc, id desc offset ${MOST_SESSIONS} for update skip locked)`

const SWEEP = `delete from sessions where id in (select id from sessions where expires_at < now() limit 20 for update skip locked)`

/** Sessions are rows, checked by the database's clock: ending one takes effect immediately in all processes. */
export function createSessions(pool: pg.Pool, events: Pick<Events, 'publish'>): Sessions {
  const find = createBatcher({ limit: BATCH, run: (hashes: readonly Buffer[]) => findSessions(pool, hashes) })
  return {
    async start({ id, passwordHash }, remember, { userAgent, address }) {
      await pool.query(SWEEP)
      const token = newToken()
      const values = [newId(), id, hashOf(token), remember, storable(userAgent), address, passwordHash]
      const { rows } = await pool.query<{ expires_at: Date }>(START, values)
      if (!rows[0]) return null
      await pool.query(END_OLDEST, [id])
      events.publish('accessChanged', id, {})
      return { token, expiresAt: rows[0].expires_at }
    },
    async viewerOf(token) {
      const session = await find(hashOf(token))
      if (!session) return null
      if (session.stale) await pool.query(SEEN, [session.id])
      return { userId: session.user_id, sessionId: session.id }
    },
    async isLive(sessionId) {
      const { rowCount } = await pool.query({ name: 'is-session-live', text: IS_LIVE, values: [sessionId] })
      return rowCount === 1
    },
    async end(sessionId) {
      const text = 'delete from sessions where id = $1 returning user_id'
      const { rows } = await pool.query<{ user_id: string }>(text, [sessionId])
      for (const { user_id } of rows) events.publish('accessChanged', user_id, {})
    },
  }
}

/** Replaces the token of a session; the old one is invalid. @throws UnauthenticatedError when it has ended */
export async function renewSession(
  tx: ClientBase,
  sessionId: string,
): Promise<{ token: string; expiresAt: Date | null }> {
  const token = newToken()
  const { rows } = await tx.query<{ remember: boolean; expires_at: Date }>(
    `update sessions set token_hash = $2 where id = $1 and ${LIVE_SESSION} returning remember, expires_at`,
    [sessionId, hashOf(token)],
  )
  if (!rows[0]) throw new UnauthenticatedError()
  return { token, expiresAt: rows[0].remember ? rows[0].expires_at : null }
}

type Found = { at: string; id: string; user_id: string; stale: boolean }

/** The valid session of each hash, null for none. One statement for all requests that arrived in the meantime. */
async function findSessions(pool: pg.Pool, hashes: readonly Buffer[]): Promise<Outcome<Found | null>[]> {
  const { rows } = await pool.query<Found>({ ...VIEWERS_OF, values: [hashes] })
  const found = new Map(rows.map((row) => [Number(row.at), row]))
  return hashes.map((_, index) => ({ ok: true, value: found.get(index + 1) ?? null }))
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Removes control characters: PostgreSQL refuses NUL, and logs should not contain any of them. */
function storable(text: string): string {
  return text.replace(/\p{Cc}/gu, '').slice(0, 500)
}

const MOST_LISTED = 200

const LIST = `select id, user_agent, address, remember, created_at, last_seen_at, id = $2 as current
  from sessions where user_id = $1 and ${LIVE_SESSION} order by id = $2 desc, last_seen_at desc, id desc limit ${MOST_LISTED}`

type Row = {
  readonly id: string
  readonly user_agent: string
  readonly address: string
  readonly remember: boolean
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly current: boolean
}

export async function listSessions(pool: Pool, viewer: Viewer): Promise<Session[]> {
  const { rows } = await pool.query<Row>(LIST, [viewer.userId, sessionOf(viewer)])
  return rows.map(toSession)
}

/** @throws NotFoundError */
export async function endSession({ pool, activity, events }: PeopleDeps, viewer: Viewer, id: string): Promise<void> {
  sessionOf(viewer)
  const { rows } = await pool.query<{ user_agent: string }>(
    `delete from sessions where id = $1 and user_id = $2 and ${LIVE_SESSION} returning user_agent`,
    [id, viewer.userId],
  )
  const ended = rows[0]
  if (!ended) throw new NotFoundError()
  const subject = { type: 'Session', id, name: clientName(ended.user_agent) } as const
  activity.record({ kind: 'VIEWER', viewer }, { action: 'SESSION_ENDED', subject })
  events.publish('accessChanged', viewer.userId, {})
}

export async function endOtherSessions({ pool, activity, events }: PeopleDeps, viewer: Viewer): Promise<number> {
  const { rows } = await pool.query<{ live: boolean }>(
    `delete from sessions where user_id = $1 and id <> $2 returning ${LIVE_SESSION} as live`,
    [viewer.userId, sessionOf(viewer)],
  )
  const ended = rows.filter(({ live }) => live).length
  if (ended > 0) {
    activity.record({ kind: 'VIEWER', viewer }, { action: 'SESSION_ENDED', count: ended })
    events.publish('accessChanged', viewer.userId, {})
  }
  return ended
}

function toSession(row: Row): Session {
  const { id, address, current, remember, created_at: createdAt, last_seen_at: lastSeenAt } = row
  return { id, name: clientName(row.user_agent), address, current, remember, createdAt, lastSeenAt }
}

/** The most common leaked passwords of eight or more characters, in lower case. */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `12345678 123456789 1234567890 0123456789 0987654321 9876543210 987654321 87654321 12341234 11223344 12344321
  112233445566 123123123 123321123 147258369 159753456 789456123 123654789 741852963 1234567891 12345678910
  password password1 password12 password123 password1234 password! password1! password123! password01 passw0rd
  passw0rd! p@ssword p@ssw0rd p@ssw0rd! pa$$word pa55word passwort passwort1 passwort123 motdepasse contraseña
  contrasena senha123 parola123 haslo123 wachtwoord wachtwoord1 qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234
  qwerty12345 qwertz123 qwertzuiop azerty123 azertyuiop asdfghjk asdfghjkl asdfasdf asdf1234 zxcvbnm1 zxcvbnm123
  1qaz2wsx 1q2w3e4r 1q2w3e4r5t q1w2e3r4 q1w2e3r4t5 zaq12wsx qazwsxedc qazwsx123 1qazxsw2 abcd1234 abc12345
  abcdefgh abcdefg1 abc123456 a1b2c3d4 aa123456 aa12345678 a1234567 a12345678 a123456789 iloveyou iloveyou1
  iloveyou2 iloveyou! loveyou1 welcome1 welcome12 welcome123 welcome1! letmein1 letmein123 trustno1 sunshine
  sunshine1 princess princess1 football football1 baseball baseball1 basketball superman superman1 batman123
  starwars starwars1 pokemon1 computer computer1 internet internet1 samsung1 whatever whatever1 michelle jennifer
  jonathan victoria alexander elizabeth charlie1 michael1 jessica1 ashley12 liverpool chelsea1 arsenal1 barcelona
  mustang1 corvette mercedes ferrari1 porsche1 harley12 dragon12 dragon123 master12 master123 shadow12 monkey12
  monkey123 hunter12 killer12 freedom1 blink182 slipknot metallica nirvana1 midnight butterfly chocolate cookie12
  admin123 admin1234 admin12345 administrator root1234 rootroot toor1234 changeme changeme1 changeme123 default1
  secret12 secret123 test1234 testtest test12345 guest123 user1234 login123 demo1234 temp1234 temppass hello123
  hello1234 helloworld access14 minecraft fortnite1 google123 facebook facebook1 linkedin linkedin1 qwe123456
  qweasdzxc qweasd123 zxcvbn123 1111aaaa aaaa1111 00000000 11111111 88888888 66666666 77777777 99999999 12121212
  13131313 10203040 19841984 19871987 19901990 20002000 2020202020 summer2023 summer2024 summer2025 summer2026
  winter2023 winter2024 winter2025 winter2026 spring2025 spring2026 autumn2025 autumn2026`.split(/\s+/),
)

/** Obvious passwords for this product, without digits and punctuation. */
const PRODUCT_WORDS: ReadonlySet<string> = new Set(
  'skypool skypoolcloud cloudskypool myskypool skypoolpassword skypooladmin adminskypool skypooluser'.split(' '),
)

const LONGEST_NAME = 200
const SHORTEST_PASSWORD = 8
const LONGEST_PASSWORD = 1000

export type Registration = { readonly fullName: string; readonly email: string; readonly password: string }

/** Errors of a registration; empty: valid. Lengths are in characters, not bytes. */
export function registrationErrors({ fullName, email, password }: Registration): FieldError[] {
  return [
    ...nameErrors('fullName', fullName),
    ...fieldError('email', isEmail(email.trim()) ? null : 'Please enter a valid email address.'),
    ...passwordErrors('password', password, email),
  ]
}

export function nameErrors(path: string, fullName: string): FieldError[] {
  return fieldError(path, nameProblem(fullName.trim()))
}

/** `email`: the user's address, which must not be the password. */
export function passwordErrors(path: string, password: string, email: string): FieldError[] {
  return fieldError(path, passwordProblem(password, email))
}

function fieldError(path: string, message: string | null): FieldError[] {
  return message === null ? [] : [{ path, message }]
}

function nameProblem(name: string): string | null {
  if (name === '') return 'Please enter your full name.'
  if ([...name].length > LONGEST_NAME) return `A name can have at most ${LONGEST_NAME} characters.`
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'A name cannot contain control characters.' : null
}

function passwordProblem(password: string, email: string): string | null {
  const length = [...password].length
  if (length < SHORTEST_PASSWORD) return `Password must be at least ${SHORTEST_PASSWORD} characters long`
  if (length > LONGEST_PASSWORD) return `A password can have at most ${LONGEST_PASSWORD} characters.`
  return isGuessable(password, email) ? 'This password is too easy to guess. Please choose another one.' : null
}

/** Common passwords, one or two repeated characters, the user's own address, and variations of the product's name. */
function isGuessable(password: string, email: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase()
  const address = emailKey(email)
  return (
    COMMON_PASSWORDS.has(plain) ||
    new Set(plain).size <= 2 ||
    plain === address ||
    plain === address.split('@', 1)[0] ||
    PRODUCT_WORDS.has(plain.replace(/[\d\p{P}\p{S}\s]/gu, ''))
  )
}

// Recovery: a new password by a token that is mailed.

const ASKED_PER_ACCOUNT: ThrottleRule = { limit: 5, windowSeconds: 3600, longestDelaySeconds: null }
const ASKED_PER_NETWORK: ThrottleRule = { limit: 20, windowSeconds: 3600, longestDelaySeconds: null }
const TOKENS_PER_NETWORK: ThrottleRule = { limit: 20, windowSeconds: 60, longestDelaySeconds: null }

export type RecoveryDeps = {
  readonly pool: pg.Pool
  readonly enqueue: Enqueue
  readonly activity: ActivityLog
  readonly passwords: Passwords
  readonly encryption: Pick<Encryption, 'sign' | 'verify'>
}

const FIND = `select u.id, u.email from password_resets r join users u on u.id = r.user_id
  where r.token_hash = $1 and r.expires_at > now() and u.deleted_at is null`

/** Of concurrent requests with the same token, only one finds the row. */
const USE_UP = 'delete from password_resets where token_hash = $1 and expires_at > now() returning user_id'

export function createRecoveryService(deps: RecoveryDeps): RecoveryService {
  const { pool, enqueue, activity } = deps
  const throttle = createThrottle(pool)
  const devices = createDevices(deps.encryption)
  return {
    async forgot(email, { address, userAgent, language }) {
      if (!isEmail(email.trim())) {
        throw new InvalidInputError([{ path: 'email', message: 'Please enter a valid email address.' }])
      }
      const key = emailKey(email)
      await throttle.take(`forgot-from:${networkOf(address)}`, ASKED_PER_NETWORK)
      await throttle.take(`forgot:${key}`, ASKED_PER_ACCOUNT)
      const { rows } = await pool.query<{ id: string }>(
        'select id from users where email_key = $1 and deleted_at is null',
        [key],
      )
      const known = rows[0]?.id
      // Same work for an unknown address: a job that finds no user.
      const userId = known ?? newId()
      await transaction(pool, (tx) =>
        enqueue(tx, 'mailPasswordReset', { userId, language }, { key: `reset ${userId}` }),
      )
      if (known) activity.record({ kind: 'VISITOR', userId, address, userAgent }, { action: 'PASSWORD_RESET_ASKED' })
    },

    async reset({ token, password }, { address, userAgent, deviceOf, language }) {
      const network = `reset:${networkOf(address)}`
      await throttle.take(network, TOKENS_PER_NETWORK)
      const userId = await setPassword(deps, { tokenHash: hashOfToken(token), password, language })
      await throttle.refund(network)
      activity.record({ kind: 'VISITOR', userId, address, userAgent }, { action: 'PASSWORD_RESET' })
      return { userId, device: devices.issue(userId, deviceOf?.(userId) ?? null) }
    },
  }
}

/** Stored form of a token. */
function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** @returns the user's id. @throws InvalidTokenError, InvalidInputError */
async function setPassword(
  deps: RecoveryDeps,
  { tokenHash, password, language }: { tokenHash: Buffer; password: string; language: Language | undefined },
): Promise<string> {
  const { rows } = await deps.pool.query<{ id: string; email: string }>(FIND, [tokenHash])
  const user = rows[0]
  if (!user) throw new InvalidTokenError()
  const errors = passwordErrors('password', password, user.email)
  if (errors.length > 0) throw new InvalidInputError(errors)
  const passwordHash = await deps.passwords.hash(password)
  await transaction(deps.pool, async (tx) => {
    // Lock the user's row first, like a password change, so that the two cannot deadlock.
    await tx.query('select from users where id = $1 for update', [user.id])
    if ((await tx.query(USE_UP, [tokenHash])).rowCount !== 1) throw new InvalidTokenError()
    await tx.query('update users set password_hash = $2, updated_at = now() where id = $1', [user.id, passwordHash])
    await tx.query('delete from sessions where user_id = $1', [user.id])
    await deps.enqueue(tx, 'mailNotice', { userId: user.id, notice: 'PASSWORD_RESET', language })
  })
  return user.id
}

const RESET_TOKEN_BYTES = 32

export type RecoveryHousekeepingDeps = {
  readonly pool: pg.Pool
  readonly mailer: Mailer
  /** Public URL of this server, from its settings, never from a request. */
  readonly siteUrl: () => string
}

const ISSUE = `insert into password_resets (user_id, token_hash, expires_at)
  select id, $2, now() + interval '24 hours' from users where id = $1 and deleted_at is null
  on conflict (user_id) do update
    set token_hash = excluded.token_hash, expires_at = excluded.expires_at, created_at = now()`

export function createRecoveryHousekeeping({ pool, mailer, siteUrl }: RecoveryHousekeepingDeps): RecoveryHousekeeping {
  /** The user's own language, else that of whoever asked. */
  async function find(userId: string, asked: Language | undefined): Promise<Addressee | null> {
    const text = 'select email, language from users where id = $1 and deleted_at is null'
    const user = (await pool.query<{ email: string; language: string | null }>(text, [userId])).rows[0]
    if (!user) return null
    const chosen = user.language ?? undefined
    return { email: user.email, language: isLanguage(chosen) ? chosen : (asked ?? 'en') }
  }

  return {
    async mailPasswordReset({ userId, language }) {
      const token = randomBytes(RESET_TOKEN_BYTES).toString('base64url')
      const to = await find(userId, language)
      if (to === null || !(await pool.query(ISSUE, [userId, hashOfToken(token)])).rowCount) return
      await mailer.send(resetMail(to, siteUrl(), token))
    },

    async mailNotice({ userId, notice, about, language }) {
      const to = await find(userId, language)
      if (to !== null) await mailer.send(noticeMail(to, siteUrl(), notice, about))
    },

    async forgetResets() {
      await pool.query('delete from password_resets where expires_at < now()')
    },
  }
}
