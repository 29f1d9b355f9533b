import type { Call, NewEntry } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { HttpResponse } from '../shared/http.ts'
import { API, type DriveClient, failureOf } from './client.ts'
import { isUploadAddress, type Session } from './session.ts'
import { type DriveFile, FILE_FIELDS, KIND, typeOf } from './wire.ts'

/** Where an upload stands, in Drive's own words: never in ours. `lost`: Drive knows no such session any more. */
export type Step =
  | { readonly state: 'done'; readonly file: DriveFile }
  | { readonly state: 'more'; readonly committed: number }
  | { readonly state: 'lost' }

export type Part = { readonly start: number; readonly end: number; readonly bytes: AsyncIterable<Uint8Array> }

const OPERATION = 'put'
const BOUNDARY = 'skypool-7d1f0e63c2b94a58'
/** Drive puts a large file together before it answers the last part. */
const LAST_PATIENCE_MS = 120_000

const addressOf = (type: 'resumable' | 'multipart'): string =>
  `${API}/upload/drive/v3/files?uploadType=${type}&supportsAllDrives=true&fields=${FILE_FIELDS}`

const metadataOf = (session: Session, mimeType: string): string =>
  JSON.stringify({ id: session.id, name: session.name, parents: [session.parent], mimeType })

/** Opens a session, and gives the address that bytes go to. @throws Conflict when the id is used already */
export async function openSession(
  client: DriveClient,
  call: Call,
  session: Session,
  { mimeType }: NewEntry,
): Promise<string> {
  const type = typeOf(mimeType)
  const response = await client.send(call, OPERATION, {
    method: 'POST',
    url: addressOf('resumable'),
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      'x-upload-content-type': type,
      'x-upload-content-length': String(session.size),
    },
    body: metadataOf(session, type),
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

/** A session that is gone already is as good. */
export async function cancelSession(client: DriveClient, call: Call, uri: string): Promise<void> {
  const response = await client.send(call, 'abandon', { method: 'DELETE', url: uri, authorized: false })
  const isOver = response.status < 300 || [404, 410, 499].includes(response.status)
  if (!isOver) throw (await failureOf(response, 'abandon')).error
  response.dispose()
}

/** Metadata and bytes in one request. @throws Conflict when the id is used already */
export async function sendWhole(
  client: DriveClient,
  call: Call,
  session: Session,
  { mimeType }: NewEntry,
  bytes: AsyncIterable<Uint8Array>,
): Promise<DriveFile> {
  const type = typeOf(mimeType)
  const part = (contentType: string): string => `--${BOUNDARY}\r\nContent-Type: ${contentType}\r\n\r\n`
  const head = Buffer.from(`${part('application/json; charset=UTF-8')}${metadataOf(session, type)}\r\n${part(type)}`)
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
  async function* all(): AsyncGenerator<Uint8Array> {
    yield head
    yield* bytes
    yield tail
  }
  const response = await client.send(call, OPERATION, {
    method: 'POST',
    url: addressOf('multipart'),
    headers: { 'content-type': `multipart/related; boundary=${BOUNDARY}` },
    body: { length: head.length + session.size + tail.length, bytes: all() },
  })
  if (response.status >= 400) throw (await failureOf(response, OPERATION)).error
  return (await response.json()) as DriveFile
}

/** 308 is no redirect here: without a Range nothing is committed yet. */
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
