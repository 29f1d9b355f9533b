import type { Call, Entry, EntryDetails, EntryRef, Page } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { KIND, objectOf, type PhotosClient } from './client.ts'

// The library as programs see it since 2025-03-31: the albums and items that Skypool itself has added. Albums are folders in the
// root, items that are in no album are in the root, and an item that is in several albums is shown in the first one.

export const ROOT = 'library' as EntryRef

export type MediaItem = {
  readonly id: string
  readonly name: string
  readonly mimeType: string
  readonly createdAt: Date | null
  readonly webUrl: string | null
  /** Address of the bytes, without the parameter that selects them; valid for an hour. */
  readonly baseUrl: string
  /** A video that is still converted has no bytes yet. */
  readonly isReady: boolean
}
type Album = { readonly id: string; readonly title: string; readonly webUrl: string | null }

export type PhotosLimits = {
  readonly pageSize: number
  /** Size of the parts of an upload: a multiple of the granularity of 256 KiB. */
  readonly chunkBytes: number
}
export const DEFAULT_LIMITS: PhotosLimits = { pageSize: 100, chunkBytes: 8 * 1024 * 1024 }
const MAX_ALBUMS_PER_PAGE = 50

/** One account. */
export type Library = {
  readonly client: PhotosClient
  readonly limits: PhotosLimits
  readonly now: () => number
  /** Sizes by item: lists have none, and an item does not change. */
  readonly sizes: Map<string, number>
  albums: Albums | null
}
/** The album of each item that is in one, as read at `readAt` (ms since 1970). */
type Albums = { readonly readAt: number; readonly all: readonly Album[]; readonly albumOf: Map<string, EntryRef> }

const ALBUMS_FOR_MS = 6 * 3_600_000

const itemRef = (id: string): EntryRef => `item/${id}` as EntryRef
export const albumRef = (id: string): EntryRef => `album/${id}` as EntryRef

/** Null for another ref. */
export function idIn(ref: EntryRef, kind: 'item' | 'album'): string | null {
  const [prefix, id = ''] = ref.split('/')
  return prefix === kind && /^[\w-]+$/.test(id) ? id : null
}

const notFound = (operation: string): ProviderError =>
  new ProviderError('NotFound', { provider: KIND, operation }, { message: 'This is not in the library.' })

/** @throws NotFound */
export async function readItem({ client }: Library, call: Call, operation: string, ref: EntryRef): Promise<MediaItem> {
  const id = idIn(ref, 'item')
  if (id === null) throw notFound(operation)
  return itemOf(await client.ask(call, operation, `/mediaItems/${id}`))
}

/** Driver.stat. */
export async function stat(library: Library, call: Call, ref: EntryRef): Promise<Entry> {
  if (ref === ROOT) {
    await library.client.userinfo(call, 'stat')
    return folderEntry(ROOT, 'Google Photos', null)
  }
  const albumId = idIn(ref, 'album')
  if (albumId !== null) return albumEntry(albumOf(await library.client.ask(call, 'stat', `/albums/${albumId}`)))
  const item = await readItem(library, call, 'stat', ref)
  const { albumOf: placed } = await albumsOf(library, call, 'stat')
  return itemEntry(library, call, item, placed.get(item.id) ?? ROOT)
}

/** Driver.list. */
export async function list(
  library: Library,
  call: Call,
  folder: EntryRef,
  cursor: string | null,
): Promise<Page<Entry>> {
  if (folder === ROOT) return listLevel(library, call, 'list', cursor, (parent) => parent === ROOT)
  const albumId = idIn(folder, 'album')
  if (albumId === null) throw notFound('list')
  const page = await itemsPage(library, call, 'list', cursor, albumId)
  return { ...page, items: await entriesOf(library, call, page.items, () => folder) }
}

/** Driver.listAll. */
export function listAll(library: Library, call: Call, cursor: string | null): Promise<Page<Entry>> {
  if (cursor === null) library.albums = null
  return listLevel(library, call, 'listAll', cursor, () => true)
}

/** The albums first, and then the items whose folder is wanted. */
async function listLevel(
  library: Library,
  call: Call,
  operation: string,
  cursor: string | null,
  isWanted: (parent: EntryRef) => boolean,
): Promise<Page<Entry>> {
  const { all, albumOf: placed } = await albumsOf(library, call, operation)
  if (cursor === null) return { items: all.map(albumEntry), cursor: ITEMS }
  const page = await itemsPage(library, call, operation, cursor === ITEMS ? null : cursor, null)
  const parentOf = ({ id }: MediaItem): EntryRef => placed.get(id) ?? ROOT
  const wanted = page.items.filter((item) => isWanted(parentOf(item)))
  return { ...page, items: await entriesOf(library, call, wanted, parentOf) }
}
const ITEMS = 'items'

