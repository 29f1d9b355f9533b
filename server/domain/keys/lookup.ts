import type pg from 'pg'
import { networkOf } from '../../lib/addresses.ts'
import { createBatcher, type Outcome } from '../../lib/batcher.ts'
import { createWindowCounts } from '../../lib/windowCounts.ts'
import { TooManyRequestsError } from '../errors.ts'
import type { Scope, Viewer } from '../viewer.ts'
import { hasChecksum, hashOf, IS_LIVE } from './rows.ts'
import type { Rate, Usage } from './usage.ts'

/**
 * On the path of every request with a key: rows by a unique index, `at` is the place of the hash. The length of the hashes is
 * said for the planner, as in users/sessions.
 */
const VIEWERS_OF = {
  name: 'viewers-of-keys',
  text: `select at, k.id, k.user_id, k.scopes::text[] as scopes, ${IS_LIVE} as live,
      k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as stale
    from unnest($1::bytea[]) with ordinality as asked(hash, at) join api_keys k on k.key_hash = hash
    where octet_length(hash) = 32`,
}
/** Most requests whose keys are looked up at once. */
const GATHERED = 100

const USED = `update api_keys set last_used_at = now()
  where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`

const IS_KEY_LIVE = {
  name: 'is-key-live',
  text: `select 1 from api_keys k where k.id = $1 and k.key_hash = $2 and ${IS_LIVE}`,
}

type Found = { at: string; id: string; user_id: string; scopes: Scope[]; live: boolean; stale: boolean }

export type KeyLookup = {
  /** @throws TooManyRequestsError for a key that is used too often, and for a network that tries keys */
  viewerOf(key: string, address: string): Promise<Viewer | null>
  /** Whether the very key that was shown still opens: one that was made anew since does not count. Asking is not use. */
  isLive(viewer: Viewer): Promise<boolean>
}

/** Keys are rows, judged by the database's clock: revoking one counts at once and everywhere. */
export function createKeyLookup(pool: pg.Pool, usage: Pick<Usage, 'count'>, rate: Rate): KeyLookup {
  const find = createBatcher({ limit: GATHERED, run: (hashes: readonly Buffer[]) => findKeys(pool, hashes) })
  const guesses = createGuesses()
  return {
    async viewerOf(text, address) {
      if (!hasChecksum(text)) return null
      const hash = hashOf(text)
      const shown = hash.toString('hex')
      guesses.take(address, shown)
      const key = await find(hash)
      if (!key) return null
      guesses.giveBack(address, shown)
      if (!key.live) return null
      usage.count(key.id)
      const left = rate.take(key.id)
      if (key.stale) await pool.query(USED, [key.id])
      return {
        userId: key.user_id,
        sessionId: null,
        key: { id: key.id, scopes: key.scopes, hash: shown, ...(left && { rate: left }) },
      }
    },
    async isLive({ key }) {
      if (key?.hash === undefined) return false
      const { rowCount } = await pool.query({ ...IS_KEY_LIVE, values: [key.id, Buffer.from(key.hash, 'hex')] })
      return rowCount === 1
    },
  }
}

/** The key of each hash, live or not; null for none. Requests that come meanwhile are looked up together, in one statement. */
async function findKeys(pool: pg.Pool, hashes: readonly Buffer[]): Promise<Outcome<Found | null>[]> {
  const { rows } = await pool.query<Found>({ ...VIEWERS_OF, values: [hashes] })
  const found = new Map(rows.map((row) => [Number(row.at), row]))
  return hashes.map((_, index) => ({ ok: true, value: found.get(index + 1) ?? null }))
}

const WINDOW_MS = 60_000
/** Well-formed keys that nobody ever had. */
export const MOST_GUESSES = 60
/** More than this at once: what was counted or remembered begins anew, so that memory stays bounded. */
const MOST_REMEMBERED = 10_000

export type Guesses = {
  /** Counts a key as a guess before it is looked up, so that parallel ones cannot slip through. @throws TooManyRequestsError */
  take(address: string, hash: string): void
  /** There is, or was, such a key: it was no guess. */
  giveBack(address: string, hash: string): void
}

/** In memory: whoever tries keys costs no statement any more. Keys that were seen to be there go on, whatever their network does. */
function createGuesses(now: () => number = Date.now): Guesses {
  const counts = createWindowCounts(WINDOW_MS, MOST_REMEMBERED, now)
  const known = new Set<string>()
  return {
    take(address, hash) {
      if (known.has(hash)) return
      const seconds = counts.take(networkOf(address), MOST_GUESSES)
      if (seconds > 0) throw new TooManyRequestsError(seconds)
    },
    giveBack(address, hash) {
      if (known.has(hash)) return
      if (known.size >= MOST_REMEMBERED) known.clear()
      known.add(hash)
      counts.giveBack(networkOf(address))
    },
  }
}
