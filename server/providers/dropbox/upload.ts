import type { files } from 'dropbox'
import type { Call, NewEntry } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { HttpBody, HttpResponse } from '../shared/http.ts'
import { type DropboxClient, failureOf } from './client.ts'
import { KIND, pathIn } from './wire.ts'

/** Where an upload session stands, in Dropbox's own words. `lost`: it is finished, or too old, or never was. */
export type Step = { readonly state: 'more'; readonly committed: number } | { readonly state: 'lost' }
export type Finish = Step | { readonly state: 'done'; readonly file: files.FileMetadata }

const OPERATION = 'put'
/** Dropbox puts a large file together before it answers. */
const FINISH_PATIENCE_MS = 120_000
/** The session has no name yet: it was finished, or is gone. */
const LOST_TAGS = ['not_found', 'closed']

/** Nothing is ever replaced, nor renamed on the way; equal bytes of somebody else are a conflict too. */
const commitOf = ({ parent, name }: NewEntry) => ({
  path: pathIn(parent, name),
  mode: 'add',
  autorename: false,
  strict_conflict: true,
  mute: true,
})

/** All in one request. @throws Conflict */
export async function sendWhole(
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

export async function startSession(client: DropboxClient, call: Call): Promise<string> {
  const request = { route: 'files/upload_session/start', argument: { close: false }, body: '' }
  const response = await client.send(call, OPERATION, request)
  if (response.status >= 400) throw (await failureOf(response, OPERATION)).error
  const { session_id: id } = (await response.json()) as Partial<files.UploadSessionStartResult>
  if (typeof id === 'string') return id
  throw new ProviderError('Transient', { provider: KIND, operation: OPERATION }, { message: 'No session was opened.' })
}

/** Adds bytes at an offset; with an empty body it asks where the session stands. */
export async function append(
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

/** Gives the session's bytes their name. @throws Conflict, after which the session is still there */
export async function finish(client: DropboxClient, call: Call, uploadId: string, entry: NewEntry): Promise<Finish> {
  const response = await client.send(call, OPERATION, {
    route: 'files/upload_session/finish',
    argument: { cursor: { session_id: uploadId, offset: entry.size }, commit: commitOf(entry) },
    body: '',
    patienceMs: FINISH_PATIENCE_MS,
  })
  if (response.status >= 400) return stepOf(response)
  return { state: 'done', file: (await response.json()) as files.FileMetadata }
}

async function stepOf(response: HttpResponse): Promise<Step> {
  const { failure, error } = await failureOf(response, OPERATION)
  if (failure.correctOffset !== null) return { state: 'more', committed: failure.correctOffset }
  // Of the session itself: the same tag below `path` is about the folder.
  const isOfSession = failure.status === 409 && !failure.tags.includes('path')
  if (isOfSession && failure.tags.some((tag) => LOST_TAGS.includes(tag))) return { state: 'lost' }
  throw error
}
