import type pg from 'pg'
import { transaction } from '../../db/transaction.ts'
import type { Sealing } from '../../lib/sealing.ts'
import { NotFoundError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { ActivityLog } from '../services/activity.ts'
import type { ApiKey, KeysService } from '../services/keys.ts'
import { timeCursor } from '../timeCursor.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import { createKeyLookup, type KeyLookup } from './lookup.ts'
import { createRate } from './rate.ts'
import { KEY_COLUMNS, type KeyRow, toApiKey } from './rows.ts'
import { checkedInput } from './rules.ts'
import { createUsage, type Usage } from './usage.ts'
import { insertKey, markRevoked, replaceText, type Write } from './write.ts'

/** The live ones are fewer; of what is over, the newest are enough. */
const MOST_LISTED = 500
const CURSOR = timeCursor('keys')

export type KeysDeps = {
  readonly pool: pg.Pool
  readonly sealing: Sealing
  readonly activity: Pick<ActivityLog, 'record'>
  readonly events: Pick<Events, 'publish'>
  /** Calls a minute by each key; null: no limit. */
  readonly rateLimit: number | null
  readonly onError: (error: unknown) => void
}

export type Keys = {
  readonly service: KeysService
  readonly isLive: KeyLookup['isLive']
  /** Writes down how much keys are used. */
  readonly usage: Pick<Usage, 'start' | 'stop'>
}

export function createKeys({ pool, sealing, activity, events, rateLimit, onError }: KeysDeps): Keys {
  const usage = createUsage(pool, onError)
  const lookup = createKeyLookup(pool, usage, createRate(rateLimit))

  const write = <Result>(viewer: Viewer, work: (write: Write) => Promise<Result>): Promise<Result> => {
    sessionOf(viewer)
    return transaction(pool, (tx) => work({ tx, userId: viewer.userId, sealing }))
  }

  async function getMany(viewer: Viewer, ids: readonly string[]): Promise<(ApiKey | null)[]> {
    sessionOf(viewer)
    const { rows } = await pool.query<KeyRow>(
      `select ${KEY_COLUMNS} from api_keys k where k.id = any($1::uuid[]) and k.user_id = $2`,
      [ids, viewer.userId],
    )
    const found = new Map(rows.map((row) => [row.id, toApiKey(row, sealing)]))
    return ids.map((id) => found.get(id) ?? null)
  }

  async function told(viewer: Viewer, id: string, action: Action | null): Promise<ApiKey> {
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
      return rows.map((row) => toApiKey(row, sealing))
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
        key: toApiKey(row, sealing),
        cursor: CURSOR.encode({ at: row.created_at, id: row.id }),
      }))
      return { items, hasNextPage: rows.length > items.length }
    },
    getMany,
    async create(viewer, input, idempotencyKey) {
      const checked = checkedInput(input)
      const { id, isNew } = await write(viewer, (transaction) => insertKey(transaction, checked, idempotencyKey))
      return told(viewer, id, isNew ? 'KEY_CREATED' : null)
    },
    async regenerate(viewer, id) {
      await write(viewer, (transaction) => replaceText(transaction, id))
      return told(viewer, id, 'KEY_REGENERATED')
    },
    async revoke(viewer, id) {
      const isNew = await write(viewer, (transaction) => markRevoked(transaction, id))
      return told(viewer, id, isNew ? 'KEY_REVOKED' : null)
    },
    async usage(viewer, ids) {
      const own = (await getMany(viewer, ids)).flatMap((key) => (key ? [key.id] : []))
      return usage.ofKeys(own)
    },
    viewerOf: lookup.viewerOf,
  }
  return { service, isLive: lookup.isLive, usage }
}

type Action = 'KEY_CREATED' | 'KEY_REGENERATED' | 'KEY_REVOKED'
