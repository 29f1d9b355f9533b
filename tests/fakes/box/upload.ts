import { createHash, randomUUID } from 'node:crypto'
import type { Exchange } from '../core/service.ts'
import { BoxRefusal, badRequest, notFound } from './errors.ts'
import type { Content, Item, Part, Session, State, User } from './state.ts'
import {
  addItem,
  changeItem,
  checkEtag,
  checkFree,
  checkName,
  checkRoom,
  contentOf,
  lookUp,
  newVersion,
} from './tree.ts'
import { view } from './view.ts'

export type Call = { readonly state: State; readonly exchange: Exchange; readonly user: User }

type Attributes = {
  readonly name?: string
  readonly parent?: { readonly id?: string }
  readonly size?: number
  readonly content_modified_at?: string
}

const headerOf = ({ request }: Exchange, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

export const fieldsOf = ({ url }: Exchange): readonly string[] | null =>
  url.searchParams.get('fields')?.split(',') ?? null

export async function jsonOf(exchange: Exchange): Promise<Record<string, unknown>> {
  const text = (await exchange.readBody()).toString()
  try {
    return JSON.parse(text || '{}') as Record<string, unknown>
  } catch {
    throw badRequest('invalid_json')
  }
}

/** OPTIONS: whether an upload would be accepted. `fileId`: of a new version. */
export async function preflight(call: Call, fileId: string | null): Promise<void> {
  const { name, parent, size = 0 } = (await jsonOf(call.exchange)) as Attributes
  if (fileId === null) checkTarget(call, parent?.id, name)
  else lookUp(call.user, 'file', fileId)
  checkCapacity(call, size)
  await call.exchange.sendJson(200, { upload_url: 'https://upload.box.com/api/2.0/files/content', upload_token: '' })
}

function checkTarget({ user }: Call, folderId: string | undefined, name: unknown): asserts name is string {
  lookUp(user, 'folder', folderId ?? '')
  checkName(name)
  checkFree(user, folderId ?? '', name, null)
}

function checkCapacity({ exchange, user }: Call, size: number): void {
  if (exchange.take('full')) throw new BoxRefusal(403, 'storage_limit_exceeded')
  checkRoom(user, size)
}

const MAX_WHOLE_BYTES = 50 * 1024 * 1024 + 64 * 1024

/** A file in one request: its attributes have to come before its content. */
export async function uploadWhole(call: Call, fileId: string | null): Promise<void> {
  const { exchange, user } = call
  const [, boundary] = /boundary="?([^";]+)"?/.exec(headerOf(exchange, 'content-type') ?? '') ?? []
  if (!boundary) throw badRequest('no_boundary')
  const { attributes, bytes } = partsOf(await exchange.readBody(MAX_WHOLE_BYTES), boundary)
  const file = fileId === null ? null : lookUp(user, 'file', fileId)
  if (file) checkEtag(file, headerOf(exchange, 'if-match'))
  else checkTarget(call, attributes.parent?.id, attributes.name)
  checkCapacity(call, bytes.length)
  const content = contentOf(bytes)
  const digest = headerOf(exchange, 'content-md5')
  if (digest !== undefined && digest.toLowerCase() !== content.sha1) throw new BoxRefusal(412, 'precondition_failed')
  const target = { folderId: attributes.parent?.id ?? '', name: attributes.name ?? '', file }
  await answerStored(call, target, content, attributes)
}

