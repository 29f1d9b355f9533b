import type { Call, Entry, EntryRef, IsNeeded, NewEntry, PutRequest } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { isYoungerThan } from '../shared/session.ts'
import { createRunningHash, fileChanged, hashOfStart, openSource, wrongBytes } from '../shared/source.ts'
import { KIND, type OneDriveContext } from './client.ts'
import { entryOf, type GraphItem, isRewritten, revisionOf, storedHash } from './entry.ts'
import { checkName, itemNamed, itemOf, recycle, remove } from './files.ts'
import { joined, saveSession, sendPartsFrom, type Upload } from './parts.ts'
import {
  askStatus,
  cancelSession,
  isFor,
  openSession,
  readSession,
  type Session,
  sendWhole,
  sessionText,
  setTime,
} from './upload.ts'

const WHERE = { provider: KIND, operation: 'put' }

/**
 * Driver.put. Small contents are sent in one request, others in an upload session, whose last part gives them the name. If the
 * response to that is lost, the file with the name is taken for the result when it has the same bytes.
 */
export async function put(context: OneDriveContext, request: PutRequest): Promise<Entry> {
  const { entry, progress, content, call } = request
  checkEntry(entry)
  const saved = readSession(progress.session)
  if (saved?.wrong) await remove(context.client, call, saved.wrong)
  const session = saved && isFor(saved, entry) ? saved : null
  // Begun under another name or in another folder: nothing else knows what it has stored.
  if (saved && !session) await abandon(context, call, sessionText(saved), progress.isTaken)
  const since = session?.since ?? Date.now()
  const hash = createRunningHash('quickxor', content.size)
  const upload: Upload = { ...context, ...request, hash, eTag: null, since }
  const before = entry.replaces ? await requireRevision(upload, session) : null
  if (before?.isDone) return checkStored(upload, before.item)
  const placed = { ...upload, eTag: before?.item.eTag ?? null }
  // Sessions cannot be empty.
  const isSmall = entry.size <= context.limits.smallBytes
  return checkStored(placed, isSmall ? await sendSmall(placed, session) : await sendLarge(placed, session))
}

/**
 * Driver.abandon. What an upload has stored is deleted if the name, the size and the hash are its own. Of an upload session, which begins
 * only while the name is free, the rest goes into the recycle bin: a shorter file that is not older, or one of the same size if the hash is
 * not known, because another process has continued it.
 */
export async function abandon(
  { client }: OneDriveContext,
  call: Call,
  text: string,
  isNeeded: IsNeeded = async () => false,
): Promise<void> {
  const session = readSession(text)
  if (!session) return
  const { uploadUrl, parent, name, size, named, hash, replaces, wrong, since } = session
  if (wrong) await remove(client, call, wrong)
  if (uploadUrl !== null) await cancelSession(client, call, uploadUrl)
  if (!named || replaces) return
  const item = await itemNamed(client, call, 'abandon', parent, name)
  if (!item?.file || (await isNeeded(item.id as EntryRef))) return
  if (item.size === size && hash !== null && storedHash(item) === hash) return remove(client, call, item.id)
  const isNew = uploadUrl !== null && since !== undefined && isYoungerThan(since, createdAtOf(item))
  const isRest = item.size !== undefined && (item.size < size || (item.size === size && hash === null))
  const isEmpty = since !== undefined && isEmptyRest(since, item)
  if (isEmpty || (isNew && isRest)) await recycle(client, call, item.id)
}

/** The file to overwrite with its current eTag, or the file as this upload has stored it. @throws Conflict */
async function requireRevision(
  upload: Upload,
  session: Session | null,
): Promise<{ readonly item: GraphItem; readonly isDone: boolean }> {
  const { client, call, entry } = upload
  const { ref = '', revision = '' } = entry.replaces ?? {}
  const item = await itemOf(client, call, 'put', ref).catch(nothingWhen('NotFound'))
  if (item && item.name === entry.name && revisionOf(item) === revision) return { item, isDone: false }
  if (item && session?.named && (await hasContent(upload, item))) return { item, isDone: true }
  if (session?.uploadUrl) await cancelSession(client, call, session.uploadUrl).catch(() => undefined)
  throw fileChanged(WHERE)
}

async function sendLarge(upload: Upload, session: Session | null): Promise<GraphItem> {
  const { client, call, entry, progress } = upload
  if (session?.uploadUrl) {
    const step = await askStatus(client, call, session.uploadUrl, entry.size)
    if (step.state === 'more' && step.committed < entry.size) {
      progress.onProgress(step.committed)
      return sendRest(upload, session.uploadUrl, step.committed)
    }
    // All bytes are there, and could not get the name.
    if (step.state === 'more') await cancelSession(client, call, session.uploadUrl)
  }
  const known = session?.named ? await findOwn(upload) : null
  return known ?? sendRest(upload, await start(upload), 0)
}

/** Saves the session before any bytes are sent. */
async function start(upload: Upload): Promise<string> {
  const { client, call, entry, eTag } = upload
  const uploadUrl = await openSession(client, call, entry, eTag)
  await saveSession(upload, uploadUrl, false)
  return uploadUrl
}

