import type { files } from 'dropbox'
import type { Call, CopyProgress, Entry, EntryRef, IsNeeded, NewEntry, PutRequest } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import type { HttpBody, HttpResponse } from '../shared/http.ts'
import { isYoungerThan, sessionFormat } from '../shared/session.ts'
import {
  createRunningHash,
  hashOfStart,
  openSource,
  type RunningHash,
  sendInParts,
  type UploadStep,
  wrongBytes,
} from '../shared/source.ts'
import { type DropboxClient, type DropboxContext, failureOf, KIND } from './client.ts'
import { entryOf, ROOT } from './entry.ts'
import { metadataAt, pathIn, relocated, remove } from './files.ts'

/** An upload in progress, with the hash of the bytes sent so far. `since`: when it began, in ms. */
type Upload = DropboxContext & PutRequest & { readonly hash: RunningHash; readonly since: number }

const OPERATION = 'put'
const WHERE = { provider: KIND, operation: OPERATION }

/**
 * Driver.put. Small contents are sent in one request, others in an upload session, which gets its name only at the end. If the
 * response to that is lost, the file with the name is taken for the result when it has the same bytes.
 */
export async function put(context: DropboxContext, request: PutRequest): Promise<Entry> {
  const { entry, progress, content, call } = request
  checkEntry(entry)
  const saved = readSession(progress.session)
  if (saved?.wrong) await remove(context.client, call, saved.wrong)
  const session = saved?.size === entry.size ? saved : null
  const since = session?.since ?? Date.now()
  const upload: Upload = { ...context, ...request, hash: createRunningHash('dropbox', content.size), since }
  try {
    const isSmall = entry.size <= context.limits.smallBytes
    return await checkStored(upload, isSmall ? await sendSmall(upload, session) : await sendLarge(upload, session))
  } catch (error) {
    call.signal.throwIfAborted()
    // Dropbox returns the same error for a bad name and for a missing folder.
    if (isFailure(error, 'BadName') && entry.parent !== ROOT)
      await metadataAt(context.client, call, 'put', entry.parent)
    throw error
  }
}

/** Driver.abandon. Unused upload sessions expire by themselves; a file that was made of one is deleted. */
export async function abandon(
  { client }: DropboxContext,
  call: Call,
  text: string,
  isNeeded: IsNeeded = async () => false,
): Promise<void> {
  const session = readSession(text)
  if (!session) return
  const { uploadId, parent, name, named, replaces, wrong } = session
  if (wrong) await remove(client, call, wrong)
  const isOpen = uploadId !== null && (await append(client, call, uploadId, 0, '')).state === 'more'
  if (isOpen || !named || replaces) return
  const file = await fileAt(client, call, pathIn(parent, name))
  const isOurs = file?.size === session.size && (session.hash === null || file.content_hash === session.hash)
  if (file && isOurs && !(await isNeeded(file.id as EntryRef))) await remove(client, call, file.id)
}

async function sendLarge(upload: Upload, session: Session | null): Promise<files.FileMetadata> {
  const { client, call } = upload
  const saved = session?.uploadId ?? null
  if (saved !== null) {
    const step = await append(client, call, saved, 0, '')
    if (step.state === 'more') {
      upload.progress.onProgress(step.committed)
      return sendRest(upload, saved, step.committed)
    }
  }
  const known = session?.named ? await findOwn(upload) : null
  return known ?? sendRest(upload, await start(upload), 0)
}

/** Saves the session before any bytes are sent. */
async function start(upload: Upload): Promise<string> {
  const uploadId = await startSession(upload.client, upload.call)
  await saveSession(upload, uploadId, false)
  return uploadId
}

async function sendRest(upload: Upload, uploadId: string, from: number): Promise<files.FileMetadata> {
  if (await sendPartsFrom(upload, uploadId, from)) {
    const file = await finishUpload(upload, uploadId)
    if (file) return file
  }
  // Sessions expire after a week, and Dropbox sometimes loses one: restart once per upload.
  const restarted = await start(upload)
  upload.progress.onProgress(0)
  const file = (await sendPartsFrom(upload, restarted, 0)) ? await finishUpload(upload, restarted) : null
  if (file) return file
  throw new ProviderError('Transient', WHERE, { message: 'Dropbox lost the upload twice.' })
}

