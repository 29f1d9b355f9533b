import type { Call, CopyProgress, Entry, EntryRef, IsNeeded, NewEntry, PutRequest } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { isYoungerThan, sessionFormat } from '../shared/session.ts'
import { createRunningHash, fileChanged, hashOfStart, readContent, wrongBytes } from '../shared/source.ts'
import { KIND, type PcloudClient, type PcloudContext, type Sent } from './client.ts'
import { checkName, entryOf, idIn, type Metadata, numberOf } from './entry.ts'
import { entriesNamed, remove, sha1Of, stat } from './files.ts'

/**
 * An upload in progress; `sha1` of the whole content. `since`: when it began, in ms. `mtime`: the time of modification that the file gets, in
 * seconds since 1970.
 */
type Upload = PcloudContext & PutRequest & { readonly sha1: string; readonly since: number; readonly mtime: number }

const OPERATION = 'put'
const WHERE = { provider: KIND, operation: OPERATION }

/**
 * Driver.put. Small contents are sent in one request, others as an upload that gets its name only at the end. The content is read once
 * before that, for its SHA-1. pCloud gives a file another name when its own is in use: such a file is deleted again. If the last
 * response is lost, the file with the name is taken for the result when it has the same SHA-1.
 */
export async function put(context: PcloudContext, request: PutRequest): Promise<Entry> {
  const { call, entry, progress } = request
  checkName(entry.name, OPERATION)
  const saved = readSession(progress.session)
  if (saved?.wrong) await removeWrong(context, call, saved.wrong)
  const session = saved && isFor(saved, entry) ? saved : null
  // Begun under another name or in another folder: nothing else knows what it has stored.
  if (saved && !session) await abandon(context, call, sessionText(saved), progress.isTaken)
  const since = session?.since ?? Date.now()
  const mtime = session?.mtime ?? Math.floor((entry.modifiedAt?.getTime() ?? since) / 1000)
  if (session) {
    const stored = await resume({ ...context, ...request, sha1: session.sha1, since, mtime }, session)
    if (stored) return stored
  }
  const isSmall = entry.size <= context.limits.smallBytes && !entry.replaces
  const { sha1, bytes } = await readWhole(request, isSmall)
  const upload = { ...context, ...request, sha1, since, mtime }
  return bytes ? sendSmall(upload, bytes) : sendLarge(upload)
}

/** Null when nothing of the session exists any more. */
async function resume(upload: Upload, { uploadId, named }: Session): Promise<Entry | null> {
  const committed = uploadId === null ? null : await uploadedBytes(upload.client, upload.call, uploadId)
  const stored = uploadId === null || committed === null ? null : await sendRest(upload, uploadId, committed)
  return stored ?? (named ? findOwn(upload) : null)
}

/** Reads the content once. @throws Corrupt when it has another length */
async function readWhole(request: PutRequest, isKept: boolean) {
  const { size } = request.entry
  const hash = createRunningHash('sha1', size)
  const kept: Uint8Array[] = []
  await readContent(request, 0, hash, WHERE, async ({ take }) => {
    for await (const chunk of take(size)) if (isKept) kept.push(chunk)
  })
  return { sha1: hash.digest() ?? '', bytes: isKept ? Buffer.concat(kept) : null }
}

async function sendSmall(upload: Upload, bytes: Buffer): Promise<Entry> {
  await save(upload, null, true)
  try {
    const { metadata, sha1 } = await sendWhole(upload, bytes)
    return await checkStored(upload, null, metadata, sha1)
  } catch (error) {
    return afterFailure(upload, null, error)
  }
}

async function sendLarge(upload: Upload): Promise<Entry> {
  const stored = await sendRest(upload, await start(upload), 0)
  if (stored) return stored
  throw new ProviderError('Transient', WHERE, { message: 'pCloud does not have the upload any more.' })
}