async function sendRest(upload: Upload, uploadUrl: string, from: number): Promise<GraphItem> {
  const { client, call, progress } = upload
  try {
    const item = await sendPartsFrom(upload, uploadUrl, from)
    if (item !== 'lost') return item
    // Complete after all, although the response was lost, or too old.
    const known = await findOwn(upload)
    if (known) return known
  } catch (error) {
    // The name belongs to another file, which must never be taken for the result of this session.
    if (isFailure(error, 'Conflict')) await saveSession(upload, null, false)
    const isOver = isFailure(error, 'Conflict') || isFailure(error, 'Corrupt')
    if (isOver) await cancelSession(client, call, uploadUrl).catch(() => undefined)
    throw error
  }
  // OneDrive sometimes loses a session: restart once per upload.
  const restarted = await start(upload)
  progress.onProgress(0)
  const item = await sendPartsFrom(upload, restarted, 0)
  if (item !== 'lost') return item
  const known = await findOwn(upload)
  if (known) return known
  throw new ProviderError('Transient', WHERE, { message: 'OneDrive lost the upload twice.' })
}

async function sendSmall(upload: Upload, session: Session | null): Promise<GraphItem> {
  const { client, call, entry, eTag } = upload
  const bytes = await readAll(upload)
  const known = session?.named ? await findOwn(upload) : null
  if (known) return known
  await saveSession(upload, null, true)
  try {
    const item = await sendWhole(client, call, entry, bytes, eTag)
    return entry.modifiedAt ? await setTime(client, call, item.id, entry.modifiedAt) : item
  } catch (error) {
    // The name belongs to another file, whatever its bytes.
    if (isFailure(error, 'Conflict')) await saveSession(upload, null, false)
    const stored = isFailure(error, 'Transient') ? await findOwn(upload).catch(() => null) : null
    if (stored) return stored
    throw error
  }
}

async function readAll({ content, hash, call }: Upload): Promise<Buffer> {
  const source = openSource(content, 0, hash, WHERE)
  try {
    return await joined(call, source.take(content.size))
  } finally {
    source.close()
  }
}

/** The file with the name, if it has the same bytes and belongs to no other piece. */
async function findOwn(upload: Upload): Promise<GraphItem | null> {
  const { client, call, entry, progress } = upload
  const item = await itemNamed(client, call, 'put', entry.parent, entry.name)
  if (!item) return null
  if (!(await hasContent(upload, item))) {
    if (!entry.replaces) await removeBeginning(upload, item)
    return null
  }
  if (entry.replaces) return item.id === entry.replaces.ref ? item : null
  return (await progress.isTaken?.(item.id as EntryRef)) ? null : item
}

/** Reads the content if its hash is not known yet. */
async function hasContent(upload: Upload, item: GraphItem): Promise<boolean> {
  if (!item.file || item.size !== upload.entry.size) return false
  return storedHash(item) === (upload.hash.digest() ?? (await hashOfStart(upload, 'quickxor', item.size, WHERE)))
}

/**
 * OneDrive has kept only the beginning of the content, and the response was lost. Such a file is no one else's: it has the name of the
 * upload and its bytes, or none and is not older.
 */
async function removeBeginning(upload: Upload, item: GraphItem): Promise<void> {
  const { client, call, entry, progress } = upload
  const { size = entry.size } = item
  if (!item.file || size >= entry.size) return
  const isOurs =
    size === 0
      ? isEmptyRest(upload.since, item)
      : storedHash(item) === (await hashOfStart(upload, 'quickxor', size, WHERE))
  if (isOurs && !(await progress.isTaken?.(item.id as EntryRef))) await remove(client, call, item.id)
}

function isEmptyRest(since: number, item: GraphItem): boolean {
  return item.file !== undefined && item.size === 0 && isYoungerThan(since, createdAtOf(item))
}

/** By OneDrive's own clock: programs can give a file another time of creation. */
const createdAtOf = ({ createdDateTime }: GraphItem): Date | null =>
  createdDateTime ? new Date(createdDateTime) : null

/** Deletes a stored file with wrong bytes, except where the service itself may have changed them. @throws Corrupt */
async function checkStored(upload: Upload, item: GraphItem): Promise<Entry> {
  const { client, call, entry, hash, progress } = upload
  const digest = hash.digest()
  const stored = entryOf(item)
  const differs = digest !== null && stored.hash !== null && digest !== stored.hash
  if (isRewritten(item) || (item.size === entry.size && !differs)) {
    progress.onProgress(entry.size)
    return stored
  }
  // What was overwritten has earlier versions at OneDrive.
  if (!entry.replaces) {
    // Saved before: if it cannot be deleted now, a later call deletes it.
    await saveSession(upload, null, false, stored.ref)
    await remove(client, call, stored.ref)
    await saveSession(upload, null, false)
  }
  throw wrongBytes(WHERE, item.size, entry.size)
}

/** Microsoft documents 250 GB. */
export const MAX_FILE_BYTES = 250_000_000_000

/** @throws BadName, TooLarge */
export function checkEntry({ name, size }: NewEntry): void {
  checkName(name, 'put')
  if (size <= MAX_FILE_BYTES) return
  throw new ProviderError('TooLarge', WHERE, { message: `OneDrive accepts ${MAX_FILE_BYTES} bytes at most.` })
}
