import type pg from 'pg'
import { createBatcher, type Outcome } from '../lib/concurrency.ts'
import type { CallRule, CallTaken, SharedCalls } from '../lib/limits.ts'

const MINUTE_MS = 60_000
/** Unused calls of a lease go back after this time. */
const LEASE_MS = 2_000
const REVIEW_MS = 1_000
/** After a refusal the row is not asked again for at least this long, so that a flood costs few statements. */
const LEAST_BLOCK_MS = 200
const MOST_BLOCK_MS = 1_000
const MOST_WANTED = 10_000
/** Beyond this number of keys, unused calls go back at once, so that memory stays bounded. */
const MOST_KEYS = 100_000
/** Keys per statement. */
const BATCH = 100

/**
 * A lease is at most the `$5`th part of what remains: the emptier, the smaller, so that the last calls can be made on whichever server
 * they come. In the order of keys, so that two servers do not wait for each other. The conditions of both branches are the same:
 * `granted` of a new row is what it would be of a full one.
 */
const LEASE = `
  insert into call_limits as c (key, most, refills, remaining, since, granted)
  select a.key, a.most, a.refills, a.most - least(a.want, greatest(1, a.most / $5::int)), now(), least(a.want, greatest(1, a.most / $5::int))
    from unnest($1::text[], $2::int[], $3::boolean[], $4::int[]) a(key, most, refills, want) order by a.key
  on conflict (key) do update set (most, refills, remaining, since, granted) = (
    select excluded.most, excluded.refills, w.remaining - g.granted, w.since, g.granted
    from (select
        case when c.refills then least(excluded.most, c.remaining + greatest(0, extract(epoch from now() - c.since)) * excluded.most / 60)
          when now() >= c.since + interval '1 minute' then excluded.most
          else least(excluded.most, c.remaining) end as remaining,
        case when c.refills or now() >= c.since + interval '1 minute' then greatest(c.since, now()) else c.since end as since) w,
      lateral (select least(excluded.granted, greatest(1, floor(w.remaining / $5::int)), floor(w.remaining))::int as granted) g)
  returning key, granted, remaining, (extract(epoch from now() - since) * 1000)::float8 as age`

/** Not into a minute that has begun since the lease: its calls are new ones. */
const GIVE_BACK = `
  update call_limits c set remaining = least(c.most, c.remaining + g.calls)
  from unnest($1::text[], $2::int[], $3::int[]) g(key, calls, age)
  where c.key = g.key and (c.refills or c.since <= now() - make_interval(secs => g.age / 1000.0))`

/** Full again, whatever they were. Without an index, which would make each lease a change of it. */
const SWEEP = `delete from call_limits where key in
  (select key from call_limits where since < now() - interval '5 minutes' limit 10000 for update skip locked)`

type Lease = {
  rule: CallRule
  /** Calls that may be made without asking. */
  calls: number
  /** Calls made since the lease began. */
  made: number
  /** Calls that wait for a lease. */
  waiting: number
  /** How many to ask for: twice as many each time that a lease is used up before it ends. */
  want: number
  since: number
  /** Of the row, after the last lease. */
  remaining: number
  blockedUntil: number
  /** When a call can be made, as far as known; only while blocked. */
  freeAt: number
}

type Asked = { readonly key: string; readonly rule: CallRule; readonly want: number }
type Granted = { readonly key: string; readonly granted: number; readonly remaining: number; readonly age: number }

export type CallLeases = SharedCalls & {
  /** Gives all unused calls back. */
  close(): Promise<void>
}

export type CallLeasesDeps = {
  readonly pool: pg.Pool
  /** Number of running servers. */
  readonly servers: () => number
  readonly onError: (error: unknown) => void
}

/**
 * Calls are counted in a row per key, from which each server leases some at a time: a call is made only when it was taken from the row,
 * so all servers together never make more than the rule allows. A key that is used steadily costs a statement for about two seconds
 * of its calls.
 */
