import { Readable } from 'node:stream'
import { thumbnailOf } from '../core/thumbnail.ts'
import { BoxRefusal, badRequest, notFound } from './errors.ts'
import { type Content, type Item, newToken } from './state.ts'
import {
  addItem,
  changeItem,
  checkEtag,
  checkFree,
  checkName,
  childrenOf,
  copyItem,
  fold,
  folderAt,
  isVisible,
  lookUp,
  purge,
  ROOT_ID,
} from './tree.ts'
import { type Call, fieldsOf, jsonOf } from './upload.ts'
import { view } from './view.ts'

type Body = {
  readonly name?: string
  readonly parent?: { readonly id?: string }
  readonly shared_link?: { readonly access?: string; readonly unshared_at?: string | null } | null
  readonly content_modified_at?: string
}

const answer = ({ exchange, user }: Call, status: number, item: Item): Promise<void> =>
  exchange.sendJson(status, view(user, item, fieldsOf(exchange)))

export const getItem = (call: Call, type: Item['type'], id: string): Promise<void> =>
  answer(call, 200, lookUp(call.user, type, id))

/** Only what was moved to the trash itself, not what is below it. */
function trashed({ user }: Call, type: Item['type'], id: string): Item {
  const item = user.items.get(`${type} ${id}`)
  if (!item?.trashed) throw notFound()
  return item
}

export const getTrashed = (call: Call, type: Item['type'], id: string): Promise<void> =>
  answer(call, 200, trashed(call, type, id))

const MAX_PAGE = 1000

/** With a marker, or with an offset as older clients do; sorted by type and name. */
export async function listFolder({ exchange, user }: Call, id: string): Promise<void> {
  lookUp(user, 'folder', id)
  const query = exchange.url.searchParams
  const limit = Math.min(Number(query.get('limit') ?? 100), MAX_PAGE)
  const usesMarker = query.get('usemarker') === 'true'
  const marker = query.get('marker')
  if (marker && !/^m\d+$/.test(marker)) throw badRequest('invalid_marker')
  const from = usesMarker ? Number(marker?.slice(1) ?? 0) : Number(query.get('offset') ?? 0)
  const all = childrenOf(user, id)
  const sorted = usesMarker ? all.toSorted((a, b) => Number(a.id) - Number(b.id)) : all.toSorted(byName)
  // A marker names the item that follows, so that pages stay in place while items appear and go.
  const start = usesMarker ? sorted.findIndex((item) => Number(item.id) >= from) : from
  const page = start < 0 ? [] : sorted.slice(start, start + limit)
  const next = start < 0 ? undefined : sorted[start + limit]
  const entries = page.map((item) => view(user, item, fieldsOf(exchange) ?? ['sequence_id', 'name', 'sha1']))
  if (usesMarker) return exchange.sendJson(200, { entries, limit, ...(next && { next_marker: `m${next.id}` }) })
  const order = [{ by: 'type', direction: 'ASC' }]
  return exchange.sendJson(200, { total_count: all.length, entries, offset: from, limit, order })
}

const byName = (a: Item, b: Item): number => b.type.localeCompare(a.type) || (fold(a.name) < fold(b.name) ? -1 : 1)

export async function createFolder(call: Call): Promise<void> {
  const { state, user } = call
  const { name, parent } = (await jsonOf(call.exchange)) as Body
  const folder = lookUp(user, 'folder', parent?.id ?? '')
  checkName(name)
  checkFree(user, folder.id, name, null, true)
  await answer(call, 201, addItem(state, user, { type: 'folder', name, parent: folder.id }, 'ITEM_CREATE'))
}

/** Renames, moves, sets times and links. */
export async function updateItem(call: Call, type: Item['type'], id: string): Promise<void> {
  const { state, user, exchange } = call
  const item = lookUp(user, type, id)
  const body = (await jsonOf(exchange)) as Body
  checkEtag(item, exchange.request.headers['if-match'])
  if (item.id === ROOT_ID && type === 'folder') throw new BoxRefusal(403, 'forbidden')
  const parent = body.parent?.id ?? item.parent ?? ''
  const name = body.name ?? item.name
  if (body.name !== undefined) checkName(name)
  if (parent !== item.parent || name !== item.name) {
    lookUp(user, 'folder', parent)
    if (type === 'folder' && isInside(call, parent, id)) throw new BoxRefusal(403, 'cyclical_folder_structure')
    checkFree(user, parent, name, item)
    const event = parent === item.parent ? 'ITEM_RENAME' : 'ITEM_MOVE'
    changeItem(state, user, item, { name, parent }, event)
  }
  if (body.content_modified_at !== undefined) {
    changeItem(state, user, item, { contentModifiedAt: Date.parse(body.content_modified_at) }, 'ITEM_MODIFY')
  }
  if (body.shared_link !== undefined) setLink(call, item, body.shared_link)
  await answer(call, 200, item)
}

function isInside({ user }: Call, folderId: string, above: string): boolean {
  for (let at: string | null = folderId; at !== null; at = folderAt(user, at)?.parent ?? null)
    if (at === above) return true
  return false
}

function setLink({ exchange }: Call, item: Item, wanted: Body['shared_link']): void {
  const policy = exchange.take('policy')
  if (policy) throw new BoxRefusal(403, policy.reason ?? 'forbidden_by_policy')
  if (!wanted) item.link = null
  else {
    const url = item.link?.url ?? `https://app.box.com/s/${newToken().toLowerCase()}`
    item.link = { url, unsharedAt: wanted.unshared_at ?? null }
  }
}

