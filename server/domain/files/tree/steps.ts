import { hash } from 'node:crypto'
import {
  ConflictError,
  type DomainError,
  FolderCycleError,
  NameTakenError,
  NotFoundError,
  PreconditionFailedError,
} from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import type { File, FilePatch, LabelColor, OnConflict } from '../contract.ts'
import {
  type Ancestor,
  ancestry,
  type Change,
  chainOf,
  type Entry,
  findEntries,
  folderInAccount,
  inAccount,
  inTrash,
  isLiveFolder,
  lockAccounts,
  lockEntries,
  noSuchFolder,
  recount,
} from './change.ts'
import { getFiles, type Queryable, requireFile } from './entries.ts'
import { insertFolders, type NewName, renameEntry, writeNames } from './folders.ts'
import { assignGroupCloud, moveEntries, type Placement, placeEach, restoreEntries } from './move.ts'
import { nameKey, placeKey, takenPlaces, validateName } from './names.ts'
import { purgeEntries, trashEntries } from './trash.ts'

/**
 * One change of one entry. Waiting steps of the same user run together: each has its own outcome, and the result is the
 * same as if they had run one after the other, in some order. `name` has been validated.
 */
export type Step = Condition & Work

/** The entry must have one of these ETags, otherwise the step is refused. Undefined: no condition. */
export type Condition = { readonly ifMatch?: readonly string[] | undefined }

type Work =
  | { readonly kind: 'CREATE'; readonly id: string; readonly name: string; readonly parentId: string | null }
  | { readonly kind: 'RENAME'; readonly id: string; readonly name: string }
  | {
      readonly kind: 'MOVE'
      readonly id: string
      readonly parentId: string | null
      /** REPLACE: all steps have the same folder. */
      readonly onConflict: OnConflict
    }
  | { readonly kind: 'ASSIGN'; readonly id: string; readonly groupCloudId: string }
  | { readonly kind: 'STAR'; readonly id: string; readonly starred: boolean }
  | ({ readonly kind: 'TAG'; readonly id: string } & TagChange)
  | { readonly kind: 'COLOR'; readonly id: string; readonly color: LabelColor | null }
  | { readonly kind: 'TRASH' | 'RESTORE' | 'REMOVE' | 'DISCARD'; readonly id: string }

/**
 * Changes an entry in an account: at its provider first, then here. Does nothing if it is so already. Resolves with the entry, null
 * when it was deleted. @throws DomainError: nothing was changed, or it is not known
 */
export type ChangeInPlace = (viewer: Pick<Viewer, 'userId'>, step: Step) => Promise<File | null>

type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>

/** The refused steps and their errors; all others are done. */
export type Refusals = Map<Step, DomainError>

/** Runs all steps that are possible, in few statements however many there are. Each id occurs in one step only. */
export async function runSteps(change: Change, steps: readonly Step[]): Promise<Refusals> {
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

  await create(change, of('CREATE'), refusals)
  if (of('RESTORE').length > 0) await restoreEntries(change, idsOf(of('RESTORE')))
  await move(change, of('MOVE'), entries, refusals)
  await rename(change, of('RENAME'), entries, refusals)
  await assign(change, of('ASSIGN'), entries, refusals)
  for (const starred of [true, false]) {
    const stars = of('STAR').filter((step) => step.starred === starred)
    if (stars.length > 0) await starEntries(change, idsOf(stars), starred)
  }
  await label(change, of('TAG'), of('COLOR'))
  const [trashed, removed] = await split(change, of('DISCARD'))
  const trash = [...of('TRASH'), ...trashed]
  const remove = [...of('REMOVE'), ...removed]
  if (trash.length > 0) await trashEntries(change, idsOf(trash))
  if (remove.length > 0) await purgeEntries(change, idsOf(remove))
  return refusals
}

/** Whether it changes what only Skypool has about an entry, also of one in an account. */
export function isOurs(step: Step): step is StepOf<'STAR' | 'TAG' | 'COLOR'> {
  return step.kind === 'STAR' || step.kind === 'TAG' || step.kind === 'COLOR'
}

