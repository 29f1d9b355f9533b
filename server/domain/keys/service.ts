import type pg from 'pg'
import { transaction } from '../../db/pool.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import type { SharedCalls } from '../../lib/limits.ts'
import type { ActivityLog } from '../activity/contract.ts'
import { ConflictError, InvalidInputError, NotFoundError, UnauthenticatedError } from '../errors.ts'
import type { Events } from '../events.ts'
import { claimKey, fingerprintOf } from '../idempotency/keys.ts'
import { timeCursor } from '../timeCursor.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import {
  createKeyAuthentication,
  createRate,
  createSharedRate,
  createUsage,
  type KeyAuthentication,
  type Usage,
} from './authentication.ts'
import {
  type ApiKey,
  type CheckedInput,
  checkedInput,
  encryptionContext,
  hashOf,
  hintOf,
  IS_LIVE,
  KEY_COLUMNS,
  type KeyRow,
  type KeysService,
  newKeyText,
  toApiKey,
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
