import { newId } from '../../lib/ids.ts'
import type { Driver, Entry, EntryRef, Page } from '../../providers/driver.ts'
import { nothingWhen } from '../../providers/errors.ts'
import { DomainError, NameTakenError, NotFoundError } from '../errors.ts'
import { versionOf } from '../files/content/inPlace.ts'
import { isShown } from '../files/content/seenObjects.ts'
import { changeTree, requireTargetFolder } from '../files/tree/change.ts'
import { insertFolder } from '../files/tree/folders.ts'
import {
  freeName,
  isNumbered,
  nameKey,
  numberedName,
  storableName,
  takenInAccount,
  takenKeys,
} from '../files/tree/names.ts'
import { callOf, type PlacedFolder } from '../inPlace/placed.ts'
import type { Viewer } from '../viewer.ts'
import {
  type Carried,
  type CarryDeps,
  type Carrying,
  findAccountFolder,
  findTaken,
  isThere,
  onConflictOf,
  sessionOf,
  toAccount,
  toGroupCloud,
  toProtection,
} from './item.ts'
import { type JobRow, type OpenSession, saveItem, saveMadeId } from './rows.ts'

/** Names that are tried in a folder of an account. */
const MOST_NUMBERS = 20

/**
 * Stores one file or folder at the target, verified. Repeating it after a crash continues, or returns what was made before.
 * @throws DomainError, ProviderError, and the signal's reason once it is aborted
 */
export async function carryItem(deps: CarryDeps, carrying: Carrying): Promise<Carried> {
  const { job, item, viewer } = carrying
  if (job.kind === 'PROTECT') return toProtection(deps, carrying)
  const parentId = item.parentItemId === null ? job.parentId : item.parentMadeId
  const folder = await findAccountFolder(deps, viewer, parentId)
  if (item.kind === 'FOLDER') return { madeId: await makeFolder(deps, carrying, parentId, folder), version: null }
  const opened = await deps.contents.openVersion(viewer, item.sourceId)
  if (folder) return toAccount(deps, carrying, opened, folder)
  return toGroupCloud(deps, carrying, opened, parentId)
}

async function makeFolder(
  deps: CarryDeps,
  carrying: Carrying,
  parentId: string | null,
  folder: PlacedFolder | null,
): Promise<string> {
  const { item, viewer } = carrying
  const isRepeated = item.madeId !== null
  const id = await saveMadeId(deps.pool, item.id, item.madeId ?? newId())
  if (isRepeated && (await isThere(deps, viewer, id))) return id
  if (onConflictOf(carrying) === 'REPLACE') {
    const madeBefore = folder && isRepeated ? await findMadeBefore(deps.pool, carrying, folder.id, item.name) : null
    if (madeBefore !== null) return madeBefore
    await findTaken(deps, viewer, folder ? item : { ...item, name: storableName(item.name) }, parentId)
  }
  if (folder) return makeFolderInAccount(deps, carrying, id, folder)
  await changeTree(deps, viewer, async (change) => {
    const { tx, userId } = change
    await requireTargetFolder(change, parentId)
    const wanted = storableName(item.name)
    const space = { userId, parentId }
    const isTaken = (await takenKeys(tx, space, [nameKey(wanted)])).size > 0
    if (isTaken && onConflictOf(carrying) === 'FAIL') throw new NameTakenError(wanted)
    const name = isTaken ? await freeName(tx, space, wanted, 'FOLDER') : wanted
    await insertFolder(change, { id, name, parentId })
    await tx.query(TAKE_TIMES, [id, item.sourceId])
  })
  return id
}

async function makeFolderInAccount(
  { files, pool }: CarryDeps,
  carrying: Carrying,
  id: string,
  folder: PlacedFolder,
): Promise<string> {
  const { item, viewer } = carrying
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? item.name : numberedName(item.name, number, 'FOLDER')
    try {
      return (await files.createFolder(viewer, { name, parentId: folder.id }, `file job ${id} ${number}`)).id
    } catch (error) {
      if (!(error instanceof NameTakenError)) throw error
      if (onConflictOf(carrying) === 'FAIL' || number === MOST_NUMBERS) throw error
      const madeBefore = item.madeId === null ? null : await findMadeBefore(pool, carrying, folder.id, name)
      if (madeBefore !== null) return madeBefore
    }
  }
}

