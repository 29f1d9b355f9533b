import type { Exchange } from '../../core/service.ts'
import type { Google } from '../google.ts'
import {
  type Album,
  addItem,
  albumJson,
  albumsOf,
  type Call,
  type Item,
  itemJson,
  itemsOf,
  newId,
  PhotosError,
  typeOf,
} from './library.ts'
import { upload } from './uploads.ts'

// The Photos Library API as it is since 2025-03-31: https://developers.google.com/photos/library/reference/rest

const PREFIX = 'https://www.googleapis.com/auth/photoslibrary'
const APPEND = [`${PREFIX}.appendonly`]
const READ = [`${PREFIX}.readonly.appcreateddata`]
const EDIT = [`${PREFIX}.edit.appcreateddata`]

type Route = {
  readonly method: string
  readonly path: RegExp
  readonly operation: string
  readonly scopes: readonly string[]
  run(call: Call, id: string): Promise<void>
}

const route = (
  method: string,
  path: RegExp,
  operation: string,
  scopes: readonly string[],
  run: Route['run'],
): Route => ({
  method,
  path,
  operation,
  scopes,
  run,
})

const ROUTES: readonly Route[] = [
  route('POST', /^\/v1\/uploads$/, 'photos.uploads', APPEND, upload),
  route('POST', /^\/v1\/mediaItems:batchCreate$/, 'photos.mediaItems.batchCreate', APPEND, batchCreate),
  route('GET', /^\/v1\/mediaItems$/, 'photos.mediaItems.list', READ, listItems),
  route('POST', /^\/v1\/mediaItems:search$/, 'photos.mediaItems.search', READ, searchItems),
  route('GET', /^\/v1\/mediaItems\/([^/]+)$/, 'photos.mediaItems.get', READ, getItem),
  route('GET', /^\/v1\/albums$/, 'photos.albums.list', READ, listAlbums),
  route('POST', /^\/v1\/albums$/, 'photos.albums.create', APPEND, createAlbum),
  route('GET', /^\/v1\/albums\/([^/]+)$/, 'photos.albums.get', READ, getAlbum),
  route('POST', /^\/v1\/albums\/([^/]+):batchRemoveMediaItems$/, 'photos.albums.remove', EDIT, removeFromAlbum),
  route('GET', /^\/v1\/sharedAlbums$/, 'photos.sharedAlbums.list', [`${PREFIX}.sharing`], listAlbums),
]

/** Throws `ExchangeEnded` alone; what Google refuses is answered. */
export async function photosLibrary(exchange: Exchange, google: Google): Promise<void> {
  try {
    await answer(exchange, google)
  } catch (error) {
    if (!(error instanceof PhotosError)) throw error
    const { code, status, message, headers } = error
    await exchange.sendJson(code, { error: { code, message, status } }, headers)
  }
}

async function answer(exchange: Exchange, google: Google): Promise<void> {
  const { method, url } = exchange
  const found = ROUTES.find((one) => one.method === method && one.path.test(url.pathname))
  const [, text = ''] = /^Bearer (.+)$/i.exec(exchange.request.headers.authorization ?? '') ?? []
  const command = exchange.request.headers['x-goog-upload-command']
  const operation =
    found?.operation === 'photos.uploads' ? `photos.uploads.${command ?? 'raw'}` : (found?.operation ?? '')
  await exchange.begin(operation.split(',')[0] ?? '', google.grants.holderOfAccess(text))
  playFaults(exchange)
  const token = google.grants.access(text)
  if (!token) throw unauthenticated()
  if (!found) throw new PhotosError(404, 'NOT_FOUND', 'Requested entity was not found.')
  if (!found.scopes.some((scope) => token.scopes.includes(scope))) {
    throw new PhotosError(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.')
  }
  const { user, client } = token.grant
  const [, id = ''] = found.path.exec(url.pathname) ?? []
  await found.run({ exchange, google, photos: google.photos, user, clientId: client.id }, decodeURIComponent(id))
}

function playFaults(exchange: Exchange): void {
  const limited = exchange.take('rateLimit')
  if (limited) {
    const message =
      limited.reason ?? "Quota exceeded for quota metric 'All requests' and limit 'All requests per minute'."
    const wait = limited.retryAfter === undefined ? {} : { 'Retry-After': limited.retryAfter }
    throw new PhotosError(429, 'RESOURCE_EXHAUSTED', message, wait)
  }
  if (exchange.take('expired')) throw unauthenticated()
  if (exchange.take('policy')) {
    const message = 'Photos Library API has not been used in project 1 before or it is disabled.'
    throw new PhotosError(403, 'PERMISSION_DENIED', message)
  }
  const failed = exchange.take('serverError')
  if (failed) throw new PhotosError(failed.status ?? 503, 'UNAVAILABLE', 'The service is currently unavailable.')
}

function unauthenticated(): PhotosError {
  const message =
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.'
  return new PhotosError(401, 'UNAUTHENTICATED', message)
}

const notFound = (): PhotosError => new PhotosError(404, 'NOT_FOUND', 'Requested entity was not found.')
const invalid = (message: string): PhotosError => new PhotosError(400, 'INVALID_ARGUMENT', message)

async function jsonOf({ exchange }: Call): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse((await exchange.readBody()).toString())
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  } catch {
    // Not JSON: said below.
  }
  throw invalid('Invalid JSON payload received.')
}

