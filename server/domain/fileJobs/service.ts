import type { Pool } from 'pg'
import { createLeases, type Leases, type LockSession } from '../../db/locks.ts'
import { transaction } from '../../db/pool.ts'
import { keepCause, keptCause, withCause } from '../../lib/cause.ts'
import { newId } from '../../lib/ids.ts'
import type { DuplicateFilter, KeepRule } from '../duplicates/contract.ts'
import { addSurplus, requireRulePlaces } from '../duplicates/listing.ts'
import { catchUp } from '../duplicates/service.ts'
import { ConflictError, InvalidInputError, NotFoundError } from '../errors.ts'
import { findArriving, stillArriving } from '../files/tree/arriving.ts'
import {
  ancestry,
  type Change,
  chainOf,
  changeTree,
  distinctIds,
  type Entry,
  findEntries,
  lockReadableEntries,
  noGroupCloudInAccount,
  refuseCycle,
  requireLive,
  requireLiveFolder,
} from '../files/tree/change.ts'
import { rightsOfBits } from '../files/tree/entries.ts'
import { requireGroupCloud } from '../files/tree/move.ts'
import { claimKey, fingerprintOf } from '../idempotency/keys.ts'
import { requireFolder, requireWritable } from '../inPlace/placed.ts'
import type { CopyOfContent } from '../protection/service.ts'
import type { Viewer } from '../viewer.ts'
import type {
  FileJob,
  FileJobPage,
  FileJobPreview,
  FileJobState,
  FileJobsService,
  ListFileJobs,
  NewFileJob,
} from './contract.ts'
import {
  addTrashed,
  changeState,
  countOpenJobs,
  dueJobs,
  forgetJobs,
  getJobs,
  insertCopyOfContent,
  insertFoundJob,
  insertJob,
  isChange,
  type JobRow,
  listProblems,
  OPEN_STATES,
  pageOfJobs,
  resetFailed,
  wantedJobs,
} from './rows.ts'
import { type JobSpeeds, type RunDeps, runJob } from './run.ts'

export type FileJobsDeps = Omit<RunDeps, 'leases'> & {
  /** Of the connection that holds the leases. */
  readonly leases: Pool | LockSession
  /** Called when a job has become due and none runs in this process: other servers run it. */
  readonly wakeOthers?: (() => void) | undefined
  /** Polling intervals (ms): for due jobs, and for running ones that should stop. */
  readonly pollMs?: { readonly due: number; readonly running: number }
}

export type FileJobs = {
  readonly service: FileJobsService
  /** Copies the content of a protecting copy, which is in no list, under another name. @returns the id of the job */
  readonly copyContent: (viewer: Viewer, input: CopyOfContent) => Promise<string>
  /** Deletes jobs that ended a week ago. */
  readonly forget: () => Promise<void>
  /** Starts what is due, including jobs that another process left. */
  start(): void
  /** Starts what is due, if this process was started. */
  wake(): void
  /** Stops all runs. The next start continues them. Idempotent. */
  stop(): Promise<void>
}

/** Jobs that run in this process at once; and those of one user that have not ended. */
const MAX_RUNNING = 4
const MAX_OPEN = 100
/** Of a list without pages. */
const MAX_LISTED = 200
/** A job that another process holds is tried again after this time, in case that process died. */
const RETRY_HELD_MS = 5_000
const MAX_COUNTED = 100_000
/** Entries of accounts that one request changes; more would outlast the patience of clients and proxies. */
const MOST_AT_ONCE = 50

/** Copying and moving across accounts and group clouds: the service for the APIs, and the loop that runs the jobs. */
export function createFileJobs({ leases: session, pollMs, wakeOthers, ...deps }: FileJobsDeps): FileJobs {
  const leases = createLeases(session, 'fileJob')
  const speeds: JobSpeeds = new Map()
  const loop = createLoop({ ...deps, leases }, speeds, { wakeOthers, ...(pollMs && { pollMs }) })
  return {
    service: createService(deps, leases, speeds, loop),
    async copyContent(viewer, input) {
      const id = await transaction(deps.pool, (tx) => insertCopyOfContent(tx, viewer, input))
      deps.events.publish('fileJobProgressed', viewer.userId, { jobId: id })
      keepCause(id)
      loop.wake()
      return id
    },
    forget: () => forgetJobs(deps.workPool),
    start: loop.start,
    wake: loop.wake,
    async stop() {
      await loop.stop()
      await leases.close()
    },
  }
}