export async function trashItem(call: Call, type: Item['type'], id: string): Promise<void> {
  const { state, user, exchange } = call
  const item = lookUp(user, type, id)
  checkEtag(item, exchange.request.headers['if-match'])
  if (item.parent === null) throw new BoxRefusal(403, 'forbidden')
  const isRecursive = exchange.url.searchParams.get('recursive') === 'true'
  if (type === 'folder' && !isRecursive && childrenOf(user, id).length > 0)
    throw new BoxRefusal(400, 'folder_not_empty')
  changeItem(state, user, item, { trashed: true }, 'ITEM_TRASH')
  await exchange.send(204)
}

export async function purgeItem(call: Call, type: Item['type'], id: string): Promise<void> {
  const item = trashed(call, type, id)
  if (!call.user.canPurge) throw new BoxRefusal(403, 'forbidden')
  purge(call.user, item)
  await call.exchange.send(204)
}

/** Into its folder; into the given one only where its own does not exist any more. */
export async function restoreItem(call: Call, type: Item['type'], id: string): Promise<void> {
  const { state, user, exchange } = call
  const item = trashed(call, type, id)
  const body = (await jsonOf(exchange)) as Body
  const own = folderAt(user, item.parent)
  const isThere = own !== undefined && isVisible(user, own)
  const parent = isThere ? own.id : lookUp(user, 'folder', body.parent?.id ?? '').id
  const name = body.name ?? item.name
  checkFree(user, parent, name, item)
  changeItem(state, user, item, { trashed: false, parent, name }, 'ITEM_UNDELETE_VIA_TRASH')
  await answer(call, 201, item)
}

export async function copy(call: Call, type: Item['type'], id: string): Promise<void> {
  const { state, user, exchange } = call
  const item = lookUp(user, type, id)
  const body = (await jsonOf(exchange)) as Body
  const folder = lookUp(user, 'folder', body.parent?.id ?? '')
  const name = body.name ?? item.name
  checkName(name)
  checkFree(user, folder.id, name, null)
  if (exchange.take('full')) throw new BoxRefusal(403, 'storage_limit_exceeded')
  await answer(call, 201, copyItem(state, user, item, folder.id, name))
}

const DOWNLOAD_LIFE_MS = 15 * 60_000
export const DOWNLOAD_HOST = 'dl.boxcloud.com'

/** Redirects to an address that is valid by itself, for a short time. */
export async function redirectToContent(call: Call, id: string): Promise<void> {
  const { state, user, exchange } = call
  const { content, denied } = lookUp(user, 'file', id)
  if (!content || denied.includes('can_download')) throw new BoxRefusal(403, 'access_denied_insufficient_permissions')
  if (exchange.take('incomplete')) return exchange.send(202, { 'retry-after': '2' })
  const key = newToken()
  state.downloads.set(key, { content, expiresAt: state.now() + DOWNLOAD_LIFE_MS, user })
  return exchange.send(302, { location: `https://${DOWNLOAD_HOST}/d/1/${key}/download` })
}

/** By the extension. While it makes a picture (`incomplete`) and of other types it names an icon. */
export async function sendThumbnail({ user, exchange }: Call, id: string): Promise<void> {
  const { content, name } = lookUp(user, 'file', id)
  const icon = { location: 'https://cdn01.boxcdn.net/_assets/img/icons/file.png' }
  if (exchange.take('incomplete')) return exchange.send(202, { ...icon, 'retry-after': '5' })
  if (!content || !/\.(?:jpe?g|png|gif|tiff?|bmp)$/i.test(name)) return exchange.send(302, icon)
  const side = Number(exchange.url.searchParams.get('min_width') ?? 32)
  const bytes = Readable.from([content.read(0, content.size)], { objectMode: false })
  const picture = await thumbnailOf('image/*', bytes, side)
  if (!picture) return exchange.send(302, icon)
  await exchange.send(200, { 'content-type': 'image/jpeg' }, picture)
}

/** The content itself, for an address that is valid by itself. */
export async function sendContent({ state, exchange }: Omit<Call, 'user'>): Promise<void> {
  const [, key = ''] = /^\/d\/1\/([^/]+)\/download$/.exec(exchange.url.pathname) ?? []
  const known = state.downloads.get(key)
  await exchange.begin('download', known?.user.email ?? null)
  if (exchange.take('serverError')) return exchange.send(503)
  const limited = exchange.take('rateLimit')
  if (limited) return exchange.send(429, { 'retry-after': limited.retryAfter })
  const hasToken = exchange.request.headers.authorization !== undefined
  if (hasToken && state.settings.strictDownloads) return exchange.send(401)
  if (!known || known.expiresAt <= state.now()) return exchange.send(403)
  const { size } = known.content
  const header = exchange.take('ignoreRange') ? undefined : exchange.request.headers.range
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? []
  if (first === undefined) return sendBytes(exchange, 200, known.content, 0, size - 1)
  const end = Math.min(last ? Number(last) : size - 1, size - 1)
  if (Number(first) > end) return exchange.send(416, { 'content-range': `bytes */${size}` })
  return sendBytes(exchange, 206, known.content, Number(first), end)
}

function sendBytes(
  exchange: Call['exchange'],
  status: number,
  content: Content,
  start: number,
  end: number,
): Promise<void> {
  const range = status === 206 ? { 'content-range': `bytes ${start}-${end}/${content.size}` } : {}
  const headers = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', ...range }
  const bytes = content.read(start, end + 1)
  return exchange.sendObject(
    status,
    headers,
    bytes.length,
    Readable.from(bytes.length > 0 ? [bytes] : [], { objectMode: false }),
  )
}
