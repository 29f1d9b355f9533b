import type { Pool } from 'pg'
import type { Call, Driver, Entry, EntryRef, EntryRights } from '../../providers/driver.ts'
import { nothingWhen } from '../../providers/errors.ts'
import { ConflictError, FolderCycleError, NameTakenError, NotFoundError, PreconditionFailedError } from '../errors.ts'
import type { File, OnConflict } from '../files/contract.ts'
import {
  type Arriving,
  cancelArriving,
  findArriving,
  stillArriving,
  storeInGroupCloud,
} from '../files/tree/arriving.ts'
import {
  ancestry,
  type Change,
  chainOf,
  changeTree,
  inAccount,
  inTrash,
  lockAccounts,
  noSuchFolder,
  recount,
  requireLiveFolder,
} from '../files/tree/change.ts'
import { getFiles, requireFile } from '../files/tree/entries.ts'
import { nameKey, numberedName, takenInAccount } from '../files/tree/names.ts'
import { type ChangeInPlace, etagOf, isOurs, type Step } from '../files/tree/step.ts'
import { enqueueWholeProtection } from './apply.ts'
import { forgetTrashed, trashBelow } from './entries.ts'
import { relocate } from './followMoved.ts'
import {
  apply,
  ask,
  callOf,
  carryOut,
  type InPlaceChangeDeps,
  isUnclear,
  open,
  openPlace,
  type Place,
  type PlacedAccount,
  type PlacedEntry,
  requireEntry,
  requireFolder,
  requireWritable,
  statOf,
} from './placed.ts'
import { enqueueTakePlace, type Replacing, takePlaceNow } from './takePlace.ts'

/** Numbers that are tried until a name is free in a folder of an account. */
const MOST_NUMBERS = 20

/**
 * Changes entries in accounts: at the provider first, then in the index, with what the provider returned. If the response is lost, the
 * account is asked what became of the entry instead of trying again. Entries that were changed at the provider since they were last
 * read are not changed: the index is updated, and the error says so.
 */
export function createChangeInPlace(deps: InPlaceChangeDeps): ChangeInPlace {
  return async (viewer, step) => {
    await requireEtag(deps.pool, viewer, step)
    const id = step.kind === 'CREATE' ? await create(deps, viewer.userId, step) : await change(deps, viewer, step)
    return id === null ? null : ((await getFiles(deps.pool, viewer, [id]))[0] ?? null)
  }
}

async function requireEtag(pool: Pool, viewer: { readonly userId: string }, step: Step): Promise<void> {
  if (step.ifMatch === undefined || step.kind === 'CREATE') return
  const file: File = await requireFile(pool, viewer, step.id)
  if (!step.ifMatch.includes(etagOf(file))) throw new PreconditionFailedError()
}

/** @returns the id of the entry; null when it was deleted */
async function change(
  deps: InPlaceChangeDeps,
  { userId }: { readonly userId: string },
  step: Exclude<Step, { kind: 'CREATE' }>,
): Promise<string | null> {
  const [arriving] = await findArriving(deps.pool, userId, [step.id])
  if (arriving) return changeArriving(deps, userId, arriving, step)
  const entry = await requireEntry(deps.pool, userId, step.id)
  const isTrashed = entry.trash !== null
  if (step.kind === 'ASSIGN' || isOurs(step)) throw inAccount(entry)
  if (isTrashed && (step.kind === 'RENAME' || step.kind === 'MOVE')) throw inTrash(entry)
  if (step.kind === 'RESTORE' && entry.trash !== 'OWN') return entry.id
  if (step.kind === 'TRASH' && isTrashed) return entry.id
  const place = await openPlace(deps, entry)
  if (step.kind === 'RENAME') await rename(place, step.name)
  else if (step.kind === 'MOVE') await move(place, step.parentId, step.onConflict)
  else if (step.kind === 'RESTORE') await restore(place)
  else if (step.kind === 'TRASH' || (step.kind === 'DISCARD' && !isTrashed)) await trash(place)
  else {
    await remove(place)
    return null
  }
  return entry.id
}

