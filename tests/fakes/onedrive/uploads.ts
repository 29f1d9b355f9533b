import { randomBytes } from 'node:crypto'
import type { Exchange } from '../core/service.ts'
import { joined, receive } from '../dropbox/bytes.ts'
import { store } from './content.ts'
import { graphError, invalid, notFound, playFailures, unauthenticated } from './errors.ts'
import type { Item, UploadSession } from './model.ts'
import { type Call, itemAt, jsonOf, placeAt, type Target } from './route.ts'
import type { State } from './state.ts'
import { checkMatch, checkName, childNamed, itemById } from './tree.ts'
import { viewOf } from './view.ts'

const UNIT = 327_680
const MAX_PART = 60 * 1024 * 1024
const LIFE_MS = 24 * 3600_000
const UPLOAD_HOST = 'my.microsoftpersonalcontent.com'

type Body = {
  readonly item?: { readonly '@microsoft.graph.conflictBehavior'?: string; readonly fileSystemInfo?: Item['ownTimes'] }
}

/** Opens a session: for a new file by its folder and name, or for a file by its id. */
export async function createSession({ state, exchange, user }: Call, target: Target): Promise<void> {
  const { item = {} } = (await jsonOf(exchange)) as Body
  const existing = target.path.length === 0 ? itemAt(user, target) : null
  if (existing) checkMatch(existing, exchange.request.headers['if-match'])
  const parent = existing ? itemById(user, existing.parentId ?? 'root') : placeAt(user, target).parent
  const name = existing?.name ?? placeAt(user, target).name
  const conflict = existing ? 'replace' : (item['@microsoft.graph.conflictBehavior'] ?? 'fail')
  checkName(user, parent, name)
  const taken = childNamed(user, parent.id, name)
  if (taken && conflict === 'fail') throw graphError(409, 'nameAlreadyExists', 'Name already exists')
  const session: UploadSession = {
    id: randomBytes(24).toString('base64url'),
    user,
    parentId: parent.id,
    name,
    conflict,
    itemId: existing?.id ?? null,
    ownTimes: item.fileSystemInfo ?? {},
    parts: [],
    committed: 0,
    total: null,
    expiresAt: state.now() + LIFE_MS,
  }
  state.sessions.set(session.id, session)
  exchange.concerns(session.id)
  const uploadUrl = `https://${UPLOAD_HOST}/personal/${user.id}/uploadSession?guid=${session.id}`
  await exchange.sendJson(200, { uploadUrl, ...progressOf(session) })
}

const progressOf = ({ committed, total, expiresAt }: UploadSession) => ({
  expirationDateTime: new Date(expiresAt).toISOString(),
  nextExpectedRanges: committed === total ? [] : [`${committed}-`],
})

const OPERATIONS: Readonly<Record<string, string>> = {
  PUT: 'upload.put',
  GET: 'upload.status',
  DELETE: 'upload.cancel',
}

/** A call to the address of a session: refused to those who send their token there. */
export async function uploadCall(state: State, exchange: Exchange): Promise<void> {
  const session = state.sessions.get(exchange.url.searchParams.get('guid') ?? '')
  await exchange.begin(OPERATIONS[exchange.method] ?? 'upload', session?.user.email ?? null)
  playFailures(exchange)
  if (exchange.request.headers.authorization !== undefined && !state.settings.toleratesTokens) {
    throw unauthenticated('The address of an upload has its own token.')
  }
  if (!session || session.expiresAt <= state.now()) {
    throw graphError(404, 'itemNotFound', 'The upload session was not found', { inner: 'uploadSessionNotFound' })
  }
  if (exchange.method === 'GET') return exchange.sendJson(200, progressOf(session))
  if (exchange.method === 'DELETE') {
    await endSession(state, session)
    return exchange.send(204)
  }
  if (exchange.method !== 'PUT') throw graphError(405, 'invalidRequest', 'Not allowed here.')
  await takePart({ state, exchange, user: session.user }, session)
}

/** A part is kept completely or not at all; the last one makes the file. */
async function takePart(call: Call, session: UploadSession): Promise<void> {
  const { state, exchange } = call
  const { start, end, total } = partOf(exchange)
  checkPart(session, start, end, total)
  const bytes = await receive(state.blobs, exchange.body())
  // Another part may have been quicker.
  if (bytes.size !== end - start || session.committed !== start) {
    await bytes.letGo()
    throw session.committed !== start ? overlap(session, start) : invalid('Wrong length.', 'fragmentLengthMismatch')
  }
  session.parts.push(bytes)
  session.committed = end
  session.total = total
  if (end < total) return exchange.sendJson(202, progressOf(session))
  await commit(call, session)
}

async function commit(call: Call, session: UploadSession): Promise<void> {
  const { state, exchange, user } = call
  const parent = user.items.get(session.parentId)
  if (!parent) throw notFound()
  const { name, conflict, ownTimes, itemId, parts } = session
  if (itemId !== null && !user.items.has(itemId)) throw notFound()
  const known = itemId === null ? undefined : user.items.get(itemId)
  const place = { parent, name: known?.name ?? name, conflict, ownTimes, mimeType: typeOf(name) }
  // On an error the session stays, with all its bytes.
  const item = await store(call, place, joined([...parts]).keep())
  await endSession(state, session)
  await exchange.sendJson(known ? 200 : 201, viewOf(user, item))
}

function partOf({ request }: Exchange): { readonly start: number; readonly end: number; readonly total: number } {
  const found = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(request.headers['content-range'] ?? '')
  const length = request.headers['content-length']
  if (!found || length === undefined) throw invalid('Content-Range and Content-Length are needed.', 'invalidRange')
  const [start = 0, last = 0, total = 0] = found.slice(1).map(Number)
  if (Number(length) !== last + 1 - start)
    throw invalid('The length is not that of the range.', 'fragmentLengthMismatch')
  return { start, end: last + 1, total }
}

function checkPart(session: UploadSession, start: number, end: number, total: number): void {
  if (end - start > MAX_PART)
    throw graphError(413, 'invalidRequest', 'Too large.', { inner: 'maxFragmentLengthExceeded' })
  if (end > total || (session.total ?? total) !== total) throw invalid('The total length has changed.', 'invalidRange')
  if (start !== session.committed) throw overlap(session, start)
  if (end < total && (end - start) % UNIT !== 0) throw invalid('Parts are multiples of 320 KiB.', 'invalidRange')
}

function overlap({ committed }: UploadSession, start: number) {
  const inner = start < committed ? 'fragmentOverlap' : 'fragmentOutOfOrder'
  return graphError(416, 'invalidRange', 'The fragment is not the next one.', { inner })
}

async function endSession(state: State, session: UploadSession): Promise<void> {
  state.sessions.delete(session.id)
  for (const bytes of session.parts) await bytes.letGo()
}

const TYPES: Readonly<Record<string, string>> = { txt: 'text/plain', pdf: 'application/pdf', svg: 'image/svg+xml' }

/** Sessions have no type: the service goes by the name. */
function typeOf(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'
}