/** Names the uploaded bytes. @returns null when neither the session nor its file exists any more */
async function finishUpload(upload: Upload, uploadId: string): Promise<files.FileMetadata | null> {
  const { client, call, entry } = upload
  await saveSession(upload, uploadId, true)
  try {
    const step = await finish(client, call, uploadId, entry)
    if (step.state === 'done') return step.stored
    if (step.state === 'lost') return await findOwn(upload)
  } catch (error) {
    // The name belongs to another file, which must never be taken for the result of this session.
    if (isFailure(error, 'Conflict')) await saveSession(upload, uploadId, false)
    const known = isFailure(error, 'Transient') ? await findOwn(upload).catch(() => null) : null
    if (known) return known
    throw error
  }
  throw new ProviderError('Transient', WHERE, { message: 'Dropbox has fewer bytes than it confirmed.' })
}

function saveSession(
  { entry, hash, progress, since }: Upload,
  uploadId: string | null,
  named: boolean,
  wrong?: EntryRef,
): Promise<void> {
  const { parent, name, size } = entry
  const replaces = entry.replaces !== undefined
  const session: Session = { uploadId, parent, name, size, named, replaces, hash: hash.digest(), since }
  return progress.save(sessionText({ ...session, ...(wrong && { wrong }) }))
}

/** Deletes a stored file with wrong bytes. @throws Corrupt */
async function checkStored(upload: Upload, file: files.FileMetadata): Promise<Entry> {
  const { client, call, entry, hash, progress } = upload
  const digest = hash.digest()
  const stored = entryOf(file)
  const differs = digest !== null && stored.hash !== null && digest !== stored.hash
  if (file.size === entry.size && !differs) {
    progress.onProgress(entry.size)
    return stored
  }
  // What was overwritten has earlier versions at Dropbox.
  if (!entry.replaces) {
    // Saved before: if it cannot be deleted now, a later call deletes it.
    await saveSession(upload, null, false, stored.ref)
    await remove(client, call, stored.ref)
    await saveSession(upload, null, false)
  }
  throw wrongBytes(WHERE, file.size, entry.size)
}

/** Reads a small content before anything is sent, so that its hash is saved first. */
async function sendSmall(upload: Upload, session: Session | null): Promise<files.FileMetadata> {
  const { client, call, entry } = upload
  const bytes = await readAll(upload)
  const hash = upload.hash.digest() ?? ''
  if (session?.named) {
    const known = await findOwn(upload)
    if (known) return known
  }
  await saveSession(upload, null, true)
  try {
    return await sendWhole(client, call, entry, bytes, hash)
  } catch (error) {
    // The name belongs to another file, whatever its bytes.
    if (isFailure(error, 'Conflict')) await saveSession(upload, null, false)
    const known = isFailure(error, 'Transient') ? await findOwn(upload).catch(() => null) : null
    if (known) return known
    throw error
  }
}

async function readAll({ content, hash, call }: Upload): Promise<Buffer> {
  call.signal.throwIfAborted()
  const source = openSource(content, 0, hash, WHERE)
  call.signal.addEventListener('abort', source.close, { once: true })
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of source.take(content.size)) chunks.push(chunk)
    return Buffer.concat(chunks)
  } finally {
    call.signal.removeEventListener('abort', source.close)
    source.close()
  }
}

/** Sends the content from `from` on to an upload session. False when the session does not exist any more. */
async function sendPartsFrom(upload: Upload, uploadId: string, from: number): Promise<boolean> {
  const { client, call, entry, hash, limits } = upload
  if (from === entry.size) return true
  const parts = {
    ...{ request: upload, hash, where: WHERE, partBytes: limits.chunkBytes },
    send: (start: number, end: number, bytes: AsyncIterable<Uint8Array>) =>
      append(client, call, uploadId, start, { length: end - start, bytes }),
    ask: (committed: number) => append(client, call, uploadId, committed, ''),
  }
  return (await sendInParts(parts, from)).state === 'more'
}

