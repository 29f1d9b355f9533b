import type { Call, EntryRef, NewEntry } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import type { ApiClient } from '../shared/apiClient.ts'
import { retryAfterMs } from '../shared/http.ts'
import { sessionFormat } from '../shared/session.ts'
import { KIND, UPLOAD } from './client.ts'
import { type BoxItem, FIELDS, idOf } from './entry.ts'

/** The saved state of an upload or a copy. */
export type Session = {
  /** Address of the upload in parts; null for one in one request. */
  readonly address: string | null
  readonly partBytes: number
  readonly parent: EntryRef
  readonly name: string
  readonly size: number
  /** SHA-1 of the whole content. */
  readonly sha1: string
  /** Whether the request that gives the bytes their name may have been sent. */
  readonly named: boolean
  /** It overwrites this file. */
  readonly replaces: EntryRef | null
  /** When the upload began, in ms; absent in sessions of earlier versions. */
  readonly since?: number
  /** What Box has stored with other bytes, and is to be deleted. */
  readonly wrong?: EntryRef
}

export const { sessionText, readSession } = sessionFormat(isSession)

export function isFor(session: Session, { parent, name, size, replaces }: NewEntry): boolean {
  const isSame = session.parent === parent && session.name === name && session.size === size
  return isSame && session.replaces === (replaces?.ref ?? null)
}

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { address, partBytes, parent, name, size, sha1, named, replaces } = value as Record<string, unknown>
  const hasTexts = [parent, name, sha1].every((text) => typeof text === 'string')
  const hasNumbers = [partBytes, size].every((number) => typeof number === 'number')
  const isTextOrNull = (text: unknown): boolean => text === null || typeof text === 'string'
  const isAddress = address === null || (typeof address === 'string' && isUploadAddress(address))
  return hasTexts && hasNumbers && typeof named === 'boolean' && isAddress && isTextOrNull(replaces)
}

/** Bytes are sent to Box only, whatever address a response contains. */
function isUploadAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return url?.protocol === 'https:' && /(^|\.)box(cloud)?\.com$/.test(url.hostname)
}

const OPERATION = 'put'
const WHERE = { provider: KIND, operation: OPERATION }
const BOUNDARY = 'skypool-5a1e93c7d04b46f2'
/** Box assembles large files before it responds. */
const LAST_PATIENCE_MS = 120_000

const base64Of = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

/** Box takes whole seconds. */
const timesOf = (at: Date | undefined) => (at ? { content_modified_at: at.toISOString().replace(/\.\d+Z$/, 'Z') } : {})

/** Asks whether an upload would be accepted. @throws Conflict with what has the name, QuotaExceeded, TooLarge, BadName, NotFound */
export async function preflight(client: ApiClient, call: Call, entry: NewEntry): Promise<void> {
  const { parent, name, size, replaces } = entry
  const url = replaces ? `/files/${idOf(replaces.ref)}/content` : '/files/content'
  const json = replaces ? { name, size } : { name, size, parent: { id: idOf(parent) } }
  const response = await client.send(call, OPERATION, { method: 'OPTIONS', url, json })
  response.dispose()
}

export type Whole = {
  readonly sha1: string
  readonly bytes: AsyncIterable<Uint8Array>
  /** The file to overwrite, in its current state; null for a new one. */
  readonly over: BoxItem | null
}

/** Sends a file in one request, which Box compares with its SHA-1. @throws Conflict */
export async function sendWhole(client: ApiClient, call: Call, entry: NewEntry, whole: Whole): Promise<BoxItem> {
  const { parent, name, size, modifiedAt } = entry
  const { over } = whole
  // With another name, the file would be renamed.
  const place = over ? { name: over.name } : { name, parent: { id: idOf(parent) } }
  const attributes = { ...place, ...timesOf(modifiedAt) }
  const part = (name: string, more = ''): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
  const head = Buffer.from(
    `${part('attributes')}${JSON.stringify(attributes)}\r\n${part('file', '; filename="file"\r\nContent-Type: application/octet-stream')}`,
  )
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
  async function* all(): AsyncGenerator<Uint8Array> {
    yield head
    yield* whole.bytes
    yield tail
  }
  const stored = await client.ask<Stored>(call, OPERATION, {
    method: 'POST',
    url: `${UPLOAD}/files/${over ? `${over.id}/` : ''}content`,
    query: { fields: FIELDS },
    headers: {
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-md5': whole.sha1,
      ...(over?.etag && { 'if-match': over.etag }),
    },
    body: { length: head.length + size + tail.length, bytes: all() },
  })
  return itemOf(stored)
}

type Stored = { readonly entries?: readonly BoxItem[] }