/** A folder that an earlier attempt can have made just before it ended: it is empty, and younger than the job. Ids are ordered by time. */
async function findMadeBefore(
  pool: CarryDeps['pool'],
  { job, viewer: { userId } }: Carrying,
  parentId: string,
  name: string,
): Promise<string | null> {
  const taken = await takenInAccount(pool, { userId, parentId }, nameKey(name))
  const { rows } = await pool.query<{ id: string }>(
    `select id from files where id = $1 and kind = 'FOLDER' and child_count = 0 and id > $2`,
    [taken, job.id],
  )
  return rows[0]?.id ?? null
}

const TAKE_TIMES = `update files f set created_at = s.created_at, updated_at = s.updated_at from files s where f.id = $1 and s.id = $2`

/** Ends an upload that a cancelled job has left. */
export async function endSession(
  deps: CarryDeps,
  viewer: Viewer,
  { itemId, madeId, session, parentId }: OpenSession,
  signal: AbortSignal,
): Promise<void> {
  const folder = await findAccountFolder(deps, viewer, parentId).catch(() => null)
  const saved = sessionOf(deps, { id: itemId, session })
  if (!saved) return
  if (!folder) {
    await deps.uploads.remove(viewer, saved.session).catch(() => undefined)
  } else {
    const driver = await deps.openDriver(folder.account.id)
    await driver.abandon({ signal, requestId: itemId }, saved.session, isShown(deps.pool, folder.account.id, madeId))
  }
  await deps.pool.query('update file_job_items set session = null where id = $1', [itemId])
}

// What replaces something was stored next to it, with a number: one of the two is there at every moment.

type ToPlace = Pick<Top, 'id' | 'sourceId' | 'name'> & {
  readonly kind: 'FOLDER' | 'FILE'
  readonly madeId: string
  readonly madeName: string
  readonly inAccount: boolean
}

const TO_PLACE = `select i.id, i.source_id as "sourceId", i.kind, i.name, m.id as "madeId", m.name as "madeName",
    m.account_id is not null as "inAccount"
  from file_job_items i join files m on m.id = i.made_id and m.parent_id is not distinct from $2::uuid
    and m.purged_at is null and m.trash_root_id is null
  where i.job_id = $1 and i.level = 0 and i.state in ('CARRIED', 'DONE') and i.made_id <> i.source_id
    and (i.kind = 'FOLDER' or m.account_id is not null) order by i.position`

/**
 * Moves what is replaced to the trash, and gives what replaces it its name, once everything of it is stored. Both are kept, with a message,
 * where that cannot be done. Can be repeated.
 */
export async function takePlaces(deps: CarryDeps, job: JobRow, viewer: Viewer, signal: AbortSignal): Promise<void> {
  const { rows } = await deps.pool.query<ToPlace>(TO_PLACE, [job.id, job.parentId])
  for (const made of rows) {
    const name = made.inAccount ? made.name : storableName(made.name)
    if (!isNumbered(made.madeName, name, made.kind)) continue
    signal.throwIfAborted()
    const { missing } = await countBelow(deps, made.id)
    if (missing > 0) continue
    try {
      const takenId = await findTaken(deps, viewer, { ...made, name }, job.parentId)
      if (takenId !== null) await deps.files.trash(viewer, [takenId])
      await deps.files.rename(viewer, made.madeId, name)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof DomainError)) throw error
      // Something else has the name now, which the account had not reported.
      if (error instanceof NameTakenError) continue
      const detail = `It was stored as “${made.madeName}”, and replaces nothing: ${error.message}`
      await saveItem(deps.pool, made.id, { state: 'FAILED', detail })
    }
  }
}

// The end of a move: originals go to the trash, once everything that was chosen with them is at the target.

type Top = {
  readonly id: string
  readonly sourceId: string
  readonly name: string
  /** Items at or below it that are not at the target, and that never will be (SKIPPED). */
  readonly missing: number
  readonly skipped: number
}

type Left = {
  readonly id: string
  readonly sourceId: string
  readonly kind: 'FOLDER' | 'FILE'
  readonly name: string
  readonly version: string | null
  readonly sha256: string | null
  readonly accountId: string | null
  readonly ref: EntryRef | null
  readonly gone: boolean
}

const BELOW = `with recursive below as (
    select id from file_job_items where id = $1
    union all select i.id from below b join file_job_items i on i.parent_item_id = b.id)`

/**
 * Moves the originals of what was carried to the trash, entry by entry of the user's choice: only if everything of it is stored at the
 * target, is there and not in the trash, and the original is as it was read. What is not left keeps a message. Ends early when the job was
 * paused or cancelled. Can be repeated.
 */
