import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { keptCause, withCause } from '../../lib/cause.ts'
import type { Clock } from '../../lib/clock.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import { createRootFolders, type RootFolders } from '../accounts/credentials.ts'
import { DomainError } from '../errors.ts'
import { ensureBlockSums } from '../files/content/blockSums.ts'
import type { EngineDeps, Parallel } from './contract.ts'
import { judge, type PieceFailure, reasonToMove, refusalOf } from './failures.ts'
import { replanPieces } from './planning.ts'
import { sendIntoAccount } from './sendIntoAccount.ts'
import { SourceError, sendPiece } from './sendPiece.ts'
import {
  beginTransfer,
  concludeTransfer,
  finishTransfer,
  loadWork,
  PieceGoneError,
  type PieceWork,
  type Refusal,
  sentOf,
  storePiece,
  type TransferWork,
} from './work.ts'

export type Engine = {
  /**
   * Sends the planned pieces of a transfer as far as possible: afterwards it is done, or its row says why not and when to try
   * again. Does nothing when the transfer is not due, has ended, or another runner holds it. Ends early when the signal aborts;
   * what the providers have confirmed is kept. Rejects only when the database fails.
   * @returns whether the transfer was run
   */
  run(transferId: string, signal: AbortSignal): Promise<boolean>
  /** Bytes per second of the transfers that run in this process, by id. */
  readonly speeds: ReadonlyMap<string, number>
}

export function createEngine(deps: EngineDeps): Engine {
  const rootFolders = createRootFolders(deps.pool)
  const speeds: Speeds = new Map()

  async function run(transferId: string, signal: AbortSignal): Promise<boolean> {
    const lease = await deps.leases.take(transferId)
    if (!lease) return false
    try {
      if (!(await beginTransfer(deps, transferId))) return false
      const ended = AbortSignal.any([signal, lease.signal])
      await sendAll({ deps, rootFolders, speeds, transferId, signal: ended })
      return true
    } finally {
      await lease.release()
    }
  }
  return { run, speeds }
}

type Run = {
  readonly deps: EngineDeps
  readonly rootFolders: RootFolders
  readonly speeds: Speeds
  readonly transferId: string
  readonly signal: AbortSignal
}

/** Sends in rounds, until no piece is left that could be sent or moved to another account. */
async function sendAll(run: Run): Promise<void> {
  const { deps, transferId, signal } = run
  /** Pieces that this run does not try again, by id. */
  const stopped = new Map<string, PieceFailure>()
  const refusing = new Map<string, Refusal | null>()
  let advanced = false
  for (;;) {
    const work = await loadWork(deps.pool, transferId)
    if (!work) return
    if (work.pieces.every(({ state }) => state === 'STORED')) return finishTransfer(deps, work)
    const open = work.pieces.filter(({ id, state }) => state === 'PLANNED' && !stopped.has(id))
    if (open.length === 0 || signal.aborted) {
      const refusals = [...refusing.values()].filter((refusal) => refusal !== null)
      return conclude(run, work, { failures: [...stopped.values()], advanced, refusals })
    }
    const progress = createProgress(deps, work, run.speeds)
    const failures = await sendOpen(run, work, open, progress).finally(() => progress.end())
    advanced ||= progress.advanced
    // Only an account's own folder can take what was uploaded into it.
    const canMove = !signal.aborted && work.arrival === null
    const moving = !canMove ? [] : failures.filter((failure) => reasonToMove(failure) !== null)
    for (const failure of moving) refusing.set(failure.piece.accountId, refusalOf(failure))
    const replanned = moving.length === 0 ? null : await replanPieces(deps, work, moving, new Set(refusing.keys()))
    const staying = failures.filter((failure) => !moving.includes(failure))
    for (const failure of [...staying, ...(replanned?.refused ?? [])]) stopped.set(failure.piece.id, failure)
  }
}

type Outcome = {
  readonly failures: readonly PieceFailure[]
  readonly advanced: boolean
  readonly refusals: readonly Refusal[]
}

