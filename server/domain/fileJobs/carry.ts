import { newId } from '../../lib/ids.ts'
import { NameTakenError } from '../errors.ts'
import { changeTree, requireTargetFolder } from '../files/tree/change.ts'
import { insertFolder } from '../files/tree/folders.ts'
import { freeName, nameKey, numberedName, storableName, takenInAccount, takenKeys } from '../files/tree/names.ts'
import type { PlacedFolder } from '../inPlace/placed.ts'
import type { Viewer } from '../viewer.ts'
import {
  type Carried,
  type CarryDeps,
  type Carrying,
  findAccountFolder,
  onConflictOf,
  sessionOf,
  trashTaken,
} from './item.ts'
import { type OpenSession, saveMadeId } from './rows.ts'
import { belongsToOthers, toAccount } from './toAccount.ts'
import { toGroupCloud, toProtection } from './toGroupCloud.ts'

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
  if (onConflictOf(carrying) === 'REPLACE') await trashTaken(deps, viewer, parentId, item.name)
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

async function isThere({ files }: CarryDeps, viewer: Viewer, id: string): Promise<boolean> {
  const [file] = await files.getMany(viewer, [id])
  return file !== null && file !== undefined && file.trashedAt === null
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
      const madeBefore = item.madeId === null ? null : await findEmptyFolder(pool, viewer, folder.id, name)
      if (madeBefore !== null) return madeBefore
    }
  }
}

/** A folder that an earlier attempt can have made just before it ended: it is empty. */
async function findEmptyFolder(
  pool: CarryDeps['pool'],
  { userId }: Viewer,
  parentId: string,
  name: string,
): Promise<string | null> {
  const taken = await takenInAccount(pool, { userId, parentId }, nameKey(name))
  const { rows } = await pool.query<{ id: string }>(
    `select id from files where id = $1 and kind = 'FOLDER' and child_count = 0`,
    [taken],
  )
  return rows[0]?.id ?? null
}

const TAKE_TIMES = `update files f set created_at = s.created_at, updated_at = s.updated_at from files s where f.id = $1 and s.id = $2`

/** Ends an upload that a cancelled job has left. */
export async function endSession(
  deps: CarryDeps,
  viewer: Viewer,
  { jobId, itemId, session, parentId }: OpenSession,
  signal: AbortSignal,
): Promise<void> {
  const folder = await findAccountFolder(deps, viewer, parentId).catch(() => null)
  const saved = sessionOf(deps, { id: itemId, session })
  if (!saved) return
  if (!folder) {
    await deps.uploads.remove(viewer, saved.session).catch(() => undefined)
  } else {
    const driver = await deps.openDriver(folder.account.id)
    const isOthers = belongsToOthers(deps, jobId, itemId, folder.account.id)
    await driver.abandon({ signal, requestId: itemId }, saved.session, isOthers)
  }
  await deps.pool.query('update file_job_items set session = null where id = $1', [itemId])
}
