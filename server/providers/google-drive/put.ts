import type { Call, Capabilities, CopyProgress, Entry, EntryRef, IsNeeded, NewEntry, PutRequest } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError, type ProviderErrorCode } from '../errors.ts'
import type { HttpResponse } from '../shared/http.ts'
import { sessionFormat } from '../shared/session.ts'
import {
  createRunningHash,
  fileChanged,
  hashOfStart,
  openSource,
  type RunningHash,
  sendInParts,
  type UploadStep,
} from '../shared/source.ts'
import { API, type DriveClient, type DriveContext, failureOf, KIND } from './client.ts'
import { type DriveFile, entryOf, FILE_FIELDS, sizeOf } from './entry.ts'
import { ALL_DRIVES, remove } from './files.ts'

/** An upload in progress, with the hash of the bytes sent so far. */
type Upload = DriveContext & PutRequest & { readonly hash: RunningHash }

const OPERATION = 'put'
const WHERE = { provider: KIND, operation: OPERATION }

const LOST: Step = { state: 'lost' }

/** Driver.put. The file's id is saved before the first byte is sent, so that the file is found even if a response was lost. */
export async function put(context: DriveContext, request: PutRequest): Promise<Entry> {
  const { entry, call, progress } = request
  checkEntry(entry, context.capabilities)
  const upload: Upload = { ...context, ...request, hash: createRunningHash('md5', entry.size) }
  const saved = readSession(progress.session)
  const continued = saved && isFor(saved, entry) ? saved : null
  // Begun under another name or in another folder: nothing else knows what it has stored.
  if (saved && !continued) await abandon(context, call, sessionText(saved), progress.isTaken)
  const own = await requireRevision(upload, continued)
  if (own) return checkStored(upload, own.session, own.file)
  if (continued) return checkStored(upload, continued, await resume(upload, continued))
  const { parent, name, size, replaces } = entry
  const id = replaces?.ref ?? (await context.ids.next(call))
  const session: Session = { id, uri: null, parent, name, size, ...(replaces && { replaces: true }) }
  await progress.save(sessionText(session))
  return checkStored(upload, session, await start(upload, session))
}

/**
 * Drive overwrites without a condition, so the revision is compared just before; what was overwritten stays a revision of the file.
 * @returns the file if it has the new content already
 * @throws Conflict
 */
async function requireRevision(
  upload: Upload,
  saved: Session | null,
): Promise<{ readonly session: Session; readonly file: DriveFile } | null> {
  const { client, call, entry } = upload
  const { replaces, parent, name, size } = entry
  if (!replaces) return null
  const session = saved ?? { id: replaces.ref, uri: null, parent, name, size, replaces: true }
  const file = await getFile(upload, session)
  const isThere = file !== null && !file.trashed && file.name === name
  if (isThere && entryOf(file).details?.revision === replaces.revision) return null
  if (isThere && saved && (await hasContent(upload, file))) return { session, file }
  if (saved?.uri) await cancelSession(client, call, saved.uri).catch(() => undefined)
  throw fileChanged(WHERE)
}

async function hasContent(upload: Upload, file: DriveFile): Promise<boolean> {
  if (sizeOf(file) !== upload.entry.size) return false
  return entryOf(file).hash === (await hashOfStart(upload, 'md5', upload.entry.size, WHERE))
}

/** Driver.abandon: ends the session and deletes the file, if it was stored and is not needed. */
export async function abandon(
  { client }: DriveContext,
  call: Call,
  text: string,
  isNeeded: IsNeeded = async () => false,
): Promise<void> {
  const session = readSession(text)
  if (!session) return
  const isOwn = !session.replaces
  // What is needed was stored completely: its session is over.
  if (isOwn && (await isNeeded(session.id as EntryRef))) return
  if (session.uri !== null) await cancelSession(client, call, session.uri)
  if (isOwn) await remove(client, call, session.id)
}

async function resume(upload: Upload, session: Session): Promise<DriveFile> {
  const { client, call, entry } = upload
  const step = session.uri === null ? LOST : await askStatus(client, call, session.uri, entry.size)
  if (step.state === 'done') return step.stored
  if (step.state === 'more' && session.uri !== null) {
    upload.progress.onProgress(step.committed)
    return sendRest(upload, { ...session, uri: session.uri }, step.committed)
  }
  return (await findFile(upload, session)) ?? start(upload, session)
}