export async function leaveOriginals(deps: CarryDeps, job: JobRow, viewer: Viewer, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const top = await nextTop(deps, job.id)
    if (!top) return
    const detail = await leaveTop(deps, viewer, top, signal)
    if (detail === null) {
      await deps.pool.query(
        `${BELOW} update file_job_items i set state = 'DONE', detail = null from below b where i.id = b.id and i.state = 'CARRIED'`,
        [top.id],
      )
    } else await saveItem(deps.pool, top.id, { state: 'CARRIED', detail })
  }
}

async function nextTop({ pool }: CarryDeps, jobId: string): Promise<Top | null> {
  const { rows } = await pool.query<Pick<Top, 'id' | 'sourceId' | 'name'>>(
    `select i.id, i.source_id as "sourceId", i.name from file_job_items i join file_jobs j on j.id = i.job_id and j.state = 'RUNNING'
     where i.job_id = $1 and i.level = 0 and i.state = 'CARRIED' and i.detail is null order by i.position limit 1`,
    [jobId],
  )
  const [top] = rows
  if (!top) return null
  return { ...top, ...(await countBelow({ pool }, top.id)) }
}

type Missing = Pick<Top, 'missing' | 'skipped'>

async function countBelow({ pool }: Pick<CarryDeps, 'pool'>, topId: string): Promise<Missing> {
  const { rows } = await pool.query<Missing>(
    `${BELOW} select count(*) filter (where i.state = 'SKIPPED')::int as skipped,
       count(*) filter (where i.state <> 'SKIPPED' and (i.state not in ('CARRIED', 'DONE') or m.id is null))::int as missing
     from below b join file_job_items i on i.id = b.id left join files m on m.id = i.made_id and m.purged_at is null
       and m.trash_root_id is null`,
    [topId],
  )
  return rows[0] ?? { missing: 1, skipped: 0 }
}

/** @returns why originals stay; null: nothing of it does, except what was skipped */
async function leaveTop(deps: CarryDeps, viewer: Viewer, top: Top, signal: AbortSignal): Promise<string | null> {
  if (top.missing > 0) {
    return 'Not everything of it could be stored at the target. The originals stay where they are.'
  }
  await carryLabels(deps, viewer, top.id)
  try {
    const changed = top.skipped > 0 ? null : await findChanged(deps, viewer, top.id, signal)
    const reason = changed ?? (await carryNames(deps, viewer, top.id, signal))
    if (reason !== null) return `${reason} The originals stay where they are.`
    if (top.skipped > 0) return await leaveEach(deps, viewer, top, signal)
    await carryLinks(deps, viewer, await linkedBelow(deps, top.id))
    await deps.files.trash(viewer, [top.sourceId])
    return null
  } catch (error) {
    signal.throwIfAborted()
    // An earlier attempt can have moved it to the trash just before it was interrupted.
    if (error instanceof NotFoundError) return null
    if (!(error instanceof DomainError)) throw error
    return `It was copied, but the original stays where it is: ${error.message}`
  }
}

const LABELS = `${BELOW}, pair as (
    select s.id as source, m.id as made, s.color, s.starred from below b join file_job_items i on i.id = b.id
      join files s on s.id = i.source_id and s.user_id = $2 join files m on m.id = i.made_id and m.user_id = $2
    where i.state = 'CARRIED'),
  tagged as (
    insert into file_tags (tag_id, file_id)
      select t.tag_id, p.made from pair p join file_tags t on t.file_id = p.source on conflict do nothing returning file_id),
  marked as (
    update files f set color = coalesce(f.color, p.color), starred = f.starred or p.starred from pair p
    where f.id = p.made and (f.color is null and p.color is not null or p.starred and not f.starred) returning f.id)
  select file_id as id from tagged union select id from marked limit 1000`

/** What was moved has the tags, the star and the colour of its original. */
async function carryLabels({ pool, events }: CarryDeps, { userId }: Viewer, topId: string): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(LABELS, [topId, userId])
  if (rows.length === 0) return
  const fileIds = rows.map(({ id }) => id)
  events.publish('filesChanged', userId, { fileIds, removedIds: [], parentIds: [], truncated: false })
}

const RENAMED = `${BELOW} select s.name as "newName", i.name as "readName", i.kind, m.id as "madeId", m.name as "madeName",
    m.account_id is not null as "inAccount"
  from below b join file_job_items i on i.id = b.id and i.state = 'CARRIED'
    join files s on s.id = i.source_id and s.user_id = $2 and s.name <> i.name and s.purged_at is null and s.trash_root_id is null
    join files m on m.id = i.made_id and m.user_id = $2 and m.name <> s.name
  order by i.position`

type Renamed = {
  readonly newName: string
  readonly readName: string
  readonly kind: 'FOLDER' | 'FILE'
  readonly madeId: string
  readonly madeName: string
  readonly inAccount: boolean
}

