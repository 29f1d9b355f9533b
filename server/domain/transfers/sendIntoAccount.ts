import type { Entry, EntryRef, Replaced } from '../../providers/driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../../providers/errors.ts'
import type { RootFolders } from '../accounts/credentials.ts'
import { NameTakenError, NotFoundError } from '../errors.ts'
import { dropSession, leaveRemnants, openSession } from '../files/content/removals.ts'
import { isShown, isShownBefore, isTaken } from '../files/content/seenObjects.ts'
import { becomeEntry, keepHashes } from '../files/tree/arriving.ts'
import { type Change, changeTree, recount } from '../files/tree/change.ts'
import { isNumbered, nameKey, numberedName, searchKey, sortKey } from '../files/tree/names.ts'
import { apply, type PlacedFolder, requireFolder } from '../inPlace/placed.ts'
import { enqueueTakePlace, type Replacing, takePlaceNow } from '../inPlace/takePlace.ts'
import type { EngineDeps } from './contract.ts'
import { createPieceContent, type PieceContent, type Sending, sourceFailure, verifyStored } from './sendPiece.ts'
import { type Arrival, PieceGoneError, publishTransfer, saveSession } from './work.ts'

/** Names that are tried in a folder of an account. */
const MOST_NUMBERS = 20

type ArrivalDeps = EngineDeps & { readonly rootFolders: RootFolders }

type Sent = { readonly deps: ArrivalDeps; readonly sending: Sending; readonly arrival: Arrival; folder: PlacedFolder }

/**
 * Stores an uploaded file in its folder of an account, under its own name, verified; then its row is the account's entry. What is lost in
 * a crash in between is found again: nothing is stored twice.
 * @returns false if it is not wanted any more
 * @throws ProviderError, DomainError, SourceError, and the signal's reason once it is aborted
 */
export async function sendIntoAccount(deps: ArrivalDeps, sending: Sending, arrival: Arrival): Promise<boolean> {
  const sent: Sent = { deps, sending, arrival, folder: await findFolder(deps, sending, arrival) }
  try {
    return await arrive(sent, await store(sent))
  } catch (error) {
    if (isFailure(error, 'Conflict')) {
      await startOver(sent)
      return arrive(sent, await store(sent))
    }
    if (!isFailure(error, 'NotFound')) throw error
    // The folder is gone, and the index does not know it yet.
    sent.folder = await moveToTop(deps, sending)
    return arrive(sent, await store(sent))
  }
}

/** Its folder, or the account's top folder if that is gone: what has its name there is not what `onConflict` was chosen for. */
async function findFolder(deps: ArrivalDeps, sending: Sending, { parentId }: Arrival): Promise<PlacedFolder> {
  const { userId } = sending.work
  try {
    return await requireFolder(deps.pool, userId, parentId)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    return moveToTop(deps, sending)
  }
}

async function moveToTop(deps: ArrivalDeps, { work, piece, driver, call }: Sending): Promise<PlacedFolder> {
  const { pool, encryption } = deps
  const saved = openSession(encryption, { id: piece.id, session: await sessionOf(deps, piece.id) })
  if (saved) await dropSession(driver, call, saved.session, isKept(deps, work.fileId, piece.accountId))
  await changeTree(deps, work, async (change) => {
    const { tx, changedIds } = change
    await tx.query('update pieces set session = null where id = $1', [piece.id])
    await tx.query(`update account_uploads set on_conflict = 'RENAME' where file_id = $1`, [work.fileId])
    const { rows } = await tx.query<{ from: string | null; to: string }>(
      `update files f set parent_id = i.root_file_id from files o, account_indexes i
       where f.id = $1 and o.id = $1 and i.account_id = f.account_id
       returning o.parent_id as "from", i.root_file_id as "to"`,
      [work.fileId],
    )
    for (const { from, to } of rows) await recount(change, [to], [from])
    changedIds.add(work.fileId)
  })
  const { rows } = await pool.query<{ id: string }>(
    'select root_file_id as id from account_indexes where account_id = $1',
    [piece.accountId],
  )
  if (!rows[0]) throw new PieceGoneError()
  return requireFolder(pool, work.userId, rows[0].id)
}

