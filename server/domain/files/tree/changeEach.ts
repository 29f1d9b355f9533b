import { isRefusal } from '../../../db/pool.ts'
import { createBatcher, createSemaphore, type Outcome } from '../../../lib/concurrency.ts'
import { ConflictError, DomainError, NotFoundError } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import type { EachAction, EachOutcome, File, FilePage, FilePatch, FilesService, ListFiles } from '../contract.ts'
import {
  type Change,
  type ChangeDeps,
  changeTree,
  distinctIds,
  type Entry,
  findEntries,
  InAccountError,
  inAccount,
  lockAccounts,
  noGroupCloudInAccount,
  requireLiveFolder,
} from './change.ts'
import { getFiles } from './entries.ts'
import { createEach, renameEach, renameEntry } from './folders.ts'
import { isShort, listFiles, wantedKey } from './listing.ts'
import { labelEach, onlyFolders, requireTags, starEntries } from './marks.ts'
import { assignEach, assignGroupCloud, moveEach, moveEntries, requireGroupCloud, restoreEntries } from './move.ts'
import {
  type ChangeInPlace,
  idsOf,
  isOurs,
  type Refusals,
  refuseChanged,
  type Step,
  type StepOf,
  stepOf,
} from './step.ts'
import { databaseTime, purgeEntries, splitDiscarded, startOf, trashEntries } from './trash.ts'

export type StepDeps = ChangeDeps & {
  /** Absent: changes of entries in accounts are refused. */
  readonly changeInPlace?: ChangeInPlace
}

/** Entries per transaction: few enough that other changes of the user's tree do not wait long. */
const BATCH = 200
/** Entries per call: few enough to respond within seconds. */
const MOST_CHANGED = 5_000
const MOST_NAMED = 100

/** Concurrent changes at providers per request. */
const AT_PROVIDERS = 4

/** The changes of the service in which each entry succeeds or fails separately. */
export function createEachChanges(deps: StepDeps): Pick<FilesService, 'changeEach' | 'changeSelection'> {
  return {
    async changeEach(viewer, ids, action) {
      const distinct = distinctIds(ids)
      await requireTarget(deps, viewer, action)
      return changeAll(deps, viewer, distinct, action)
    },

    /** In the order of the list, so that each call continues where the previous one stopped. */
    async changeSelection(viewer, { list, action, after }, idempotencyKey) {
      await requireTarget(deps, viewer, action)
      const asked = { operation: 'changeSelection', content: JSON.stringify({ list, action, after }) }
      const from = await startOf(deps.pool, viewer, asked, idempotencyKey)
      const done = { changedCount: 0, failedCount: 0 }
      const failures: { readonly file: File; readonly error: DomainError }[] = []
      const sample: File[] = []
      let next: string | null = after ?? null
      let isMore = true
      // A search for one or two letters reads a limited number of names, and changes move other names into that range: so
      // it is read as one page.
      const size = isShort(wantedKey(list.query)) ? MOST_CHANGED : BATCH
      for (let read = 0; isMore && read < MOST_CHANGED; read += size) {
        const options: ListFiles = { ...list, limit: size, after: next ?? undefined }
        const page: FilePage = await listFiles(deps.pool, viewer, options)
        const files = page.items.map(({ file }) => file)
        const outcomes = await changeAll(
          deps,
          viewer,
          files.map(({ id }) => id),
          action,
        )
        for (const [index, file] of files.entries()) {
          const error = outcomes[index]?.error ?? null
          if (error === null) {
            done.changedCount += 1
            if (sample.length < MOST_NAMED) sample.push(file)
          } else {
            done.failedCount += 1
            if (failures.length < MOST_NAMED) failures.push({ file, error })
          }
        }
        next = page.items.at(-1)?.cursor ?? next
        isMore = page.hasNextPage
      }
      return { ...done, failures, sample, next: isMore ? next : null, from, until: await databaseTime(deps.pool) }
    },
  }
}