function partsOf(body: Buffer, boundary: string): { attributes: Attributes; bytes: Buffer } {
  const mark = Buffer.from(`--${boundary}`)
  const found = new Map<string, Buffer>()
  for (let at = body.indexOf(mark); at >= 0; ) {
    const start = at + mark.length + 2
    const head = body.indexOf('\r\n\r\n', start)
    const next = body.indexOf(mark, start)
    if (head < 0 || next < 0) break
    const text = body.toString('utf8', start, head)
    // The part of the content may have any name.
    const [, name = ''] = / filename="/.test(text) ? [text, 'file'] : (/ name="([^"]*)"/.exec(text) ?? [])
    // The attributes decide where the content goes.
    if (name === 'file' && !found.has('attributes')) throw badRequest('metadata_after_file_contents')
    found.set(name, body.subarray(head + 4, next - 2))
    at = next
  }
  const [attributes, bytes] = [found.get('attributes'), found.get('file')]
  if (!attributes || !bytes) throw badRequest('missing_part')
  return { attributes: JSON.parse(attributes.toString()) as Attributes, bytes }
}

type Target = { readonly folderId: string; readonly name: string; readonly file: Item | null }

/** Stores a content, with what is planned to go wrong, and answers with the file. */
async function answerStored(
  call: Call,
  target: Target,
  content: Content,
  { content_modified_at: at }: Attributes,
): Promise<void> {
  const { state, user, exchange } = call
  const short = exchange.take('truncate')
  const kept = short ? contentOf(content.read(0, Math.max(0, content.size - (short.bytes ?? 1)))) : content
  const modifiedAt = at === undefined ? state.now() : Date.parse(at)
  let { file } = target
  if (file) {
    newVersion(state, user, file, kept, modifiedAt)
    // Of an upload in one request, the attributes have a name too.
    if (target.name !== '' && target.name !== file.name)
      changeItem(state, user, file, { name: target.name }, 'ITEM_RENAME')
  } else {
    const { name, folderId: parent } = target
    file = addItem(
      state,
      user,
      { type: 'file', name, parent, content: kept, contentModifiedAt: modifiedAt },
      'ITEM_UPLOAD',
    )
    if (exchange.take('vanish')) user.items.delete(`file ${file.id}`)
  }
  await exchange.sendJson(201, { total_count: 1, entries: [view(user, file, fieldsOf(exchange))] })
}

const sessionAddress = (id: string): string => `https://upload.box.com/api/2.0/files/upload_sessions/${id}`
const SESSION_LIFE_MS = 7 * 24 * 3600 * 1000

export async function openSession(call: Call, fileId: string | null): Promise<void> {
  const { state, user, exchange } = call
  const body = (await jsonOf(exchange)) as { folder_id?: string; file_name?: string; file_size?: number }
  const { minSessionBytes } = state.settings
  const size = body.file_size ?? 0
  if (size < minSessionBytes) throw badRequest('file_size_too_small')
  if (fileId === null) checkTarget(call, body.folder_id, body.file_name)
  else lookUp(user, 'file', fileId)
  checkCapacity(call, size)
  const id = randomUUID().replaceAll('-', '').toUpperCase()
  const { folder_id: folderId = '', file_name: name = '' } = body
  state.sessions.set(id, { id, user, folderId, name, fileId, size, parts: new Map() })
  await exchange.sendJson(201, sessionView(state, sessionOf(call, id)))
}

function sessionView(state: State, { id, size, parts }: Session): object {
  const address = sessionAddress(id)
  const { partBytes } = state.settings
  return {
    id,
    type: 'upload_session',
    session_expires_at: new Date(state.now() + SESSION_LIFE_MS).toISOString(),
    part_size: partBytes,
    total_parts: Math.ceil(size / partBytes),
    num_parts_processed: parts.size,
    session_endpoints: {
      upload_part: address,
      commit: `${address}/commit`,
      abort: address,
      list_parts: `${address}/parts`,
      status: address,
      log_event: `${address}/log`,
    },
  }
}

export function sessionOf({ state, user }: Call, id: string): Session {
  const session = state.sessions.get(id)
  if (session?.user !== user) throw notFound()
  return session
}

export const showSession = (call: Call, session: Session): Promise<void> =>
  call.exchange.sendJson(200, sessionView(call.state, session))

export async function abortSession({ state, exchange }: Call, { id }: Session): Promise<void> {
  state.sessions.delete(id)
  await exchange.send(204)
}

const partView = ({ part_id, offset, bytes, sha1 }: Part) => ({ part_id, offset, size: bytes.length, sha1 })

/** In any order, but each once; all but the last have the size that the session says. */
export async function uploadPart({ state, exchange }: Call, session: Session): Promise<void> {
  const { partBytes } = state.settings
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headerOf(exchange, 'content-range') ?? '')
  const [start, end, total] = (range ?? []).slice(1).map(Number)
  if (start === undefined || end === undefined || total !== session.size) throw new BoxRefusal(416, 'invalid_range')
  if (start % partBytes !== 0 || end + 1 !== Math.min(start + partBytes, total))
    throw new BoxRefusal(416, 'invalid_range')
  const bytes = await exchange.readBody(partBytes + 1)
  if (bytes.length !== end + 1 - start) throw badRequest('content_length_mismatch')
  const digest = createHash('sha1').update(bytes).digest()
  if (headerOf(exchange, 'digest') !== `sha=${digest.toString('base64')}`)
    throw new BoxRefusal(412, 'precondition_failed')
  if (session.parts.has(start)) throw new BoxRefusal(409, 'range_overlaps_existing_range')
  const part = {
    part_id: digest.toString('hex').slice(0, 8).toUpperCase(),
    offset: start,
    bytes,
    sha1: digest.toString('hex'),
  }
  session.parts.set(start, part)
  await exchange.sendJson(200, { part: partView(part) })
}

const PARTS_PER_PAGE = 100

export async function listParts({ exchange }: Call, { parts }: Session): Promise<void> {
  const { searchParams } = exchange.url
  const offset = Number(searchParams.get('offset') ?? 0)
  const limit = Math.min(Number(searchParams.get('limit') ?? PARTS_PER_PAGE), 1000)
  const all = [...parts.values()].toSorted((a, b) => a.offset - b.offset)
  const entries = all.slice(offset, offset + limit).map(partView)
  await exchange.sendJson(200, { entries, offset, limit, total_count: all.length, order: [] })
}

/** Makes the file of all parts; the digest is that of the whole. */
export async function commitSession(call: Call, session: Session): Promise<void> {
  const { state, user, exchange } = call
  const body = (await jsonOf(exchange)) as { parts?: { part_id: string; offset: number }[]; attributes?: Attributes }
  const waiting = exchange.take('incomplete')
  if (waiting?.reason === 'parts_mismatch') throw new BoxRefusal(400, 'parts_mismatch')
  if (waiting) return exchange.send(202, { 'retry-after': String(waiting.retryAfter ?? 1) })
  const named = (body.parts ?? []).toSorted((a, b) => a.offset - b.offset)
  const parts = named.map(({ offset, part_id }) => {
    const part = session.parts.get(offset)
    if (part?.part_id !== part_id) throw new BoxRefusal(400, 'parts_mismatch')
    return part
  })
  const bytes = Buffer.concat(parts.map((part) => part.bytes))
  if (bytes.length !== session.size) throw new BoxRefusal(400, 'parts_mismatch')
  const content = contentOf(bytes)
  const digest = `sha=${Buffer.from(content.sha1, 'hex').toString('base64')}`
  if (headerOf(exchange, 'digest') !== digest) throw new BoxRefusal(412, 'precondition_failed')
  const file = session.fileId === null ? null : lookUp(user, 'file', session.fileId)
  if (file) checkEtag(file, headerOf(exchange, 'if-match'))
  else checkTarget(call, session.folderId, session.name)
  checkCapacity(call, content.size)
  state.sessions.delete(session.id)
  await answerStored(call, { ...session, file }, content, body.attributes ?? {})
}