async function sessionOf({ pool }: ArrivalDeps, pieceId: string): Promise<string | null> {
  const { rows } = await pool.query<{ session: string | null }>('select session from pieces where id = $1', [pieceId])
  return rows[0]?.session ?? null
}

/**
 * Stores the content under the first free name, except with FAIL; what replaces a file is stored next to that, unless the account
 * overwrites. @throws NameTakenError
 */
async function store(sent: Sent): Promise<Entry> {
  const { deps, sending, arrival, folder } = sent
  const { work, piece } = sending
  const isAsked = arrival.onConflict === 'FAIL' && folder.id === arrival.parentId
  let saved = openSession(deps.encryption, { id: piece.id, session: await sessionOf(deps, piece.id) })
  let replaces = await findReplaced(sent)
  for (let number = 1; ; number += 1) {
    const name = saved?.name ?? (number === 1 ? work.fileName : numberedName(work.fileName, number))
    const isTakenHere = saved === null && !(replaces && number === 1) && (await isKnown(sent, name))
    if (isTakenHere && isAsked) throw new NameTakenError(name)
    if (isTakenHere && number < MOST_NUMBERS) continue
    await saveName(deps, work, name)
    try {
      return await storeAs(sent, { name, session: saved?.session ?? null, replaces })
    } catch (error) {
      if (!isFailure(error, 'Conflict')) throw error
      await startOver(sent)
      if (isAsked || number >= MOST_NUMBERS) throw new NameTakenError(name)
      if (saved) number = 0
      // The file to replace was changed in its account: both versions are kept.
      if (replaces) number = 1
      replaces = null
      saved = null
    }
  }
}

/** What it has stored is deleted, unless it is something else's. */
async function startOver({ deps, sending: { work, piece, driver, call } }: Sent): Promise<void> {
  const saved = openSession(deps.encryption, { id: piece.id, session: await sessionOf(deps, piece.id) })
  const isOther = isKept(deps, work.fileId, piece.accountId)
  if (saved) await dropSession(driver, call, saved.session, isOther)
  await deps.pool.query('update pieces set session = null where id = $1', [piece.id])
}

async function isKnown({ deps, sending, folder }: Sent, name: string): Promise<boolean> {
  const { rowCount } = await deps.pool.query(
    `select from files where user_id = $1 and parent_id = $2 and name_key = $3 and id <> $4 and account_id is not null
     and purged_at is null and trashed_at is null limit 1`,
    [sending.work.userId, folder.id, nameKey(name), sending.work.fileId],
  )
  return rowCount === 1
}

/** The name under which it is sent is shown, and tells what the account reports of it. */
async function saveName(deps: ArrivalDeps, { fileId, userId }: Sending['work'], name: string): Promise<void> {
  await changeTree(deps, { userId }, async ({ tx, changedIds }) => {
    const { rowCount } = await tx.query(
      `update files set name = $2, name_key = $3, sort_key = $4, search_key = $5 where id = $1 and name <> $2`,
      [fileId, name, nameKey(name), sortKey(name), searchKey(name)],
    )
    if (rowCount) changedIds.add(fileId)
  })
}

const REPLACED = `select e.ref, f.name from account_entries e join files f on f.id = e.file_id
  where e.file_id = $1 and e.gone_at is null and f.parent_id = $2`

async function readReplaced({ deps, arrival, folder }: Sent): Promise<{ ref: EntryRef; name: string } | null> {
  const { rows } = await deps.pool.query<{ ref: EntryRef; name: string }>(REPLACED, [arrival.replacedId, folder.id])
  return rows[0] ?? null
}

/** The file that the account overwrites, where it can. */
async function findReplaced(sent: Sent): Promise<Replaced | null> {
  const { driver, work } = sent.sending
  const revision = sent.arrival.replacedRevision
  if (!driver.capabilities.overwrites || revision === null) return null
  const replaced = await readReplaced(sent)
  if (replaced === null || nameKey(replaced.name) !== nameKey(work.fileName)) return null
  return { ref: replaced.ref, revision }
}

