import type pg from 'pg'
import { networkOf } from '../../lib/addresses.ts'
import { createBatcher, type Outcome } from '../../lib/concurrency.ts'
import { createWindowCounts } from '../../lib/windowCounts.ts'
import { TooManyRequestsError } from '../errors.ts'
import type { Scope, Viewer } from '../viewer.ts'
import { hasChecksum, hashOf, IS_LIVE } from './rows.ts'
import type { Rate, Usage } from './usage.ts'

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

export type KeyAuthentication = {
  /** As KeysService.viewerOf. @throws TooManyRequestsError for a key over its rate limit, and for a network that guesses keys */
  viewerOf(key: string, address: string): Promise<Viewer | null>
  /** Whether the viewer's key is still valid; false when it was regenerated since. Does not count as use. */
  isLive(viewer: Viewer): Promise<boolean>
}

/** Keys are rows, checked by the database's clock: revoking one takes effect immediately in all processes. */
export function createKeyAuthentication(pool: pg.Pool, usage: Pick<Usage, 'count'>, rate: Rate): KeyAuthentication {
  const find = createBatcher({ limit: BATCH, run: (hashes: readonly Buffer[]) => findKeys(pool, hashes) })
  const guesses = createGuesses()
  return {
    async viewerOf(text, address) {
      if (!hasChecksum(text)) return null
      const hash = hashOf(text)
      const hex = hash.toString('hex')
      guesses.count(address, hex)
      const key = await find(hash)
      if (!key) return null
      guesses.refund(address, hex)
      if (!key.live) return null
      usage.count(key.id)
      const left = rate.take(key.id)
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
  count(address: string, hash: string): void
  /** Uncounts an existing (or revoked) key, and remembers it. */
  refund(address: string, hash: string): void
}

/** In memory: beyond the limit, guesses cost no statement. Known keys keep working, whatever else their network sends. */
function createGuesses(now: () => number = Date.now): Guesses {
  const counts = createWindowCounts(WINDOW_MS, MOST_REMEMBERED, now)
  const known = new Set<string>()
  return {
    count(address, hash) {
      if (known.has(hash)) return
      const seconds = counts.take(networkOf(address), MOST_GUESSES)
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
