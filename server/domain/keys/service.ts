import type pg from 'pg'
import { transaction } from '../../db/pool.ts'
import { networkOf } from '../../lib/addresses.ts'
import { createBatcher, type Outcome } from '../../lib/concurrency.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import type { SharedCalls } from '../../lib/limits.ts'
import { createCounts } from '../../lib/windowCounts.ts'
import type { ActivityLog } from '../activity/contract.ts'
import {
  ConflictError,
  InvalidInputError,
  NotFoundError,
  TooManyRequestsError,
  UnauthenticatedError,
} from '../errors.ts'
import type { Events } from '../events.ts'
import { claimKey, fingerprintOf } from '../idempotency/keys.ts'
import { timeCursor } from '../timeCursor.ts'
import { type RateLeft, type Scope, sessionOf, type Viewer } from '../viewer.ts'
import {
  type ApiKey,
  type CheckedInput,
  checkedInput,
  encryptionContext,
  hasChecksum,
  hashOf,
  hintOf,
  IS_LIVE,
  KEY_COLUMNS,
  type KeyRow,
  type KeysService,
  newKeyText,
  toApiKey,
  toMaskedKey,
} from './contract.ts'

/** More than a user's valid keys; of revoked and expired ones the newest are enough. */
const MOST_LISTED = 500
const CURSOR = timeCursor('keys')

export type KeysDeps = {
  readonly pool: pg.Pool
  readonly encryption: Encryption
  readonly activity: Pick<ActivityLog, 'record'>
  readonly events: Pick<Events, 'publish'>
  /** Calls per minute and key; null: no limit. */
  readonly rateLimit: number | null
  /** Counts over all servers. Absent: this process is the only one. */
  readonly calls?: SharedCalls | null
  readonly onError: (error: unknown) => void
}

export type Keys = {
  readonly service: KeysService
  readonly isLive: KeyAuthentication['isLive']
  /** Records how often keys are used. */
  readonly usage: Pick<Usage, 'start' | 'stop'>
}

