import type { Call, NewEntry } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { HttpResponse } from '../shared/http.ts'
import { sessionFormat } from '../shared/session.ts'
import { API, type DriveClient, failureOf, KIND } from './client.ts'
import { type DriveFile, FILE_FIELDS } from './entry.ts'

/** The saved state of an upload. `uri` is a credential: anyone who has it can send bytes. */
export type Session = {
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

export const { sessionText, readSession } = sessionFormat(isSession)

export function isFor(session: Session, { parent, name, size, replaces }: NewEntry): boolean {
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

/** The state of an upload as Drive reports it. `lost`: the session does not exist any more. */
export type Step =
  | { readonly state: 'done'; readonly file: DriveFile }
  | { readonly state: 'more'; readonly committed: number }
  | { readonly state: 'lost' }

export type Part = { readonly start: number; readonly end: number; readonly bytes: AsyncIterable<Uint8Array> }

const OPERATION = 'put'
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
export async function openSession(
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
  throw new ProviderError('Transient', { provider: KIND, operation: OPERATION }, { message: 'No session was opened.' })
}

export async function sendPart(client: DriveClient, call: Call, uri: string, part: Part, size: number): Promise<Step> {
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

export async function askStatus(client: DriveClient, call: Call, uri: string, size: number): Promise<Step> {
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
export async function cancelSession(client: DriveClient, call: Call, uri: string): Promise<void> {
  const response = await client.send(call, 'abandon', { method: 'DELETE', url: uri, authorized: false })
  const isOver = response.status < 300 || [404, 410, 499].includes(response.status)
  if (!isOver) throw (await failureOf(response, 'abandon')).error
  response.dispose()
}

/** Sends metadata and bytes in one request. @throws Conflict when the id is in use */
export async function sendWhole(
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
  if (status === 200 || status === 201) return { state: 'done', file: (await response.json()) as DriveFile }
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