/** Checks what can be checked before bytes are sent, and saves the session. @throws NotFound, Conflict */
async function start(upload: Upload): Promise<string> {
  const { client, call, entry } = upload
  await checkTarget(upload)
  const uploadId = await createUpload(client, call, entry.size)
  try {
    await save(upload, uploadId, false)
    return uploadId
  } catch (error) {
    await deleteUpload(client, call, uploadId).catch(() => undefined)
    throw error
  }
}

async function checkTarget({ client, call, entry: { replaces } }: Upload): Promise<void> {
  if (!replaces) return
  const now = await stat(client, call, replaces.ref, OPERATION).catch(nothingWhen('NotFound'))
  if (now?.details?.revision === replaces.revision) return
  throw fileChanged(WHERE)
}

/** Sends what is missing, and names it. Null when the upload does not exist any more. */
async function sendRest(upload: Upload, uploadId: string, from: number): Promise<Entry | null> {
  const { client, call, entry } = upload
  if ((await sendParts(upload, uploadId, from).catch(nothingWhen('NotFound'))) === null) return null
  await checkTarget(upload)
  await save(upload, uploadId, true)
  try {
    const metadata = await saveUpload(upload, uploadId)
    const sha1 = await sha1Of(client, call, OPERATION, metadata.id as EntryRef)
    return await checkStored(upload, uploadId, metadata, sha1)
  } catch (error) {
    if (!isFailure(error, 'NotFound')) return afterFailure(upload, uploadId, error)
    // Either the upload is gone, or the folder.
    await stat(client, call, entry.parent, OPERATION)
    return findOwn(upload)
  }
}

/** @returns how many bytes pCloud has now. @throws NotFound when the upload does not exist any more */
async function sendParts(upload: Upload, uploadId: string, from: number): Promise<number> {
  const { client, call, entry, limits, progress } = upload
  let at = Math.min(from, entry.size)
  progress.onProgress(at)
  if (at === entry.size) return at
  return readContent(upload, at, createRunningHash('sha1', entry.size), WHERE, async ({ take }) => {
    while (at < entry.size) {
      const chunks: Uint8Array[] = []
      for await (const chunk of take(Math.min(limits.chunkBytes, entry.size - at))) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      await writeUpload(client, call, uploadId, { start: at, bytes })
      at += bytes.length
      progress.onProgress(at)
    }
    return at
  })
}

/** The file that was stored although its response was lost. @throws the error */
async function afterFailure(upload: Upload, uploadId: string | null, error: unknown): Promise<Entry> {
  upload.call.signal.throwIfAborted()
  // The name belongs to another file, which must never be taken for the result of this session.
  if (isFailure(error, 'Conflict')) await save(upload, uploadId, false)
  const known = isFailure(error, 'Transient') ? await findOwn(upload).catch(() => null) : null
  if (known) return known
  throw error
}

function save(
  { entry, progress, sha1, since, mtime }: Upload,
  uploadId: string | null,
  named: boolean,
  wrong?: EntryRef,
): Promise<void> {
  const { parent, name, size, replaces } = entry
  const session = { uploadId, parent, name, size, named, sha1, since, mtime, replaces: replaces?.ref ?? null }
  return progress.save(sessionText({ ...session, ...(wrong !== undefined && { wrong }) }))
}

async function removeWrong({ client }: PcloudContext, call: Call, ref: EntryRef): Promise<void> {
  await remove(client, call, ref).catch(nothingWhen('NotFound'))
}

/** The file with the name, if it has the same bytes and belongs to no other piece; of an overwritten file, that one. */
async function findOwn(upload: Upload): Promise<Entry | null> {
  const { client, call, entry, progress, sha1 } = upload
  const found = entry.replaces
    ? await stat(client, call, entry.replaces.ref, OPERATION).catch(nothingWhen('NotFound'))
    : await findNamed(upload)
  if (found?.kind !== 'file') return null
  if (found.size !== entry.size) {
    if (!entry.replaces) await removeBeginning(upload, found)
    return null
  }
  const hash = await sha1Of(client, call, OPERATION, found.ref).catch(nothingWhen('NotFound'))
  if (hash !== sha1) return null
  if (!entry.replaces && (await progress.isTaken?.(found.ref))) return null
  progress.onProgress(entry.size)
  return { ...found, hash }
}