function itemOf({ entries }: Stored): BoxItem {
  const item = entries?.[0]
  if (item) return item
  throw new ProviderError('Transient', WHERE, { message: 'The response has no file.' })
}

type Opened = { readonly part_size: number; readonly session_endpoints?: { readonly upload_part?: string } }

/** Starts an upload in parts. @throws Conflict, QuotaExceeded, TooLarge, NotFound */
export async function openSession(
  client: ApiClient,
  call: Call,
  { parent, name, size, replaces }: NewEntry,
): Promise<Pick<Session, 'partBytes'> & { readonly address: string }> {
  const opened = await client.ask<Opened>(call, OPERATION, {
    method: 'POST',
    url: `${UPLOAD}/files/${replaces ? `${idOf(replaces.ref)}/` : ''}upload_sessions`,
    json: { file_size: size, ...(replaces ? {} : { file_name: name, folder_id: idOf(parent) }) },
  })
  const address = opened.session_endpoints?.upload_part
  if (address !== undefined && isUploadAddress(address) && opened.part_size > 0) {
    return { address, partBytes: opened.part_size }
  }
  throw new ProviderError('Transient', WHERE, { message: 'No upload was started.' })
}

/** A part that Box has, as a commit lists it. */
export type Part = { readonly part_id: string; readonly offset: number; readonly size: number; readonly sha1: string }

export type PartBytes = { readonly start: number; readonly bytes: Uint8Array; readonly sha1: string }

/** @throws NotFound when the upload does not exist any more */
export async function sendPart(
  client: ApiClient,
  call: Call,
  { address, size }: Pick<Session, 'size'> & { readonly address: string },
  { start, bytes, sha1 }: PartBytes,
): Promise<Part> {
  try {
    const { part } = await client.ask<{ readonly part: Part }>(call, OPERATION, {
      method: 'PUT',
      url: address,
      headers: {
        'content-type': 'application/octet-stream',
        'content-range': `bytes ${start}-${start + bytes.length - 1}/${size}`,
        digest: `sha=${base64Of(sha1)}`,
      },
      body: bytes,
    })
    return part
  } catch (error) {
    // Other bytes arrived than were sent, or an earlier request for this part is still being carried out.
    if (isFailure(error, 'Conflict')) throw new ProviderError('Transient', error.where, error.detail)
    throw error
  }
}

const PARTS_PER_PAGE = 1000

/** The parts that Box has, in no order. Null when the upload was committed, aborted or never existed. */
export async function listParts(client: ApiClient, call: Call, address: string): Promise<readonly Part[] | null> {
  const parts: Part[] = []
  for (;;) {
    const query = { offset: String(parts.length), limit: String(PARTS_PER_PAGE) }
    const page = await client
      .ask<{ readonly entries: readonly Part[]; readonly total_count?: number }>(call, OPERATION, {
        method: 'GET',
        url: `${address}/parts`,
        query,
      })
      .catch(nothingWhen('NotFound'))
    if (page === null) return null
    parts.push(...page.entries)
    if (page.entries.length === 0 || parts.length >= (page.total_count ?? 0)) return parts
  }
}

/**
 * Gives the parts their name. @throws Conflict, NotFound when the upload does not exist any more, and Transient while Box assembles
 * the parts: then it is repeated
 */
export async function commit(
  client: ApiClient,
  call: Call,
  { address, sha1 }: Pick<Session, 'sha1'> & { readonly address: string },
  {
    parts,
    modifiedAt,
    etag,
  }: { readonly parts: readonly Part[]; readonly modifiedAt: Date | undefined; readonly etag: string | null },
): Promise<BoxItem> {
  const response = await client.send(call, OPERATION, {
    method: 'POST',
    url: `${address}/commit`,
    headers: { digest: `sha=${base64Of(sha1)}`, ...(etag !== null && { 'if-match': etag }) },
    json: { parts, attributes: timesOf(modifiedAt) },
    patienceMs: LAST_PATIENCE_MS,
  })
  if (response.status !== 202) return itemOf((await response.json()) as Stored)
  response.dispose()
  const wait = retryAfterMs(response.header('retry-after'))
  const detail = { message: 'Box is still assembling the file.', ...(wait !== null && { retryAfterMs: wait }) }
  throw new ProviderError('Transient', { ...WHERE, status: 202 }, detail)
}

/** Resolves also when the upload does not exist any more. */
export async function abortSession(client: ApiClient, call: Call, operation: string, address: string): Promise<void> {
  const response = await client.send(call, operation, { method: 'DELETE', url: address }).catch(nothingWhen('NotFound'))
  response?.dispose()
}
