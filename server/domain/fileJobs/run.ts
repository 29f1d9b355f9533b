import type { Leases } from '../../db/locks.ts'
import { transaction } from '../../db/pool.ts'
import { ProviderError } from '../../providers/errors.ts'
import {
  BusyError,
  ChecksumMismatchError,
  ContentUnavailableError,
  DomainError,
  NotFoundError,
  ProviderFailedError,
  StorageFullError,
  UploadIncompleteError,
} from '../errors.ts'
import type { EachAction } from '../files/contract.ts'
import { speedOf } from '../transfers/engine.ts'
import type { Viewer } from '../viewer.ts'
import { carryItem, endSession, leaveOriginals, takePlaces } from './carry.ts'
import type { CarryDeps } from './item.ts'
import {
  beginJob,
  concludeJob,
  countItems,
  expandItems,
  failBelow,
  ItemGoneError,
  type ItemRow,
  isChange,
  type JobRow,
  nextItems,
  openSessions,
  type Phase,
  saveAttempt,
  saveItem,
  saveProgress,
} from './rows.ts'

export type RunDeps = CarryDeps & {
  /** Connections without a statement timeout. */
  readonly workPool: CarryDeps['pool']
  readonly leases: Leases
  readonly onError: (error: unknown) => void
  /** Called when a job has ended, with the chosen entries and what was made of them. */
  readonly onEnded?: (starter: Viewer, job: JobRow, tops: readonly EndedTop[]) => void
}

export type EndedTop = { readonly sourceId: string; readonly madeId: string; readonly name: string }

/** Items of one job that are carried at once. */
const AT_ONCE = 4
/** Entries of accounts that are changed at once: their providers take a moment for each, and each account has a separate limit. */
const CHANGED_AT_ONCE = 8
/** Items that are read at once. They are sorted for that, so that reading one by one takes longer the more there are. */
const READ_AT_ONCE = 200
const SAVE_EVERY_MS = 1_000
const PUBLISH_EVERY_MS = 250
const WINDOW_MS = 5_000

/** Attempts after errors without a known remedy, over about a quarter of an hour. */
const MAX_ATTEMPTS = 24
const FIRST_PAUSE_MS = 7_000
const MAX_PAUSE_MS = 45_000
/** For what changes by itself: room that returns, an account that is connected again. */
const POLL_MS = 30_000

/** Bytes per second of the jobs that run in this process, by id. */
export type JobSpeeds = Map<string, number>

/**
 * Runs a job as far as possible: afterwards it has ended, or its row says what it waits for. Does nothing when it is not due, or when
 * another server runs it. Ends early when the signal aborts. Rejects when the database fails.
 * @returns whether it was run
 */
export async function runJob(deps: RunDeps, speeds: JobSpeeds, id: string, stop: AbortSignal): Promise<boolean> {
  const lease = await deps.leases.take(id)
  if (!lease) return false
  const unwanted = new AbortController()
  const signal = AbortSignal.any([stop, lease.signal, unwanted.signal])
  try {
    await endLeftSessions(deps, id, signal)
    const job = await beginJob(deps.pool, id, new Date(deps.clock.now()))
    if (!job) return false
    const run: Run = { deps, job, viewer: { userId: job.userId, sessionId: null }, signal, unwanted, speeds }
    publish(run)
    await runPhases(run).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    return true
  } finally {
    speeds.delete(id)
    await lease.release()
  }
}

type Run = {
  readonly deps: RunDeps
  readonly job: JobRow
  readonly viewer: Viewer
  readonly signal: AbortSignal
  /** Aborted when the job was paused or cancelled meanwhile. */
  readonly unwanted: AbortController
  readonly speeds: JobSpeeds
}

function publish({ deps, job }: Pick<Run, 'deps' | 'job'>): void {
  deps.events.publish('fileJobProgressed', job.userId, { jobId: job.id })
}

