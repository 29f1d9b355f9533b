import type { files } from 'dropbox'
import type { Call, EntryRef, NewEntry } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { HttpBody, HttpResponse } from '../shared/http.ts'
import { sessionFormat } from '../shared/session.ts'
import { type DropboxClient, failureOf, KIND } from './client.ts'
import { pathIn } from './files.ts'

/** The saved state of an upload. */
export type Session = {
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

export const { sessionText, readSession } = sessionFormat(isSession)

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { uploadId, parent, name, size, named, hash } = value as Record<string, unknown>
  const isTextOrNull = (text: unknown): boolean => text === null || typeof text === 'string'
  const hasPlace = typeof parent === 'string' && typeof name === 'string'
  return (
    hasPlace && typeof size === 'number' && typeof named === 'boolean' && isTextOrNull(uploadId) && isTextOrNull(hash)
  )
}

/** The state of an upload session as Dropbox reports it. `lost`: it is finished, too old or unknown. */
export type Step = { readonly state: 'more'; readonly committed: number } | { readonly state: 'lost' }
export type Finish = Step | { readonly state: 'done'; readonly file: files.FileMetadata }

const OPERATION = 'put'
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

/** Appends bytes at an offset; an empty body asks for the offset of the session. */
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

/** Names the session's bytes. @throws Conflict, after which the session still exists */
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
  // The tag is about the session; below `path` the same tag is about the folder.
  const isOfSession = failure.status === 409 && !failure.tags.includes('path')
  if (isOfSession && failure.tags.some((tag) => LOST_TAGS.includes(tag))) return { state: 'lost' }
  throw error
}
