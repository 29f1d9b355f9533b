import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Exchange } from '../core/service.ts'
import { thumbnailOf } from '../core/thumbnail.ts'
import { type Bytes, receive, shortened } from '../dropbox/bytes.ts'
import { full, graphError, invalid, notFound, unauthenticated } from './errors.ts'
import type { Content, Item, User } from './model.ts'
import { quickXorOf } from './quickXor.ts'
import { type Call, conflictOf, itemAt, placeAt, type Target } from './route.ts'
import type { State } from './state.ts'
import { addItem, checkMatch, checkName, type Store, storeFile } from './tree.ts'
import { viewOf } from './view.ts'

const MAX_WHOLE_BYTES = 250 * 1024 * 1024
const DOWNLOAD_HOST = 'my.microsoftpersonalcontent.com'
const ADDRESS_LIFE_MS = 60 * 60_000

/** A content in one request: of a file by its id, or of a new one by its folder and name. */
export async function putContent(call: Call, target: Target): Promise<void> {
  const { state, exchange, user } = call
  const { 'if-match': match, 'content-length': length, 'content-type': type } = exchange.request.headers
  if (length === undefined) throw graphError(411, 'invalidRequest', 'Content-Length is needed.')
  if (Number(length) > MAX_WHOLE_BYTES)
    throw graphError(413, 'invalidRequest', 'Too large.', { inner: 'maxFileSizeExceeded' })
  const item = target.path.length === 0 ? itemAt(user, target) : null
  if (item) checkMatch(item, match)
  const place = item
    ? { parent: itemAt(user, { base: item.parentId ?? 'root', path: [] }), name: item.name }
    : placeAt(user, target)
  const bytes = await receive(state.blobs, exchange.body())
  const conflict = item ? 'replace' : conflictOf(exchange, 'replace')
  const stored = await store(
    call,
    { ...place, conflict, mimeType: type ?? 'application/octet-stream', ownTimes: {} },
    bytes,
  )
  await exchange.sendJson(item ? 200 : 201, viewOf(user, stored))
}

const OFFICE = /\.(docx?|xlsx?|pptx?)$/i

/**
 * Stores bytes as a file, with what is planned to go wrong. Takes them over, unless it throws. What it returns after `vanish` is a
 * file that is nowhere.
 */
export async function store(
  { state, exchange, user }: Call,
  place: Omit<Store, 'content'>,
  bytes: Bytes,
): Promise<Item> {
  try {
    if (exchange.take('full')) throw full()
    const short = exchange.take('truncate')
    const kept = short ? shortened(bytes, Math.max(0, bytes.size - (short.bytes ?? 1))) : bytes
    const written = user.rewritesOffice && OFFICE.test(place.name) ? await rewritten(state, kept) : kept
    const content = { bytes: written, quickXor: await quickXorOf(written) }
    if (exchange.take('vanish')) return vanished(user, place, content, state.now())
    const item = storeFile(user, { ...place, content }, state.now())
    exchange.concerns(item.id)
    return item
  } catch (error) {
    await bytes.letGo()
    throw error
  }
}

/** The properties that SharePoint writes into a document. */
async function rewritten(state: State, bytes: Bytes): Promise<Bytes> {
  async function* both(): AsyncGenerator<Buffer> {
    yield* bytes.read(0, bytes.size)
    yield Buffer.from('properties of SharePoint')
  }
  const all = await receive(state.blobs, both())
  await bytes.letGo()
  return all
}

function vanished(user: User, place: Omit<Store, 'content'>, content: Content, now: number): Item {
  checkName(user, place.parent, place.name)
  const nowhere = { ...user, items: new Map(), children: new Map(), changes: [], usedBytes: 0 }
  return addItem(nowhere, place.parent, { ...place, kind: 'file', content }, now)
}

/** Sends to the address of the content, which works without a token for a while. */
export async function redirectToContent({ state, exchange, user }: Call, target: Target): Promise<void> {
  const item = itemAt(user, target)
  if (item.kind !== 'file' || !item.content)
    throw invalid('You cannot get content for a folder or a package', 'notSupported')
  const token = randomBytes(24).toString('base64url')
  state.downloads.set(token, { user, item, content: item.content, expiresAt: state.now() + ADDRESS_LIFE_MS })
  await exchange.send(302, { location: `https://${DOWNLOAD_HOST}/personal/${user.id}/download.aspx?tempauth=${token}` })
}

