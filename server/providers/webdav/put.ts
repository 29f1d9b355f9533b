import type { Call, Content, CopyProgress, Entry, EntryRef, IsNeeded, NewEntry, PutProgress } from '../driver.ts'
import { isFailure, ProviderError } from '../errors.ts'
import { childRef } from './address.ts'
import { discardChunks, sendChunks } from './chunks.ts'
import type { DavClient } from './client.ts'
import type { Found } from './entry.ts'
import { failed, find, remove, rename, stat } from './files.ts'
import { checkName, newTemporary } from './names.ts'
import { isMarked, marksOf, readSession, type Session, sessionText } from './session.ts'
import { type PutRequest, sendBytes, timeHeader, type Upload, type UploadLimits, withSource } from './upload.ts'

/**
 * Driver.put. The bytes are sent under a temporary name, checked, and renamed with a request that replaces nothing: few servers
 * check conditions of an upload, and some show what an interrupted one has left. If the response to the rename is lost, the file
 * with the name is recognised by what the server reported of it before.
 */
export async function put(client: DavClient, limits: UploadLimits, request: PutRequest): Promise<Entry> {
  const upload: Upload = { ...request, client, limits }
  const { call, entry, progress } = upload
  checkName(entry.name, 'put')
  call.signal.throwIfAborted()
  const earlier = readSession(progress.session)
  const saved = earlier && isFor(entry, earlier) ? earlier : null
  // Begun under another name or in another folder: nothing else knows what it has stored.
  if (earlier && !saved) await abandon(client, call, sessionText(earlier), progress.isTaken)
  const complete = saved && (await findComplete(upload, saved))
  if (complete?.isNamed) return finished(upload, complete.found)
  await checkPlace(upload)
  const session = complete ? saved : await send(upload, saved)
  return finished(upload, await publish(upload, session, complete?.found ?? null))
}

function isFor({ parent, name, size }: NewEntry, session: Session): boolean {
  return session.parent === parent && session.name === name && session.size === size
}

function finished({ progress, entry }: Upload, { entry: stored }: Found): Entry {
  progress.onProgress(entry.size)
  return stored
}

/** What an earlier attempt has stored completely, under the temporary name or under its own. */
async function findComplete(
  upload: Upload,
  { temporary, stored }: Session,
): Promise<{ found: Found; isNamed: boolean } | null> {
  const { client, call, entry, progress } = upload
  const waiting = await find(client, call, 'put', temporary)
  if (waiting) return waiting.entry.size === entry.size ? { found: waiting, isNamed: false } : null
  const named = stored && (await find(client, call, 'put', finalRef(entry)))
  if (!named || !isMarked(named, entry.size, stored)) return null
  return (await progress.isTaken?.(named.entry.ref)) ? null : { found: named, isNamed: true }
}

function finalRef({ parent, name }: Pick<NewEntry, 'parent' | 'name'>): EntryRef {
  return childRef(parent, name, 'file')
}

/** Before anything is sent: some servers create missing folders. @throws NotFound, Conflict */
async function checkPlace({ client, call, entry }: Pick<Upload, 'client' | 'call' | 'entry'>): Promise<void> {
  const looking = [stat(client, call, entry.parent), find(client, call, 'put', finalRef(entry))] as const
  // Both end before an error is thrown: no request is left behind.
  const outcomes = await Promise.allSettled(looking)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  const taken = await looking[1]
  if (taken) throw failed('put', 'Conflict', 'Another file has the name.')
}

/** Sends the bytes to the temporary place. @returns the session, which was saved before */
async function send(upload: Upload, saved: Session | null): Promise<Session> {
  const { client, entry, limits } = upload
  const isLarge = client.access.uploads !== null && entry.size > limits.chunkBytes
  if (isLarge) return sendChunks(upload, saved)
  if (saved) await discard(upload, saved)
  const session = await begin(upload)
  try {
    await sendWhole(upload, session)
    return session
  } catch (error) {
    if (!isFailure(error, 'Transient')) await discard(upload, session)
    throw error
  }
}

async function begin({ entry, progress }: Pick<Upload, 'entry' | 'progress'>): Promise<Session> {
  const { parent, name, size } = entry
  const session: Session = { parent, name, size, temporary: newTemporary(parent), chunks: null, stored: null }
  await progress.save(sessionText(session))
  return session
}

async function sendWhole(upload: Upload, { temporary }: Session): Promise<void> {
  const { entry } = upload
  await withSource(upload, 0, (bytes) => sendBytes(upload, temporary, timeHeader(entry), bytes(entry.size)))
}

/** Checks the bytes in the temporary place and gives them their name. @throws Conflict, Corrupt, NotFound */
async function publish(upload: Upload, session: Session, known: Found | null): Promise<Found> {
  const { client, call, entry, progress } = upload
  const waiting = known ?? (await find(client, call, 'put', session.temporary))
  if (waiting?.entry.size !== entry.size) {
    await discard(upload, session)
    throw failed('put', 'Corrupt', `${waiting?.entry.size ?? 'None'} of ${entry.size} bytes were stored.`)
  }
  await progress.save(sessionText({ ...session, stored: marksOf(waiting) }))
  const to = finalRef(entry)
  try {
    await rename(client, call, 'put', session.temporary, to)
  } catch (error) {
    // The name belongs to another file, which must never be taken for the result of this session.
    if (isFailure(error, 'Conflict')) await progress.save(sessionText({ ...session, stored: null }))
    if (!isFailure(error, 'Transient')) await discard(upload, session)
    throw error
  }
  const stored = await find(client, call, 'put', to)
  if (stored?.entry.size === entry.size) return stored
  throw failed('put', 'Corrupt', 'The stored file is missing, or has another size.')
}

/** Deletes what a session has stored outside its final place, as far as possible: a later abandon repeats it. */
async function discard({ client, call }: Pick<Upload, 'client' | 'call'>, session: Session): Promise<void> {
  const ignore = (error: unknown): void => {
    call.signal.throwIfAborted()
    if (!(error instanceof ProviderError)) throw error
  }
  await remove(client, call, 'put', session.temporary).catch(ignore)
}

/** Driver.abandon. */
export async function abandon(
  client: DavClient,
  call: Call,
  text: string,
  isNeeded: IsNeeded = async () => false,
): Promise<void> {
  const session = readSession(text)
  call.signal.throwIfAborted()
  if (!session) return
  await discardChunks(client, call, session)
  await remove(client, call, 'abandon', session.temporary)
  if (!session.stored) return
  const named = await find(client, call, 'abandon', finalRef(session))
  if (!named || !isMarked(named, session.size, session.stored)) return
  if (!(await isNeeded(named.entry.ref))) await remove(client, call, 'abandon', named.entry.ref)
}

/** Driver.copy: to a temporary name, from where it is like an upload. */
export async function copy(
  client: DavClient,
  limits: UploadLimits,
  call: Call,
  ref: EntryRef,
  entry: NewEntry,
  { save }: CopyProgress,
): Promise<Entry> {
  checkName(entry.name, 'copy')
  const progress: PutProgress = { session: null, save, onProgress: () => undefined }
  const upload: Upload = { client, limits, call, entry, progress, content: NO_CONTENT }
  const session = await begin(upload)
  await checkPlace(upload)
  await client.relocate(call, 'copy', { method: 'COPY', from: ref, to: session.temporary })
  return (await publish(upload, session, null)).entry
}

const NO_CONTENT: Content = {
  size: 0,
  open: () => {
    throw new Error('A copy sends nothing.')
  },
}