export function createKeys({ pool, encryption, activity, events, rateLimit, calls = null, onError }: KeysDeps): Keys {
  const usage = createUsage(pool, onError)
  const rate = calls && rateLimit !== null ? createSharedRate(rateLimit, calls) : createRate(rateLimit)
  const authentication = createKeyAuthentication(pool, usage, rate, calls)

  const write = <Result>(viewer: Viewer, work: (write: Write) => Promise<Result>): Promise<Result> => {
    sessionOf(viewer)
    return transaction(pool, (tx) => work({ tx, userId: viewer.userId, encryption }))
  }

  async function getMany(viewer: Viewer, ids: readonly string[]): Promise<(ApiKey | null)[]> {
    sessionOf(viewer)
    const { rows } = await pool.query<KeyRow>(
      `select ${KEY_COLUMNS} from api_keys k where k.id = any($1::uuid[]) and k.user_id = $2`,
      [ids, viewer.userId],
    )
    const found = new Map(rows.map((row) => [row.id, toApiKey(row, encryption)]))
    return ids.map((id) => found.get(id) ?? null)
  }

  /** The key after a change, which is recorded and published unless `action` is null. */
  async function recorded(viewer: Viewer, id: string, action: Action | null): Promise<ApiKey> {
    const [key] = await getMany(viewer, [id])
    if (!key) throw new NotFoundError()
    const subject = { type: 'ApiKey' as const, id, name: key.name }
    if (action) {
      activity.record({ kind: 'VIEWER', viewer }, { action, subject })
      events.publish('accessChanged', viewer.userId, {})
    }
    return key
  }

  const service: KeysService = {
    async list(viewer) {
      sessionOf(viewer)
      const { rows } = await pool.query<KeyRow>(
        `select ${KEY_COLUMNS} from api_keys k where k.user_id = $1 order by k.created_at desc, k.id desc limit $2`,
        [viewer.userId, MOST_LISTED],
      )
      return rows.map((row) => toApiKey(row, encryption))
    },
    async page(viewer, { limit, after }) {
      sessionOf(viewer)
      const place = after === undefined ? null : CURSOR.decode(after)
      const { rows } = await pool.query<KeyRow>(
        `select ${KEY_COLUMNS} from api_keys k where k.user_id = $1
         ${place ? 'and (k.created_at, k.id) < ($3::timestamptz, $4::uuid)' : ''}
         order by k.created_at desc, k.id desc limit $2`,
        [viewer.userId, limit + 1, ...(place ? [place.at, place.id] : [])],
      )
      const items = rows.slice(0, limit).map((row) => ({
        key: toApiKey(row, encryption),
        cursor: CURSOR.encode({ at: row.created_at, id: row.id }),
      }))
      return { items, hasNextPage: rows.length > items.length }
    },
    getMany,
    async current({ userId, key }) {
      if (!key) return null
      const { rows } = await pool.query<KeyRow>(
        `select ${KEY_COLUMNS} from api_keys k where k.id = $1 and k.user_id = $2`,
        [key.id, userId],
      )
      return rows[0] ? toMaskedKey(rows[0]) : null
    },
    async create(viewer, input, idempotencyKey) {
      const checked = checkedInput(input)
      const { id, isNew } = await write(viewer, (transaction) => insertKey(transaction, checked, idempotencyKey))
      return recorded(viewer, id, isNew ? 'KEY_CREATED' : null)
    },
    async regenerate(viewer, id) {
      await write(viewer, (transaction) => replaceText(transaction, id))
      return recorded(viewer, id, 'KEY_REGENERATED')
    },
    async revoke(viewer, id) {
      const isNew = await write(viewer, (transaction) => markRevoked(transaction, id))
      return recorded(viewer, id, isNew ? 'KEY_REVOKED' : null)
    },
    async usage(viewer, ids) {
      const own = (await getMany(viewer, ids)).flatMap((key) => (key ? [key.id] : []))
      return usage.ofKeys(own)
    },
    viewerOf: authentication.viewerOf,
  }
  return { service, isLive: authentication.isLive, usage }
}

type Action = 'KEY_CREATED' | 'KEY_REGENERATED' | 'KEY_REVOKED'

/** Valid keys per user, so that the cost of a list is bounded. */
const MOST_LIVE_KEYS = 100

export type Write = { readonly tx: pg.ClientBase; readonly userId: string; readonly encryption: Encryption }

/** The stored columns of a key's text: hash, encrypted text, hint. */
type Text = readonly [hash: Buffer, encrypted: string, hint: string]

export type Inserted = { readonly id: string; readonly isNew: boolean }

/** The new key, or the one created by an earlier identical request. @throws InvalidInputError, ConflictError, UnauthenticatedError, IdempotencyKeyReusedError */
async function insertKey(write: Write, input: CheckedInput, idempotencyKey?: string): Promise<Inserted> {
  const id = newId()
  const earlier = idempotencyKey === undefined ? null : await claim(write, input, idempotencyKey, id)
  if (earlier !== null) return { id: earlier, isNew: false }
  await refuseTooMany(write)
  const { name, scopes, expiresAt } = input
  const { rowCount } = await write.tx.query(
    `insert into api_keys (id, user_id, key_hash, sealed_key, hint, name, scopes, expires_at)
     select $1, $2, $3, $4, $5, $6, $7::text[]::"ApiKeyScope"[], $8::timestamptz
     where $8::timestamptz is null or $8::timestamptz > now()`,
    [id, write.userId, ...newText(id, write.encryption), name, scopes, expiresAt],
  )
  if (rowCount === 1) return { id, isNew: true }
  throw new InvalidInputError([{ path: 'expiresAt', message: 'Please choose a time in the future.' }])
}

