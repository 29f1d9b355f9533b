import type { Call, EntryRef, NewEntry } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { HttpBody, HttpResponse } from '../shared/http.ts'
import { sessionFormat } from '../shared/session.ts'
import type { UploadStep } from '../shared/source.ts'
import { childUrl, errorOf, type GraphClient, itemUrl, KIND } from './client.ts'
import type { GraphItem } from './entry.ts'

/** The saved state of an upload. `uploadUrl` is a credential: anyone who has it can send bytes. */
export type Session = {
  /** Where the parts are sent; null for an upload in one request and for a copy. */
  readonly uploadUrl: string | null
  readonly parent: EntryRef
  readonly name: string
  readonly size: number
  /** Whether the request that gives the bytes their name may have been sent. */
  readonly named: boolean
  /** Hash of all bytes, if known at that time. */
  readonly hash: string | null
  /** The file that it overwrites. */
  readonly replaces?: EntryRef
  /** When the upload began, in ms; absent in sessions of earlier versions. */
  readonly since?: number
  /** What OneDrive has stored with other bytes, and is to be deleted. */
  readonly wrong?: EntryRef
}

export const { sessionText, readSession } = sessionFormat(isSession)

export function isFor(session: Session, { parent, name, size, replaces }: NewEntry): boolean {
  if (session.replaces !== replaces?.ref) return false
  return session.parent === parent && session.name === name && session.size === size
}

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { uploadUrl, parent, name, size, named, hash } = value as Record<string, unknown>
  const isTextOrNull = (text: unknown): boolean => text === null || typeof text === 'string'
  const hasPlace = typeof parent === 'string' && typeof name === 'string' && typeof size === 'number'
  const hasAddress = uploadUrl === null || (typeof uploadUrl === 'string' && uploadUrl.startsWith('https://'))
  return hasPlace && hasAddress && typeof named === 'boolean' && isTextOrNull(hash)
}

/** The state of an upload as OneDrive reports it. `lost`: the session is complete, too old or unknown. */
export type Step = UploadStep<GraphItem>

export type Part = { readonly start: number; readonly end: number; readonly body: HttpBody }

const OPERATION = 'put'
/** OneDrive assembles a large file before it responds to the last part. */
const LAST_PATIENCE_MS = 120_000

const infoOf = (modifiedAt: Date | null | undefined) =>
  modifiedAt ? { fileSystemInfo: { lastModifiedDateTime: modifiedAt.toISOString() } } : {}

/**
 * Opens a session. `eTag`: of the file to overwrite, which must still have it.
 * @returns the address to send the parts to
 * @throws Conflict
 */
export async function openSession(
  client: GraphClient,
  call: Call,
  { parent, name, replaces, modifiedAt }: NewEntry,
  eTag: string | null,
): Promise<string> {
  const conflictBehavior = replaces ? 'replace' : 'fail'
  const { uploadUrl } = await client.ask<{ readonly uploadUrl?: string }>(call, OPERATION, {
    method: 'POST',
    url: `${replaces ? itemUrl(replaces.ref) : childUrl(parent, name)}/createUploadSession`,
    headers: eTag === null ? {} : { 'if-match': eTag },
    body: { item: { '@microsoft.graph.conflictBehavior': conflictBehavior, ...infoOf(modifiedAt) } },
  })
  // The hosts for uploads are many: all that they have in common is https.
  if (uploadUrl?.startsWith('https://')) return uploadUrl
  throw new ProviderError('Transient', { provider: KIND, operation: OPERATION }, { message: 'No session was opened.' })
}

/** A part is stored completely or not at all. @throws Conflict (at the end: the name was taken during the upload) */
export async function sendPart(
  client: GraphClient,
  call: Call,
  url: string,
  { start, end, body }: Part,
  size: number,
): Promise<Step> {
  const response = await client.send(call, OPERATION, {
    method: 'PUT',
    url,
    authorized: false,
    headers: { 'content-range': `bytes ${start}-${end - 1}/${size}` },
    body,
    ...(end === size && { patienceMs: LAST_PATIENCE_MS }),
  })
  // OneDrive has the part already, or lacks an earlier one.
  if (response.status === 416) {
    response.dispose()
    return askStatus(client, call, url, size)
  }
  return stepOf(response, size)
}

export async function askStatus(client: GraphClient, call: Call, url: string, size: number): Promise<Step> {
  return stepOf(await client.send(call, OPERATION, { method: 'GET', url, authorized: false }), size)
}

/** Resolves also when the session is already gone. */
export async function cancelSession(client: GraphClient, call: Call, url: string): Promise<void> {
  const response = await client.send(call, 'abandon', { method: 'DELETE', url, authorized: false })
  if (response.status >= 400 && !GONE.includes(response.status)) throw await errorOf(response, 'abandon')
  response.dispose()
}

/** Statuses of a session that does not exist any more. */
const GONE = [401, 404, 410]

type Progress = { readonly nextExpectedRanges?: readonly string[] }

async function stepOf(response: HttpResponse, size: number): Promise<Step> {
  const { status } = response
  if (GONE.includes(status)) {
    response.dispose()
    return { state: 'lost' }
  }
  if (status >= 400) throw await errorOf(response, OPERATION)
  const answer = (await response.json()) as Partial<GraphItem> & Progress
  if (answer.id !== undefined) return { state: 'done', stored: answer as GraphItem }
  // No range is missing when only the name could not be given.
  const starts = (answer.nextExpectedRanges ?? []).map((range) => Number.parseInt(range, 10))
  return { state: 'more', committed: starts.length === 0 ? size : Math.min(...starts) }
}

/** Sends a file in one request. `eTag` as in openSession. @throws Conflict */
export async function sendWhole(
  client: GraphClient,
  call: Call,
  { parent, name, replaces, mimeType }: NewEntry,
  body: Uint8Array,
  eTag: string | null,
): Promise<GraphItem> {
  const conflictBehavior = replaces ? 'replace' : 'fail'
  const response = await client.send(call, OPERATION, {
    method: 'PUT',
    url: `${replaces ? itemUrl(replaces.ref) : childUrl(parent, name)}/content?@microsoft.graph.conflictBehavior=${conflictBehavior}`,
    headers: { 'content-type': typeOf(mimeType), ...(eTag !== null && { 'if-match': eTag }) },
    body,
  })
  if (response.status >= 400) throw await errorOf(response, OPERATION)
  return (await response.json()) as GraphItem
}

/** Gives a file that was sent in one request its time. */
export async function setTime(client: GraphClient, call: Call, ref: string, modifiedAt: Date): Promise<GraphItem> {
  return client.ask<GraphItem>(call, OPERATION, { method: 'PATCH', url: itemUrl(ref), body: infoOf(modifiedAt) })
}

function typeOf(mimeType: string | null): string {
  return mimeType !== null && /^[\x20-\x7e]+$/.test(mimeType) ? mimeType : 'application/octet-stream'
}