/** Sends from the first byte. */
async function start(upload: Upload, session: Session): Promise<DriveFile> {
  const { client, call, entry, progress } = upload
  if (entry.size <= upload.limits.smallBytes) return sendSmall(upload, session)
  const uri = await openSession(client, call, session, entry).catch(nothingWhen('Conflict'))
  if (uri === null) return requireFile(upload, session)
  const opened = { ...session, uri }
  await progress.save(sessionText(opened))
  return sendRest(upload, opened, 0)
}

async function sendRest(upload: Upload, session: Session & { readonly uri: string }, from: number): Promise<DriveFile> {
  const { client, call } = upload
  try {
    const file = await sendPartsFrom(upload, session.uri, from)
    // Sessions expire after a week, and Drive sometimes loses one: restart once per upload.
    if (file !== 'lost') return file
    const known = await findFile(upload, session)
    if (known) return known
  } catch (error) {
    // The id is in use: the upload had been completed although its response was lost.
    if (isFailure(error, 'Conflict')) return requireFile(upload, session)
    // The content has ended early: this session cannot be completed.
    if (isFailure(error, 'Corrupt')) await cancelSession(client, call, session.uri).catch(() => undefined)
    throw error
  }
  return restart(upload, session)
}

async function restart(upload: Upload, session: Session): Promise<DriveFile> {
  const { client, call, entry, progress } = upload
  const uri = await openSession(client, call, session, entry)
  await progress.save(sessionText({ ...session, uri }))
  progress.onProgress(0)
  const file = await sendPartsFrom(upload, uri, 0)
  if (file !== 'lost') return file
  throw new ProviderError('Transient', WHERE, { message: 'Drive lost the upload twice.' })
}

async function sendSmall(upload: Upload, session: Session): Promise<DriveFile> {
  const { client, call, entry, content, hash } = upload
  const source = openSource(content, 0, hash, WHERE)
  try {
    return await sendWhole(client, call, session, entry, source.take(entry.size))
  } catch (error) {
    const isOpen = isFailure(error, 'Transient') || isFailure(error, 'Conflict')
    const known = isOpen ? await findFile(upload, session).catch(() => null) : null
    if (known) return known
    throw error
  } finally {
    source.close()
  }
}

/** The file with the session's id, stored by a request whose response was lost. */
async function findFile(upload: Upload, session: Session): Promise<DriveFile | null> {
  const file = await getFile(upload, session)
  return file && session.replaces && !(await hasContent(upload, file)) ? null : file
}

async function getFile({ client, call }: Upload, { id }: Session): Promise<DriveFile | null> {
  const asking = client.ask(call, 'put', (api, options) =>
    api.files.get({ fileId: id, fields: FILE_FIELDS, supportsAllDrives: true }, options),
  )
  return asking.catch(nothingWhen('NotFound'))
}

async function requireFile(upload: Upload, session: Session): Promise<DriveFile> {
  const file = await findFile(upload, session)
  if (file) return file
  throw new ProviderError('Transient', WHERE, { message: 'Drive has the file but does not return it.' })
}

/** Deletes a stored file with wrong bytes or in a folder that is in the trash. @throws Corrupt, NotFound */
async function checkStored(
  { client, call, entry, hash, progress }: Upload,
  { id }: Session,
  file: DriveFile,
): Promise<Entry> {
  const digest = hash.digest()
  const stored = entryOf(file)
  const refuse = async (code: ProviderErrorCode, message: string): Promise<never> => {
    if (!entry.replaces) await remove(client, call, id)
    throw new ProviderError(code, WHERE, { message })
  }
  if (file.trashed) return refuse('NotFound', 'The folder is in the trash.')
  if (sizeOf(file) !== entry.size) return refuse('Corrupt', `${sizeOf(file)} of ${entry.size} bytes were stored.`)
  const differs = digest !== null && stored.hash !== null && digest !== stored.hash
  if (differs) return refuse('Corrupt', 'The stored bytes differ from those sent.')
  progress.onProgress(entry.size)
  return stored
}