async function endLeftSessions(deps: RunDeps, id: string, signal: AbortSignal): Promise<void> {
  for (const left of await openSessions(deps.pool, id)) {
    const viewer = { userId: left.userId, sessionId: null }
    // A failure is ignored: services end old sessions by themselves.
    await endSession(deps, viewer, left, signal).catch(() => undefined)
  }
}

async function runPhases(run: Run): Promise<void> {
  const { deps, job, viewer, signal } = run
  let { phase } = job
  if (phase === 'LIST') {
    const whole = await wholeTops(run)
    await transaction(deps.workPool, (tx) => expandItems(tx, job, whole))
    phase = 'CARRY'
  }
  if (phase === 'CARRY' && !(await carryAll(run))) return
  if (job.onConflict === 'REPLACE') await takePlaces(deps, job, viewer, signal)
  if (job.kind === 'MOVE') await leaveOriginals(deps, job, viewer, signal)
  await conclude(run, 'LEAVE')
}

/** Chosen entries that are changed as they are: those of a move that are where the target is, and all of other changes. */
async function wholeTops({ deps, job }: Run): Promise<string[]> {
  if (job.kind !== 'MOVE' && !isChange(job.kind)) return []
  const { rows } = await deps.pool.query<{ id: string }>(
    `select f.id from file_job_items i join files f on f.id = i.source_id
     where i.job_id = $1 and i.level = 0 and ($3 or f.account_id is not distinct from (select account_id from files where id = $2))`,
    [job.id, job.parentId, isChange(job.kind)],
  )
  return rows.map(({ id }) => id)
}

/** @returns false if items wait for another attempt; then the job's row says so */
async function carryAll(run: Run): Promise<boolean> {
  const { deps, job, signal } = run
  const whole = new Set(await wholeTops(run))
  const progress = await createProgress(run)
  const running = new Map<string, Promise<void>>()
  const next: ItemRow[] = []
  const atOnce = isChange(job.kind) ? CHANGED_AT_ONCE : AT_ONCE
  try {
    for (;;) {
      const free = atOnce - running.size
      if (!signal.aborted && next.length < free) next.push(...(await readItems(run, running, next, free)))
      for (const item of signal.aborted ? [] : next.splice(0, free)) {
        const isWhole = isChange(job.kind) || whole.has(item.sourceId)
        const work = carryOne(run, item, isWhole, progress).finally(() => running.delete(item.id))
        running.set(item.id, work)
      }
      if (running.size === 0) break
      await Promise.race(running.values())
    }
  } finally {
    await Promise.allSettled(running.values())
    await progress.end()
  }
  signal.throwIfAborted()
  await failBelow(deps.pool, job.id)
  const { waiting } = await countItems(deps.pool, job.id)
  if (waiting === 0) return true
  await conclude(run, 'CARRY')
  return false
}

/** Items that can be carried now. Those of changes do not depend on each other, so that more than are free are read. */
async function readItems(
  { deps, job }: Run,
  running: ReadonlyMap<string, unknown>,
  next: readonly ItemRow[],
  free: number,
): Promise<ItemRow[]> {
  const exceptIds = [...running.keys(), ...next.map(({ id }) => id)]
  const limit = isChange(job.kind) ? READ_AT_ONCE : free
  return nextItems(deps.pool, job.id, exceptIds, limit, new Date(deps.clock.now()))
}

async function carryOne(run: Run, item: ItemRow, isWhole: boolean, progress: Progress): Promise<void> {
  const { deps, job, viewer, signal } = run
  try {
    if (isWhole) {
      await changeWhole(run, item)
      await saveItem(deps.pool, item.id, { state: 'DONE' })
    } else {
      const onProgress = (bytes: number) => progress.report(item.id, bytes)
      const carried = await carryItem(deps, { job, item, viewer, signal, onProgress })
      await saveItem(deps.pool, item.id, { state: job.kind === 'MOVE' ? 'CARRIED' : 'DONE', ...carried })
    }
    progress.finished(item, true)
  } catch (error) {
    if (signal.aborted || error instanceof ItemGoneError) return
    await saveFailure(run, item, error)
    progress.finished(item, false)
  }
}

