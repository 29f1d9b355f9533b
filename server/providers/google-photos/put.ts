import type { Call, Content, Entry, NewEntry, PutProgress } from '../driver.ts'
import { nothingWhen, ProviderError, type ProviderErrorCode } from '../errors.ts'
import type { HttpResponse } from '../shared/http.ts'
import { sessionFormat } from '../shared/session.ts'
import { createRunningHash, openSource, type Source } from '../shared/source.ts'
import { API, KIND, objectOf } from './client.ts'
import { albumRef, idIn, itemEntry, itemOf, type Library, ROOT } from './library.ts'

const WHERE = { provider: KIND, operation: 'put' }
const UPLOADS = `${API}/uploads`
/** Google looks into the file before it answers. */
const LAST_PATIENCE_MS = 120_000
/** https://developers.google.com/photos/library/guides/upload-media */
const MAX_PHOTO_BYTES = 200_000_000
export const MAX_VIDEO_BYTES = 20_000_000_000
const MAX_NAME_LENGTH = 255

/** The saved state of an upload. `uri` is a credential: anyone who has it can send bytes. */
type Session = {
  readonly uri: string
  /** Stands for the complete bytes, for a day; null until then. */
  readonly token: string | null
  readonly parent: string
  readonly name: string
  readonly size: number
}

const { sessionText, readSession } = sessionFormat(isSession)

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { uri, token, parent, name, size } = value as Record<string, unknown>
  const texts = [uri, parent, name].every((text) => typeof text === 'string')
  return (
    texts && isUploadAddress(String(uri)) && (token === null || typeof token === 'string') && typeof size === 'number'
  )
}

/** Bytes are sent to Google only, whatever address a response contains. */
function isUploadAddress(uri: string): boolean {
  const url = URL.canParse(uri) ? new URL(uri) : null
  return url?.protocol === 'https:' && /(^|\.)googleapis\.com$/.test(url.hostname)
}

type Upload = {
  readonly library: Library
  readonly call: Call
  readonly entry: NewEntry
  readonly content: Content
  readonly progress: PutProgress
}

/**
 * Driver.put. Bytes are sent with Google's resumable protocol; then one call makes an item of them. Google keeps one item of equal
 * bytes, so that a repetition of that call after a lost answer makes no second one.
 */
export async function put(upload: Upload): Promise<Entry> {
  const { entry, progress } = upload
  checkEntry(entry)
  const saved = readSession(progress.session)
  const { parent, name, size } = entry
  const isSame = saved?.parent === parent && saved.name === name && saved.size === size
  const known = saved && isSame ? await continued(upload, saved) : null
  const created = (known && (await createOfKnown(upload, known))) ?? (await create(upload, await sendWhole(upload)))
  progress.onProgress(size)
  return created
}

async function sendWhole(upload: Upload): Promise<Session> {
  const complete = await sendAll(upload, await start(upload), 0)
  if (complete) return complete
  throw failed('Transient', 'Google does not have the upload any more.')
}

/** Null when the bytes of an earlier call are refused: after a day, Google does not know them any more, and does not say so in another way. */
function createOfKnown(upload: Upload, session: Session): Promise<Entry | null> {
  return create(upload, session).catch(nothingWhen('Permanent'))
}

/** @throws BadName, TooLarge, NotFound */
function checkEntry({ parent, name, size, mimeType }: NewEntry): void {
  if (name.length > MAX_NAME_LENGTH) throw failed('BadName', `Names have ${MAX_NAME_LENGTH} characters at most.`)
  const most = mimeType?.startsWith('image/') ? MAX_PHOTO_BYTES : MAX_VIDEO_BYTES
  if (size > most) throw failed('TooLarge', `${most} bytes are possible at most.`)
  if (size === 0) throw failed('Permanent', 'Google Photos takes no empty files.')
  if (parent !== ROOT && idIn(parent, 'album') === null) throw failed('NotFound', 'This is no album.')
}

async function start({ library, call, entry, progress }: Upload): Promise<Session> {
  const { parent, name, size, mimeType } = entry
  const type = mimeType !== null && /^[\x21-\x7e]+$/.test(mimeType) ? mimeType : 'application/octet-stream'
  const response = await library.client.send(call, WHERE.operation, {
    method: 'POST',
    url: UPLOADS,
    headers: {
      'x-goog-upload-command': 'start',
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-content-type': type,
      'x-goog-upload-raw-size': String(size),
    },
  })
  response.dispose()
  const uri = response.header('x-goog-upload-url')
  if (uri === null || !isUploadAddress(uri)) throw failed('Transient', 'No upload was opened.')
  const session = { uri, token: null, parent, name, size }
  await progress.save(sessionText(session))
  return session
}