/** A file that the account does not have yet can be cancelled, or stored by Skypool instead. @returns its id; null when it was deleted */
async function changeArriving(
  deps: InPlaceChangeDeps,
  userId: string,
  arriving: Arriving,
  step: Exclude<Step, { kind: 'CREATE' }>,
): Promise<string | null> {
  const { id } = arriving
  if (step.kind === 'RESTORE') return id
  if (step.kind === 'REMOVE') {
    await changeTree(deps, { userId }, (change) => cancelArriving(change, [id]))
    return null
  }
  if (step.kind !== 'MOVE' || step.parentId === arriving.parentId) throw stillArriving(arriving)
  await changeTree(deps, { userId }, async (change) => {
    const { tx, changedIds } = change
    await lockAccounts(change)
    const [chosen] = await requireLiveFolder(change, step.parentId)
    const [still] = await findArriving(tx, userId, [id])
    if (chosen?.inPlace || !still) throw stillArriving(arriving)
    await storeInGroupCloud(change, [still], step.parentId)
    await recount(change, [step.parentId], [still.parentId])
    changedIds.add(id)
  })
  return id
}

/**
 * What the account has now, if it is what the user sees. Where references are paths, a file that is to be deleted must have the same
 * content, too: another one can have taken its place.
 * @throws NotFoundError, ConflictError after the index was updated
 */
async function requireSame(place: Place, { toDelete = false } = {}): Promise<Entry> {
  const { entry, account } = place
  const now = await ask(place, () => statOf(place))
  if (now === null) {
    await apply(place, [{ ref: entry.ref, entry: null }])
    throw new NotFoundError(`“${entry.name}” is not in “${account.name}” any more.`)
  }
  const parent = now.details?.parent ?? null
  // The account's root folder is not known before its first listing.
  const folder = entry.parentRef ?? account.rootRef
  const wasMoved = parent !== null && folder !== null && parent !== folder
  // Where references are paths, something else can have the place of what was there.
  const isOther = now.kind.toUpperCase() !== entry.kind
  const isCompared = toDelete && place.driver.capabilities.pathRefs === true && now.kind === 'file'
  const isChanged = isCompared && (now.details?.revision ?? null) !== entry.revision
  if (now.name === entry.name && !wasMoved && !isOther && !isChanged) return now
  await apply(place, [{ ref: entry.ref, entry: now }])
  const other = isOther ? `replaced by a ${now.kind}` : isChanged ? 'changed or replaced' : 'moved'
  const what = now.name === entry.name ? other : `renamed to “${now.name}”`
  throw new ConflictError(`“${entry.name}” was ${what} in “${account.name}” in the meantime. Nothing else was changed.`)
}

/** @throws ConflictError */
function requireRight(
  { entry, account }: Pick<Place, 'entry' | 'account'>,
  right: keyof EntryRights,
  verb: string,
): void {
  if (entry.rights[right]) return
  throw new ConflictError(`“${entry.name}” cannot be ${verb}: “${account.name}” does not allow it.`)
}

async function rename(place: Place, name: string): Promise<void> {
  const { driver, entry } = place
  if (entry.name === name) return
  requireRight(place, 'rename', 'renamed')
  await requireSame(place)
  const work = (call: Call) => required(driver.move)(call, entry.ref, { name })
  const parent = (entry.parentRef ?? driver.root) as EntryRef
  const renamed = await carryOut(place, work, (now) => now.name === name, { parent, name }).catch((error: unknown) => {
    throw error instanceof NameTakenError ? new NameTakenError(name) : error
  })
  await applyMoved(place, renamed)
}

/** Stores where an entry is now, and in the same transaction what it replaces there. */
async function applyMoved(place: Place, entry: Entry, replacing: Replacing | null = null): Promise<void> {
  const { ref } = entry
  await apply(
    place,
    [{ ref, entry }],
    {},
    {
      before: (treeChange) => follow(treeChange, place, ref),
      after: async (tx) => {
        if (replacing) await enqueueTakePlace(tx, place.deps.enqueue, replacing)
      },
    },
  )
}

