import type pg from 'pg'
import { createSoleLock } from '../../db/soleLock.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { Quotas } from './quotas.ts'

/** Short enough that three failures over 20 seconds, and so a lost account, are known within a minute. */
const TICK_MS = 10_000
const PATIENCE_MS = 6_000
/** An account that answered is asked again in the second tick from then; one that holds nothing and may be given nothing, later: as long as that is so. */
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
  const lock = createSoleLock(leases, LOCK_KEY)
  const inTurn = createSemaphore(AT_ONCE)
  /** Ticks since an account answered; none of one that did not. */
  let rested = new Map<string, number>()
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  async function ask(id: string): Promise<void> {
    try {
      await quotas.ask(id, PATIENCE_MS)
      rested.set(id, 0)
    } catch (error) {
      rested.delete(id)
      if (!(error instanceof ProviderError)) onError(error)
    }
  }

  async function round(): Promise<void> {
    if (!(await lock.held())) return
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
    await Promise.all(due.map(({ id }) => inTurn(() => ask(id))))
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

/**
 * Forgets authorizations whose ten minutes are over, and disconnected accounts that nothing is left on: connecting the same login
 * again has nothing to heal there. What is still to be removed from one is remembered for a year.
 */
export async function forgetAuthorizations(pool: pg.Pool): Promise<void> {
  await pool.query('delete from oauth_states where expires_at < now()')
  await pool.query('delete from telegram_codes where expires_at < now()')
  await pool.query(
    `delete from accounts a where a.disconnected_at is not null
       and not exists (select from pieces p where p.account_id = a.id)
       and not exists (select from upload_reservations r where r.account_id = a.id)
       and (a.disconnected_at < now() - interval '1 year'
         or not exists (select from object_removals r where r.account_id = a.id and r.object_ref is not null))`,
  )
}
