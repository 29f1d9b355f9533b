import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Engine } from './engine.ts'

export type Dispatcher = {
  /** Looks for what is due, now and from time to time; before, nothing is started. */
  start(): void
  /** Something may be due. Returns at once. */
  kick(): void
  /** How many run in this process. */
  readonly running: number
  /** The row of a transfer was changed: a runner of this process looks at it now. */
  look(transferId: string): void
  /** Ends what runs, as far as it can be continued, and starts nothing more. Idempotent. */
  stop(): Promise<void>
}

export type DispatcherDeps = {
  readonly pool: Pool
  readonly engine: Pick<Engine, 'run'>
  readonly onError: (error: unknown) => void
  /** Milliseconds between looks for what is due, besides kicks; and between looks whether what runs still should. */
  readonly everyMs?: { readonly due: number; readonly running: number }
}

/** Transfers of this process at once; of one account, so that a slow one never takes all places. */
const MOST = 16
const MOST_PER_ACCOUNT = 4
/** Candidates that one question brings. */
const ASKED = 64
/** What another process runs is looked at again after this time: it may have died. */
const REST_MS = 5_000
/** How long a stop waits for providers that do not let go. */
const GRACE_MS = 5_000

/** Due transfers that touch no busy account, in the order in which they were planned. */
const DUE = {
  name: 'transfers-due',
  text: `select t.id, array(
      select distinct account_id::text from pieces p where p.copy_id = t.copy_id and p.state = 'PLANNED') as "accountIds"
    from transfers t
    where t.state in ('WAITING', 'RUNNING') and t.copy_id is not null and (t.next_try_at is null or t.next_try_at <= now())
      and t.id <> all($1::uuid[])
      and not exists (
        select from pieces p where p.copy_id = t.copy_id and p.state = 'PLANNED' and p.account_id = any($2::uuid[]))
    order by t.created_at, t.id limit ${ASKED}`,
}

type Due = { readonly id: string; readonly accountIds: readonly string[] }
type Running = Due & { readonly ending: AbortController; readonly ended: Promise<void> }

/**
 * Runs due transfers in this process, so many at once that one account's never keep another's waiting. The rows are the queue:
 * several processes may take from it, and what a crash leaves is still in it.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { pool, onError, everyMs = { due: 5_000, running: 1_000 } } = deps
  const running = new Map<string, Running>()
  const resting = new Set<string>()
  let stopped = true
  let pumping: Promise<void> | undefined
  let again = false

  function kick(): void {
    if (stopped) return
    again = true
    pumping ??= pump().finally(() => {
      pumping = undefined
      if (again) kick()
    })
  }

  async function pump(): Promise<void> {
    while (again && !stopped && running.size < MOST) {
      again = false
      const due = await findDue().catch(failed)
      const startable = () => !stopped && running.size < MOST
      const started = due.filter((candidate) => startable() && hasRoom(candidate) && start(candidate))
      // Behind those of accounts that are busy now there may be others.
      again ||= due.length === ASKED && started.length > 0
    }
    // With all places taken, the end of a run kicks again.
    again = false
  }

  function failed(error: unknown): Due[] {
    onError(error)
    return []
  }

  async function findDue(): Promise<Due[]> {
    const busy = [...countAccounts()].flatMap(([id, count]) => (count >= MOST_PER_ACCOUNT ? [id] : []))
    const { rows } = await pool.query<Due>({ ...DUE, values: [[...running.keys(), ...resting], busy] })
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
    return accountIds.every((id) => (counts.get(id) ?? 0) < MOST_PER_ACCOUNT)
  }

  function start(due: Due): true {
    const ending = new AbortController()
    const ended = deps.engine
      .run(due.id, ending.signal)
      .catch((error: unknown) => {
        onError(error)
        return false
      })
      .then((ran) => {
        if (!ran) rest(due.id)
        running.delete(due.id)
        kick()
      })
    running.set(due.id, { ...due, ending, ended })
    return true
  }

  function rest(id: string): void {
    resting.add(id)
    setTimeout(() => resting.delete(id), REST_MS).unref()
  }

  /** Ends runners whose transfers were paused, cancelled or removed, by whatever process. */
  async function lookAt(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { rows } = await pool.query<{ id: string }>(
      `select id from transfers where id = any($1::uuid[]) and state in ('WAITING', 'RUNNING') and copy_id is not null`,
      [ids],
    )
    const wanted = new Set(rows.map(({ id }) => id))
    for (const id of ids) if (!wanted.has(id)) running.get(id)?.ending.abort(new Error('This transfer was stopped.'))
  }

  const timers: NodeJS.Timeout[] = []

  return {
    start() {
      stopped = false
      timers.push(
        setInterval(kick, everyMs.due).unref(),
        setInterval(() => void lookAt([...running.keys()]).catch(onError), everyMs.running).unref(),
      )
      kick()
    },
    kick,
    get running() {
      return running.size
    },
    look: (transferId) => void lookAt(running.has(transferId) ? [transferId] : []).catch(onError),
    async stop() {
      stopped = true
      for (const timer of timers) clearInterval(timer)
      await pumping
      const ends = [...running.values()].map(({ ending, ended }) => {
        ending.abort(new Error('The server is shutting down.'))
        return ended
      })
      const late = new AbortController()
      const grace = sleep(GRACE_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined)
      await Promise.race([Promise.all(ends), grace])
      late.abort()
    },
  }
}