/** Its rows have its new reference, where that has become another one. */
async function follow(treeChange: Change, { account, entry }: Place, to: EntryRef): Promise<void> {
  if (to === entry.ref) return
  await relocate(treeChange, { accountId: account.id, fileId: entry.id, from: entry.ref, to })
}

async function move(place: Place, parentId: string | null, onConflict: OnConflict): Promise<void> {
  const { deps, driver, entry, account } = place
  if (entry.parentId === parentId) return
  const target = await requireFolder(deps.pool, account.userId, parentId)
  if (target.account.id !== account.id) {
    throw new ConflictError(`“${entry.name}” can be copied to another account, but not be moved there.`)
  }
  const above = chainOf(await ancestry({ tx: deps.pool, userId: account.userId }, [target.id]), target.id)
  if (above.some(({ id }) => id === entry.id)) throw new FolderCycleError()
  requireRight(place, 'move', 'moved')
  requireWritable(target)
  const taken = await takenInAccount(deps.pool, { userId: account.userId, parentId }, nameKey(entry.name))
  if (taken !== null && onConflict === 'FAIL') throw new NameTakenError(entry.name)
  const replacedId = onConflict === 'REPLACE' ? taken : null
  if (replacedId !== null) await requireReplaceable(place, replacedId)
  await requireSame(place)
  const parent = target.ref ?? driver.root
  const work = (call: Call, name: { name?: string }) => required(driver.move)(call, entry.ref, { parent, ...name })
  if (replacedId === null) return applyMoved(place, await putInto(place, work, parent, { onConflict }))
  const moved = await putInto(place, work, parent, { onConflict, first: 2 })
  const { id, name } = entry
  const to = { userId: account.userId, id, parentId: target.id, name, replacedId, revision: null }
  const replacing = { ...to, storedAs: moved.name }
  await applyMoved(place, moved, replacing)
  await takePlaceNow({ ...deps, changeInPlace: createChangeInPlace(deps) }, replacing)
}

/** @throws ConflictError */
async function requireReplaceable(place: Place, id: string): Promise<void> {
  const { deps, account } = place
  await refuseAbove(place, id)
  requireRight({ entry: await requireEntry(deps.pool, account.userId, id), account }, 'delete', 'replaced')
}

/** What is in the trash with its folder cannot be moved any more. @throws ConflictError */
async function refuseAbove({ deps, entry, account: { userId } }: Place, id: string): Promise<void> {
  const above = chainOf(await ancestry({ tx: deps.pool, userId }, [entry.id]), entry.id)
  if (!above.some((folder) => folder.id === id)) return
  throw new ConflictError(`“${entry.name}” cannot replace a folder that it is in. Please choose another name first.`)
}

type Naming = {
  readonly onConflict: OnConflict
  /** The first number that is tried; 1: the entry's own name. */
  readonly first?: number
}

/** Tries free names where the account refuses the entry's own, except with FAIL. */
async function putInto(
  place: Place,
  work: (call: Call, name: { name?: string }) => Promise<Entry>,
  parent: EntryRef,
  { onConflict, first = 1 }: Naming,
): Promise<Entry> {
  const { name, kind } = place.entry
  const before = await statOf(place).catch(() => null)
  const isDone = (now: Entry) =>
    before !== null && (now.path !== before.path || now.details?.parent !== before.details?.parent)
  for (let number = first; ; number += 1) {
    const free = number === 1 ? {} : { name: numberedName(name, number, kind) }
    try {
      return await carryOut(place, (call) => work(call, free), isDone, { parent, name: free.name ?? name })
    } catch (error) {
      if (!(error instanceof NameTakenError) || onConflict === 'FAIL' || number === MOST_NUMBERS) throw error
    }
  }
}

async function trash(place: Place): Promise<void> {
  const { driver, entry } = place
  requireRight(place, 'delete', 'moved to the trash')
  await requireSame(place, { toDelete: true })
  if (!driver.trash) return showTrashed(place, await moveToOwnTrash(place))
  await ask(place, async (call) => {
    try {
      await driver.trash?.(call, entry.ref)
    } catch (error) {
      if (!isUnclear(error) || (await statOf(place).catch(() => entry)) !== null) throw error
    }
  })
  await showTrashed(place, entry.ref)
}

