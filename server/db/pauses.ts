import type pg from 'pg'
import { PAUSE_KINDS, type PauseKind, type SharedPauses } from '../lib/limits.ts'

/** Two reports of one pause differ by the way of the message. */
const SAME_MS = 250
/** Beyond this number, pauses that have ended are forgotten. */
const MANY = 1_000

/** Not for an account that was deleted in the meantime. */
const BEGIN = `insert into account_pauses as p (account_id, kind, until)
  select a.id, $2, now() + make_interval(secs => $3::float8 / 1000) from accounts a where a.id = $1
  on conflict (account_id, kind) do update set until = greatest(p.until, excluded.until)`

const FORGET = 'delete from account_pauses where account_id = $1'

const READ = `select account_id, kind, extract(epoch from until - now())::float8 * 1000 as ms from account_pauses where until > now()`

/** A pause as servers tell each other: account, kind, milliseconds from now. */
export type PauseNews = readonly [accountId: string, kind: PauseKind, ms: number]

export type PausesDeps = {
  readonly pool: pg.Pool
  readonly tell: (what: { readonly paused: PauseNews } | { readonly unpaused: string }) => void
  readonly onError: (error: unknown) => void
}

export type Pauses = SharedPauses & {
  /** Another server reports a pause, or its end. */
  hear(paused: readonly PauseNews[], unpaused: readonly string[]): void
  /** Reads all, at the start and when messages may have been lost. */
  load(): Promise<void>
  /** Waits until everything is written. */
  close(): Promise<void>
}

type Known = { readonly serial: number; readonly until: number; leftMs(): number }

/** Each server remembers all pauses, tells the others of new ones, and reads the table when it starts. */
export function createPauses({ pool, tell, onError }: PausesDeps): Pauses {
  const known = new Map<string, Known>()
  let serials = 0
  let writing: Promise<unknown> = Promise.resolve()

  const keyOf = (accountId: string, kind: PauseKind) => `${accountId} ${kind}`

  function remember([accountId, kind, ms]: PauseNews): number {
    const until = performance.now() + ms
    const key = keyOf(accountId, kind)
    const other = known.get(key)
    if (other && until < other.until + SAME_MS && other.leftMs() > 0) return other.serial
    if (known.size >= MANY) for (const [old, { leftMs }] of known) if (leftMs() === 0) known.delete(old)
    serials += 1
    known.set(key, { serial: serials, until, leftMs: () => Math.max(0, until - performance.now()) })
    return serials
  }

  function forgetHere(accountId: string): void {
    for (const kind of PAUSE_KINDS) known.delete(keyOf(accountId, kind))
  }

  /** In order, so that a pause which is forgotten at once is not written after that. */
  function write(statement: string, values: readonly unknown[]): void {
    writing = writing.then(() => pool.query(statement, [...values])).catch(onError)
  }

  return {
    latest: (accountId, kind) => known.get(keyOf(accountId, kind)) ?? null,
    begin(accountId, kind, ms) {
      const serial = remember([accountId, kind, ms])
      tell({ paused: [accountId, kind, Math.ceil(ms)] })
      write(BEGIN, [accountId, kind, ms])
      return serial
    },
    forget(accountId) {
      forgetHere(accountId)
      tell({ unpaused: accountId })
      write(FORGET, [accountId])
    },
    hear(paused, unpaused) {
      for (const accountId of unpaused) forgetHere(accountId)
      for (const news of paused) remember(news)
    },
    async load() {
      const { rows } = await pool.query<{ account_id: string; kind: PauseKind; ms: number }>(READ)
      for (const { account_id: accountId, kind, ms } of rows) remember([accountId, kind, ms])
    },
    close: async () => void (await writing),
  }
}