/** The file or folder with the name. What this upload has stored under a number is deleted, as in `checkStored`. */
async function findNamed(upload: Upload): Promise<Entry | null> {
  const { client, call, entry, progress, sha1, mtime } = upload
  const { named, numbered } = await entriesNamed(client, call, OPERATION, entry.parent, entry.name)
  const ours: Numbered = {
    ...{ size: entry.size, sha1, mtime },
    hasBeginning: (ref, size) => hasBeginning(upload, ref, size),
  }
  await removeNumbered(client, call, ours, numbered, progress.isTaken)
  return named
}

type Numbered = Pick<Session, 'size' | 'sha1' | 'mtime'> & {
  /** Whether a shorter file has the first bytes; absent where the content is gone. */
  readonly hasBeginning?: (ref: EntryRef, size: number) => Promise<boolean>
}

/**
 * Deletes what an upload has stored under a number because its name was in use, while the response was lost: files with the time that it
 * gave and its bytes, or the first of them.
 */
async function removeNumbered(
  client: PcloudClient,
  call: Call,
  { size, sha1, mtime, hasBeginning = async () => true }: Numbered,
  numbered: readonly Entry[],
  isNeeded: IsNeeded = async () => false,
): Promise<void> {
  for (const { kind, ref, size: seen, modifiedAt } of numbered) {
    if (kind !== 'file' || seen === null || !hasTime(modifiedAt, mtime) || (await isNeeded(ref))) continue
    const isWhole = async () => (await sha1Of(client, call, OPERATION, ref).catch(nothingWhen('NotFound'))) === sha1
    const isOurs = seen === size ? await isWhole() : seen < size && (await hasBeginning(ref, seen))
    if (isOurs) await remove(client, call, ref)
  }
}

/** Whether it is the time that an upload gave (`Session.mtime`). */
function hasTime(modifiedAt: Date | null, mtime: number | undefined): boolean {
  return mtime !== undefined && modifiedAt?.getTime() === mtime * 1000
}

/**
 * pCloud has kept only the beginning of the content, and the response was lost. Such a file is no one else's: it has the name of the
 * upload and its bytes, or none and is not older.
 */
async function removeBeginning(upload: Upload, found: Entry): Promise<void> {
  const { call, entry, progress } = upload
  const { ref, size, details } = found
  if (size === null || size > entry.size) return
  const isOurs =
    size === 0 ? isYoungerThan(upload.since, details?.createdAt ?? null) : await hasBeginning(upload, ref, size)
  if (isOurs && !(await progress.isTaken?.(ref))) await removeWrong(upload, call, ref)
}

async function hasBeginning(upload: Upload, ref: EntryRef, size: number): Promise<boolean> {
  const { client, call } = upload
  const beginning = await hashOfStart(upload, 'sha1', size, WHERE)
  return beginning === (await sha1Of(client, call, OPERATION, ref).catch(nothingWhen('NotFound')))
}

/** Deletes a stored file that has another name, because its own is in use, or wrong bytes. @throws Conflict, Corrupt */
async function checkStored(
  upload: Upload,
  uploadId: string | null,
  metadata: Metadata,
  sha1: string | null,
): Promise<Entry> {
  const { call, entry, progress } = upload
  const stored = { ...entryOf(metadata), hash: sha1 }
  // Saved before: if it cannot be deleted now, a later call deletes it.
  const discard = async (): Promise<void> => {
    await save(upload, uploadId, false, stored.ref)
    await removeWrong(upload, call, stored.ref)
    await save(upload, uploadId, false)
  }
  const isOther = entry.replaces ? stored.ref !== entry.replaces.ref : stored.name !== entry.name
  if (isOther) {
    await discard()
    const message = entry.replaces ? 'The file was changed in the meantime.' : 'The name is in use.'
    throw new ProviderError('Conflict', WHERE, { message })
  }
  const differs = sha1 !== null && sha1 !== upload.sha1
  if (stored.size === entry.size && !differs) {
    progress.onProgress(entry.size)
    return stored
  }
  // What was overwritten has earlier versions at pCloud.
  if (!entry.replaces) await discard()
  throw wrongBytes(WHERE, stored.size, entry.size)
}

