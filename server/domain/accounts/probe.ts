import type pg from 'pg'
import { createSemaphore } from '../../lib/semaphore.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { Quotas } from './quotas.ts'

/** Short enough that three failures over 20 seconds, and so a lost account, are known within a minute. */
const TICK_MS = 10_000
const PATIENCE_MS = 6_000
/** An account that answered is asked again in the second tick from then; one that holds nothing and may be given nothing, later. */
const REST_TICKS = 2
const IDLE_REST_TICKS = 6
const AT_ONCE = 16
/** "skypool probe", for whoever looks at pg_locks. */
const LOCK_KEY = 0x70726f62

const CONNECTED = `select a.id, exists (select from pieces p where p.account_id = a.id)
      or exists (select from group_cloud_members m where m.account_id = a.id) as in_use
  from accounts a where a.provider <> 'local' and a.status = 'CONNECTED' and a.disconnected_at is null`

type Connected = { readonly id: string; readonly in_use: boolean }

export type ProbeDeps = {
  readonly pool: pg.Pool
  /** Of which one connection is kept, by the one process that probes. */
  readonly leases: pg.Pool
  readonly quotas: Pick<Quotas, 'ask'>
  readonly onError: (error: unknown) => void
}

export type Probe = {
  /** One round; those of other processes do nothing meanwhile. Never throws. */
  tick(): Promise<void>
  /** Rounds by the clock, until `close`. */
  start(): void
  close(): Promise<void>
}

/** Asks every account how it is, so that one that is lost is known before somebody needs it. */
export function createProbe({ pool, leases, quotas, onError }: ProbeDeps): Probe {
  const lock = createLock(leases)
  const inTurn = createSemaphore(AT_ONCE)
  /** Ticks that an account is left alone for. */
  const resting = new Map<string, number>()
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  async function ask({ id, in_use }: Connected): Promise<void> {
    try {
      await quotas.ask(id, PATIENCE_MS)
      resting.set(id, (in_use ? REST_TICKS : IDLE_REST_TICKS) - 1)
    } catch (error) {
      if (!(error instanceof ProviderError)) onError(error)
    }
  }

  async function round(): Promise<void> {
    if (!(await lock.held())) return
    const { rows } = await pool.query<Connected>(CONNECTED)
    const due = rows.filter(({ id }) => !resting.has(id))
    for (const [id, ticks] of resting) ticks > 1 ? resting.set(id, ticks - 1) : resting.delete(id)
    await Promise.all(due.map((account) => inTurn(() => ask(account))))
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

/** An advisory lock on a connection of its own: whoever has it keeps it until it closes, or dies. */
function createLock(leases: pg.Pool) {
  let holder: pg.PoolClient | null = null

  return {
    async held(): Promise<boolean> {
      if (holder) return true
      const client = await leases.connect()
      const locked = await tryLock(client).catch((error: unknown) => {
        client.release(true)
        throw error
      })
      if (!locked) {
        client.release()
        return false
      }
      holder = client
      client.once('error', () => {
        holder = null
        client.release(true)
      })
      return true
    },
    /** With the connection goes the lock. */
    release(): void {
      holder?.release(true)
      holder = null
    },
  }
}

async function tryLock(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK_KEY])
  return rows[0]?.locked === true
}
