import { randomBytes } from 'node:crypto'
import { type Bytes, joined } from './bytes.ts'
import { BLOCK_BYTES, type ContentHash, createContentHash } from './contentHash.ts'
import type { Content, UploadSession } from './model.ts'
import { flattened, type Tagged, tag } from './tags.ts'

const LIFE_MS = 7 * 24 * 3600 * 1000
const MAX_FILE_BYTES = 2 ** 41 - 2 ** 22

export function createSession(owner: string, type: UploadSession['type'], now: number): UploadSession {
  const id = `pid_upload_session:${randomBytes(24).toString('base64url')}`
  return { id, owner, type, startedAt: now, pieces: new Map(), hash: createContentHash(), closed: false }
}

export function isExpired(session: UploadSession, now: number): boolean {
  return now - session.startedAt > LIFE_MS
}

/** One past the last byte. */
function lengthOf(session: UploadSession): number {
  return Math.max(0, ...[...session.pieces].map(([offset, bytes]) => offset + bytes.size))
}

/** Why data of this size may not be added here, as a lookup error; null when it may. */
export function appendProblem(session: UploadSession, offset: number, size: number, close: boolean): Tagged | null {
  if (session.closed) return tag('closed')
  if (offset + size > MAX_FILE_BYTES) return tag('too_large')
  if (session.type === 'concurrent') return concurrentProblem(offset, size, close)
  const length = lengthOf(session)
  return offset === length ? null : flattened('incorrect_offset', { correct_offset: length })
}

function concurrentProblem(offset: number, size: number, close: boolean): Tagged | null {
  if (offset % BLOCK_BYTES !== 0) return tag('concurrent_session_invalid_offset')
  if (!close && size % BLOCK_BYTES !== 0) return tag('concurrent_session_invalid_data_size')
  return null
}

/** Adds what `appendProblem` allows; `hash` is the session's own, with these bytes. */
export async function addPiece(session: UploadSession, offset: number, bytes: Bytes, hash: ContentHash): Promise<void> {
  session.hash = hash
  if (bytes.size === 0) return
  const replaced = session.pieces.get(offset)
  session.pieces.set(offset, bytes)
  await replaced?.letGo()
}

/** Why the session cannot become a file of `offset` bytes, as a finish error; null when it can. */
export function finishProblem(session: UploadSession, offset: number): Tagged | null {
  const concurrent = session.type === 'concurrent'
  if (concurrent && !session.closed) return tag('concurrent_session_not_closed')
  const length = lengthOf(session)
  if (concurrent && hasGap(session)) return tag('concurrent_session_missing_data')
  if (offset === length) return null
  const wrong = flattened('incorrect_offset', { correct_offset: length })
  return { '.tag': 'lookup_failed', lookup_failed: wrong }
}

function inOrder(session: UploadSession): [number, Bytes][] {
  return [...session.pieces].sort(([a], [b]) => a - b)
}

function hasGap(session: UploadSession): boolean {
  let reached = 0
  for (const [offset, bytes] of inOrder(session)) {
    if (offset !== reached) return true
    reached += bytes.size
  }
  return false
}

/** What the session has gathered, as one content; the session keeps holding its pieces. */
export async function contentOf(session: UploadSession): Promise<Content> {
  const bytes = joined(inOrder(session).map(([, piece]) => piece)).keep()
  if (session.type === 'sequential') return { bytes, contentHash: session.hash.digest() }
  return { bytes, contentHash: await contentHashOf(bytes) }
}

export async function contentHashOf(bytes: Bytes): Promise<string> {
  const hash = createContentHash()
  for await (const part of bytes.read(0, bytes.size)) hash.update(part)
  return hash.digest()
}

export async function dropSession(session: UploadSession): Promise<void> {
  for (const bytes of session.pieces.values()) await bytes.letGo()
  session.pieces.clear()
}