async function changeWhole({ deps, job, viewer }: Run, { sourceId }: ItemRow): Promise<void> {
  const [outcome] = await deps.files.changeEach(viewer, [sourceId], actionOf(job))
  // An earlier attempt can have deleted it just before it ended.
  const isDone = job.kind === 'DELETE' && outcome?.error instanceof NotFoundError
  if (outcome?.error && !isDone) throw outcome.error
}

function actionOf({ kind, parentId, onConflict }: JobRow): EachAction {
  if (kind === 'DELETE') return { kind: 'REMOVE' }
  return isChange(kind) ? { kind } : { kind: 'MOVE', parentId, onConflict }
}

async function saveFailure({ deps, job }: Run, item: ItemRow, error: unknown): Promise<void> {
  const { pool, clock } = deps
  if (!(error instanceof DomainError) && !(error instanceof ProviderError)) deps.onError(error)
  const verdict = judge(error, item.attempts)
  if (verdict.waitMs === null) return saveItem(pool, item.id, { state: 'FAILED', detail: verdict.message })
  const nextTryAt = new Date(clock.now() + verdict.waitMs * (0.75 + clock.random() / 2))
  await saveAttempt(pool, item.id, { attempts: verdict.attempts, nextTryAt, detail: verdict.message })
  publish({ deps, job })
}

type Verdict = { readonly waitMs: number | null; readonly attempts: number; readonly message: string }

/** Whether another attempt may succeed, and when. */
function judge(error: unknown, attempts: number): Verdict {
  const tried = attempts + 1
  const fail = (message: string): Verdict => ({ waitMs: null, attempts: tried, message })
  const wait = (message: string, waitMs: number): Verdict => ({ waitMs, attempts, message })
  const again = (message: string): Verdict => {
    if (tried >= MAX_ATTEMPTS) return fail(message)
    return { waitMs: Math.min(FIRST_PAUSE_MS * 2 ** attempts, MAX_PAUSE_MS), attempts: tried, message }
  }
  if (error instanceof UploadIncompleteError || error instanceof ChecksumMismatchError) return again(error.message)
  if (error instanceof StorageFullError) return wait(error.message, POLL_MS)
  if (error instanceof ContentUnavailableError) return judgeSource(error)
  if (error instanceof ProviderFailedError || error instanceof BusyError) return again(error.message)
  if (error instanceof DomainError) return fail(error.message)
  if (!(error instanceof ProviderError)) return again('Something went wrong on this server.')
  const { code, detail } = error
  if (code === 'RateLimited') return wait('The account asked Skypool to wait.', detail.retryAfterMs ?? POLL_MS)
  if (code === 'QuotaExceeded') return wait('The account is full. This continues when there is room.', POLL_MS)
  if (code === 'ReconnectNeeded' || code === 'AuthExpired') {
    return wait('Please connect the account again; then this continues.', POLL_MS)
  }
  if (code === 'NotFound') return fail('The target folder is not in its account any more.')
  if (code === 'Transient' || code === 'Corrupt') return again('The account does not answer as it should.')
  return fail(`The account does not accept it: ${detail.message}`)

  function judgeSource({ message, retryAfterSeconds, cause }: ContentUnavailableError): Verdict {
    if (retryAfterSeconds !== null) return wait(message, retryAfterSeconds * 1000)
    const source = cause instanceof ProviderError ? cause.code : null
    if (source === 'NotFound' || source === 'Forbidden') return fail(message)
    return source === 'ReconnectNeeded' || source === 'AuthExpired' ? wait(message, POLL_MS) : again(message)
  }
}