/** Driver.abandon. A shorter file with the time that the upload gave is the rest of one that pCloud has kept in part. */
export async function abandon(
  { client }: PcloudContext,
  call: Call,
  text: string,
  isNeeded: IsNeeded = async () => false,
): Promise<void> {
  const session = readSession(text)
  if (!session) return
  const { uploadId, parent, name, named, size, sha1, mtime, replaces, wrong } = session
  if (wrong) await remove(client, call, wrong)
  if (uploadId !== null) await deleteUpload(client, call, uploadId)
  if (!named || replaces !== null) return
  const found = await entriesNamed(client, call, 'abandon', parent, name).catch(nothingWhen('NotFound'))
  if (!found) return
  await removeNumbered(client, call, session, found.numbered, isNeeded)
  const { named: file } = found
  if (file?.kind !== 'file' || (await isNeeded(file.ref))) return
  const isRest = file.size !== null && file.size < size && hasTime(file.modifiedAt, mtime)
  const hasBytes = async () => (await sha1Of(client, call, 'abandon', file.ref).catch(nothingWhen('NotFound'))) === sha1
  const isOurs = isRest || (file.size === size && (await hasBytes()))
  if (isOurs) await remove(client, call, file.ref)
}

/** Driver.copy. Identified by its name and its bytes, like an upload in one request. */
export async function copy(
  client: PcloudClient,
  call: Call,
  ref: EntryRef,
  entry: NewEntry,
  progress: CopyProgress,
): Promise<Entry> {
  checkName(entry.name, 'copy')
  const { parent, name, size } = entry
  const saveAs = (named: boolean): Promise<void> =>
    progress.save(sessionText({ uploadId: null, parent, name, size, named, sha1: progress.hash, replaces: null }))
  await saveAs(true)
  try {
    const target = { tofolderid: numberOf(parent, 'copy'), toname: name, noover: 1 }
    const copied = await client.ask<{ metadata: Metadata }>(call, 'copy', 'copyfile', {
      ...idIn(ref, 'copy'),
      ...target,
    })
    const stored = entryOf(copied.metadata)
    return { ...stored, hash: await sha1Of(client, call, 'copy', stored.ref) }
  } catch (error) {
    // The name belongs to another file, whatever its bytes.
    if (isFailure(error, 'Conflict')) await saveAs(false)
    throw error
  }
}

// pCloud's API for uploads: sessions, and the requests that they consist of.

/** The saved state of an upload or a copy. */
type Session = {
  /** pCloud's id of the upload, which has no name yet; null for one in one request. */
  readonly uploadId: string | null
  readonly parent: EntryRef
  readonly name: string
  readonly size: number
  /** Whether the request that names the bytes may have been sent. */
  readonly named: boolean
  /** SHA-1 of the whole content. */
  readonly sha1: string
  /** It overwrites this file. */
  readonly replaces: EntryRef | null
  /** When the upload began, in ms; absent in sessions of earlier versions. */
  readonly since?: number
  /** The time of modification that the file gets, in seconds since 1970; absent as `since`, and for copies. */
  readonly mtime?: number
  /** What pCloud has stored under another name, or with other bytes, and is to be deleted. */
  readonly wrong?: EntryRef
}

const { sessionText, readSession } = sessionFormat(isSession)

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { uploadId, parent, name, size, named, sha1, replaces } = value as Record<string, unknown>
  const isTextOrNull = (text: unknown): boolean => text === null || typeof text === 'string'
  const hasPlace = typeof parent === 'string' && typeof name === 'string' && typeof size === 'number'
  return hasPlace && typeof named === 'boolean' && typeof sha1 === 'string' && [uploadId, replaces].every(isTextOrNull)
}