/** @throws NotFoundError, ConflictError unless it is valid */
async function replaceText({ tx, userId, encryption }: Write, id: string): Promise<void> {
  const { rows } = await tx.query<{ live: boolean }>(
    `select ${IS_LIVE} as live from api_keys k where id = $1 and user_id = $2 for no key update`,
    [id, userId],
  )
  const [key] = rows
  if (!key) throw new NotFoundError()
  if (!key.live) throw new ConflictError('This key is revoked or has expired. Please generate a new one.')
  await tx.query('update api_keys set key_hash = $2, sealed_key = $3, hint = $4 where id = $1', [
    id,
    ...newText(id, encryption),
  ])
}

/** @returns whether it was not revoked before @throws NotFoundError */
async function markRevoked({ tx, userId }: Write, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update api_keys set revoked_at = now() where id = $1 and user_id = $2 and revoked_at is null',
    [id, userId],
  )
  if (rowCount === 1) return true
  const known = await tx.query('select from api_keys where id = $1 and user_id = $2', [id, userId])
  if (known.rowCount === 0) throw new NotFoundError()
  return false
}

function newText(id: string, encryption: Encryption): Text {
  const text = newKeyText()
  return [hashOf(text), encryption.encrypt(text, encryptionContext(id)), hintOf(text)]
}

function claim({ tx, userId }: Write, { name, scopes, expiresAt }: CheckedInput, key: string, resultId: string) {
  const fingerprint = fingerprintOf([name, scopes.join(), expiresAt?.toISOString() ?? null])
  const claimed = { userId, key, operation: 'createApiKey', fingerprint, resultId }
  return claimKey(async (text, values) => (await tx.query(text, [...values])).rows, claimed)
}

/** Locks the user: keys of one user are created sequentially, so that the count is exact, and none after the user is deleted. */
async function refuseTooMany({ tx, userId }: Write): Promise<void> {
  const lock = 'select 1 from users where id = $1 and deleted_at is null for no key update'
  if ((await tx.query(lock, [userId])).rowCount === 0) throw new UnauthenticatedError()
  const { rows } = await tx.query<{ live: number }>(
    `select count(*)::int as live from api_keys k where user_id = $1 and ${IS_LIVE}`,
    [userId],
  )
  if ((rows[0]?.live ?? 0) < MOST_LIVE_KEYS) return
  throw new ConflictError(`You have ${MOST_LIVE_KEYS} keys. Please revoke one that you do not need any more.`)
}

/**
 * Runs for every request with a key; `at` is the index of the hash. The condition on the hash length is for the planner, see
 * users/sessions.ts.
 */
const VIEWERS_OF = {
  name: 'viewers-of-keys',
  text: `select at, k.id, k.user_id, k.scopes::text[] as scopes, ${IS_LIVE} as live,
      k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as stale
    from unnest($1::bytea[]) with ordinality as asked(hash, at) join api_keys k on k.key_hash = hash
    where octet_length(hash) = 32`,
}
/** Maximum number of keys per statement. */
const BATCH = 100

const USED = `update api_keys set last_used_at = now()
  where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`

const IS_KEY_LIVE = {
  name: 'is-key-live',
  text: `select 1 from api_keys k where k.id = $1 and k.key_hash = $2 and ${IS_LIVE}`,
}

type Found = { at: string; id: string; user_id: string; scopes: Scope[]; live: boolean; stale: boolean }

type KeyAuthentication = {
  /** As KeysService.viewerOf. @throws TooManyRequestsError for a key over its rate limit, and for a network that guesses keys */
  viewerOf(key: string, address: string): Promise<Viewer | null>
  /** Whether the viewer's key is still valid; false when it was regenerated since. Does not count as use. */
  isLive(viewer: Viewer): Promise<boolean>
}

