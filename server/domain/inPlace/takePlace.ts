import type { PoolClient } from 'pg'
import { nothingWhen, ProviderError } from '../../providers/errors.ts'
import { DomainError, NotFoundError, ProviderFailedError } from '../errors.ts'
import { nameKey } from '../files/tree/names.ts'
import type { ChangeInPlace } from '../files/tree/step.ts'
import type { Enqueue, JobInputs } from '../jobs.ts'
import { callOf, type InPlaceChangeDeps, type PlacedEntry, requireEntry } from './placed.ts'

// Replacing an entry of an account, so that one of the two is in the folder at every moment: the new one is stored or moved there under a
// free name, then the earlier one goes to the trash, and then the new one gets its name. Services differ in whether they overwrite, and
// whether names can be equal: this works for all of them.

/**
 * The entry `id` was stored as `storedAs` in the folder `parentId`, and replaces `replacedId`, whose name it gets. `revision`: of what is
 * replaced, which is kept if it has another one; null: whatever it is.
 */
export type Replacing = JobInputs['takePlace']

export type TakePlaceDeps = Pick<InPlaceChangeDeps, 'pool' | 'openDriver'> & { readonly changeInPlace: ChangeInPlace }

/** More than a request waits for the two changes: it takes the place itself, and this is for when its server ends. */
const DELAY_SECONDS = 180

/** In the transaction that stores the new entry. */
export async function enqueueTakePlace(tx: PoolClient, enqueue: Enqueue, replacing: Replacing): Promise<void> {
  await enqueue(tx, 'takePlace', replacing, { key: `take place ${replacing.id}`, delaySeconds: DELAY_SECONDS })
}

/**
 * Moves what is replaced to the trash, and gives the new entry its name. Both are kept, the new one under the name that it has, if the
 * earlier one has been changed, moved or renamed in the meantime, or may not be deleted. Can be repeated after a crash at any moment.
 * @throws ProviderFailedError, ProviderError: a retry may succeed
 */
export async function takePlace(deps: TakePlaceDeps, replacing: Replacing): Promise<void> {
  const { userId, id, storedAs, parentId, name } = replacing
  try {
    const entry = await requireEntry(deps.pool, userId, id)
    if (entry.trash !== null || entry.name !== storedAs || entry.parentId !== parentId) return
    if (!(await makeRoom(deps, replacing))) return
    await deps.changeInPlace({ userId }, { kind: 'RENAME', id, name })
  } catch (error) {
    if (!(error instanceof DomainError) || error instanceof ProviderFailedError) throw error
  }
}

/** As takePlace, at once. What fails is tried again by the job that was queued with the new entry. */
export async function takePlaceNow(deps: TakePlaceDeps, replacing: Replacing): Promise<void> {
  await takePlace(deps, replacing).catch((error: unknown) => {
    if (!(error instanceof ProviderFailedError || error instanceof ProviderError)) throw error
  })
}

/** @returns false if it has been changed in the meantime @throws DomainError */
async function makeRoom(deps: TakePlaceDeps, replacing: Replacing): Promise<boolean> {
  const { userId, replacedId, parentId, name, revision } = replacing
  const replaced = await requireEntry(deps.pool, userId, replacedId).catch(nothingIfGone)
  if (replaced === null || replaced.trash !== null) return true
  if (replaced.parentId !== parentId || nameKey(replaced.name) !== nameKey(name)) return true
  if (revision !== null && !(await hasRevision(deps, replaced, revision))) return false
  await deps.changeInPlace({ userId }, { kind: 'TRASH', id: replacedId }).catch(nothingIfGone)
  return true
}

function nothingIfGone(error: unknown): null {
  if (error instanceof NotFoundError) return null
  throw error
}

/** Also if the account does not have it any more. */
async function hasRevision({ openDriver }: TakePlaceDeps, entry: PlacedEntry, revision: string): Promise<boolean> {
  const driver = await openDriver(entry.account.id)
  const now = await driver.stat(callOf(), entry.ref).catch(nothingWhen('NotFound'))
  return now === null || now.details?.revision === revision
}
