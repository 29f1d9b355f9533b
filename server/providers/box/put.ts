import type { Call, CopyProgress, Entry, EntryRef, IsNeeded, NewEntry, PutProgress, PutRequest } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { isYoungerThan } from '../shared/session.ts'
import { createRunningHash, fileChanged, hashOfStart, readContent, wrongBytes } from '../shared/source.ts'
import { type BoxContext, KIND } from './client.ts'
import { type BoxItem, entryOf, FIELDS, idOf, pathOf, refOf, revisionOf, sizeOf } from './entry.ts'
import { conflictOf } from './errors.ts'
import { checkName, itemAt, remove } from './files.ts'
import {
  abortSession,
  commit,
  isFor,
  listParts,
  openSession,
  type Part,
  preflight,
  readSession,
  type Session,
  sendPart,
  sendWhole,
  sessionText,
} from './upload.ts'

/** `since`: when the upload began, in ms. */
type Upload = BoxContext & PutRequest & { readonly since: number }

const WHERE = { provider: KIND, operation: 'put' }

/** The largest of any plan; a smaller limit of the account is known from its refusal. */
export const MAX_FILE_BYTES = 500 * 1024 ** 3

/**
 * Driver.put. Small contents are sent in one request, others in parts, which get their name only at the end. Box wants the SHA-1 of the
 * whole content with that, so it is read once before it is sent. If the last response is lost, the file with the name is taken for the
 * result when it has the same SHA-1.
 */
export async function put(context: BoxContext, request: PutRequest): Promise<Entry> {
  const { entry, progress } = request
  checkEntry(entry)
  const saved = readSession(progress.session)
  if (saved?.wrong) await remove(context.client, request.call, saved.wrong)
  const session = saved && isFor(saved, entry) ? saved : null
  // Begun under another name or in another folder: nothing else knows what it has stored.
  if (saved && !session) await abandon(context, request.call, sessionText(saved), progress.isTaken)
  const upload: Upload = { ...context, ...request, since: session?.since ?? Date.now() }
  const known = session && (await resume(upload, session))
  if (known) return checkStored(upload, session.sha1, known)
  const { sha1, bytes } = await readWhole(upload)
  await checkFree(upload, session)
  const isSmall = entry.size <= context.limits.smallBytes
  const stored = isSmall ? await sendSmall(upload, sha1, bytes) : await sendLarge(upload, sha1)
  return checkStored(upload, sha1, stored)
}

/** @throws BadName, TooLarge */
function checkEntry({ name, size }: NewEntry): void {
  checkName(name, WHERE.operation)
  if (size <= MAX_FILE_BYTES) return
  throw new ProviderError('TooLarge', WHERE, { message: `Box accepts ${MAX_FILE_BYTES} bytes at most.` })
}

/** Null when nothing of the session exists any more. */
async function resume(upload: Upload, session: Session): Promise<BoxItem | null> {
  const { address } = session
  const parts = address === null ? null : await listParts(upload.client, upload.call, address)
  const stored = address && parts ? await sendRest(upload, { ...session, address }, parts) : null
  return stored ?? (session.named ? findOwn(upload, session.sha1) : null)
}

/** @throws Conflict, after which the name is known to belong to another file */
async function checkFree(upload: Upload, session: Session | null): Promise<void> {
  // Of the file to overwrite, Box would only say that it does not exist.
  await replacedBy(upload)
  try {
    await preflight(upload.client, upload.call, upload.entry)
  } catch (error) {
    if (session?.named && isFailure(error, 'Conflict')) await save(upload, { ...session, named: false })
    throw error
  }
}

/** Reads the content once; a small one is kept. @throws Corrupt when it has another length */
async function readWhole(upload: Upload): Promise<{ readonly sha1: string; readonly bytes: Buffer | null }> {
  const { size } = upload.entry
  const hash = createRunningHash('sha1', size)
  const kept: Uint8Array[] | null = size <= upload.limits.memoryBytes ? [] : null
  await readContent(upload, 0, hash, WHERE, async ({ take }) => {
    for await (const chunk of take(size)) kept?.push(chunk)
  })
  return { sha1: hash.digest() ?? '', bytes: kept && Buffer.concat(kept) }
}

