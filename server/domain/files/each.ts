import { DomainError } from '../errors.ts'
import type {
  ChangeSelection,
  EachAction,
  EachOutcome,
  File,
  FilePage,
  ListFiles,
  SelectionChanged,
} from '../services.ts'
import type { Viewer } from '../viewer.ts'
import type { ChangeDeps } from './change.ts'
import { takeTogether } from './gather.ts'
import { requireGroupCloud } from './groupCloud.ts'
import { listFiles } from './listing.ts'
import { databaseTime } from './purge.ts'
import { isShort, wantedKey } from './search.ts'
import type { Step } from './steps.ts'
import { requireLiveFolder } from './tree.ts'

/** Entries of one transaction: whoever waits for this user's tree does not wait long. */
const BATCH = 200
/** Entries of one call: an answer comes within seconds. */
const MOST_CHANGED = 5_000
const MOST_NAMED = 100

export async function changeEach(
  deps: ChangeDeps,
  viewer: Viewer,
  ids: readonly string[],
  action: EachAction,
): Promise<EachOutcome[]> {
  await requireTarget(deps, viewer, action)
  return changeAll(deps, viewer, ids, action)
}

async function changeAll(
  deps: ChangeDeps,
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
  deps: ChangeDeps,
  viewer: Viewer,
  ids: readonly string[],
  action: EachAction,
): Promise<EachOutcome[]> {
  const results = await takeTogether(
    deps,
    viewer,
    ids.map((id) => stepOf(id, action)),
  )
  return results.map((result, index) => {
    const id = ids[index] ?? ''
    if (result.ok) return { id, file: result.value, error: null }
    if (result.error instanceof DomainError) return { id, file: null, error: result.error }
    throw result.error
  })
}

function stepOf(id: string, action: EachAction): Step {
  if (action.kind !== 'MOVE') return { ...action, id }
  return { kind: 'MOVE', id, parentId: action.parentId, onConflict: action.onConflict ?? 'RENAME' }
}

/** What all of them need: without it, each would fail for the same reason. @throws NotFoundError */
async function requireTarget(deps: ChangeDeps, viewer: Viewer, action: EachAction): Promise<void> {
  if (action.kind === 'ASSIGN') await requireGroupCloud(deps.pool, viewer.userId, action.groupCloudId)
  if (action.kind !== 'MOVE' || action.parentId === null) return
  await requireLiveFolder({ tx: deps.pool, userId: viewer.userId }, action.parentId)
}

/** Everything that a list shows, in the order of the list, so that each call goes on where the one before has stopped. */
export async function changeSelection(
  deps: ChangeDeps,
  viewer: Viewer,
  { list, action, after }: ChangeSelection,
): Promise<SelectionChanged> {
  await requireTarget(deps, viewer, action)
  const from = await databaseTime(deps.pool)
  const done = { changedCount: 0, failedCount: 0 }
  const failures: { readonly file: File; readonly error: DomainError }[] = []
  const sample: File[] = []
  let next: string | null = after ?? null
  let isMore = true
  // A search for one or two letters looks at a part of all names: what changes would bring others into its sight.
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
}