/** The content at its address: refused to those who send their token there. */
export async function download(state: State, exchange: Exchange): Promise<void> {
  const address = state.downloads.get(exchange.url.searchParams.get('tempauth') ?? '')
  await exchange.begin('download', address?.user.email ?? null)
  const hasToken = exchange.request.headers.authorization !== undefined
  if (hasToken && !state.settings.toleratesTokens) throw unauthenticated('The address has its own token.')
  if (!address || address.expiresAt <= state.now()) throw unauthenticated('The address has expired.')
  playContentFailures(exchange)
  const { user, item } = address
  if (user.items.get(item.id) !== item || !item.content) throw notFound()
  const { bytes } = item.content
  const asked = rangeOf(exchange, bytes.size)
  const range = asked && exchange.take('ignoreRange') ? null : asked
  const headers = { 'content-type': item.mimeType, 'accept-ranges': 'bytes' }
  if (range === 'unsatisfiable') return exchange.send(416, { ...headers, 'content-range': `bytes */${bytes.size}` })
  const [start, end] = range ?? [0, bytes.size]
  const held = (exchange.take('wrongObject') ? otherThan(user, item) : bytes).keep()
  const source = Readable.from(held.read(start, end), { objectMode: false })
  const all = { ...headers, ...(range && { 'content-range': `bytes ${start}-${end - 1}/${bytes.size}` }) }
  await exchange.sendObject(range ? 206 : 200, all, end - start, source).finally(() => held.letGo())
}

const PICTURED = /\.(?:jpe?g|png|gif|webp|tiff?|bmp|heic)$/i

/** By the extension: one set of pictures with the sizes that are asked for; none of files of other types. */
export async function listThumbnails({ state, exchange, user }: Call, target: Target): Promise<void> {
  const item = itemAt(user, target)
  const sizes = (exchange.url.searchParams.get('$select') ?? 'small,medium,large').split(',')
  if (item.kind !== 'file' || !item.content || !PICTURED.test(item.name)) return exchange.sendJson(200, { value: [] })
  const token = randomBytes(24).toString('base64url')
  state.downloads.set(token, { user, item, content: item.content, expiresAt: state.now() + ADDRESS_LIFE_MS })
  const url = (size: string): string =>
    `https://${DOWNLOAD_HOST}/personal/${user.id}/thumbnail?tempauth=${token}&size=${size}`
  const set = Object.fromEntries(sizes.map((size) => [size, { url: url(size) }]))
  await exchange.sendJson(200, { value: [{ id: '0', ...set }] })
}

/** A picture at its address, which is refused to those who send their token there. */
export async function sendThumbnail(state: State, exchange: Exchange): Promise<void> {
  const query = exchange.url.searchParams
  const address = state.downloads.get(query.get('tempauth') ?? '')
  await exchange.begin('thumbnail', address?.user.email ?? null)
  if (exchange.request.headers.authorization !== undefined) throw unauthenticated('The address has its own token.')
  if (!address || address.expiresAt <= state.now()) throw unauthenticated('The address has expired.')
  playContentFailures(exchange)
  const { bytes } = address.content
  const side = Number(/x(\d+)$/.exec(query.get('size') ?? '')?.[1] ?? 176)
  const picture = await thumbnailOf('image/*', bytes.read(0, bytes.size), side)
  if (!picture) throw notFound()
  await exchange.send(200, { 'content-type': 'image/jpeg' }, picture)
}

function playContentFailures(exchange: Exchange): void {
  const broken = exchange.take('serverError')
  if (broken) throw graphError(broken.status ?? 503, 'serviceNotAvailable', 'The service is not available.')
  const limited = exchange.take('rateLimit')
  if (!limited) return
  const headers = limited.retryAfter === undefined ? {} : { 'retry-after': String(limited.retryAfter) }
  throw graphError(limited.status ?? 429, 'activityLimitReached', 'The request has been throttled', { headers })
}

/** From the first byte up to but not including the second; null = all of it. */
function rangeOf({ request }: Exchange, size: number): readonly [number, number] | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size)
  return start < end ? [start, end] : 'unsatisfiable'
}

/** As many bytes as the file has, of another file where there is one. */
function otherThan(user: User, item: Item): Bytes {
  const size = item.content?.bytes.size ?? 0
  const others = [...user.items.values()].filter((one) => one !== item && (one.content?.bytes.size ?? -1) >= size)
  return others[0]?.content ? shortened(others[0].content.bytes, size) : shortened(emptyBytes(size), size)
}

function emptyBytes(size: number): Bytes {
  const bytes: Bytes = {
    size,
    async *read(start, end) {
      yield Buffer.alloc(end - start)
    },
    keep: () => bytes,
    letGo: async () => undefined,
  }
  return bytes
}