async function sendSmall(upload: Upload, sha1: string, bytes: Buffer | null): Promise<BoxItem> {
  const { client, call, entry } = upload
  const session = sessionOf(upload, null, 0, sha1)
  const over = await replacedBy(upload)
  const send = (source: AsyncIterable<Uint8Array>) => sendWhole(client, call, entry, { sha1, over, bytes: source })
  await save(upload, { ...session, named: true })
  try {
    if (bytes) return await send(once(bytes))
    const hash = createRunningHash('sha1', entry.size)
    return await readContent(upload, 0, hash, WHERE, ({ take }) => send(take(entry.size)))
  } catch (error) {
    return afterFailure(upload, session, error)
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}

async function sendLarge(upload: Upload, sha1: string): Promise<BoxItem> {
  const { client, call, entry } = upload
  const { address, partBytes } = await openSession(client, call, entry)
  const session = { ...sessionOf(upload, address, partBytes, sha1), address }
  try {
    await save(upload, session)
  } catch (error) {
    await abortSession(client, call, WHERE.operation, address).catch(() => undefined)
    throw error
  }
  const stored = await sendRest(upload, session, [])
  if (stored) return stored
  throw new ProviderError('Transient', WHERE, { message: 'Box does not have the upload any more.' })
}

type LargeSession = Session & { readonly address: string }

/** Sends the parts after those that Box has, and names them. Null when the upload does not exist any more. */
async function sendRest(upload: Upload, session: LargeSession, known: readonly Part[]): Promise<BoxItem | null> {
  const { client, call, entry } = upload
  const parts = await sendParts(upload, session, partsFromStart(known, session))
  if (parts === null) return null
  const etag = (await replacedBy(upload))?.etag ?? null
  await save(upload, { ...session, named: true })
  try {
    return await commit(client, call, session, { parts, modifiedAt: entry.modifiedAt, etag })
  } catch (error) {
    if (isFailure(error, 'NotFound')) return null
    return afterFailure(upload, session, error)
  }
}

/** From the first byte on, as far as none is missing. */
function partsFromStart(known: readonly Part[], { size, partBytes }: Session): Part[] {
  const byOffset = new Map(known.map((part) => [part.offset, part]))
  const parts: Part[] = []
  for (let at = 0; at < size; at += partBytes) {
    const part = byOffset.get(at)
    if (part?.size !== Math.min(partBytes, size - at)) break
    parts.push(part)
  }
  return parts
}

function sendParts(upload: Upload, session: LargeSession, parts: Part[]): Promise<Part[] | null> {
  const { client, call, progress } = upload
  const { size, partBytes } = session
  let at = parts.reduce((sum, part) => sum + part.size, 0)
  progress.onProgress(at)
  if (at === size) return Promise.resolve(parts)
  const sending = readContent(upload, at, createRunningHash('sha1', size), WHERE, async ({ take }) => {
    while (at < size) {
      const length = Math.min(partBytes, size - at)
      const chunks: Uint8Array[] = []
      for await (const chunk of take(length)) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      parts.push(await sendPart(client, call, session, { start: at, bytes, sha1: sha1Of(bytes) }))
      at += length
      progress.onProgress(at)
    }
    return parts
  })
  return sending.catch(nothingWhen('NotFound'))
}

function sha1Of(bytes: Uint8Array): string {
  const hash = createRunningHash('sha1', bytes.length)
  hash.update(0, bytes)
  return hash.digest() ?? ''
}

/** The file to overwrite, if it still has the revision; null for a new file. @throws Conflict */
async function replacedBy({ client, call, entry: { replaces } }: Upload): Promise<BoxItem | null> {
  if (!replaces) return null
  const item = await itemAt(client, call, WHERE.operation, replaces.ref).catch(nothingWhen('NotFound'))
  if (item && revisionOf(item) === replaces.revision) return item
  throw fileChanged(WHERE)
}

/** The file that was stored although its response was lost. @throws the error */
async function afterFailure(upload: Upload, session: Session, error: unknown): Promise<BoxItem> {
  upload.call.signal.throwIfAborted()
  // Of a new file only its bytes can be refused so: other ones arrived than were sent.
  if (isFailure(error, 'Conflict') && error.where.status === 412 && !upload.entry.replaces) {
    throw new ProviderError('Transient', error.where, error.detail)
  }
  // The name belongs to another file, which must never be taken for the result of this session.
  if (isFailure(error, 'Conflict')) await save(upload, { ...session, named: false })
  const known = isFailure(error, 'Transient') ? await findOwn(upload, session.sha1).catch(() => null) : null
  if (known) return known
  throw error
}

function sessionOf(
  { entry, since }: { readonly entry: NewEntry; readonly since?: number },
  address: string | null,
  partBytes: number,
  sha1: string,
) {
  const { parent, name, size, replaces } = entry
  const place = { parent, name, size, sha1, replaces: replaces?.ref ?? null }
  return { address, partBytes, ...place, named: false, ...(since !== undefined && { since }) }
}

const save = ({ progress }: { readonly progress: Pick<PutProgress, 'save'> }, session: Session): Promise<void> =>
  progress.save(sessionText(session))

/** The file with the name, if it has the same bytes and belongs to no other piece; of an overwritten file, that one. */
async function findOwn(upload: Upload, sha1: string): Promise<BoxItem | null> {
  const { client, call, entry, progress } = upload
  const ref = entry.replaces?.ref ?? (await fileNamed(upload, call, entry))?.ref ?? null
  const item = ref && (await itemAt(client, call, WHERE.operation, ref).catch(nothingWhen('NotFound')))
  if (!item) return null
  if (item.sha1?.toLowerCase() !== sha1 || sizeOf(item) !== entry.size) {
    if (!entry.replaces) await removeBeginning(upload, item)
    return null
  }
  if (entry.replaces) return item
  return (await progress.isTaken?.(ref)) ? null : item
}

/**
 * Box has kept only the beginning of the content, and the response was lost. Such a file is no one else's: it has the name of the
 * upload and its bytes, or none and is not older.
 */
async function removeBeginning(upload: Upload, item: BoxItem): Promise<void> {
  const { client, call, entry, progress } = upload
  const { ref, details } = entryOf(item)
  const size = sizeOf(item)
  if (size >= entry.size) return
  const isOurs =
    size === 0
      ? isYoungerThan(upload.since, details?.createdAt ?? null)
      : item.sha1?.toLowerCase() === (await hashOfStart(upload, 'sha1', size, WHERE))
  if (isOurs && !(await progress.isTaken?.(ref))) await remove(client, call, ref)
}

type Named = { readonly ref: EntryRef; readonly sha1: string | null }

/** The file with this name, which only a refused upload tells. */
async function fileNamed(
  { client }: BoxContext,
  call: Call,
  { parent, name, size }: Pick<NewEntry, 'parent' | 'name' | 'size'>,
): Promise<Named | null> {
  try {
    await preflight(client, call, { parent, name, size, mimeType: null })
  } catch (error) {
    const known = conflictOf(error)
    if (known) {
      const ref = known.type === 'file' ? refOf('file', known.id) : null
      return ref && { ref, sha1: known.sha1 }
    }
    const isUnknown = isFailure(error, 'NotFound') || isFailure(error, 'QuotaExceeded') || isFailure(error, 'Forbidden')
    if (!isUnknown) throw error
  }
  return null
}

/** Deletes a stored file with wrong bytes. @throws Corrupt */
async function checkStored(upload: Upload, sha1: string, item: BoxItem): Promise<Entry> {
  const { client, call, entry, progress } = upload
  const stored = entryOf(item)
  if (stored.size === entry.size && (stored.hash === null || stored.hash === sha1)) {
    progress.onProgress(entry.size)
    return stored
  }
  // What was overwritten has earlier versions at Box.
  if (!entry.replaces) {
    // Saved before: if it cannot be deleted now, a later call deletes it.
    const session = sessionOf(upload, null, 0, sha1)
    await save(upload, { ...session, wrong: stored.ref })
    await remove(client, call, stored.ref)
    await save(upload, session)
  }
  throw wrongBytes(WHERE, stored.size, entry.size)
}

/** Driver.abandon. Box drops unfinished uploads after a week; a file that was made of one is deleted. */
export async function abandon(
  context: BoxContext,
  call: Call,
  text: string,
  isNeeded: IsNeeded = async () => false,
): Promise<void> {
  const session = readSession(text)
  if (!session) return
  const { client } = context
  if (session.wrong) await remove(client, call, session.wrong)
  if (session.address !== null) await abortSession(client, call, 'abandon', session.address)
  if (!session.named || session.replaces !== null) return
  const file = await fileNamed(context, call, session)
  if (file?.sha1 === session.sha1 && !(await isNeeded(file.ref))) await remove(client, call, file.ref)
}

/** Driver.copy. Identified by its name and its bytes, like an upload in one request. */
export async function copy(
  { client }: BoxContext,
  call: Call,
  ref: EntryRef,
  entry: NewEntry,
  progress: CopyProgress,
): Promise<Entry> {
  checkEntry(entry)
  const session = sessionOf({ entry }, null, 0, progress.hash)
  await save({ progress }, { ...session, named: true })
  try {
    const copied = await client.ask<BoxItem>(call, 'copy', {
      method: 'POST',
      url: `${pathOf(ref, 'copy')}/copy`,
      query: { fields: FIELDS },
      json: { name: entry.name, parent: { id: idOf(entry.parent) } },
    })
    return entryOf(copied)
  } catch (error) {
    // The name belongs to another file, whatever its bytes.
    if (isFailure(error, 'Conflict')) await save({ progress }, session)
    throw error
  }
}