/**
 * To Skypool's own folder in the account, where the service has no trash from which entries can be restored.
 * @returns the entry's reference there
 */
async function moveToOwnTrash(place: Place): Promise<EntryRef> {
  const { deps, driver, entry, account } = place
  const name = ownTrashName(entry)
  const parent = await ask(place, (call) => ownTrash(deps, driver, call, account))
  try {
    const work = (call: Call) => required(driver.move)(call, entry.ref, { parent, name })
    return (await carryOut(place, work, (now) => now.name === name, { parent, name })).ref
  } catch (error) {
    if (!(error instanceof NotFoundError) || (await ask(place, () => isThere(driver, parent)))) throw error
    // The next attempt creates it again.
    await deps.rootFolders.forget(account.id)
    throw new ConflictError(`Skypool's folder in “${account.name}” was deleted there. Please try again.`)
  }
}

function ownTrash({ rootFolders }: InPlaceChangeDeps, driver: Driver, call: Call, account: PlacedAccount) {
  return rootFolders.folder(driver, call, { accountId: account.id, rootFolderRef: account.ownFolderRef }, 'TRASH')
}

const SUFFIX_LENGTH = 12

/** Different for equal names. */
function ownTrashName({ id, name }: PlacedEntry): string {
  const dot = name.lastIndexOf('.')
  const end = dot > 0 ? dot : name.length
  return `${name.slice(0, Math.min(end, 150))} (${id.slice(-SUFFIX_LENGTH)})${name.slice(end).slice(0, 20)}`
}

async function showTrashed(place: Place, ref: EntryRef): Promise<void> {
  const { deps, account, entry } = place
  await changeTree(deps, account, async (treeChange) => {
    const { tx } = treeChange
    const { rows } = await tx.query<{ pass: number }>(
      'select pass from account_indexes where account_id = $1 for update',
      [account.id],
    )
    const [index] = rows
    if (!index) return
    await follow(treeChange, place, ref)
    const { count, wasCounted } = await trashBelow(tx, entry.id, index.pass)
    await tx.query(
      'update account_indexes set entries = entries - $2, own_changes = own_changes + 1 where account_id = $1',
      [account.id, count],
    )
    await recount(treeChange, [], wasCounted ? [entry.parentId] : [])
    treeChange.changedIds.add(entry.id)
    await enqueueWholeProtection(tx, treeChange.enqueue, account.id)
  })
}

async function restore(place: Place): Promise<void> {
  const { driver, entry, account } = place
  const now = await ask(place, () => statOf(place))
  if (now !== null && !(await isInOwnTrash(place, now))) {
    await apply(place, [{ ref: entry.ref, entry: now }])
    return
  }
  const parent = await liveFolderRef(place)
  const { name } = entry
  try {
    const restored = driver.restore
      ? await ask(place, (call) => required(driver.restore)(call, entry.ref, parent))
      : await putInto(
          place,
          (call, free) => required(driver.move)(call, entry.ref, { parent, name, ...free }),
          parent,
          { onConflict: 'RENAME' },
        )
    await applyMoved(place, restored)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    if (!(await ask(place, () => isThere(driver, parent)))) {
      throw new ConflictError(
        `The folder of “${name}” is not in “${account.name}” any more. Please try again in a minute.`,
      )
    }
    if (!(await forget(place))) return
    throw new NotFoundError(`“${name}” was deleted permanently in “${account.name}”.`)
  }
}

async function isThere(driver: Driver, ref: EntryRef): Promise<boolean> {
  return (await driver.stat(callOf(), ref).catch(nothingWhen('NotFound'))) !== null
}