/** Checks the target once, because otherwise each entry would fail for the same reason. @throws NotFoundError, InvalidInputError */
async function requireTarget(deps: ChangeDeps, viewer: Viewer, action: EachAction): Promise<void> {
  if (action.kind === 'TAG') await requireTags(deps.pool, viewer.userId, action)
  if ('groupCloudId' in action && action.groupCloudId !== undefined) {
    await requireGroupCloud(deps.pool, viewer.userId, action.groupCloudId)
  }
  if (action.kind !== 'MOVE') return
  const [folder] = await requireLiveFolder({ tx: deps.pool, userId: viewer.userId }, action.parentId)
  if (folder?.inPlace && action.groupCloudId !== undefined) throw noGroupCloudInAccount()
}

/**
 * As changeEach, for entries some of which are in accounts, where nothing can be undone because another change fails: all that is
 * possible is done. @throws the error of the only failure, or ConflictError with their number
 */
export async function changeMixed(
  deps: StepDeps,
  viewer: Viewer,
  ids: readonly string[],
  action: EachAction,
): Promise<void> {
  const outcomes = await changeAll(deps, viewer, ids, action)
  const errors = outcomes.flatMap(({ error }) => error ?? [])
  const [first] = errors
  if (!first) return
  if (errors.length === 1 && ids.length === 1) throw first
  const done = ids.length - errors.length
  throw new ConflictError(`${errors.length} of ${ids.length} could not be changed, ${done} were. ${first.message}`)
}

/**
 * Deletes the entries in accounts that were in the user's trash at `asOf`, up to 5,000.
 * @returns how many were deleted
 * @throws ConflictError when some could not be deleted
 */
export async function emptyTrashInPlace(deps: StepDeps, viewer: Viewer, asOf: Date): Promise<number> {
  const { rows } = await deps.pool.query<{ id: string }>(
    `select id from files where user_id = $1 and trashed_at <= $2 and purged_at is null and account_id is not null
     order by trashed_at, id limit $3`,
    [viewer.userId, asOf, MOST_CHANGED],
  )
  const ids = rows.map(({ id }) => id)
  await changeMixed(deps, viewer, ids, { kind: 'REMOVE' })
  return ids.length
}

async function changeAll(
  deps: StepDeps,
  viewer: Viewer,
  ids: readonly string[],
  action: EachAction,
): Promise<EachOutcome[]> {
  const outcomes: EachOutcome[] = []
  for (let at = 0; at < ids.length; at += BATCH) {
    outcomes.push(...(await changeBatch(deps, viewer, ids.slice(at, at + BATCH), action)))
  }
  return outcomes
}

async function changeBatch(
  deps: StepDeps,
  viewer: Viewer,
  ids: readonly string[],
  action: EachAction,
): Promise<EachOutcome[]> {
  const steps = ids.map((id) => stepOf(id, action))
  const inPlace = await findInPlace(deps, viewer, steps, action)
  const here = steps.filter(({ id }) => !inPlace.has(id))
  const outcomes = here.length > 0 ? await runTogether(deps, viewer, here) : []
  const byId = new Map(here.map(({ id }, index) => [id, outcomes[index] ?? MISSING_OUTCOME]))
  const all = steps.map(({ id }) => byId.get(id) ?? IN_ACCOUNT)
  const results = await changeThoseInPlace(deps, viewer, steps, all)
  return results.map((result, index) => {
    const id = ids[index] ?? ''
    if (result.ok) return { id, file: result.value, error: null }
    if (result.error instanceof DomainError) return { id, file: null, error: result.error }
    throw result.error
  })
}

const IN_ACCOUNT: StepOutcome = { ok: false, error: new InAccountError('This entry is in a connected account.') }

const IN_PLACE = `select e.file_id as id from account_entries e join files f on f.id = e.file_id
  where e.file_id = any($2::uuid[]) and f.user_id = $1`

/**
 * Entries in accounts, whose change always begins at the provider: a transaction here would only find that out. Others are found when they
 * are changed.
 */