/** What the client has added itself, the newest first. */
const ownItems = ({ photos, user, clientId }: Call): Item[] =>
  [...itemsOf(photos, user).values()].filter(({ createdBy }) => createdBy === clientId).reverse()

function ownAlbum({ photos, user, clientId }: Call, id: string): Album {
  const album = albumsOf(photos, user).get(id)
  if (album?.createdBy === clientId) return album
  throw /^AF1Qip[\w-]+$/.test(id) ? notFound() : invalid('Invalid album ID.')
}

async function getItem(call: Call, id: string): Promise<void> {
  const { exchange, photos, user } = call
  const item = ownItems(call).find((one) => one.id === id)
  if (!item) throw /^AF1Qip[\w-]+$/.test(id) ? notFound() : invalid('Invalid media item ID.')
  await exchange.sendJson(200, itemJson(photos, user, item))
}

type Paging = { readonly pageSize?: unknown; readonly pageToken?: unknown }

/** A page, which repeats the last element of the page before, as Google's do at times. */
function pageOf<Element>(
  all: readonly Element[],
  { pageSize, pageToken }: Paging,
  usual: number,
  most: number,
  repeats: boolean,
) {
  const size = Number(pageSize ?? usual) || usual
  if (!Number.isInteger(size) || size < 0 || size > most) throw invalid(`Page size must be from 1 to ${most}.`)
  const token = pageToken === undefined || pageToken === '' ? 'p0' : String(pageToken)
  const [, start] = /^p(\d+)$/.exec(token) ?? []
  if (start === undefined) throw invalid('The page token is invalid.')
  const end = Number(start) + size
  const from = repeats ? Math.max(0, Number(start) - 1) : Number(start)
  return { elements: all.slice(from, end), ...(end < all.length && { nextPageToken: `p${end}` }) }
}

async function listItems(call: Call): Promise<void> {
  const query = Object.fromEntries(call.exchange.url.searchParams)
  const { elements, ...next } = pageOf(ownItems(call), query, 25, 100, true)
  await sendItems(call, elements, next)
}

async function searchItems(call: Call): Promise<void> {
  const body = await jsonOf(call)
  const { albumId } = body
  if (albumId !== undefined && body.filters !== undefined) throw invalid('Album ID and filters cannot be set together.')
  const album = albumId === undefined ? null : ownAlbum(call, String(albumId))
  const all = ownItems(call).filter(({ id }) => album === null || album.items.includes(id))
  const { elements, ...next } = pageOf(all, body, 25, 100, true)
  await sendItems(call, elements, next)
}

function sendItems({ exchange, photos, user }: Call, items: readonly Item[], next: object): Promise<void> {
  const mediaItems = items.map((item) => itemJson(photos, user, item))
  return exchange.sendJson(200, { ...(mediaItems.length > 0 && { mediaItems }), ...next })
}

async function listAlbums(call: Call): Promise<void> {
  const { exchange, photos, user, clientId } = call
  const own = [...albumsOf(photos, user).values()].filter(({ createdBy }) => createdBy === clientId)
  const { elements, ...next } = pageOf(own, Object.fromEntries(exchange.url.searchParams), 20, 50, false)
  await exchange.sendJson(200, { ...(elements.length > 0 && { albums: elements.map(albumJson) }), ...next })
}

async function getAlbum(call: Call, id: string): Promise<void> {
  await call.exchange.sendJson(200, albumJson(ownAlbum(call, id)))
}

async function createAlbum(call: Call): Promise<void> {
  const { exchange, photos, user, clientId } = call
  const { album } = (await jsonOf(call)) as { album?: { title?: unknown } }
  const title = album?.title
  if (typeof title !== 'string' || title === '' || title.length > 500) throw invalid('Album title is invalid.')
  const made: Album = { id: newId(), createdBy: clientId, title, items: [] }
  albumsOf(photos, user).set(made.id, made)
  await exchange.sendJson(200, albumJson(made))
}

async function removeFromAlbum(call: Call, id: string): Promise<void> {
  const album = ownAlbum(call, id)
  const { mediaItemIds } = (await jsonOf(call)) as { mediaItemIds?: readonly string[] }
  const gone = new Set(mediaItemIds ?? [])
  album.items.splice(0, album.items.length, ...album.items.filter((item) => !gone.has(item)))
  await call.exchange.sendJson(200, {})
}