async function conclude({ deps, transferId, signal }: Run, work: TransferWork, outcome: Outcome): Promise<void> {
  const { failures, advanced, refusals } = outcome
  const { attempts } = work
  const interrupted = { state: 'WAITING', error: null, nextTryAt: null, attempts } as const
  const verdict = signal.aborted ? interrupted : judge(failures, { attempts, progressed: advanced }, deps.clock)
  await concludeTransfer(deps, transferId, { ...verdict, refusals })
}

/** Sends pieces concurrently. A failed piece does not stop the others. */
async function sendOpen(
  run: Run,
  work: TransferWork,
  open: readonly PieceWork[],
  progress: Progress,
): Promise<PieceFailure[]> {
  const { deps } = run
  const { parallel = allAtOnce } = deps
  let source: Promise<ByteSource> | undefined
  const openSource = () => {
    source ??= openSummed(deps, work).catch((cause: unknown) => {
      throw new SourceError('The content could not be opened.', { cause })
    })
    return source
  }
  const tasks = open.map((piece) => async (): Promise<PieceFailure | null> => {
    try {
      await sendOne(run, work, piece, progress, openSource)
      return null
    } catch (error) {
      if (run.signal.aborted || error instanceof PieceGoneError) return null
      reportFailure(deps, { piece, error })
      return { piece, error }
    }
  })
  return (await parallel(tasks)).filter((failure) => failure !== null)
}

const allAtOnce: Parallel = (tasks) => Promise.all(tasks.map((task) => task()))

/** Reads from a provider are checked against block sums, so these are stored before the provider gets the first byte. */
async function openSummed(
  { pool, source }: EngineDeps,
  { fileId, copyId, isSummed }: TransferWork,
): Promise<ByteSource> {
  const content = await source(fileId, copyId)
  if (!isSummed) await ensureBlockSums(pool, copyId, content)
  return content
}

async function sendOne(
  { deps, rootFolders, signal, transferId }: Run,
  work: TransferWork,
  piece: PieceWork,
  progress: Progress,
  openSource: () => Promise<ByteSource>,
): Promise<void> {
  const driver = await deps.openDriver(piece.accountId)
  const most = driver.capabilities.maxConcurrentWrites
  await deps.takeSlot(piece.accountId, most, async () => {
    signal.throwIfAborted()
    const source = await openSource()
    const call = { signal, requestId: `${transferId}.${piece.index}` }
    const onProgress = (bytes: number) => progress.report(piece.id, bytes)
    const sending = { work, piece, driver, source, call, onProgress }
    if (work.arrival !== null) {
      const isStored = await sendIntoAccount({ ...deps, rootFolders }, sending, work.arrival)
      if (isStored) progress.stored(piece.id, piece.size, true)
      return
    }
    const stored = await sendPiece({ ...deps, rootFolders }, sending)
    deps.report.worked(piece.accountId)
    const outcome = await storePiece(deps, work, piece, stored)
    if (outcome !== 'GONE') progress.stored(piece.id, piece.size, outcome === 'FINISHED')
  })
}

function reportFailure({ report, onError }: EngineDeps, { piece, error }: PieceFailure): void {
  if (error instanceof ProviderError) report.failed(piece.accountId, error)
  else if (!(error instanceof SourceError) && !(error instanceof DomainError)) onError(error)
}

/** Bytes per second by id of a transfer; without those whose speed is unknown. */
type Speeds = Map<string, number>

/** Progress of one transfer while it runs. */
export type Progress = {
  /** The provider has confirmed so many bytes of a piece. */
  report(pieceId: string, committedBytes: number): void
  /** The row of a piece says that it is stored; after the last piece the transfer's row does as well. */
  stored(pieceId: string, size: number, isLast: boolean): void
  /** Whether bytes were confirmed that were not when the run began. */
  readonly advanced: boolean
  /** Saves what is not saved yet and removes the speed. */
  end(): Promise<void>
}