/** Keys are rows, checked by the database's clock: revoking one takes effect immediately in all processes. */
export function createKeyAuthentication(
  pool: pg.Pool,
  usage: Pick<Usage, 'count'>,
  rate: Rate,
  calls: SharedCalls | null = null,
): KeyAuthentication {
  const find = createBatcher({ limit: BATCH, run: (hashes: readonly Buffer[]) => findKeys(pool, hashes) })
  const guesses = createGuesses(calls)
  return {
    async viewerOf(text, address) {
      if (!hasChecksum(text)) return null
      const hash = hashOf(text)
      const hex = hash.toString('hex')
      await guesses.count(address, hex)
      const key = await find(hash)
      if (!key) return null
      guesses.refund(address, hex)
      if (!key.live) return null
      usage.count(key.id)
      const left = await rate.take(key.id)
      if (key.stale) await pool.query(USED, [key.id])
      return {
        userId: key.user_id,
        sessionId: null,
        key: { id: key.id, scopes: key.scopes, hash: hex, ...(left && { rate: left }) },
      }
    },
    async isLive({ key }) {
      if (key?.hash === undefined) return false
      const { rowCount } = await pool.query({ ...IS_KEY_LIVE, values: [key.id, Buffer.from(key.hash, 'hex')] })
      return rowCount === 1
    },
  }
}

/** The key of each hash, valid or not; null for none. One statement for all requests that arrived in the meantime. */
async function findKeys(pool: pg.Pool, hashes: readonly Buffer[]): Promise<Outcome<Found | null>[]> {
  const { rows } = await pool.query<Found>({ ...VIEWERS_OF, values: [hashes] })
  const found = new Map(rows.map((row) => [Number(row.at), row]))
  return hashes.map((_, index) => ({ ok: true, value: found.get(index + 1) ?? null }))
}

const WINDOW_MS = 60_000
/** Unknown but well-formed keys per network and window. */
export const MOST_GUESSES = 60
/** Beyond this number of entries, counts and known keys are cleared, so that memory stays bounded. */
const MOST_REMEMBERED = 10_000

export type Guesses = {
  /** Counts a key as a guess before it is checked, so that parallel guesses cannot exceed the limit. @throws TooManyRequestsError */
  count(address: string, hash: string): Promise<void>
  /** Uncounts an existing (or revoked) key, and remembers it. */
  refund(address: string, hash: string): void
}

/** Beyond the limit, guesses cost hardly a statement. Known keys keep working, whatever else their network sends. */
function createGuesses(calls: SharedCalls | null): Guesses {
  const counts = createCounts({ name: 'key guesses', calls, windowMs: WINDOW_MS, maxKeys: MOST_REMEMBERED })
  const known = new Set<string>()
  return {
    async count(address, hash) {
      if (known.has(hash)) return
      const seconds = await counts.take(networkOf(address), MOST_GUESSES)
      if (seconds > 0) throw new TooManyRequestsError(seconds)
    },
    refund(address, hash) {
      if (known.has(hash)) return
      if (known.size >= MOST_REMEMBERED) known.clear()
      known.add(hash)
      counts.giveBack(networkOf(address))
    },
  }
}

const FLUSH_MS = 10_000
const DAYS_SHOWN = 30

export type DayOfUse = { readonly day: Date; readonly calls: number }

type Usage = {
  count(keyId: string): void
  /** Writes all counted calls to the database. */
  flush(): Promise<void>
  ofKeys(keyIds: readonly string[]): Promise<Map<string, DayOfUse[]>>
  start(): void
  /** Stops the timer and flushes. */
  stop(): Promise<void>
}

/** Days in UTC. Keys that were deleted in the meantime are skipped. */
const ADD = `insert into api_key_usage (key_id, day, calls)
  select n.id, (now() at time zone 'utc')::date, n.calls
  from unnest($1::uuid[], $2::int[]) n(id, calls) where exists (select from api_keys k where k.id = n.id)
  on conflict (key_id, day) do update set calls = api_key_usage.calls + excluded.calls`

const FORGET = `delete from api_key_usage where key_id = any($1::uuid[])
  and day < (now() at time zone 'utc')::date - interval '1 year'`