/**
 * Where the account cannot overwrite: what it was stored next to, under a number, if the content of that is what it was when the upload was
 * accepted. Otherwise both are kept.
 */
async function findReplacing(sent: Sent, { name: storedAs }: Entry): Promise<Replacing | null> {
  const { folder, sending, arrival } = sent
  const { replacedId, replacedRevision: revision } = arrival
  if (sending.driver.capabilities.overwrites || replacedId === null || revision === null) return null
  const name = (await readReplaced(sent))?.name
  if (name === undefined || !isNumbered(storedAs, name)) return null
  const { userId, fileId: id } = sending.work
  return { userId, id, storedAs, parentId: folder.id, name, replacedId, revision }
}

/** Whether an object is something else than what was sent: it is another file of the account, or is one of Skypool's. */
function isOthers({ pool }: ArrivalDeps, fileId: string, accountId: string) {
  const [isOwn, isFile] = [isTaken(pool, accountId), isShownBefore(pool, accountId, { since: fileId, own: fileId })]
  return async (ref: EntryRef): Promise<boolean> => (await isFile(ref)) || (await isOwn(ref))
}

/** Whether what was sent of a file may not delete an object. */
function isKept({ pool }: ArrivalDeps, fileId: string, accountId: string) {
  const [isOwn, isFile] = [isTaken(pool, accountId), isShown(pool, accountId, fileId)]
  return async (ref: EntryRef): Promise<boolean> => (await isFile(ref)) || (await isOwn(ref))
}

type Storing = { readonly name: string; readonly session: string | null; readonly replaces: Replaced | null }

async function storeAs({ deps, sending, folder }: Sent, { name, session, replaces }: Storing): Promise<Entry> {
  const { work, piece, driver, source, call, onProgress } = sending
  const content = createPieceContent(source, piece, driver.capabilities.hash ?? 'sha256')
  const { mimeType } = work
  const parent = folder.ref ?? driver.root
  const entry = { parent, name, size: piece.size, mimeType, ...(replaces && { replaces }) }
  const save = (text: string) => saveSession(deps, piece, { name, session: text })
  try {
    const progress = { session, save, onProgress, isTaken: isOthers(deps, work.fileId, piece.accountId) }
    const stored = await driver.put(call, entry, content, progress)
    await verify(deps, sending, { stored, content, isReplaced: replaces !== null })
    return await driver.stat(call, stored.ref)
  } catch (error) {
    call.signal.throwIfAborted()
    throw sourceFailure(content) ?? error
  }
}

async function verify(
  deps: ArrivalDeps,
  { driver, call }: Sending,
  { stored, content, isReplaced }: { stored: Entry; content: PieceContent; isReplaced: boolean },
): Promise<void> {
  try {
    await verifyStored({ driver, clock: deps.clock }, call, stored, content)
  } catch (error) {
    call.signal.throwIfAborted()
    if (isFailure(error, 'Corrupt') && !isReplaced) await driver.delete(call, stored.ref)
    throw error
  }
}