async function conclude(run: Run, phase: Phase): Promise<void> {
  const { deps, job } = run
  const totals = await countItems(deps.pool, job.id)
  const { waiting, failed, carried, nextTryAt, detail } = totals
  const isWaiting = waiting > 0
  const notLeft = job.kind === 'MOVE' ? carried : 0
  const state = isWaiting ? 'WAITING' : failed + notLeft > 0 ? 'FAILED' : 'DONE'
  const error = isWaiting ? detail : failed > 0 ? failedMessage(job, failed) : notLeft > 0 ? NOT_LEFT : null
  const to = { state, phase, error, nextTryAt: isWaiting ? nextTryAt : null } as const
  const isConcluded = await concludeJob(deps.pool, job.id, to, totals)
  publish(run)
  if (!isConcluded || isWaiting || !deps.onEnded || job.kind === 'PROTECT') return
  const { rows } = await deps.pool.query<EndedTop>(
    `select source_id as "sourceId", coalesce(made_id, source_id) as "madeId", name from file_job_items
     where job_id = $1 and level = 0 and state in ('DONE', 'CARRIED') order by position limit 100`,
    [job.id],
  )
  if (rows.length > 0) deps.onEnded(starterOf(job), job, rows)
}

/** Only to name who started it: the job itself runs without a session or key. */
function starterOf({ userId, startedBySessionId, startedByKeyId }: JobRow): Viewer {
  return { userId, sessionId: startedBySessionId, ...(startedByKeyId && { key: { id: startedByKeyId, scopes: [] } }) }
}

const NOT_LEFT = 'Everything was copied, but some originals stay where they are.'

const DONE: Readonly<Record<JobRow['kind'], string>> = {
  COPY: 'copied',
  MOVE: 'moved',
  PROTECT: 'protected',
  TRASH: 'moved to the trash',
  RESTORE: 'restored',
  DELETE: 'deleted',
}

function failedMessage({ kind }: JobRow, failed: number): string {
  const items = failed === 1 ? '1 item' : `${failed} items`
  return `${items} could not be ${DONE[kind]}.`
}

type Progress = {
  /** So many bytes of an item are stored or on their way. */
  report(itemId: string, bytes: number): void
  finished(item: ItemRow, isDone: boolean): void
  end(): Promise<void>
}

/** The bytes of running items count until their end. Ends the run when the job was paused or cancelled. */
async function createProgress(run: Run): Promise<Progress> {
  const { deps, job, speeds, unwanted } = run
  const { clock, pool } = deps
  const totals = await countItems(pool, job.id)
  const counts = { done: totals.done, failed: totals.failed, bytes: totals.doneBytes }
  const open = new Map<string, number>()
  const bytes = () => counts.bytes + [...open.values()].reduce((sum, one) => sum + one, 0)
  let samples = [{ at: clock.now(), bytes: bytes() }]
  let savedAt = Number.NEGATIVE_INFINITY
  let publishedAt = Number.NEGATIVE_INFINITY
  let saving: Promise<unknown> = Promise.resolve()

  function save(): void {
    savedAt = clock.now()
    const state = { done: counts.done, failed: counts.failed, doneBytes: bytes() }
    saving = saving
      .then(() => saveProgress(pool, job.id, state))
      .then((isWanted) => {
        if (!isWanted) unwanted.abort(new Error('The job was stopped.'))
      })
      .catch(deps.onError)
  }

  function noteSpeed(): void {
    const now = clock.now()
    samples = [...samples.filter(({ at }) => now - at <= WINDOW_MS), { at: now, bytes: bytes() }]
    const speed = speedOf(samples)
    if (speed === null) speeds.delete(job.id)
    else speeds.set(job.id, speed)
  }

  function note(): void {
    if (clock.now() - savedAt >= SAVE_EVERY_MS) save()
    if (clock.now() - publishedAt < PUBLISH_EVERY_MS) return
    publishedAt = clock.now()
    noteSpeed()
    publish(run)
  }

  return {
    report(itemId, sent) {
      open.set(itemId, sent)
      note()
    },
    finished({ id, size }, isDone) {
      open.delete(id)
      if (isDone) {
        counts.done += 1
        counts.bytes += size
      }
      note()
    },
    async end() {
      open.clear()
      save()
      await saving
    },
  }
}