/** The albums with their items. Read again after some hours, and with each new listing of everything. */
export async function albumsOf(library: Library, call: Call, operation: string): Promise<Albums> {
  const known = library.albums
  if (known && library.now() - known.readAt < ALBUMS_FOR_MS) return known
  const all: Album[] = []
  let token: string | null = null
  do {
    const size = Math.min(library.limits.pageSize, MAX_ALBUMS_PER_PAGE)
    const query = new URLSearchParams({ pageSize: String(size), excludeNonAppCreatedData: 'true' })
    if (token !== null) query.set('pageToken', token)
    const page = await library.client.ask(call, operation, `/albums?${query}`)
    all.push(...arrayOf(page.albums).map(albumOf))
    token = tokenOf(page)
  } while (token !== null)
  const placed = new Map<string, EntryRef>()
  for (const { id } of all) {
    let cursor: string | null = null
    do {
      const page: Page<MediaItem> = await itemsPage(library, call, operation, cursor, id)
      for (const item of page.items) if (!placed.has(item.id)) placed.set(item.id, albumRef(id))
      cursor = page.cursor
    } while (cursor !== null)
  }
  library.albums = { readAt: library.now(), all, albumOf: placed }
  return library.albums
}

/** Of an album, or of the whole library. The first item of a page can be the last one of the page before. */
async function itemsPage(
  { client, limits }: Library,
  call: Call,
  operation: string,
  cursor: string | null,
  albumId: string | null,
): Promise<Page<MediaItem>> {
  const [, last = '', token = ''] = /^([\w-]*):(.+)$/s.exec(cursor ?? '') ?? []
  if (cursor !== null && token === '') {
    throw new ProviderError(
      'CursorReset',
      { provider: KIND, operation },
      { message: 'The cursor is none of this list.' },
    )
  }
  const size = { pageSize: limits.pageSize, ...(token !== '' && { pageToken: token }) }
  const query = new URLSearchParams(Object.entries(size).map(([name, value]) => [name, String(value)]))
  const page =
    albumId === null
      ? await client.ask(call, operation, `/mediaItems?${query}`)
      : await client.ask(call, operation, '/mediaItems:search', { albumId, ...size })
  const items = arrayOf(page.mediaItems).map(itemOf)
  const next = tokenOf(page)
  return {
    items: items[0]?.id === last ? items.slice(1) : items,
    cursor: next === null ? null : `${items.at(-1)?.id ?? last}:${next}`,
  }
}

function entriesOf(
  library: Library,
  call: Call,
  items: readonly MediaItem[],
  parentOf: (item: MediaItem) => EntryRef,
): Promise<Entry[]> {
  return Promise.all(items.map((item) => itemEntry(library, call, item, parentOf(item))))
}

export async function itemEntry(library: Library, call: Call, item: MediaItem, parent: EntryRef): Promise<Entry> {
  const { id, name, mimeType, createdAt, webUrl, isReady } = item
  const size = isReady ? await sizeOf(library, call, item) : null
  const details: EntryDetails = {
    parent,
    mimeType,
    createdAt: null,
    revision: `${id}:${size}`,
    webUrl,
    nativeKind: size === null ? 'OTHER' : null,
    exportTypes: [],
    target: null,
    rights: { ...NO_RIGHTS, read: size !== null },
  }
  return { ref: itemRef(id), name, kind: 'file', size, modifiedAt: createdAt, hash: null, details }
}

const NO_RIGHTS = { read: true, write: false, rename: false, move: false, delete: false, share: false } as const

const albumEntry = ({ id, title, webUrl }: Album): Entry => folderEntry(albumRef(id), title, webUrl)

function folderEntry(ref: EntryRef, name: string, webUrl: string | null): Entry {
  const details: EntryDetails = {
    parent: ref === ROOT ? null : ROOT,
    mimeType: null,
    createdAt: null,
    revision: null,
    webUrl,
    nativeKind: null,
    exportTypes: [],
    target: null,
    rights: { ...NO_RIGHTS, write: true },
  }
  return { ref, name, kind: 'folder', size: null, modifiedAt: null, hash: null, details }
}

/** The address of the bytes: `d` is the photo without its location, `dv` the video as Google has converted it. */
export const bytesUrl = ({ baseUrl, mimeType }: MediaItem): string =>
  `${baseUrl}=${mimeType.startsWith('video/') ? 'dv' : 'd'}`

async function sizeOf({ client, sizes }: Library, call: Call, item: MediaItem): Promise<number | null> {
  const known = sizes.get(item.id)
  if (known !== undefined) return known
  const response = await client.send(call, 'size', { method: 'HEAD', url: bytesUrl(item) })
  response.dispose()
  const length = response.header('content-length')
  if (length === null) return null
  sizes.set(item.id, Number(length))
  return Number(length)
}

export function itemOf(value: unknown): MediaItem {
  const { id, filename, mimeType, baseUrl, productUrl, mediaMetadata } = objectOf(value)
  const { creationTime, video } = objectOf(mediaMetadata)
  const time = Date.parse(textOf(creationTime))
  return {
    id: textOf(id),
    name: textOf(filename),
    mimeType: textOf(mimeType),
    createdAt: Number.isNaN(time) ? null : new Date(time),
    webUrl: textOf(productUrl) || null,
    baseUrl: textOf(baseUrl),
    isReady: video === undefined || objectOf(video).status === 'READY',
  }
}

export function albumOf(value: unknown): Album {
  const { id, title, productUrl } = objectOf(value)
  return { id: textOf(id), title: textOf(title), webUrl: textOf(productUrl) || null }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const tokenOf = ({ nextPageToken }: Readonly<Record<string, unknown>>): string | null => textOf(nextPageToken) || null