const READ = `select key_id, day::text as day, calls from api_key_usage
  where key_id = any($1::uuid[]) and day > (now() at time zone 'utc')::date - ${DAYS_SHOWN} order by day`

/** Counts calls in memory and adds them to the database every ten seconds, so that calls do not wait for a statement. */
function createUsage(pool: pg.Pool, onError: (error: unknown) => void): Usage {
  let counted = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  function add(keyId: string, calls: number): void {
    counted.set(keyId, (counted.get(keyId) ?? 0) + calls)
  }

  async function flush(): Promise<void> {
    if (counted.size === 0) return
    const batch = counted
    counted = new Map()
    const ids = [...batch.keys()].sort()
    try {
      await pool.query(ADD, [ids, ids.map((id) => batch.get(id))])
    } catch (error) {
      for (const [id, calls] of batch) add(id, calls)
      throw error
    }
    await pool.query(FORGET, [ids])
  }

  return {
    count: (keyId) => add(keyId, 1),
    flush,
    async ofKeys(keyIds) {
      await flush()
      const { rows } = await pool.query<{ key_id: string; day: string; calls: number }>(READ, [keyIds])
      const days = new Map<string, DayOfUse[]>(keyIds.map((id) => [id, []]))
      for (const { key_id, day, calls } of rows) days.get(key_id)?.push({ day: new Date(`${day}T00:00:00Z`), calls })
      return days
    },
    start() {
      timer = setInterval(() => void flush().catch(onError), FLUSH_MS)
      timer.unref()
    },
    async stop() {
      clearInterval(timer)
      await flush().catch(onError)
    },
  }
}

const MINUTE_MS = 60_000
/** Beyond this number of buckets, full ones are dropped. */
const MANY = 10_000

export type Rate = {
  /** Counts a call and returns the remaining ones; null: no limit. @throws TooManyRequestsError */
  take(keyId: string): RateLeft | null | Promise<RateLeft>
}

type Bucket = { tokens: number; at: number }

/**
 * Token bucket per key, in this process: `callsAMinute` calls can be made at once, and refill evenly within a minute. Null: no limit.
 */
export function createRate(
  callsAMinute: number | null,
  now: () => number = () => performance.now(),
): { take(keyId: string): RateLeft | null } {
  if (callsAMinute === null) return { take: () => null }
  const buckets = new Map<string, Bucket>()
  const callMs = MINUTE_MS / callsAMinute
  return {
    take(keyId) {
      const at = now()
      const bucket = buckets.get(keyId) ?? { tokens: callsAMinute, at }
      if (buckets.size > MANY) dropFull(buckets, at)
      bucket.tokens = Math.min(callsAMinute, bucket.tokens + (at - bucket.at) / callMs)
      bucket.at = at
      buckets.set(keyId, bucket)
      if (bucket.tokens < 1) {
        throw tooMany(Math.ceil(((1 - bucket.tokens) * callMs) / 1000), callsAMinute)
      }
      bucket.tokens -= 1
      const resetSeconds = Math.ceil(((callsAMinute - bucket.tokens) * callMs) / 1000)
      return { limit: callsAMinute, remaining: Math.floor(bucket.tokens), resetSeconds }
    },
  }
}

/** The same over all servers. */
export function createSharedRate(callsAMinute: number, calls: SharedCalls): Rate {
  const rule = { most: callsAMinute, refills: true }
  return {
    async take(keyId) {
      const { waitMs, remaining, fullMs } = await calls.take(`key:${keyId}`, rule)
      if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000), callsAMinute)
      return { limit: callsAMinute, remaining, resetSeconds: Math.ceil(fullMs / 1000) }
    },
  }
}

function tooMany(seconds: number, limit: number): TooManyRequestsError {
  return new TooManyRequestsError(seconds, 'This API key has made too many requests.', limit)
}

function dropFull(buckets: Map<string, Bucket>, now: number): void {
  for (const [id, { at }] of buckets) if (now - at > MINUTE_MS) buckets.delete(id)
}