/** The file with the name, if it has the same bytes and belongs to no other piece. Reads the content if its hash is not known yet. */
async function findOwn(upload: Upload): Promise<files.FileMetadata | null> {
  const { client, call, entry, progress } = upload
  const file = await fileAt(client, call, pathIn(entry.parent, entry.name))
  if (!file) return null
  if (file.size !== entry.size) {
    if (!entry.replaces) await removeBeginning(upload, file)
    return null
  }
  if (file.content_hash !== (upload.hash.digest() ?? (await hashOfStart(upload, 'dropbox', entry.size, WHERE)))) {
    return null
  }
  if (entry.replaces) return file.id === entry.replaces.ref ? file : null
  return (await progress.isTaken?.(file.id as EntryRef)) ? null : file
}

/**
 * Dropbox has kept only the beginning of the content, and the response was lost. Such a file is no one else's: it has the name of the
 * upload and its bytes, or none and is not older.
 */
async function removeBeginning(upload: Upload, file: files.FileMetadata): Promise<void> {
  const { client, call, entry, progress } = upload
  const { id, size, content_hash } = file
  if (size > entry.size) return
  const isOurs =
    size === 0
      ? isYoungerThan(upload.since, new Date(file.server_modified))
      : content_hash === (await hashOfStart(upload, 'dropbox', size, WHERE))
  if (isOurs && !(await progress.isTaken?.(id as EntryRef))) await remove(client, call, id)
}

/** Null when the path is free, or a folder. */
async function fileAt(client: DropboxClient, call: Call, path: string): Promise<files.FileMetadata | null> {
  const metadata = await metadataAt(client, call, 'put', path).catch(nothingWhen('NotFound'))
  return metadata && 'size' in metadata ? metadata : null
}

/** Driver.copy. Identified by its name and its bytes, like an upload in one request. */
export async function copy(
  client: DropboxClient,
  call: Call,
  ref: EntryRef,
  entry: NewEntry,
  { hash, save }: CopyProgress,
): Promise<Entry> {
  checkEntry(entry)
  const { parent, name, size } = entry
  const saveNamed = (named: boolean) => save(sessionText({ uploadId: null, parent, name, size, named, hash }))
  await saveNamed(true)
  try {
    const target = { from_path: ref, to_path: pathIn(parent, name) }
    const { metadata } = await client.ask(call, 'copy', (sdk) => sdk.filesCopyV2(target))
    return relocated(metadata, 'copy')
  } catch (error) {
    // The name belongs to another file, whatever its bytes.
    if (isFailure(error, 'Conflict')) await saveNamed(false)
    throw error
  }
}

export const MAX_FILE_BYTES = 2 ** 41 - 2 ** 22

/** @throws BadName, TooLarge */
function checkEntry({ name, size }: NewEntry): void {
  if (!isName(name)) throw new ProviderError('BadName', WHERE, { message: 'Dropbox does not accept this name.' })
  if (size <= MAX_FILE_BYTES) return
  throw new ProviderError('TooLarge', WHERE, { message: `Dropbox accepts ${MAX_FILE_BYTES} bytes at most.` })
}

const IGNORED_NAMES = new Set(['desktop.ini', 'thumbs.db', '.ds_store', 'icon\r', '.dropbox', '.dropbox.attr'])
export const MAX_NAME = 255

/** Whether Dropbox accepts a name, as far as is known before it is called. */
export function isName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || name.length > MAX_NAME) return false
  if (/[/\\\0\u007f]|\p{Surrogate}| $/u.test(name)) return false
  return !IGNORED_NAMES.has(name.toLowerCase())
}

// Dropbox's API for uploads: sessions, and the requests that they consist of.

/** The saved state of an upload. */
type Session = {
  /** Dropbox's id of the upload session, which has no name yet; null for an upload in one request. */
  readonly uploadId: string | null
  readonly parent: EntryRef
  readonly name: string
  readonly size: number
  /** Whether the request that names the bytes may have been sent. */
  readonly named: boolean
  /** Hash of all bytes, if known at that time. */
  readonly hash: string | null
  /** It overwrites a file. */
  readonly replaces?: boolean
  /** When the upload began, in ms; absent in sessions of earlier versions. */
  readonly since?: number
  /** What Dropbox has stored with other bytes, and is to be deleted. */
  readonly wrong?: EntryRef
}