type ServiceDeps = Omit<RunDeps, 'leases'>

function createService(
  deps: ServiceDeps,
  leases: Leases,
  speeds: JobSpeeds,
  loop: Pick<ReturnType<typeof createLoop>, 'wake' | 'recheck'>,
): FileJobsService {
  const { pool, events } = deps
  const shown = (job: JobRow): FileJob => {
    const { phase, userId, groupCloudId, onConflict, targetId, startedBySessionId, startedByKeyId, ...row } = job
    return { ...row, bytesPerSecond: (row.state === 'RUNNING' && speeds.get(row.id)) || null }
  }

  async function one({ userId }: Viewer, id: string): Promise<FileJob> {
    const [row] = await getJobs(pool, userId, [id])
    if (!row) throw new NotFoundError()
    return shown(row)
  }

  async function started(viewer: Viewer, id: string): Promise<FileJob> {
    events.publish('fileJobProgressed', viewer.userId, { jobId: id })
    keepCause(id)
    loop.wake()
    return one(viewer, id)
  }

  async function change(
    viewer: Viewer,
    id: string,
    from: readonly FileJobState[],
    to: 'WAITING' | 'PAUSED' | 'CANCELLED',
  ): Promise<FileJob> {
    const before = await changeState(pool, viewer.userId, id, from, to)
    if (before === null) throw new NotFoundError()
    if (!from.includes(before) && before !== to) throw new ConflictError('This job has ended.')
    events.publish('fileJobProgressed', viewer.userId, { jobId: id })
    loop.recheck(id)
    keepCause(id)
    loop.wake()
    return one(viewer, id)
  }

  async function page({ userId }: Viewer, options: ListFileJobs): Promise<FileJobPage> {
    const { items, hasNextPage } = await pageOfJobs(pool, userId, options)
    return { items: items.map(({ row, cursor }) => ({ job: shown(row), cursor })), hasNextPage }
  }

  return {
    isNeeded: (viewer, input) => isNeeded(pool, viewer, input),
    preview: (viewer, input) => preview(pool, viewer, input),
    async start(viewer, input, idempotencyKey) {
      return started(viewer, await startJob(deps, viewer, input, idempotencyKey))
    },
    async trashDuplicates(viewer, filter, rule, idempotencyKey) {
      await requireRulePlaces(pool, viewer, filter, rule)
      await catchUp(deps, viewer)
      return started(viewer, await startSurplus(deps, viewer, filter, rule, idempotencyKey))
    },
    async undo(viewer, id, idempotencyKey) {
      const { kind, state } = await one(viewer, id)
      if (kind !== 'TRASH') throw new ConflictError('Only moving to the trash can be undone.')
      if (OPEN_STATES.some((open) => open === state)) await change(viewer, id, OPEN_STATES, 'CANCELLED')
      return started(viewer, await whenStopped(leases, id, () => startUndo(deps, viewer, id, idempotencyKey)))
    },
    list: async (viewer, { open } = {}) =>
      (await page(viewer, { open, limit: MAX_LISTED })).items.map(({ job }) => job),
    page,
    getMany: async ({ userId }, ids) => (await getJobs(pool, userId, ids)).map((row) => row && shown(row)),
    problems: ({ userId }, id) => listProblems(pool, userId, id),
    pause: (viewer, id) => change(viewer, id, ['WAITING', 'RUNNING'], 'PAUSED'),
    resume: (viewer, id) => change(viewer, id, ['WAITING', 'PAUSED'], 'WAITING'),
    cancel: (viewer, id) => change(viewer, id, [...OPEN_STATES, 'FAILED'], 'CANCELLED'),
    async retry(viewer, id) {
      const { state } = await one(viewer, id)
      if (state !== 'FAILED') throw new ConflictError('Only what failed can be tried again.')
      await resetFailed(pool, id)
      return change(viewer, id, ['FAILED'], 'WAITING')
    },
  }
}

type Asked = Pick<NewFileJob, 'kind' | 'ids' | 'parentId'>

