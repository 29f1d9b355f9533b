import type pg from 'pg'
import { createLeaderLock } from '../../db/locks.ts'
import { createSemaphore } from '../../lib/concurrency.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { Quotas } from './quotas.ts'

/** Short enough to detect an unreachable account (three failures over 20 seconds) within a minute. */
const TICK_MS = 10_000
const TIMEOUT_MS = 6_000
/** Ticks between two requests to an account that responds; fewer requests to one that holds nothing and is in no group cloud. */
const REST_TICKS = 2
const IDLE_REST_TICKS = 6
const AT_ONCE = 16
/** "prob": identifies the lock in pg_locks. */
const LOCK_KEY = 0x70726f62

const CONNECTED = `select a.id, exists (select from pieces p where p.account_id = a.id)
      or exists (select from group_cloud_members m where m.account_id = a.id) as in_use
  from accounts a where a.provider <> 'local' and a.status = 'CONNECTED' and a.disconnected_at is null`

type Connected = { readonly id: string; readonly in_use: boolean }

export type ProbeDeps = {
  readonly pool: pg.Pool
  /** The process that probes holds one of its connections. */
  readonly leases: pg.Pool
  readonly quotas: Pick<Quotas, 'refresh'>
  readonly onError: (error: unknown) => void
}

export type Probe = {
  /** One round; does nothing while another process probes. Never throws. */
  tick(): Promise<void>
  /** Runs rounds periodically until `close`. */
  start(): void
  close(): Promise<void>
}

/** Checks every account periodically, so that an unreachable one is detected before it is needed. */
export function createProbe({ pool, leases, quotas, onError }: ProbeDeps): Probe {
  const lock = createLeaderLock(leases, LOCK_KEY)
  const limited = createSemaphore(AT_ONCE)
  /** Ticks since the last response, by account id; without accounts that did not respond. */
  let rested = new Map<string, number>()
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  async function check(id: string): Promise<void> {
    try {
      await quotas.refresh(id, TIMEOUT_MS)
      rested.set(id, 0)
    } catch (error) {
      rested.delete(id)
      if (!(error instanceof ProviderError)) onError(error)
    }
  }

  async function round(): Promise<void> {
    if (!(await lock.acquire())) return
    const { rows } = await pool.query<Connected>(CONNECTED)
    rested = new Map(
      rows.flatMap(({ id }) => {
        const ticks = rested.get(id)
        return ticks === undefined ? [] : [[id, ticks + 1]]
      }),
    )
    const due = rows.filter(({ id, in_use }) => {
      return (rested.get(id) ?? Number.POSITIVE_INFINITY) >= (in_use ? REST_TICKS : IDLE_REST_TICKS)
    })
    await Promise.all(due.map(({ id }) => limited(() => check(id))))
  }

  const tick = (): Promise<void> => {
    running ??= round()
      .catch(onError)
      .finally(() => {
        running = null
      })
    return running
  }

  return {
    tick,
    start() {
      timer ??= setInterval(tick, TICK_MS).unref()
    },
    async close() {
      if (timer) clearInterval(timer)
      await running
      lock.release()
    },
  }
}