/** Null when the upload has to start over. */
async function continued(upload: Upload, session: Session): Promise<Session | null> {
  if (session.token !== null) return session
  const { library, call } = upload
  const response = await library.client
    .send(call, WHERE.operation, { method: 'POST', url: session.uri, headers: { 'x-goog-upload-command': 'query' } })
    .catch(nothingWhen('NotFound'))
  if (!response) return null
  const status = response.header('x-goog-upload-status')
  const received = Number(response.header('x-goog-upload-size-received') ?? 0)
  if (status === 'final') return finished(upload, session, response)
  response.dispose()
  return status === 'active' ? sendAll(upload, session, received) : null
}

/** Sends the bytes from `start` on. Null when the upload does not exist any more. */
async function sendAll(upload: Upload, session: Session, start: number): Promise<Session | null> {
  const { library, call, content, entry, progress } = upload
  const { chunkBytes } = library.limits
  if (start > 0) progress.onProgress(start)
  const source = openSource(content, start, createRunningHash('md5', entry.size), WHERE)
  try {
    for (let at = start; ; ) {
      const length = Math.min(chunkBytes, entry.size - at)
      const response = await sendPart(upload, session, source, at, length)
      if (response === null) return null
      at += length
      if (at >= entry.size) return await finished(upload, session, response)
      response.dispose()
      progress.onProgress(at)
      call.signal.throwIfAborted()
    }
  } finally {
    source.close()
  }
}

function sendPart({ library, call }: Upload, session: Session, source: Source, at: number, length: number) {
  const isLast = at + length === session.size
  return library.client
    .send(call, WHERE.operation, {
      method: 'POST',
      url: session.uri,
      headers: {
        'x-goog-upload-command': isLast ? 'upload, finalize' : 'upload',
        'x-goog-upload-offset': String(at),
      },
      body: { length, bytes: source.take(length) },
      ...(isLast && { patienceMs: LAST_PATIENCE_MS }),
    })
    .catch(nothingWhen('NotFound'))
}

/** The body of the last response is the token. Null without one. */
async function finished({ progress }: Upload, session: Session, response: HttpResponse): Promise<Session | null> {
  const token = await response.text()
  if (token === '') return null
  const complete = { ...session, token }
  await progress.save(sessionText(complete))
  return complete
}

/** Makes an item of the bytes. @throws Permanent when it is no photo or video, QuotaExceeded */
async function create({ library, call, entry }: Upload, { token }: Session): Promise<Entry> {
  const { parent, name } = entry
  const albumId = idIn(parent, 'album')
  const body = {
    ...(albumId !== null && { albumId }),
    newMediaItems: [{ simpleMediaItem: { fileName: name, uploadToken: token } }],
  }
  const answer = await library.client.ask(call, WHERE.operation, '/mediaItems:batchCreate', body)
  const [result] = Array.isArray(answer.newMediaItemResults) ? (answer.newMediaItemResults as unknown[]) : []
  const { status, mediaItem } = objectOf(result)
  const { code } = objectOf(status)
  if (mediaItem === undefined) throw refusal(typeof code === 'number' ? code : 0)
  const item = itemOf(mediaItem)
  if (albumId !== null) library.albums?.albumOf.set(item.id, albumRef(albumId))
  // The answer has no address of the bytes yet.
  const read = itemOf(await library.client.ask(call, WHERE.operation, `/mediaItems/${item.id}`))
  return { ...(await itemEntry(library, call, read, parent)), name: read.name }
}

/** By the codes of google.rpc. */
function refusal(code: number): ProviderError {
  if (code === 8) return failed('QuotaExceeded', 'The storage of the Google account is full.')
  if (code === 3)
    return failed('Permanent', 'Google Photos takes only photos and videos, and this file is none that it knows.')
  return failed('Transient', `Google Photos did not add the file (${code}).`)
}

/** Driver.abandon. An item that was made cannot be deleted by programs. */
export async function abandon({ client }: Library, call: Call, text: string): Promise<void> {
  const session = readSession(text)
  if (!session || session.token !== null) return
  const headers = { 'x-goog-upload-command': 'cancel' }
  const response = await client
    .send(call, 'abandon', { method: 'POST', url: session.uri, headers })
    .catch(nothingWhen('NotFound'))
  response?.dispose()
}

function failed(code: ProviderErrorCode, message: string): ProviderError {
  return new ProviderError(code, WHERE, { message })
}