/** @throws BadName, TooLarge */
function checkEntry({ name, size }: NewEntry, { maxNameLength, maxObjectBytes }: Capabilities): void {
  const isBad = name === '' || name.length > maxNameLength || /\p{Surrogate}|\0/u.test(name)
  if (isBad) throw new ProviderError('BadName', WHERE, { message: 'Google Drive does not accept this name.' })
  if (maxObjectBytes === null || size <= maxObjectBytes) return
  throw new ProviderError('TooLarge', WHERE, { message: `Google Drive accepts ${maxObjectBytes} bytes at most.` })
}

/** Sends the content from `from` on to the session at `uri`. 'lost': the session does not exist any more. */
async function sendPartsFrom(upload: Upload, uri: string, from: number): Promise<DriveFile | 'lost'> {
  const { client, call, entry, hash, limits } = upload
  const parts = {
    ...{ request: upload, hash, where: WHERE, partBytes: limits.chunkBytes },
    send: (start: number, end: number, bytes: AsyncIterable<Uint8Array>) =>
      sendPart(client, call, uri, { start, end, bytes }, entry.size),
    ask: () => askStatus(client, call, uri, entry.size),
  }
  const step = await sendInParts(parts, from)
  if (step.state === 'more') {
    throw new ProviderError('Transient', WHERE, { message: 'Drive has all bytes, but no file of them yet.' })
  }
  return step.state === 'done' ? step.stored : 'lost'
}

/** Driver.copy. The copy's id is saved before the call, as for an upload. */
export async function copy(
  { client, capabilities, ids }: DriveContext,
  call: Call,
  ref: EntryRef,
  entry: NewEntry,
  { save }: CopyProgress,
): Promise<Entry> {
  checkEntry(entry, capabilities)
  const { parent, name, size, modifiedAt } = entry
  const id = await ids.next(call)
  await save(sessionText({ id, uri: null, parent, name, size }))
  const requestBody = { id, name, parents: [parent], ...(modifiedAt && { modifiedTime: modifiedAt.toISOString() }) }
  const copied = await client.ask(call, 'copy', (api, options) =>
    api.files.copy({ fileId: ref, requestBody, fields: FILE_FIELDS, ...ALL_DRIVES }, options),
  )
  return entryOf(copied)
}

// Drive's API for uploads: sessions, and the requests that they consist of.

/** The saved state of an upload. `uri` is a credential: anyone who has it can send bytes. */
type Session = {
  /** The id of the file, reserved before it is stored. */
  readonly id: string
  /** The resumable session; null for an upload in one request, and until Drive has opened a session. */
  readonly uri: string | null
  readonly parent: string
  readonly name: string
  readonly size: number
  /** It overwrites the file with that id. */
  readonly replaces?: boolean
}

const { sessionText, readSession } = sessionFormat(isSession)

function isFor(session: Session, { parent, name, size, replaces }: NewEntry): boolean {
  if ((session.replaces ?? false) !== (replaces !== undefined) || (replaces && session.id !== replaces.ref))
    return false
  return session.parent === parent && session.name === name && session.size === size
}

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { id, uri, parent, name, size } = value as Record<string, unknown>
  const texts = [id, parent, name].every((text) => typeof text === 'string')
  return texts && typeof size === 'number' && (uri === null || (typeof uri === 'string' && isUploadAddress(uri)))
}

/** Bytes are sent to Google only, whatever address a response contains. */
function isUploadAddress(uri: string): boolean {
  const host = URL.canParse(uri) ? new URL(uri) : null
  return host?.protocol === 'https:' && /(^|\.)googleapis\.com$/.test(host.hostname)
}

type Step = UploadStep<DriveFile>

type Part = { readonly start: number; readonly end: number; readonly bytes: AsyncIterable<Uint8Array> }

const BOUNDARY = 'skypool-7d1f0e63c2b94a58'
/** Drive assembles a large file before it responds to the last part. */
const LAST_PATIENCE_MS = 120_000

const addressOf = (type: 'resumable' | 'multipart', { id, replaces }: Session): string =>
  `${API}/upload/drive/v3/files${replaces ? `/${encodeURIComponent(id)}` : ''}?uploadType=${type}&supportsAllDrives=true&fields=${FILE_FIELDS}`

const methodOf = ({ replaces }: Session) => (replaces ? 'PATCH' : 'POST')

function metadataOf(session: Session, mimeType: string, modifiedAt: Date | undefined): string {
  const { id, name, parent, replaces } = session
  return JSON.stringify({
    ...(!replaces && { id, name, parents: [parent] }),
    mimeType,
    modifiedTime: modifiedAt?.toISOString(),
  })
}