/**
 * What was renamed while it was moved gets its new name at the target, unless it was renamed there too. Can be repeated.
 * @returns why something cannot have its new name; null: all of it has
 */
async function carryNames(
  { pool, files }: CarryDeps,
  viewer: Viewer,
  topId: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { rows } = await pool.query<Renamed>(RENAMED, [topId, viewer.userId])
  for (const { newName, readName, kind, madeId, madeName, inAccount } of rows) {
    signal.throwIfAborted()
    const [stored, wanted] = inAccount ? [readName, newName] : [storableName(readName), storableName(newName)]
    const isAsStored = madeName === stored || isNumbered(madeName, stored, kind)
    if (!isAsStored || madeName === wanted) continue
    try {
      await files.rename(viewer, madeId, wanted)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof DomainError)) throw error
      return `“${readName}” was renamed to “${newName}” while it was moved, and cannot have that name at the target: ${error.message}`
    }
  }
  return null
}

const LINKED = `exists (select from shares l where l.file_id = i.source_id) or exists (select from upload_links l where l.folder_id = i.source_id)`

/** The items at and below one that have links. */
async function linkedBelow({ pool }: CarryDeps, topId: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `${BELOW} select i.id from below b join file_job_items i on i.id = b.id where i.state = 'CARRIED' and (${LINKED})`,
    [topId],
  )
  return rows.map(({ id }) => id)
}

const LINK_PAIRS = `with pair as (
    select i.source_id as source, i.made_id as made from file_job_items i
      join files s on s.id = i.source_id and s.user_id = $2 join files m on m.id = i.made_id and m.user_id = $2
    where i.id = any($1::uuid[]) and i.made_id <> i.source_id and (${LINKED}))`
/** Before shares: whoever else changes them locks their file first. */
const LOCK_LINKED = `${LINK_PAIRS} select from files f where f.id in (select source from pair union select made from pair) order by f.id for no key update`
const TAKE_LINKS = `${LINK_PAIRS}, share as (
    update shares l set file_id = p.made from pair p where l.file_id = p.source returning p.source, p.made, l.ended_at is null as live),
  upload_link as (
    update upload_links l set folder_id = p.made from pair p where l.folder_id = p.source returning p.source, p.made, l.ended_at is null as live),
  moved as (
    select source, made, count(*) filter (where live)::int as live from (select * from share union all select * from upload_link) as link
    group by source, made),
  counted as (
    select source as id, -live as added from moved union all select made, live from moved)
  update files f set share_count = f.share_count + c.added from counted c where f.id = c.id and c.added <> 0 returning f.id`

/** The links of originals lead to what was made of them, from just before the originals go to the trash. Can be repeated. */
async function carryLinks(deps: CarryDeps, viewer: Viewer, itemIds: readonly string[]): Promise<void> {
  if (itemIds.length === 0) return
  await changeTree(deps, viewer, async ({ tx, changedIds }) => {
    await tx.query(LOCK_LINKED, [itemIds, viewer.userId])
    const { rows } = await tx.query<{ id: string }>(TAKE_LINKS, [itemIds, viewer.userId])
    for (const { id } of rows) changedIds.add(id)
  })
}

const ITEMS = `select i.id, i.source_id as "sourceId", i.kind, i.name, i.version, encode(f.sha256, 'hex') as sha256,
    f.account_id as "accountId", e.ref, f.id is null or f.purged_at is not null or f.trash_root_id is not null as gone
  from file_job_items i left join files f on f.id = i.source_id left join account_entries e on e.file_id = f.id`
const ITEM = `${ITEMS} where i.id = $1`
const CHILDREN = `${ITEMS} where i.parent_item_id = $1`
const FOLDERS_BELOW = `${BELOW} select i.id from below b join file_job_items i on i.id = b.id where i.kind = 'FOLDER' order by i.position`

/** The first difference between the original and what was read; null when there is none. */
async function findChanged(
  deps: CarryDeps,
  viewer: Viewer,
  topId: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { pool } = deps
  const [top] = (await pool.query<Left>(ITEM, [topId])).rows
  if (!top || top.gone) return null
  if (top.kind === 'FILE') return (await isUnchanged(deps, top)) ? null : changedMessage(top)
  const folders = await pool.query<{ id: string }>(FOLDERS_BELOW, [topId])
  for (const { id } of folders.rows) {
    signal.throwIfAborted()
    const [folder] = (await pool.query<Left>(ITEM, [id])).rows
    if (!folder || folder.gone) continue
    const children = (await pool.query<Left>(CHILDREN, [id])).rows
    const message =
      folder.accountId === null
        ? await findChangedHere(deps, viewer, folder, children)
        : await findChangedThere(deps, folder, children)
    if (message !== null) return message
  }
  return null
}