/** The accounts of entries and of the target; null for Skypool's own. */
async function findAccounts(
  pool: Pool,
  { userId }: Viewer,
  { kind, ids, parentId }: Asked,
): Promise<{ readonly from: readonly (string | null)[]; readonly to: string | null; readonly inAccounts: number }> {
  const { rows } = await pool.query<{ id: string; accountId: string | null; arriving: boolean }>(
    `select f.id, f.account_id as "accountId", exists (select from account_uploads u where u.file_id = f.id) as arriving
     from files f where f.id = any($2::uuid[]) and f.user_id = $1 and f.purged_at is null`,
    [userId, parentId === null ? ids : [...ids, parentId]],
  )
  const to = rows.find(({ id }) => id === parentId)?.accountId ?? null
  const chosen = new Set(ids)
  // A file that its account does not have yet is still here: storing it elsewhere instead carries nothing.
  const isHere = (row: (typeof rows)[number]) => kind === 'MOVE' && to === null && row.arriving
  const from = rows.filter(({ id }) => chosen.has(id)).map((row) => (isHere(row) ? null : row.accountId))
  return { from: [...new Set(from)], to, inAccounts: from.filter((id) => id !== null).length }
}

async function isNeeded(pool: Pool, viewer: Viewer, input: Asked): Promise<boolean> {
  const { from, to, inAccounts } = await findAccounts(pool, viewer, input)
  if (input.kind !== 'COPY' && inAccounts > MOST_AT_ONCE) return true
  if (isChange(input.kind)) return false
  if (input.kind === 'MOVE') return from.some((accountId) => accountId !== to)
  return to !== null || from.some((accountId) => accountId !== null)
}

const COUNT = `with recursive below as (
    select f.id, f.kind, f.size from files f where f.id = any($2::uuid[]) and f.user_id = $1 and f.purged_at is null
    union all select f.id, f.kind, f.size from below b join files f on f.parent_id = b.id
      where b.kind = 'FOLDER' and f.user_id = $1 and f.purged_at is null and f.trash_root_id is null),
  counted as (select * from below limit ${MAX_COUNTED + 1})
  select count(*) filter (where s.kind = 'FILE' and e.native_kind is null)::int as files,
    count(*) filter (where s.kind = 'FOLDER')::int as folders, count(e.native_kind)::int as skipped,
    coalesce(sum(s.size) filter (where e.native_kind is null), 0)::float8 as bytes, count(*) > ${MAX_COUNTED} as "isMore"
  from counted s left join account_entries e on e.file_id = s.id`

async function preview(pool: Pool, viewer: Viewer, input: Asked): Promise<FileJobPreview> {
  const ids = distinctIds(input.ids)
  await requireLiveFolder({ tx: pool, userId: viewer.userId }, input.parentId)
  const { from, to } = await findAccounts(pool, viewer, { ...input, ids })
  if (from.length === 0) throw new NotFoundError()
  type Counts = Pick<FileJobPreview, 'files' | 'folders' | 'bytes' | 'skipped' | 'isMore'>
  const { rows } = await pool.query<Counts>(COUNT, [viewer.userId, ids])
  const counts = rows[0] ?? { files: 0, folders: 0, bytes: 0, skipped: 0, isMore: false }
  const isCarried = await isNeeded(pool, viewer, { ...input, ids })
  return { ...counts, isCarried, fromAccountIds: from.filter((id) => id !== null), toAccountId: to }
}

async function startJob(
  deps: ServiceDeps,
  viewer: Viewer,
  input: NewFileJob,
  idempotencyKey: string | undefined,
): Promise<string> {
  const { kind, parentId, groupCloudId, onConflict } = input
  const ids = distinctIds(input.ids)
  if (ids.length === 0) throw new InvalidInputError([{ path: 'ids', message: 'Please choose files or folders.' }])
  const target = await targetOf(deps, viewer, input)
  return changeTree(deps, viewer, async (change) => {
    const { tx } = change
    const id = newId()
    const fingerprint = fingerprintOf([kind, parentId, groupCloudId ?? null, onConflict ?? null, ...ids])
    const earlier = await earlierJob(change, id, idempotencyKey, fingerprint)
    if (earlier !== null) return earlier
    await refuseTooMany(change)
    const entries = kind === 'COPY' ? await lockReadableEntries(change, ids) : await lockExisting(change, ids)
    if (!isChange(kind)) {
      requireLive(entries)
      refuseCycle(entries, await requireLiveFolder(change, parentId), kind === 'MOVE' ? 'moved' : 'copied')
    }
    // What was moved to the trash before its folder is restored by itself.
    const tops = kind === 'RESTORE' ? entries : await topmost(change, entries)
    if (kind === 'MOVE') {
      await requireMovable(change, tops, target)
      await refuseMovedTwice(change, tops)
    }
    const [first] = tops
    await insertJob(tx, viewer, { id, name: first?.name ?? '' }, { ...input, ids: tops.map((top) => top.id) })
    return id
  })
}