/** Opens a session. @returns the address to send bytes to. @throws Conflict when the id is in use */
async function openSession(
  client: DriveClient,
  call: Call,
  session: Session,
  { mimeType, modifiedAt }: NewEntry,
): Promise<string> {
  const type = typeOf(mimeType)
  const response = await client.send(call, OPERATION, {
    method: methodOf(session),
    url: addressOf('resumable', session),
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      'x-upload-content-type': type,
      'x-upload-content-length': String(session.size),
    },
    body: metadataOf(session, type, modifiedAt),
  })
  if (response.status >= 400) throw (await failureOf(response, OPERATION)).error
  response.dispose()
  const uri = response.header('location')
  if (uri !== null && isUploadAddress(uri)) return uri
  throw new ProviderError('Transient', WHERE, { message: 'No session was opened.' })
}

async function sendPart(client: DriveClient, call: Call, uri: string, part: Part, size: number): Promise<Step> {
  const { start, end, bytes } = part
  const response = await client.send(call, OPERATION, {
    method: 'PUT',
    url: uri,
    authorized: false,
    headers: { 'content-range': `bytes ${start}-${end - 1}/${size}` },
    body: { length: end - start, bytes },
    ...(end === size && { patienceMs: LAST_PATIENCE_MS }),
  })
  return stepOf(response)
}

async function askStatus(client: DriveClient, call: Call, uri: string, size: number): Promise<Step> {
  const response = await client.send(call, OPERATION, {
    method: 'PUT',
    url: uri,
    authorized: false,
    headers: { 'content-range': `bytes */${size}` },
    patienceMs: LAST_PATIENCE_MS,
  })
  return stepOf(response)
}

/** Resolves also when the session is already gone. */
async function cancelSession(client: DriveClient, call: Call, uri: string): Promise<void> {
  const response = await client.send(call, 'abandon', { method: 'DELETE', url: uri, authorized: false })
  const isOver = response.status < 300 || [404, 410, 499].includes(response.status)
  if (!isOver) throw (await failureOf(response, 'abandon')).error
  response.dispose()
}

/** Sends metadata and bytes in one request. @throws Conflict when the id is in use */
async function sendWhole(
  client: DriveClient,
  call: Call,
  session: Session,
  { mimeType, modifiedAt }: NewEntry,
  bytes: AsyncIterable<Uint8Array>,
): Promise<DriveFile> {
  const type = typeOf(mimeType)
  const part = (contentType: string): string => `--${BOUNDARY}\r\nContent-Type: ${contentType}\r\n\r\n`
  const head = Buffer.from(
    `${part('application/json; charset=UTF-8')}${metadataOf(session, type, modifiedAt)}\r\n${part(type)}`,
  )
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
  async function* all(): AsyncGenerator<Uint8Array> {
    yield head
    yield* bytes
    yield tail
  }
  const response = await client.send(call, OPERATION, {
    method: methodOf(session),
    url: addressOf('multipart', session),
    headers: { 'content-type': `multipart/related; boundary=${BOUNDARY}` },
    body: { length: head.length + session.size + tail.length, bytes: all() },
  })
  if (response.status >= 400) throw (await failureOf(response, OPERATION)).error
  return (await response.json()) as DriveFile
}

/** 308 is not a redirect here; without a Range header nothing is committed yet. */
async function stepOf(response: HttpResponse): Promise<Step> {
  const { status } = response
  if (status === 200 || status === 201) return { state: 'done', stored: (await response.json()) as DriveFile }
  if (status === 404 || status === 410 || status === 499) {
    response.dispose()
    return { state: 'lost' }
  }
  if (status !== 308) throw (await failureOf(response, OPERATION)).error
  response.dispose()
  const [, last] = /^bytes=0-(\d+)$/.exec(response.header('range') ?? '') ?? []
  return { state: 'more', committed: last === undefined ? 0 : Number(last) + 1 }
}

/** Drive would turn files of these types into documents, folders or shortcuts. */
const NATIVE_TYPE = /^application\/vnd\.google-apps\./i
const DEFAULT_TYPE = 'application/octet-stream'

function typeOf(mimeType: string | null): string {
  return mimeType === null || NATIVE_TYPE.test(mimeType) || !/^[\x20-\x7e]+$/.test(mimeType) ? DEFAULT_TYPE : mimeType
}