export function createCallLeases({ pool, servers, onError }: CallLeasesDeps): CallLeases {
  const leases = new Map<string, Lease>()
  const asking = new Map<string, Promise<void>>()
  const ask = createBatcher({ limit: BATCH, run })
  let timer: NodeJS.Timeout | undefined
  let sweptAt = performance.now()

  async function run(asked: readonly Asked[]): Promise<Outcome<Granted>[]> {
    const values = [
      asked.map(({ key }) => key),
      asked.map(({ rule }) => rule.most),
      asked.map(({ rule }) => rule.refills),
      asked.map(({ want }) => want),
      2 * servers(),
    ]
    const { rows } = await pool.query<Granted>(LEASE, values)
    const found = new Map(rows.map((row) => [row.key, row]))
    return asked.map(({ key }) => {
      const value = found.get(key)
      return value ? { ok: true, value } : { ok: false, error: new Error('A lease of calls has no row.') }
    })
  }

  async function renew(key: string, lease: Lease): Promise<void> {
    const { rule } = lease
    const want = Math.min(MOST_WANTED, rule.most, Math.max(lease.want, lease.waiting))
    const { granted, remaining, age } = await ask({ key, rule, want })
    const now = performance.now()
    lease.remaining = remaining
    if (granted > 0) {
      Object.assign(lease, { calls: lease.calls + granted, made: 0, want: want * 2, since: now })
      return
    }
    const waitMs = rule.refills ? ((1 - remaining) * MINUTE_MS) / rule.most : MINUTE_MS - age
    lease.freeAt = now + waitMs
    lease.blockedUntil = now + Math.min(MOST_BLOCK_MS, Math.max(LEAST_BLOCK_MS, waitMs))
  }

  function leaseOf(key: string, rule: CallRule): Lease {
    const known = leases.get(key)
    if (known) {
      known.rule = rule
      return known
    }
    if (leases.size >= MOST_KEYS) forgetAll()
    const fresh = {
      rule,
      calls: 0,
      made: 0,
      waiting: 0,
      want: 1,
      since: performance.now(),
      remaining: rule.most,
      blockedUntil: 0,
      freeAt: 0,
    }
    leases.set(key, fresh)
    schedule()
    return fresh
  }

  async function take(key: string, rule: CallRule): Promise<CallTaken> {
    const lease = leaseOf(key, rule)
    for (;;) {
      const now = performance.now()
      // This process was frozen: the calls came back to the row long ago.
      if (now - lease.since > MINUTE_MS) lease.calls = 0
      if (lease.calls > 0) {
        lease.calls -= 1
        lease.made += 1
        return describe(lease, 0)
      }
      if (now < lease.blockedUntil) return describe(lease, Math.max(1, lease.freeAt - now))
      if (!asking.has(key)) {
        asking.set(
          key,
          renew(key, lease).finally(() => asking.delete(key)),
        )
      }
      lease.waiting += 1
      try {
        await asking.get(key)
      } finally {
        lease.waiting -= 1
      }
    }
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void giveBackUnused(LEASE_MS)
      sweep()
      if (leases.size > 0) schedule()
    }, REVIEW_MS).unref()
  }

  /** Gives back what was not used for `ms`, and forgets those keys. */
  function giveBackUnused(ms: number): Promise<void> {
    const now = performance.now()
    const unused: (readonly [key: string, calls: number, age: number])[] = []
    for (const [key, lease] of leases) {
      if (lease.waiting > 0 || now - lease.since < ms || now < lease.blockedUntil) continue
      if (lease.calls > 0) unused.push([key, lease.calls, Math.round(now - lease.since)])
      // Asked again soon, it begins with what it needed in the meantime.
      if (lease.made > 0) Object.assign(lease, { calls: 0, want: lease.made, made: 0, since: now })
      else leases.delete(key)
    }
    if (unused.length === 0) return Promise.resolve()
    const values = [unused.map(([key]) => key), unused.map(([, calls]) => calls), unused.map(([, , age]) => age)]
    return pool.query(GIVE_BACK, values).then(() => undefined, onError)
  }

  function forgetAll(): void {
    void giveBackUnused(0)
    for (const [key, { waiting }] of leases) if (waiting === 0) leases.delete(key)
  }

  function sweep(): void {
    if (performance.now() - sweptAt < MINUTE_MS) return
    sweptAt = performance.now()
    pool.query(SWEEP).catch(onError)
  }

  return {
    take,
    giveBack(key) {
      const lease = leases.get(key)
      if (lease) lease.calls += 1
    },
    async close() {
      clearTimeout(timer)
      await giveBackUnused(0)
    },
  }
}

function describe({ rule: { most, refills }, calls, remaining, since, freeAt }: Lease, waitMs: number): CallTaken {
  const now = performance.now()
  if (waitMs > 0) return { waitMs, remaining: 0, fullMs: refills ? MINUTE_MS : Math.max(0, freeAt - now) }
  const refilled = refills ? ((now - since) * most) / MINUTE_MS : 0
  const left = Math.max(0, Math.min(most - 1, calls + remaining + refilled))
  return { waitMs: 0, remaining: Math.floor(left), fullMs: ((most - left) * MINUTE_MS) / most }
}
