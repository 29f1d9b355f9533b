import { createHash, randomBytes } from 'node:crypto'
import type { Blob, Blobs } from '../../core/blobs.ts'
import type { Exchange, Headers } from '../../core/service.ts'
import type { Google } from '../google.ts'
import type { User } from '../model.ts'

/** An answer of the Photos Library API that is an error; `status` is the name of google.rpc. */
export class PhotosError extends Error {
  override readonly name = 'PhotosError'
  constructor(
    readonly code: number,
    readonly status: string,
    message: string,
    readonly headers: Headers = {},
  ) {
    super(message)
  }
}

/** A call by someone who may make it. */
export type Call = {
  readonly exchange: Exchange
  readonly google: Google
  readonly photos: Photos
  readonly user: User
  readonly clientId: string
}

export type Item = {
  readonly id: string
  /** The OAuth client that added it; null: a person or another program, which clients cannot see. */
  readonly createdBy: string | null
  readonly fileName: string
  readonly mimeType: string
  readonly createdAt: number
  /** As it was sent. */
  readonly original: Blob
  /** As it is returned: without the location, and videos converted. */
  readonly stored: Blob
  readonly sha256: string
}

export type Album = { readonly id: string; readonly createdBy: string | null; title: string; readonly items: string[] }

export type Upload = {
  readonly user: User
  readonly clientId: string
  readonly size: number | null
  /** For items that are made of it without a name. */
  readonly fileName: string | null
  readonly blob: Blob
  /** Made when the last bytes have arrived. */
  token: string | null
  isCancelled: boolean
}

export type Photos = {
  readonly blobs: Blobs
  readonly clock: () => number
  readonly items: Map<User, Map<string, Item>>
  readonly albums: Map<User, Map<string, Album>>
  readonly uploads: Map<string, Upload>
  readonly tokens: Map<string, { readonly upload: Upload; readonly expiresAt: number }>
  /** Addresses of bytes by their random part. */
  readonly addresses: Map<string, { readonly user: User; readonly id: string; readonly expiresAt: number }>
  /** Takes every content for a photo, and returns it as it is: for suites whose contents are no photos. */
  takesAll: boolean
}

const HOUR_MS = 3_600_000

export function createPhotos(blobs: Blobs, clock: () => number): Photos {
  const maps = { items: new Map(), albums: new Map(), uploads: new Map(), tokens: new Map(), addresses: new Map() }
  return { blobs, clock, ...maps, takesAll: false }
}

export const newId = (): string => `AF1Qip${randomBytes(24).toString('base64url')}`

export function itemsOf({ items }: Photos, user: User): Map<string, Item> {
  const found = items.get(user) ?? new Map<string, Item>()
  items.set(user, found)
  return found
}

export function albumsOf({ albums }: Photos, user: User): Map<string, Album> {
  const found = albums.get(user) ?? new Map<string, Album>()
  albums.set(user, found)
  return found
}

const MAGIC: readonly (readonly [RegExp, string])[] = [
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^\x89PNG/, 'image/png'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  [/^.{4}ftyp/s, 'video/mp4'],
]

/** By the first bytes, whatever the name says; null: no photo or video. */
export async function typeOf({ takesAll }: Photos, blob: Blob): Promise<string | null> {
  const head = Buffer.concat(await blob.read(0, 16).toArray()).toString('latin1')
  return MAGIC.find(([magic]) => magic.test(head))?.[1] ?? (takesAll ? 'image/jpeg' : null)
}

/** Adds the bytes to the library; equal bytes of the same client are the same item. */
export async function addItem(
  photos: Photos,
  user: User,
  { blob, fileName, mimeType, createdBy }: { blob: Blob; fileName: string; mimeType: string; createdBy: string | null },
): Promise<Item> {
  const bytes = Buffer.concat(await blob.read().toArray())
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const all = itemsOf(photos, user)
  const known = [...all.values()].find((item) => item.sha256 === sha256 && item.createdBy === createdBy)
  if (known) return known
  const stored = photos.blobs.create()
  await stored.append(photos.takesAll ? bytes : altered(bytes, mimeType))
  const facts = { createdBy, fileName, mimeType, createdAt: photos.clock(), original: blob, stored, sha256 }
  const item: Item = { id: newId(), ...facts }
  all.set(item.id, item)
  user.usedByOthersBytes += bytes.length
  return item
}

/** Stands for the location in the metadata of a photo. */
const LOCATION = Buffer.from('GPS:')

function altered(bytes: Buffer, mimeType: string): Buffer {
  if (mimeType.startsWith('video/')) return bytes.subarray(0, Math.ceil(bytes.length / 2))
  const at = bytes.indexOf(LOCATION)
  const end = at < 0 ? -1 : bytes.indexOf(0, at)
  return end < 0 ? bytes : Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])
}

export function itemJson(photos: Photos, user: User, item: Item, withAddress = true): object {
  const { id, fileName, mimeType, createdAt } = item
  const kind = mimeType.startsWith('video/') ? { video: { fps: 30, status: 'READY' } } : { photo: {} }
  const creationTime = new Date(Math.floor(createdAt / 1000) * 1000).toISOString().replace('.000Z', 'Z')
  const key = randomBytes(12).toString('base64url')
  if (withAddress) photos.addresses.set(key, { user, id, expiresAt: photos.clock() + HOUR_MS })
  return {
    id,
    productUrl: `https://photos.google.com/lr/photo/${id}`,
    ...(withAddress && { baseUrl: `https://lh3.googleusercontent.com/lr/${key}` }),
    mimeType,
    mediaMetadata: { creationTime, width: '640', height: '480', ...kind },
    filename: fileName,
  }
}

export function albumJson({ id, title, items }: Album): object {
  return {
    id,
    title,
    productUrl: `https://photos.google.com/lr/album/${id}`,
    isWriteable: true,
    ...(items.length > 0 && { mediaItemsCount: String(items.length), coverPhotoMediaItemId: items[0] }),
  }
}
