import type { Call, EntryRef, NewEntry } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { sessionFormat } from '../shared/session.ts'
import { KIND, type PcloudClient, type Sent } from './client.ts'
import { type Metadata, numberOf } from './entry.ts'

/** The saved state of an upload or a copy. */
export type Session = {
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
  /** What pCloud has stored under another name, or with other bytes, and is to be deleted. */
  readonly wrong?: EntryRef
}

export const { sessionText, readSession } = sessionFormat(isSession)

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { uploadId, parent, name, size, named, sha1, replaces } = value as Record<string, unknown>
  const isTextOrNull = (text: unknown): boolean => text === null || typeof text === 'string'
  const hasPlace = typeof parent === 'string' && typeof name === 'string' && typeof size === 'number'
  return hasPlace && typeof named === 'boolean' && typeof sha1 === 'string' && [uploadId, replaces].every(isTextOrNull)
}

export function isFor(session: Session, { parent, name, size, replaces }: NewEntry): boolean {
  const isSame = session.parent === parent && session.name === name && session.size === size
  return isSame && session.replaces === (replaces?.ref ?? null)
}

const OPERATION = 'put'
const BOUNDARY = 'skypool-91b6f0d27ae3c458'
/** pCloud assembles a large file before it responds. */
const SAVE_PATIENCE_MS = 120_000

const timeOf = ({ modifiedAt }: NewEntry): { readonly mtime?: number } =>
  modifiedAt ? { mtime: Math.floor(modifiedAt.getTime() / 1000) } : {}

export type Stored = { readonly metadata: Metadata; readonly sha1: string | null }
type Uploaded = { readonly metadata?: readonly Metadata[]; readonly checksums?: readonly { readonly sha1?: string }[] }

/**
 * Sends a new file in one request. If the name is in use, pCloud gives the file another one. An interrupted request stores nothing.
 */
export async function sendWhole(client: PcloudClient, call: Call, entry: NewEntry, bytes: Buffer): Promise<Stored> {
  const folderid = numberOf(entry.parent, OPERATION)
  const parameters = { folderid, filename: entry.name, nopartial: 1, renameifexists: 1, ...timeOf(entry) }
  const sent = bytes.length > 0 ? { body: bytes } : emptyForm(entry.name)
  const { metadata, checksums } = await client.ask<Uploaded>(call, OPERATION, 'uploadfile', parameters, sent)
  const file = metadata?.[0]
  if (file) return { metadata: file, sha1: checksums?.[0]?.sha1?.toLowerCase() ?? null }
  throw new ProviderError('Transient', { provider: KIND, operation: OPERATION }, { message: 'No file was stored.' })
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

export async function createUpload(client: PcloudClient, call: Call, size: number): Promise<string> {
  const { uploadid } = await client.ask<{ uploadid?: string }>(call, OPERATION, 'upload_create', { filesize: size })
  if (uploadid !== undefined) return uploadid
  throw new ProviderError('Transient', { provider: KIND, operation: OPERATION }, { message: 'No upload was started.' })
}

/** How many bytes pCloud has. Null: the upload was saved, deleted, or never existed. */
export async function uploadedBytes(client: PcloudClient, call: Call, uploadid: string): Promise<number | null> {
  const asking = client.ask<{ size?: number }>(call, OPERATION, 'upload_info', { uploadid })
  const info = await asking.catch(nothingWhen('NotFound'))
  return info && (info.size ?? 0)
}

/** @throws NotFound when the upload does not exist any more */
export async function writeUpload(
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
export async function saveUpload(
  client: PcloudClient,
  call: Call,
  uploadid: string,
  entry: NewEntry,
): Promise<Metadata> {
  const { parent, name, replaces } = entry
  const condition = replaces ? { ifhash: replaces.revision } : { renameifexists: 1 }
  const place = { uploadid, folderid: numberOf(parent, OPERATION), name, ...timeOf(entry), ...condition }
  const sent = { body: '', patienceMs: SAVE_PATIENCE_MS }
  const { metadata } = await client.ask<{ metadata: Metadata }>(call, OPERATION, 'upload_save', place, sent)
  return metadata
}

/** Resolves also when the upload does not exist any more. */
export async function deleteUpload(client: PcloudClient, call: Call, uploadid: string): Promise<void> {
  await client.ask(call, 'abandon', 'upload_delete', { uploadid }).catch(nothingWhen('NotFound'))
}