async function findInPlace(
  { pool, changeInPlace }: StepDeps,
  { userId }: Viewer,
  steps: readonly Step[],
  { kind }: EachAction,
): Promise<ReadonlySet<string>> {
  if (!changeInPlace || (kind !== 'TRASH' && kind !== 'RESTORE' && kind !== 'REMOVE')) return new Set()
  const { rows } = await pool.query<{ id: string }>(IN_PLACE, [userId, steps.map(({ id }) => id)])
  return new Set(rows.map(({ id }) => id))
}

/** The outcomes, with those of the steps that were refused because their entries are in accounts replaced. */
async function changeThoseInPlace(
  { changeInPlace }: StepDeps,
  viewer: Viewer,
  steps: readonly Step[],
  outcomes: StepOutcome[],
): Promise<StepOutcome[]> {
  if (!changeInPlace) return outcomes
  const inTurn = createSemaphore(AT_PROVIDERS)
  const changeOne = (step: Step) =>
    inTurn(async (): Promise<StepOutcome> => {
      return { ok: true, value: await changeInPlace(viewer, step) }
    }).catch((error: unknown): StepOutcome => ({ ok: false, error }))
  return Promise.all(
    outcomes.map((outcome, index) => {
      const step = steps[index]
      const isInPlace = !outcome.ok && outcome.error instanceof InAccountError
      return isInPlace && step ? changeOne(step) : outcome
    }),
  )
}

/** Steps per transaction: few enough that the next request does not wait long. */
const MOST_STEPS = 64

/** The entry afterwards; null when it was deleted. */
export type StepOutcome = Outcome<File | null>

/**
 * Concurrent single changes of a user share one transaction: its locks, its commit, and a few statements for all of
 * them. Each has its own outcome. Entries in accounts are changed by `changeInPlace`.
 */
export function createStepBatcher(deps: StepDeps) {
  const users = new Map<string, { open: number; run: (step: Step) => Promise<File | null> }>()

  return async (viewer: Viewer, step: Step): Promise<File | null> => {
    const { userId } = viewer
    const run = (steps: readonly Step[]) => runAll(deps, { userId }, steps)
    const user = users.get(userId) ?? { open: 0, run: createBatcher({ run, limit: MOST_STEPS }) }
    users.set(userId, user)
    user.open += 1
    try {
      return await user.run(step)
    } catch (error) {
      if (!(error instanceof InAccountError) || !deps.changeInPlace) throw error
      return await deps.changeInPlace(viewer, step)
    } finally {
      user.open -= 1
      if (user.open === 0) users.delete(userId)
    }
  }
}

/** Steps on the same entry run one after the other, in the given order; all others together. */
async function runAll(deps: ChangeDeps, viewer: { userId: string }, steps: readonly Step[]): Promise<StepOutcome[]> {
  const outcomes = new Map<Step, StepOutcome>()
  for (let left = steps; left.length > 0; left = left.filter((step) => !outcomes.has(step))) {
    const ids = new Set<string>()
    const round = left.filter(({ id }) => !ids.has(id) && ids.add(id))
    const results = await runTogether(deps, viewer, round)
    for (const [index, step] of round.entries()) outcomes.set(step, results[index] ?? MISSING_OUTCOME)
  }
  return steps.map((step) => outcomes.get(step) ?? MISSING_OUTCOME)
}

const MISSING_OUTCOME = { ok: false, error: new Error('A batch has no outcome for one of its changes.') } as const

/**
 * Runs all steps in one transaction. If PostgreSQL refuses that, each step runs on its own, so that one does not stop
 * the others. Each id occurs in one step only.
 */
async function runTogether(
  deps: ChangeDeps,
  viewer: Pick<Viewer, 'userId'>,
  steps: readonly Step[],
): Promise<StepOutcome[]> {
  try {
    return await runInTransaction(deps, viewer, steps)
  } catch (error) {
    if (steps.length === 1 || !isRefusal(error)) throw error
  }
  const outcomes: StepOutcome[] = []
  for (const step of steps) {
    outcomes.push(
      ...(await runInTransaction(deps, viewer, [step]).catch((error: unknown) => [{ ok: false, error } as const])),
    )
  }
  return outcomes
}