const { sessionText, readSession } = sessionFormat(isSession)

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { uploadId, parent, name, size, named, hash } = value as Record<string, unknown>
  const isTextOrNull = (text: unknown): boolean => text === null || typeof text === 'string'
  const hasPlace = typeof parent === 'string' && typeof name === 'string'
  return (
    hasPlace && typeof size === 'number' && typeof named === 'boolean' && isTextOrNull(uploadId) && isTextOrNull(hash)
  )
}

/** What Dropbox has of an upload session, which is not stored before `finish`. `lost`: it is finished, too old or unknown. */
type Step = Exclude<Finish, { readonly state: 'done' }>
type Finish = UploadStep<files.FileMetadata>

/** Dropbox assembles a large file before it responds. */
const FINISH_PATIENCE_MS = 120_000
/** Error tags of a session that was finished or does not exist. */
const LOST_TAGS = ['not_found', 'closed']

/** Overwrites only the given revision, and never renames; an existing file with equal bytes is a conflict as well. */
const commitOf = ({ parent, name, modifiedAt, replaces }: NewEntry) => ({
  path: pathIn(parent, name),
  // In whole seconds.
  ...(modifiedAt && { client_modified: modifiedAt.toISOString().replace(/\.\d+Z$/, 'Z') }),
  mode: replaces ? { '.tag': 'update', update: replaces.revision } : 'add',
  autorename: false,
  strict_conflict: true,
  mute: true,
})

/** Sends a file in one request. @throws Conflict */
async function sendWhole(
  client: DropboxClient,
  call: Call,
  entry: NewEntry,
  body: Uint8Array,
  contentHash: string,
): Promise<files.FileMetadata> {
  const argument = { ...commitOf(entry), content_hash: contentHash }
  const response = await client.send(call, OPERATION, { route: 'files/upload', argument, body })
  if (response.status >= 400) throw (await failureOf(response, OPERATION)).error
  return (await response.json()) as files.FileMetadata
}

async function startSession(client: DropboxClient, call: Call): Promise<string> {
  const request = { route: 'files/upload_session/start', argument: { close: false }, body: '' }
  const response = await client.send(call, OPERATION, request)
  if (response.status >= 400) throw (await failureOf(response, OPERATION)).error
  const { session_id: id } = (await response.json()) as Partial<files.UploadSessionStartResult>
  if (typeof id === 'string') return id
  throw new ProviderError('Transient', WHERE, { message: 'No session was opened.' })
}

/** Appends bytes at an offset; an empty body asks for the offset of the session. */
async function append(
  client: DropboxClient,
  call: Call,
  uploadId: string,
  offset: number,
  body: Exclude<HttpBody, Uint8Array>,
): Promise<Step> {
  const response = await client.send(call, OPERATION, {
    route: 'files/upload_session/append_v2',
    argument: { cursor: { session_id: uploadId, offset }, close: false },
    body,
  })
  if (response.status >= 400) return stepOf(response)
  response.dispose()
  return { state: 'more', committed: offset + body.length }
}

/** Names the session's bytes. @throws Conflict, after which the session still exists */
async function finish(client: DropboxClient, call: Call, uploadId: string, entry: NewEntry): Promise<Finish> {
  const response = await client.send(call, OPERATION, {
    route: 'files/upload_session/finish',
    argument: { cursor: { session_id: uploadId, offset: entry.size }, commit: commitOf(entry) },
    body: '',
    patienceMs: FINISH_PATIENCE_MS,
  })
  if (response.status >= 400) return stepOf(response)
  return { state: 'done', stored: (await response.json()) as files.FileMetadata }
}

async function stepOf(response: HttpResponse): Promise<Step> {
  const { failure, error } = await failureOf(response, OPERATION)
  if (failure.correctOffset !== null) return { state: 'more', committed: failure.correctOffset }
  // The tag is about the session; below `path` the same tag is about the folder.
  const isOfSession = failure.status === 409 && !failure.tags.includes('path')
  if (isOfSession && failure.tags.some((tag) => LOST_TAGS.includes(tag))) return { state: 'lost' }
  throw error
}
