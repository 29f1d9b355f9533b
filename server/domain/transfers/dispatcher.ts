import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { keptCause, withCause } from '../../lib/cause.ts'
import type { Engine } from './engine.ts'

export type Dispatcher = {
  /** Starts due transfers, now and at each poll. Nothing runs before this call. */
  start(): void
  /** Starts due transfers without waiting for the next poll. Returns at once. */
  wake(): void
  /** Number of transfers that run in this process. */
  readonly running: number
  /** Stops the transfer if it runs in this process and its row says that it should not any more. Returns at once. */
  recheck(transferId: string): void
  /** Stops all runs, which the next start continues, and starts no more. Idempotent. */
  stop(): Promise<void>
}

export type DispatcherDeps = {
  readonly pool: Pool
  readonly engine: Pick<Engine, 'run'>
  readonly onError: (error: unknown) => void
  /** Called by `wake` while nothing runs here: other servers send what is due. */
  readonly wakeOthers?: (() => void) | undefined
  /** Polling intervals (ms): for due transfers, in addition to wake-ups; and for running ones that should stop. */
  readonly pollMs?: { readonly due: number; readonly running: number }
}

/** Concurrent transfers in this process; and per account, so that a slow account never occupies all of them. */
const MAX_RUNNING = 16
const MAX_PER_ACCOUNT = 4
/** Rows that one query for due transfers returns. */
const BATCH_SIZE = 64
/** A transfer that another process holds is tried again after this time, in case that process died. */
const RETRY_HELD_MS = 5_000
/** How long `stop` waits for calls to providers that do not end. */
const GRACE_MS = 5_000

/** Due transfers without pieces for a busy account, oldest first. */
const DUE = {
  name: 'transfers-due',
  text: `select t.id, array(
      select distinct account_id::text from pieces p where p.copy_id = t.copy_id and p.state = 'PLANNED') as "accountIds"
    from transfers t
    where t.state in ('WAITING', 'RUNNING') and t.copy_id is not null and (t.next_try_at is null or t.next_try_at <= now())
      and t.id <> all($1::uuid[])
      and not exists (
        select from pieces p where p.copy_id = t.copy_id and p.state = 'PLANNED' and p.account_id = any($2::uuid[]))
    order by t.created_at, t.id limit ${BATCH_SIZE}`,
}

type Due = { readonly id: string; readonly accountIds: readonly string[] }
type Running = Due & { readonly controller: AbortController; readonly ended: Promise<void> }

/**
 * Runs due transfers in this process, limited per account so that a slow account does not delay the others. The rows are the
 * queue: several processes may take from it, and after a crash interrupted transfers are still in it.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { pool, onError, pollMs = { due: 5_000, running: 1_000 } } = deps
  const running = new Map<string, Running>()
  /** Transfers that another process holds. */
  const held = new Set<string>()
  let stopped = true
  let starting: Promise<void> | undefined
  let again = false

  function wake(): void {
    if (stopped) deps.wakeOthers?.()
    if (stopped) return
    again = true
    starting ??= withCause(null, startDue).finally(() => {
      starting = undefined
      if (again) wake()
    })
  }

  async function startDue(): Promise<void> {
    while (again && !stopped && running.size < MAX_RUNNING) {
      again = false
      const due = await findDue().catch(failed)
      const startable = () => !stopped && running.size < MAX_RUNNING
      const started = due.filter((candidate) => startable() && hasRoom(candidate) && start(candidate))
      // There may be more rows after this batch, for accounts that are not busy.
      again ||= due.length === BATCH_SIZE && started.length > 0
    }
    // If the process is at its limit, the end of a run wakes the dispatcher.
    again = false
  }

  function failed(error: unknown): Due[] {
    onError(error)
    return []
  }

  async function findDue(): Promise<Due[]> {
    const busy = [...countAccounts()].flatMap(([id, count]) => (count >= MAX_PER_ACCOUNT ? [id] : []))
    const { rows } = await pool.query<Due>({ ...DUE, values: [[...running.keys(), ...held], busy] })
    return rows
  }

  function countAccounts(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { accountIds } of running.values()) {
      for (const id of accountIds) counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    return counts
  }

  function hasRoom({ accountIds }: Due): boolean {
    const counts = countAccounts()
    return accountIds.every((id) => (counts.get(id) ?? 0) < MAX_PER_ACCOUNT)
  }

  function start(due: Due): true {
    const controller = new AbortController()
    const ended = withCause(keptCause(due.id), () => deps.engine.run(due.id, controller.signal))
      .catch((error: unknown) => {
        onError(error)
        return false
      })
      .then((ran) => {
        if (!ran) retryLater(due.id)
        running.delete(due.id)
        wake()
      })
    running.set(due.id, { ...due, controller, ended })
    return true
  }

  function retryLater(id: string): void {
    held.add(id)
    setTimeout(() => held.delete(id), RETRY_HELD_MS).unref()
  }

  /** Stops runs whose transfers were paused, cancelled or removed by any process. */
  async function stopUnwanted(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { rows } = await pool.query<{ id: string }>(
      `select id from transfers where id = any($1::uuid[]) and state in ('WAITING', 'RUNNING') and copy_id is not null`,
      [ids],
    )
    const wanted = new Set(rows.map(({ id }) => id))
    for (const id of ids)
      if (!wanted.has(id)) running.get(id)?.controller.abort(new Error('This transfer was stopped.'))
  }

  const timers: NodeJS.Timeout[] = []

  return {
    start() {
      stopped = false
      timers.push(
        setInterval(wake, pollMs.due).unref(),
        setInterval(() => void stopUnwanted([...running.keys()]).catch(onError), pollMs.running).unref(),
      )
      wake()
    },
    wake,
    get running() {
      return running.size
    },
    recheck: (transferId) => void stopUnwanted(running.has(transferId) ? [transferId] : []).catch(onError),
    async stop() {
      stopped = true
      for (const timer of timers) clearInterval(timer)
      await starting
      const ends = [...running.values()].map(({ controller, ended }) => {
        controller.abort(new Error('The server is shutting down.'))
        return ended
      })
      const late = new AbortController()
      const grace = sleep(GRACE_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined)
      await Promise.race([Promise.all(ends), grace])
      late.abort()
    },
  }
}