function onlyFolders(): ConflictError {
  return new ConflictError('Only folders can have a colour. Please use a tag for files.')
}

/** One statement for all steps with the same labels. */
async function label(
  change: Change,
  tags: readonly StepOf<'TAG'>[],
  colors: readonly StepOf<'COLOR'>[],
): Promise<void> {
  for (const same of groupBy(tags, ({ addIds, removeIds }) => JSON.stringify([addIds, removeIds]))) {
    const [first] = same
    if (first) await tagEntries(change, idsOf(same), first)
  }
  for (const same of groupBy(colors, ({ color }) => color)) {
    await colorEntries(change, idsOf(same), same[0]?.color ?? null)
  }
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[][] {
  const groups = new Map<unknown, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return [...groups.values()]
}

/** Refuses the steps whose entry does not have one of the expected ETags. */
async function refuseChanged(change: Change, steps: readonly Step[], refusals: Refusals): Promise<void> {
  const conditional = steps.filter((step) => step.ifMatch !== undefined && !refusals.has(step))
  if (conditional.length === 0) return
  const files = await getFiles(change.tx, change, idsOf(conditional))
  for (const [index, step] of conditional.entries()) {
    const file = files[index]
    if (file && !step.ifMatch?.includes(etagOf(file))) refusals.set(step, new PreconditionFailedError())
  }
}

const idsOf = (steps: readonly Step[]) => steps.map(({ id }) => id)

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

async function create(change: Change, steps: readonly StepOf<'CREATE'>[], refusals: Refusals): Promise<void> {
  if (steps.length === 0) return
  const ancestors = await above(change, steps)
  const ready = steps.filter((step) => isOpen(ancestors, step, refusals))
  if (ready.length === 0) return
  const made = new Set(await insertFolders(change, ready))
  for (const step of ready) if (!made.has(step.id)) refusals.set(step, new NameTakenError(step.name))
}

function above(change: Change, steps: readonly { readonly parentId: string | null }[], ids: readonly string[] = []) {
  const all = new Set([...ids, ...steps.flatMap(({ parentId }) => parentId ?? [])])
  return all.size === 0 ? new Map<string, Ancestor>() : ancestry(change, [...all])
}

/** Whether the step's folder exists and is live; refuses the step otherwise. */
function isOpen(
  ancestors: ReadonlyMap<string, Ancestor>,
  step: StepOf<'CREATE' | 'MOVE'>,
  refusals: Refusals,
): boolean {
  if (step.parentId === null) return true
  const chain = chainOf(ancestors, step.parentId)
  if (isLiveFolder(chain) && !chain[0]?.inPlace) return true
  refusals.set(step, isLiveFolder(chain) ? folderInAccount() : noSuchFolder())
  return false
}

async function move(
  change: Change,
  steps: readonly StepOf<'MOVE'>[],
  entries: ReadonlyMap<string, Entry>,
  refusals: Refusals,
): Promise<void> {
  if (steps.length === 0) return
  const ancestors = await above(change, steps, idsOf(steps))
  const moves: { readonly step: StepOf<'MOVE'>; readonly placement: Placement }[] = []
  for (const step of steps) {
    const entry = entries.get(step.id)
    if (!entry || !isOpen(ancestors, step, refusals)) continue
    const chain = chainOf(ancestors, step.parentId)
    if (chainOf(ancestors, step.id).some(({ live }) => !live)) refusals.set(step, inTrash(entry))
    else if (chain.some(({ id }) => id === step.id)) refusals.set(step, new FolderCycleError())
    else if (entry.parentId !== step.parentId) {
      moves.push({ step, placement: { entry, parentId: step.parentId } })
      // If two folders are moved into each other at the same time, the second move sees the first one.
      const self = ancestors.get(step.id)
      if (self) ancestors.set(step.id, { ...self, parentId: step.parentId })
    }
  }
  for (const onConflict of ['RENAME', 'FAIL', 'REPLACE'] as const) {
    const part = moves.filter(({ step }) => step.onConflict === onConflict)
    if (part.length === 0) continue
    const refused = new Set(
      await placeEach(
        change,
        part.map(({ placement }) => placement),
        onConflict,
      ),
    )
    const moved = part.filter(({ step, placement }) => {
      if (refused.has(placement)) refusals.set(step, new NameTakenError(placement.entry.name))
      return !refused.has(placement)
    })
    await recount(
      change,
      moved.map(({ placement }) => placement.parentId),
      moved.map(({ placement }) => placement.entry.parentId),
    )
  }
}

async function rename(
  change: Change,
  steps: readonly StepOf<'RENAME'>[],
  entries: ReadonlyMap<string, Entry>,
  refusals: Refusals,
): Promise<void> {
  if (steps.length === 0) return
  const ancestors = await ancestry(change, idsOf(steps))
  const renamed: NewName[] = []
  for (const step of steps) {
    const entry = entries.get(step.id)
    if (!entry) continue
    if (chainOf(ancestors, step.id).some(({ live }) => !live)) refusals.set(step, inTrash(entry))
    else if (entry.name !== step.name) renamed.push({ entry, name: step.name })
  }
  if (renamed.length === 0) return
  const placeOf = ({ entry, name }: NewName) => ({ parentId: entry.parentId, key: nameKey(name) })
  const taken = await takenPlaces(change.tx, change.userId, renamed.map(placeOf))
  const byEntry = new Map(steps.map((step) => [step.id, step]))
  const free = renamed.filter((one) => {
    const place = placeKey(placeOf(one))
    const occupant = taken.get(place) ?? one.entry.id
    const isFree = occupant === one.entry.id
    const step = byEntry.get(one.entry.id)
    if (!isFree && step) refusals.set(step, new NameTakenError(one.name))
    taken.set(place, occupant)
    return isFree
  })
  await writeNames(change, free)
}

async function assign(
  change: Change,
  steps: readonly StepOf<'ASSIGN'>[],
  entries: ReadonlyMap<string, Entry>,
  refusals: Refusals,
): Promise<void> {
  if (steps.length === 0) return
  const byGroupCloud = new Map<string, string[]>()
  for (const step of steps) {
    const entry = entries.get(step.id)
    if (!entry) continue
    if (entry.trashRootId !== null) refusals.set(step, inTrash(entry))
    else byGroupCloud.set(step.groupCloudId, [...(byGroupCloud.get(step.groupCloudId) ?? []), step.id])
  }
  for (const [groupCloudId, ids] of byGroupCloud) await assignGroupCloud(change, ids, groupCloudId)
}

/** @throws NotFoundError */
export async function starEntries(change: Change, ids: readonly string[], starred: boolean): Promise<void> {
  const entries = await lockEntries(change, ids)
  const text = 'update files set starred = $2 where id = any($1::uuid[]) and starred <> $2'
  await change.tx.query({ name: 'files star', text, values: [ids, starred] })
  for (const { id, parentId } of entries) {
    change.changedIds.add(id)
    change.parentIds.add(parentId)
  }
}

/**
 * Live entries go to the trash; those already in the trash, themselves or through a folder above, are deleted
 * permanently.
 */
async function split(change: Change, steps: readonly StepOf<'DISCARD'>[]): Promise<[live: Step[], dead: Step[]]> {
  if (steps.length === 0) return [[], []]
  const ancestors = await ancestry(change, idsOf(steps))
  const isLive = ({ id }: Step) => chainOf(ancestors, id).every(({ live }) => live)
  return [steps.filter(isLive), steps.filter((step) => !isLive(step))]
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

/** The steps that a patch consists of, in the order of updateEntry. Only the first one has the condition. */
export function stepsOfPatch(id: string, patch: FilePatch, ifMatch: Condition['ifMatch']): Step[] {
  const { name, parentId, starred, trashed, groupCloudId } = patch
  const steps: Step[] = []
  if (trashed === false) steps.push({ kind: 'RESTORE', id })
  if (parentId !== undefined) steps.push({ kind: 'MOVE', id, parentId, onConflict: 'RENAME' })
  if (name !== undefined) steps.push({ kind: 'RENAME', id, name: validateName(name) })
  if (starred !== undefined) steps.push({ kind: 'STAR', id, starred })
  if (groupCloudId !== undefined) steps.push({ kind: 'ASSIGN', id, groupCloudId })
  if (trashed === true) steps.push({ kind: 'TRASH', id })
  return steps.map((step, index) => (index === 0 ? { ...step, ifMatch } : step))
}

/** Locks the entry. @throws NotFoundError, PreconditionFailedError */
export async function requireMatch(change: Change, id: string, ifMatch: Condition['ifMatch']): Promise<void> {
  if (ifMatch === undefined) return
  await lockEntries(change, [id])
  const file = await requireFile(change.tx, change, id)
  if (!ifMatch.includes(etagOf(file))) throw new PreconditionFailedError()
}

/** Bytes of the digest that are used: enough that two states of an entry never share an ETag. */
const BYTES = 15

/**
 * The entity tag (RFC 9110 8.8.3) of the properties that people and programs change: name, parent folder, star, group
 * cloud and content. The state of its copies, its shares and the content of a folder are not part of it, so that only a
 * change by another user or process fails a precondition.
 */
export function etagOf(file: File): string {
  const { id, name, parentId, starred, trashedAt, groupCloudId, sha256, size, accountId } = file
  const parts: unknown[] = [id, name, parentId, starred, trashedAt?.getTime(), groupCloudId, sha256, size]
  // Of a file in an account, only its time tells that the content was replaced.
  if (accountId !== null) parts.push(file.updatedAt.getTime())
  const digest = hash('sha256', JSON.stringify(parts), 'buffer')
  return `"${digest.subarray(0, BYTES).toString('base64url')}"`
}

/** Tags to put on an entry, and tags to take off it. */
type TagChange = { readonly addIds: readonly string[]; readonly removeIds: readonly string[] }

const OWNED = 'select count(*)::int as count from tags where user_id = $1 and id = any($2::uuid[])'

/** @throws NotFoundError unless all of them are tags of the user */
export async function requireTags(sql: Queryable, userId: string, { addIds, removeIds }: TagChange): Promise<void> {
  const ids = [...new Set([...addIds, ...removeIds])]
  const { rows } = await sql.query<{ count: number }>({ name: 'tags owned', text: OWNED, values: [userId, ids] })
  if (rows[0]?.count !== ids.length) throw new NotFoundError('There is no such tag. It may have been deleted.')
}

const ADD = `insert into file_tags (tag_id, file_id)
  select t.id, f.id from tags t cross join files f
  where t.user_id = $1 and t.id = any($3::uuid[]) and f.user_id = $1 and f.id = any($2::uuid[])
  on conflict do nothing`
const REMOVE = `delete from file_tags ft using tags t
  where t.id = ft.tag_id and t.user_id = $1 and t.id = any($3::uuid[]) and ft.file_id = any($2::uuid[])`

/** Tags that are not the user's are ignored: `requireTags` has refused them. @throws NotFoundError */
async function tagEntries(change: Change, ids: readonly string[], { addIds, removeIds }: TagChange): Promise<void> {
  await report(change, ids)
  const { tx, userId } = change
  if (removeIds.length > 0) await tx.query({ name: 'files untag', text: REMOVE, values: [userId, ids, removeIds] })
  if (addIds.length > 0) await tx.query({ name: 'files tag', text: ADD, values: [userId, ids, addIds] })
}

const COLOR = `update files set color = $3::"LabelColor"
  where user_id = $1 and id = any($2::uuid[]) and kind = 'FOLDER' and color is distinct from $3::"LabelColor"`

/** Of folders. null: the usual colour. @throws NotFoundError */
async function colorEntries(change: Change, ids: readonly string[], color: LabelColor | null): Promise<void> {
  await report(change, ids)
  await change.tx.query({ name: 'files color', text: COLOR, values: [change.userId, ids, color] })
}

async function report(change: Change, ids: readonly string[]): Promise<void> {
  for (const { id, parentId } of await lockEntries(change, ids)) {
    change.changedIds.add(id)
    change.parentIds.add(parentId)
  }
}