function changedMessage({ name }: Pick<Left, 'name'>): string {
  return `“${name}” was changed while it was moved.`
}

function addedMessage(name: string, folder: string): string {
  return `“${name}” was added to “${folder}” while it was moved.`
}

async function findChangedHere(
  { pool }: CarryDeps,
  { userId }: Viewer,
  folder: Left,
  children: readonly Left[],
): Promise<string | null> {
  const known = new Set(children.map(({ sourceId }) => sourceId))
  const { rows } = await pool.query<{ id: string; name: string }>(
    'select id, name from files where parent_id = $1 and user_id = $2 and purged_at is null and trash_root_id is null',
    [folder.sourceId, userId],
  )
  const added = rows.find(({ id }) => !known.has(id))
  if (added) return addedMessage(added.name, folder.name)
  const changed = children.find(({ kind, gone, version, sha256 }) => kind === 'FILE' && !gone && sha256 !== version)
  return changed ? changedMessage(changed) : null
}

/** Asks the account what the folder contains. */
async function findChangedThere(deps: CarryDeps, folder: Left, children: readonly Left[]): Promise<string | null> {
  const known = new Map(children.flatMap((child) => (child.ref === null ? [] : [[child.ref as string, child]])))
  for await (const entry of listFolder(await driverOf(deps, folder), folder)) {
    const child = known.get(entry.ref)
    if (!child) return addedMessage(entry.name, folder.name)
    if (child.kind === 'FILE' && child.version !== versionOf(entry)) return changedMessage(child)
  }
  return null
}

async function driverOf({ openDriver }: CarryDeps, { accountId }: Left): Promise<Driver> {
  if (accountId === null) throw new Error('This entry is not in an account.')
  return openDriver(accountId)
}

/** A folder that is not there any more is empty. */
async function* listFolder(driver: Driver, { ref }: Left): AsyncGenerator<Entry> {
  let cursor: string | null = null
  do {
    const page: Page<Entry> | null = await driver
      .list(callOf(), ref ?? driver.root, cursor)
      .catch(nothingWhen('NotFound'))
    if (page === null) return
    yield* page.items
    cursor = page.cursor
  } while (cursor !== null)
}

async function isUnchanged(deps: CarryDeps, item: Left): Promise<boolean> {
  if (item.gone) return true
  if (item.accountId === null) return item.sha256 === item.version
  if (item.ref === null) return false
  const driver = await driverOf(deps, item)
  const now = await driver.stat(callOf(), item.ref).catch(nothingWhen('NotFound'))
  return now === null || versionOf(now) === item.version
}

const FILES_BELOW = `${BELOW} ${ITEMS} join below b on b.id = i.id where i.state = 'CARRIED' and i.kind = 'FILE' order by i.position`
const EMPTIED = `${BELOW} ${ITEMS} join below b on b.id = i.id where i.state = 'CARRIED' and i.kind = 'FOLDER' order by i.position desc`

/** Where something has to stay: each file alone, then the folders that are empty. */
async function leaveEach(deps: CarryDeps, viewer: Viewer, top: Top, signal: AbortSignal): Promise<string | null> {
  const { pool } = deps
  let message: string | null = null
  for (const file of (await pool.query<Left>(FILES_BELOW, [top.id])).rows) {
    signal.throwIfAborted()
    if (file.gone) continue
    if (await isUnchanged(deps, file)) await leave(deps, viewer, file)
    else message ??= `${changedMessage(file)} It stays where it is.`
  }
  for (const folder of (await pool.query<Left>(EMPTIED, [top.id])).rows) {
    signal.throwIfAborted()
    if (!folder.gone && (await isEmpty(deps, viewer, folder))) await leave(deps, viewer, folder)
  }
  return message
}

async function leave(deps: CarryDeps, viewer: Viewer, { id, sourceId }: Left): Promise<void> {
  await carryLinks(deps, viewer, [id])
  await deps.files.trash(viewer, [sourceId]).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error
  })
}

async function isEmpty(deps: CarryDeps, { userId }: Viewer, folder: Left): Promise<boolean> {
  const { rows } = await deps.pool.query(
    'select from files where parent_id = $1 and user_id = $2 and purged_at is null and trash_root_id is null limit 1',
    [folder.sourceId, userId],
  )
  if (rows.length > 0) return false
  if (folder.accountId === null) return true
  for await (const entry of listFolder(await driverOf(deps, folder), folder)) return entry === null
  return true
}