/** Each is changed on its own, so one that does not exist does not affect the others. @throws NotFoundError when none exists */
async function lockExisting(change: Change, ids: readonly string[]): Promise<Entry[]> {
  const byId = await findEntries(change, ids)
  if (byId.size === 0) throw new NotFoundError()
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** @returns the job that was started with the key before; null without one. @throws IdempotencyKeyReusedError */
async function earlierJob(
  { tx, userId }: Change,
  id: string,
  key: string | undefined,
  fingerprint: Buffer,
): Promise<string | null> {
  if (key === undefined) return null
  const sql = async (text: string, values: readonly unknown[]) => (await tx.query(text, [...values])).rows
  return claimKey(sql, { userId, key, operation: 'startFileJob', fingerprint, resultId: id })
}

/** @throws ConflictError when too many jobs of the user have not ended */
async function refuseTooMany({ tx, userId }: Change): Promise<void> {
  if ((await countOpenJobs(tx, userId)) < MAX_OPEN) return
  throw new ConflictError(`${MAX_OPEN} jobs have not ended yet. Please wait for some of them, or cancel them.`)
}

async function startSurplus(
  deps: ServiceDeps,
  viewer: Viewer,
  filter: DuplicateFilter,
  rule: KeepRule,
  idempotencyKey: string | undefined,
): Promise<string> {
  return changeTree(deps, viewer, async (change) => {
    const id = newId()
    const fingerprint = fingerprintOf(['duplicates', JSON.stringify(filter), JSON.stringify(rule)])
    const earlier = await earlierJob(change, id, idempotencyKey, fingerprint)
    if (earlier !== null) return earlier
    await refuseTooMany(change)
    await insertFoundJob(change.tx, viewer, { id, kind: 'TRASH' }, () =>
      addSurplus(change.tx, change, id, filter, rule),
    )
    return id
  })
}

async function startUndo(
  deps: ServiceDeps,
  viewer: Viewer,
  trashJobId: string,
  idempotencyKey: string | undefined,
): Promise<string> {
  return changeTree(deps, viewer, async (change) => {
    const id = newId()
    const earlier = await earlierJob(change, id, idempotencyKey, fingerprintOf(['undo', trashJobId]))
    if (earlier !== null) return earlier
    await refuseTooMany(change)
    await insertFoundJob(change.tx, viewer, { id, kind: 'RESTORE' }, () => addTrashed(change.tx, id, trashJobId))
    return id
  })
}

/** How long a running job has to stop, and how often it is looked at. */
const STOP_MS = 10_000
const LOOK_MS = 100

/** Calls `work` when no server runs the job any more: until then, a change that has begun can still be made. @throws ConflictError */
async function whenStopped<Result>(leases: Leases, id: string, work: () => Promise<Result>): Promise<Result> {
  for (let waited = 0; waited < STOP_MS; waited += LOOK_MS) {
    const lease = await leases.take(id)
    if (lease) {
      try {
        return await work()
      } finally {
        await lease.release()
      }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  throw new ConflictError('Some files are still being moved. Please try again in a moment.')
}

/** The account of the target; null is Skypool's own. @throws NotFoundError, ConflictError, InvalidInputError */
async function targetOf(
  { pool }: ServiceDeps,
  viewer: Viewer,
  { parentId, groupCloudId }: NewFileJob,
): Promise<string | null> {
  const { to } = await findAccounts(pool, viewer, { kind: 'COPY', ids: [], parentId })
  if (to === null) {
    if (groupCloudId !== undefined) await requireGroupCloud(pool, viewer.userId, groupCloudId)
    return null
  }
  if (groupCloudId !== undefined) throw noGroupCloudInAccount()
  requireWritable(await requireFolder(pool, viewer.userId, parentId))
  return to
}

/** Without entries in folders that were chosen too. */
async function topmost({ tx, userId }: Change, entries: readonly Entry[]): Promise<Entry[]> {
  const chosen = new Set(entries.map(({ id }) => id))
  const above = await ancestry(
    { tx, userId },
    entries.map(({ id }) => id),
  )
  return entries.filter(({ parentId }) => !chainOf(above, parentId).some(({ id }) => chosen.has(id)))
}

/** @throws ConflictError for what its account does not let go */
async function requireMovable({ tx, userId }: Change, tops: readonly Entry[], target: string | null): Promise<void> {
  const arriving = await findArriving(
    tx,
    userId,
    tops.map(({ id }) => id),
  )
  if (arriving[0]) throw stillArriving(arriving[0])
  const leaving = tops.filter(({ accountId }) => accountId !== null && accountId !== target).map(({ id }) => id)
  if (leaving.length === 0) return
  const { rows } = await tx.query<{ name: string; accountName: string; rights: number | null }>(
    `select f.name, a.name as "accountName", e.rights from files f join accounts a on a.id = f.account_id
       left join account_entries e on e.file_id = f.id where f.id = any($1::uuid[])`,
    [leaving],
  )
  for (const { name, accountName, rights } of rows) {
    if (rights === null)
      throw new ConflictError(`“${name}” shows a connected account. It can be copied, but not be moved.`)
    if (!rightsOfBits(rights).delete) {
      throw new ConflictError(`“${accountName}” does not allow moving “${name}” away. It can be copied.`)
    }
  }
}

/** Of the entries ($2), and of them and the folders above them ($3): what an open job moves, or contains something that one moves. */
const BEING_MOVED = `with recursive moving as (
    select i.source_id as id from file_jobs j join file_job_items i on i.job_id = j.id and i.level = 0
    where j.user_id = $1 and j.kind = 'MOVE' and j.ended_at is null and (i.state = 'WAITING' or i.state = 'CARRIED' and i.detail is null)),
  above as (
    select f.parent_id as id from moving m join files f on f.id = m.id
    union select f.parent_id from above a join files f on f.id = a.id)
  select f.name from files f where f.user_id = $1
    and (f.id = any($2::uuid[]) and f.id in (select id from moving union select id from above)
      or f.id = any($3::uuid[]) and f.id in (select id from moving)) limit 1`

/** Two jobs would each store it at their target. @throws ConflictError */
async function refuseMovedTwice(change: Change, tops: readonly Entry[]): Promise<void> {
  const ids = tops.map(({ id }) => id)
  const withAbove = [...(await ancestry(change, ids)).keys()]
  const { rows } = await change.tx.query<{ name: string }>(BEING_MOVED, [change.userId, ids, withAbove])
  if (!rows[0]) return
  throw new ConflictError(
    `“${rows[0].name}” is already being moved, or contains something that is. Please wait until that is done, or cancel it in Transfers.`,
  )
}

/** Runs due jobs in this process. The rows are the queue: several processes may take from it. */
function createLoop(
  deps: RunDeps,
  speeds: JobSpeeds,
  { wakeOthers, pollMs = { due: 5_000, running: 1_000 } }: Pick<FileJobsDeps, 'wakeOthers' | 'pollMs'>,
) {
  const { pool, clock, onError } = deps
  const running = new Map<string, { readonly controller: AbortController; readonly ended: Promise<void> }>()
  const held = new Set<string>()
  const timers: NodeJS.Timeout[] = []
  let stopped = true
  let starting: Promise<void> | undefined
  let again = false

  function wake(): void {
    if (stopped) wakeOthers?.()
    if (stopped) return
    again = true
    starting ??= withCause(null, startDue).finally(() => {
      starting = undefined
      if (again) wake()
    })
  }

  async function startDue(): Promise<void> {
    again = false
    const room = MAX_RUNNING - running.size
    if (room <= 0) return
    const due = await dueJobs(pool, [...running.keys(), ...held], room, new Date(clock.now())).catch(
      (error: unknown) => {
        onError(error)
        return []
      },
    )
    for (const id of stopped ? [] : due) run(id)
  }

  function run(id: string): void {
    const controller = new AbortController()
    const ended = withCause(keptCause(id), () => runJob(deps, speeds, id, controller.signal))
      .catch((error: unknown) => {
        onError(error)
        return false
      })
      .then((ran) => {
        if (!ran) hold(id)
        running.delete(id)
        if (ran) wake()
      })
    running.set(id, { controller, ended })
  }

  function hold(id: string): void {
    held.add(id)
    setTimeout(() => held.delete(id), RETRY_HELD_MS).unref()
  }

  /** Stops runs of jobs that were paused or cancelled by any process. */
  async function stopUnwanted(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const wanted = await wantedJobs(pool, ids)
    for (const id of ids) if (!wanted.has(id)) running.get(id)?.controller.abort(new Error('This job was stopped.'))
  }

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
    recheck: (id: string) => void stopUnwanted(running.has(id) ? [id] : []).catch(onError),
    async stop() {
      stopped = true
      for (const timer of timers) clearInterval(timer)
      await starting
      for (const { controller } of running.values()) controller.abort(new Error('The server is shutting down.'))
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}