const MOST_CREATED = 50
const MOST_PHOTO_BYTES = 200_000_000

type NewItem = { readonly simpleMediaItem?: { readonly fileName?: unknown; readonly uploadToken?: unknown } }

async function batchCreate(call: Call): Promise<void> {
  const body = (await jsonOf(call)) as { albumId?: string; newMediaItems?: readonly NewItem[] }
  const wanted = body.newMediaItems ?? []
  if (wanted.length === 0 || wanted.length > MOST_CREATED)
    throw invalid(`From 1 to ${MOST_CREATED} items are possible.`)
  const album = body.albumId === undefined ? null : ownAlbum(call, body.albumId)
  const newMediaItemResults: object[] = []
  for (const { simpleMediaItem } of wanted) {
    newMediaItemResults.push(await createItem(call, album, simpleMediaItem ?? {}))
  }
  await call.exchange.sendJson(200, { newMediaItemResults })
}

async function createItem(
  call: Call,
  album: Album | null,
  wanted: NonNullable<NewItem['simpleMediaItem']>,
): Promise<object> {
  const { exchange, google, photos, user, clientId } = call
  const { fileName, uploadToken } = wanted
  const refuse = (code: number, message: string): object => ({ uploadToken, status: { code, message } })
  const found = photos.tokens.get(String(uploadToken))
  if (!found || found.upload.user !== user || found.expiresAt < photos.clock())
    return refuse(3, 'Invalid upload token.')
  const { blob } = found.upload
  const mimeType = await typeOf(photos, blob)
  const isTooLarge = mimeType?.startsWith('image/') && blob.size > MOST_PHOTO_BYTES
  if (mimeType === null || isTooLarge) {
    return refuse(3, 'Failed: There was an error while trying to create this media item.')
  }
  if (exchange.take('full') || !google.hasRoom(user, blob.size))
    return refuse(8, 'The remaining storage in the user account is not enough.')
  const name = typeof fileName === 'string' && fileName !== '' ? fileName : (found.upload.fileName ?? 'untitled')
  if (name.length > 255) return refuse(3, 'The file name is too long.')
  const item = await addItem(photos, user, { blob, fileName: name, mimeType, createdBy: clientId })
  if (album && !album.items.includes(item.id)) album.items.push(item.id)
  if (exchange.take('vanish')) itemsOf(photos, user).delete(item.id)
  // The answer has no address of the bytes.
  return { uploadToken, status: { message: 'Success' }, mediaItem: itemJson(photos, user, item, false) }
}

/** Bytes at `baseUrl` with `=d` or `=dv`. */
export async function photosBytes(exchange: Exchange, google: Google): Promise<void> {
  const { photos, grants } = google
  const [, key = '', what = ''] = /^\/lr\/([\w-]+)=(.+)$/.exec(exchange.url.pathname) ?? []
  const [, text = ''] = /^Bearer (.+)$/i.exec(exchange.request.headers.authorization ?? '') ?? []
  const isSize = exchange.method === 'HEAD'
  await exchange.begin(isSize ? 'photos.bytes.size' : 'photos.bytes', grants.holderOfAccess(text))
  const failed = exchange.take('serverError')
  if (failed) return exchange.send(failed.status ?? 503, {}, '')
  const place = photos.addresses.get(key)
  const item = place && itemsOf(photos, place.user).get(place.id)
  const isWhole = item && what === (item.mimeType.startsWith('video/') ? 'dv' : 'd')
  if (exchange.take('expired') || grants.access(text)?.grant.user !== place?.user) return exchange.send(401, {}, '')
  if (place && place.expiresAt < photos.clock()) return exchange.send(403, {}, '')
  // An image that says so.
  if (!item || !isWhole) return exchange.send(404, { 'Content-Type': 'image/png' }, Buffer.from('\x89PNG', 'latin1'))
  await sendBytes(exchange, item)
}

async function sendBytes(exchange: Exchange, { stored, mimeType }: Item): Promise<void> {
  const header = exchange.take('ignoreRange') ? undefined : exchange.request.headers.range
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? []
  const headers = { 'Content-Type': mimeType, 'Accept-Ranges': 'bytes' }
  const start = Number(from ?? 0)
  if (from === undefined || start >= stored.size) return exchange.sendObject(200, headers, stored.size, stored.read())
  const end = to === '' || to === undefined ? stored.size : Math.min(stored.size, Number(to) + 1)
  const range = { 'Content-Range': `bytes ${start}-${end - 1}/${stored.size}` }
  await exchange.sendObject(206, { ...headers, ...range }, end - start, stored.read(start, end))
}