/** The nearest folder above that is still there; the account's root otherwise. */
async function liveFolderRef({ deps, driver, account, entry }: Place): Promise<EntryRef> {
  const { rows } = await deps.pool.query<{ ref: EntryRef | null }>(
    `with recursive up (id, parent_id, live, depth) as (
       select id, parent_id, purged_at is null and trash_root_id is null, 0 from files where id = $1
       union all select f.id, f.parent_id, f.purged_at is null and f.trash_root_id is null, up.depth + 1
         from up join files f on f.id = up.parent_id)
     select e.ref from up left join account_entries e on e.file_id = up.id where live
       and depth > coalesce((select max(depth) from up where not live), -1) order by depth limit 1`,
    [entry.parentId],
  )
  return rows[0]?.ref ?? ((account.rootRef ?? driver.root) as EntryRef)
}

/** What the service has no trash for is found by Driver.stat in Skypool's own folder. */
async function isInOwnTrash(place: Place, now: Entry): Promise<boolean> {
  const { deps, driver, account, entry } = place
  if (driver.trash) return false
  const folder = await ask(place, async (call) => {
    const ref = await ownTrash(deps, driver, call, account)
    return driver.stat(call, ref).catch(nothingWhen('NotFound'))
  })
  if (now.path === undefined) return now.name === ownTrashName(entry)
  return folder?.path !== undefined && now.path.startsWith(`${folder.path}/`)
}

/** Deletes permanently. What was taken out of the trash at the provider is shown again instead. */
async function remove(place: Place): Promise<void> {
  const { driver, entry } = place
  if (entry.trash === null) {
    requireRight(place, 'delete', 'deleted')
    await requireSame(place, { toDelete: true })
    await ask(place, (call) => driver.delete(call, entry.ref))
    await apply(place, [{ ref: entry.ref, entry: null }], { confirmed: true })
    return
  }
  const now = await ask(place, () => statOf(place))
  if (now !== null && !(await isInOwnTrash(place, now))) {
    await apply(place, [{ ref: entry.ref, entry: now }])
    throw restoredMeanwhile(place)
  }
  // An entry in the service's trash is not found. In Skypool's folder, it was deleted before, and something else can be there.
  if (now !== null || driver.trash) await ask(place, (call) => driver.delete(call, entry.ref))
  if (!(await forget(place))) throw restoredMeanwhile(place)
}

function restoredMeanwhile({ entry, account }: Place): ConflictError {
  return new ConflictError(`“${entry.name}” was restored in “${account.name}” in the meantime. It was not deleted.`)
}

/**
 * Removes an entry from the trash as it is shown here.
 * @returns false if it is not in the trash any more: another request has restored it
 */
async function forget({ deps, account, entry: { id } }: Place): Promise<boolean> {
  return changeTree(deps, account, async ({ tx, removedIds }) => {
    const isForgotten = await forgetTrashed(tx, id)
    if (isForgotten) removedIds.add(id)
    return isForgotten
  })
}

/** @returns the id of the new folder */
async function create(
  deps: InPlaceChangeDeps,
  userId: string,
  { id, name, parentId }: Extract<Step, { kind: 'CREATE' }>,
): Promise<string> {
  const folder = await requireFolder(deps.pool, userId, parentId)
  const { account } = folder
  requireWritable(folder)
  if ((await takenInAccount(deps.pool, { userId, parentId }, nameKey(name))) !== null) throw new NameTakenError(name)
  const driver = await open(deps, account, name)
  const target = { deps, driver, account, subject: name }
  const made = await ask(target, async (call) => {
    const ref = await driver.ensureFolder(call, folder.ref ?? driver.root, name)
    return driver.stat(callOf(), ref)
  }).catch((error: unknown) => {
    throw error instanceof NotFoundError ? noSuchFolder() : error
  })
  await apply(target, [{ ref: made.ref, entry: made }], { newIds: new Map([[made.ref, id]]) })
  const { rows } = await deps.pool.query<{ id: string }>(
    'select file_id as id from account_entries where account_id = $1 and ref = $2',
    [account.id, made.ref],
  )
  return rows[0]?.id ?? id
}

function required<Method>(method: Method | undefined): Method {
  if (method === undefined) throw new Error('The driver of an account with an index cannot change entries.')
  return method
}