function runInTransaction(
  deps: ChangeDeps,
  viewer: Pick<Viewer, 'userId'>,
  steps: readonly Step[],
): Promise<StepOutcome[]> {
  return changeTree(deps, viewer, async (change) => {
    const refusals = await runSteps(change, steps)
    const files = await getFiles(change.tx, viewer, idsOf(steps))
    return steps.map((step, index) => {
      const error = refusals.get(step)
      return error ? { ok: false, error } : { ok: true, value: files[index] ?? null }
    })
  })
}

/** Runs all steps that are possible, in few statements however many there are. Each id occurs in one step only. */
async function runSteps(change: Change, steps: readonly Step[]): Promise<Refusals> {
  const refusals: Refusals = new Map()
  const of = <Kind extends Step['kind']>(kind: Kind) =>
    steps.filter((step): step is StepOf<Kind> => step.kind === kind && !refusals.has(step))
  if (steps.some(({ kind }) => kind === 'REMOVE' || kind === 'DISCARD')) await lockAccounts(change)
  await lockInOrder(change, steps)

  const existing = steps.filter(({ kind }) => kind !== 'CREATE')
  const entries = existing.length > 0 ? await findEntries(change, idsOf(existing)) : new Map<string, Entry>()
  for (const step of existing) {
    const entry = entries.get(step.id)
    if (!entry) refusals.set(step, new NotFoundError())
    else if (entry.accountId !== null && !isOurs(step)) refusals.set(step, inAccount(entry))
    else if (step.kind === 'COLOR' && entry.kind === 'FILE') refusals.set(step, onlyFolders())
  }
  await refuseChanged(change, existing, refusals)

  await createEach(change, of('CREATE'), refusals)
  if (of('RESTORE').length > 0) await restoreEntries(change, idsOf(of('RESTORE')))
  await moveEach(change, of('MOVE'), entries, refusals)
  await renameEach(change, of('RENAME'), entries, refusals)
  await assignEach(change, [...of('ASSIGN'), ...of('MOVE')], entries, refusals)
  for (const starred of [true, false]) {
    const stars = of('STAR').filter((step) => step.starred === starred)
    if (stars.length > 0) await starEntries(change, idsOf(stars), starred)
  }
  await labelEach(change, of('TAG'), of('COLOR'))
  const [trashed, removed] = await splitDiscarded(change, of('DISCARD'))
  const trash = [...of('TRASH'), ...trashed]
  const remove = [...of('REMOVE'), ...removed]
  if (trash.length > 0) await trashEntries(change, idsOf(trash))
  if (remove.length > 0) await purgeEntries(change, idsOf(remove))
  return refusals
}

const LOCK = {
  name: 'files lock steps',
  text: `select from files where id = any(array(
      select unnest($2::uuid[]) union select parent_id from files where id = any($2::uuid[]) and user_id = $1))
    order by id for update`,
}

/** Locks the entries, their folders and the target folders, in the order in which uploads lock folders. */
async function lockInOrder({ tx, userId }: Change, steps: readonly Step[]): Promise<void> {
  const targets = steps.flatMap((step) => ('parentId' in step && step.parentId !== null ? [step.parentId] : []))
  await tx.query({ ...LOCK, values: [userId, [...new Set([...idsOf(steps), ...targets])]] })
}

/** Applies the whole patch, in an order in which one part allows the next: restoring first, trashing last. */
export async function updateEntry(change: Change, id: string, patch: FilePatch): Promise<void> {
  const { name, parentId, starred, trashed, groupCloudId } = patch
  if (trashed === false) await restoreEntries(change, [id])
  if (parentId !== undefined) await moveEntries(change, [id], parentId, 'RENAME')
  if (name !== undefined) await renameEntry(change, id, name)
  if (starred !== undefined) await starEntries(change, [id], starred)
  if (groupCloudId !== undefined) await assignGroupCloud(change, [id], groupCloudId)
  if (trashed === true) await trashEntries(change, [id])
}