function isFor(session: Session, { parent, name, size, replaces }: NewEntry): boolean {
  const isSame = session.parent === parent && session.name === name && session.size === size
  return isSame && session.replaces === (replaces?.ref ?? null)
}

const BOUNDARY = 'skypool-91b6f0d27ae3c458'
/** pCloud assembles a large file before it responds. */
const SAVE_PATIENCE_MS = 120_000

type Stored = { readonly metadata: Metadata; readonly sha1: string | null }
type Uploaded = { readonly metadata?: readonly Metadata[]; readonly checksums?: readonly { readonly sha1?: string }[] }

/**
 * Sends a new file in one request. If the name is in use, pCloud gives the file another one. An interrupted request stores nothing.
 */
async function sendWhole({ client, call, entry, mtime }: Upload, bytes: Buffer): Promise<Stored> {
  const folderid = numberOf(entry.parent, OPERATION)
  const parameters = { folderid, filename: entry.name, nopartial: 1, renameifexists: 1, mtime }
  const sent = bytes.length > 0 ? { body: bytes } : emptyForm(entry.name)
  const { metadata, checksums } = await client.ask<Uploaded>(call, OPERATION, 'uploadfile', parameters, sent)
  const file = metadata?.[0]
  if (file) return { metadata: file, sha1: checksums?.[0]?.sha1?.toLowerCase() ?? null }
  throw new ProviderError('Transient', WHERE, { message: 'No file was stored.' })
}

/** pCloud takes a request without a body for a mistake: an empty file comes in a form. */
function emptyForm(name: string): Sent {
  const escaped = name
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replace(/[\r\n]/g, ' ')
  const head = `Content-Disposition: form-data; name="content"; filename="${escaped}"\r\nContent-Type: application/octet-stream`
  const body = `--${BOUNDARY}\r\n${head}\r\n\r\n\r\n--${BOUNDARY}--\r\n`
  return { method: 'POST', contentType: `multipart/form-data; boundary=${BOUNDARY}`, body }
}

async function createUpload(client: PcloudClient, call: Call, size: number): Promise<string> {
  const { uploadid } = await client.ask<{ uploadid?: string }>(call, OPERATION, 'upload_create', { filesize: size })
  if (uploadid !== undefined) return uploadid
  throw new ProviderError('Transient', WHERE, { message: 'No upload was started.' })
}

/** How many bytes pCloud has. Null: the upload was saved, deleted, or never existed. */
async function uploadedBytes(client: PcloudClient, call: Call, uploadid: string): Promise<number | null> {
  const asking = client.ask<{ size?: number }>(call, OPERATION, 'upload_info', { uploadid })
  const info = await asking.catch(nothingWhen('NotFound'))
  return info && (info.size ?? 0)
}

/** @throws NotFound when the upload does not exist any more */
async function writeUpload(
  client: PcloudClient,
  call: Call,
  uploadid: string,
  { start, bytes }: { readonly start: number; readonly bytes: Buffer },
): Promise<void> {
  await client.ask(call, OPERATION, 'upload_write', { uploadid, uploadoffset: start }, { body: bytes })
}

/**
 * Names the bytes of an upload: as a new file, or as the next version of the one with the hash. If something else has the name, or
 * another hash, pCloud gives the file another name. @throws NotFound when the upload does not exist any more
 */
async function saveUpload({ client, call, entry, mtime }: Upload, uploadid: string): Promise<Metadata> {
  const { parent, name, replaces } = entry
  const condition = replaces ? { ifhash: replaces.revision } : { renameifexists: 1 }
  const place = { uploadid, folderid: numberOf(parent, OPERATION), name, mtime, ...condition }
  const sent = { body: '', patienceMs: SAVE_PATIENCE_MS }
  const { metadata } = await client.ask<{ metadata: Metadata }>(call, OPERATION, 'upload_save', place, sent)
  return metadata
}

/** Resolves also when the upload does not exist any more. */
async function deleteUpload(client: PcloudClient, call: Call, uploadid: string): Promise<void> {
  await client.ask(call, 'abandon', 'upload_delete', { uploadid }).catch(nothingWhen('NotFound'))
}