/** In one transaction: the copy that was planned ends, and the file becomes the account's entry. Then it takes the place of what it replaces. */
async function arrive(sent: Sent, entry: Entry): Promise<boolean> {
  const { deps, sending, folder } = sent
  const { work, piece, driver, call } = sending
  const place = { deps, driver, account: folder.account, subject: work.fileName }
  let deferred: string[] = []
  let stagedRef: string | null = null
  const replacing = await findReplacing(sent, entry)
  const isStored = await apply(
    place,
    [{ ref: entry.ref, entry }],
    {},
    {
      first: async (change) => {
        const ended = await endTransfer(deps, sending, entry, change)
        deferred = ended?.deferred ?? []
        stagedRef = ended?.stagedRef ?? null
        return ended !== null
      },
      before: async (change) => {
        await requireNew(sent, change, entry.ref)
        await becomeEntry(change, { accountId: piece.accountId, fileId: work.fileId, ref: entry.ref })
      },
      after: async (tx) => {
        if (!driver.capabilities.altersContent) await keepHashes(tx, work.fileId)
        if (replacing) await enqueueTakePlace(tx, deps.enqueue, replacing)
      },
    },
  )
  deps.report.worked(piece.accountId)
  if (!isStored) return false
  publishTransfer(deps, work, work.fileSize)
  if (replacing) await takePlaceNow(deps, replacing)
  if (stagedRef !== null) await deleteStaged(deps, stagedRef)
  // What only looked like it is shown now.
  for (const ref of deferred.filter((one) => one !== entry.ref)) {
    const now = await driver.stat(call, ref as EntryRef).catch(nothingWhen('NotFound'))
    await apply(place, [{ ref: ref as EntryRef, entry: now }])
  }
  return true
}

/** A service can return the same object to two uploads before the index has it: one of them gets it. @throws Conflict for the other one */
async function requireNew({ sending, arrival }: Sent, { tx }: Change, ref: EntryRef): Promise<void> {
  const { work, piece, driver } = sending
  const of = { since: work.fileId, own: arrival.replacedId }
  if (!(await isShownBefore(tx, piece.accountId, of)(ref))) return
  const where = { provider: driver.kind, operation: 'put' }
  throw new ProviderError('Conflict', where, { message: 'Another file was stored as this object.' })
}

async function deleteStaged({ pool, storage }: ArrivalDeps, ref: string): Promise<void> {
  await storage.delete(ref)
  await pool.query(
    `delete from object_removals r using accounts a where a.id = r.account_id and a.provider = 'local' and r.object_ref = $1`,
    [ref],
  )
}

const WANTED = `select f.staged_ref as "stagedRef", u.deferred, p.id is not null and i.account_id is not null as wanted
  from files f join account_uploads u on u.file_id = f.id
    left join pieces p on p.id = $2 left join account_indexes i on i.account_id = u.account_id
  where f.id = $1 and f.purged_at is null for update of f`
const END = `with copy as (delete from copies where id = $1),
    counted as (update accounts set reserved_bytes = reserved_bytes - $4::bigint, used_bytes = used_bytes + $4::bigint, updated_at = now()
      where id = $3),
    removal as (insert into object_removals (id, account_id, object_ref, next_try_at)
      select gen_random_uuid(), a.id, $6, now() + interval '10 minutes' from accounts a
      where a.user_id = $7 and a.provider = 'local' and $6::text is not null)
  update transfers set state = 'DONE', sent_bytes = total_bytes, error = null, next_try_at = null, ended_at = $5 where id = $2`

type Ended = { readonly stagedRef: string | null; readonly deferred: string[] }

/** @returns null if the file is not wanted in the account any more: then what it has stored is queued for removal */
async function endTransfer(
  deps: ArrivalDeps,
  { work, piece, driver }: Sending,
  entry: Entry,
  { tx }: Change,
): Promise<Ended | null> {
  await tx.query('select from accounts where id = $1 for no key update', [piece.accountId])
  const { rows } = await tx.query<Ended & { wanted: boolean }>(WANTED, [work.fileId, piece.id])
  const [file] = rows
  if (!file?.wanted) {
    const { accountId, id: pieceId, size } = piece
    // What something else has stored there, or the user, is not this upload's to remove.
    if (await isShownBefore(tx, accountId, { since: work.fileId, own: null })(entry.ref)) return null
    const hash = entry.hash === null ? null : `${driver.capabilities.hash}:${entry.hash}`
    const remnant = { accountId, pieceId, objectRef: entry.ref, session: null, size, hash }
    await leaveRemnants(tx, deps.enqueue, [remnant])
    return null
  }
  const values = [work.copyId, work.id, piece.accountId, piece.size, new Date(deps.clock.now()), file.stagedRef]
  await tx.query(END, [...values, work.userId])
  return file
}