const SAVE_EVERY_MS = 1_000
const PUBLISH_EVERY_MS = 250
/** The speed counts the bytes confirmed within this time. */
const WINDOW_MS = 5_000

/** Other transactions lock pieces and transfers in either order: this one waits for no piece, and holds none while it waits for a transfer. */
const SAVE_PIECES = `with free as (
    select id from pieces where id = any($1::uuid[]) and state = 'PLANNED' for no key update skip locked)
  update pieces p set sent_bytes = i.sent from unnest($1::uuid[], $2::bigint[]) as i(id, sent) join free using (id)
  where p.id = i.id and p.sent_bytes <> i.sent`
const SAVE_TRANSFER = 'update transfers set sent_bytes = least($2, total_bytes) where id = $1'

export function createProgress(
  { pool, events, clock, onError }: Pick<EngineDeps, 'pool' | 'events' | 'clock' | 'onError'>,
  work: TransferWork,
  speeds: Speeds,
): Progress {
  const sent = new Map(work.pieces.map((piece) => [piece.id, sentOf(piece)]))
  const total = () => [...sent.values()].reduce((sum, bytes) => sum + bytes, 0)
  const samples = [{ at: clock.now(), bytes: total() }]
  const changed = new Set<string>()
  let savedAt = clock.now()
  let publishedAt = Number.NEGATIVE_INFINITY
  let saving: Promise<unknown> = Promise.resolve()
  let advanced = false
  let isSaved = true

  function save(): void {
    savedAt = clock.now()
    isSaved = true
    const ids = [...changed]
    changed.clear()
    const bytes = ids.map((id) => sent.get(id) ?? 0)
    const all = total()
    saving = saving
      .then(() => pool.query(SAVE_PIECES, [ids, bytes]))
      .then(() => pool.query(SAVE_TRANSFER, [work.id, all]))
      .catch(onError)
  }

  function publish(): void {
    const now = clock.now()
    publishedAt = now
    const bytes = total()
    samples.push({ at: now, bytes })
    while (samples.length > 2 && now - (samples[1]?.at ?? now) > WINDOW_MS) samples.shift()
    const speed = speedOf(samples)
    if (speed === null) speeds.delete(work.id)
    else speeds.set(work.id, speed)
    events.publish('transferProgressed', work.userId, { transferId: work.id, sentBytes: bytes, bytesPerSecond: speed })
  }

  function confirm(pieceId: string, committedBytes: number): void {
    advanced ||= committedBytes > (sent.get(pieceId) ?? 0)
    sent.set(pieceId, committedBytes)
  }

  return {
    get advanced() {
      return advanced
    },
    stored(pieceId, size, isLast) {
      confirm(pieceId, size)
      changed.delete(pieceId)
      isSaved = isLast
    },
    report(pieceId, committedBytes) {
      confirm(pieceId, committedBytes)
      changed.add(pieceId)
      isSaved = false
      if (clock.now() - savedAt >= SAVE_EVERY_MS) save()
      if (clock.now() - publishedAt >= PUBLISH_EVERY_MS) publish()
    },
    async end() {
      speeds.delete(work.id)
      if (!isSaved) save()
      await saving
    },
  }
}

/** Bytes per second over the samples; null for less than two points in time. */
export function speedOf(samples: readonly { readonly at: number; readonly bytes: number }[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.at <= first.at) return null
  return Math.max(0, Math.round(((last.bytes - first.bytes) * 1000) / (last.at - first.at)))
}

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
  /** The clock that sets when a transfer is tried again: that of the database can differ. */
  readonly clock: Pick<Clock, 'now'>
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
    where t.state in ('WAITING', 'RUNNING') and t.copy_id is not null and (t.next_try_at is null or t.next_try_at <= $3)
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
  const { pool, clock, onError, pollMs = { due: 5_000, running: 1_000 } } = deps
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
    const values = [[...running.keys(), ...held], busy, new Date(clock.now())]
    const { rows } = await pool.query<Due>({ ...DUE, values })
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
