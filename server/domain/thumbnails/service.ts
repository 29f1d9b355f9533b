import type pg from 'pg'
import { createFairSemaphore } from '../../lib/concurrency.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { ThumbnailStore } from '../../storage/thumbnailStore.ts'
import { ContentUnavailableError, NoThumbnailError, TooManyRequestsError } from '../errors.ts'
import type { Contents } from '../files/content/content.ts'
import type { File, PictureFacts } from '../files/contract.ts'
import { requireFile } from '../files/tree/entries.ts'
import type { Viewer } from '../viewer.ts'
import { newestPictures } from './folders.ts'

/** The longest side in pixels: rows (also at three pixels per point), tiles of the grid, details and dense screens. */
export const THUMBNAIL_SIDES = { LARGE: 640, MEDIUM: 320, SMALL: 96 } as const

export type ThumbnailSize = keyof typeof THUMBNAIL_SIDES

export const THUMBNAIL_SIZES = ['SMALL', 'MEDIUM', 'LARGE'] as const satisfies readonly ThumbnailSize[]

export type Thumbnail = {
  /** WebP without metadata. */
  readonly bytes: Buffer
  readonly file: File
  /** Identifies these bytes, for an ETag. */
  readonly tag: string
}

export interface ThumbnailsService {
  /**
   * The picture of a file, made with the first request for its content and kept. Access is that of a download.
   * @param signal aborted when no one waits for it any more: what has not begun is not made
   * @throws NotFoundError, NoThumbnailError, ContentUnavailableError, TooManyRequestsError, the signal's reason
   */
  get(viewer: Viewer, id: string, size: ThumbnailSize, signal: AbortSignal): Promise<Thumbnail>
  /** By folder: its newest files that may have a thumbnail, at most four. Others' folders have none. */
  ofFolders(viewer: Viewer, folderIds: readonly string[]): Promise<Map<string, readonly File[]>>
}

/** Of an image; `takenAt` is ISO 8601. */
type MadeFacts = Omit<PictureFacts, 'takenAt'> & { readonly takenAt: string | null }

/** Makes the pictures, largest first, outside of this process (server/thumbnails). */
export type MakeThumbnails = {
  /** How many can be made at once. */
  readonly limit: number
  make(job: {
    readonly kind: 'IMAGE' | 'PDF'
    readonly source: ByteSource
    readonly sides: readonly number[]
  }): Promise<
    | { readonly pictures: readonly Buffer[]; readonly facts?: MadeFacts | null }
    | { readonly failure: 'BROKEN' | 'STOPPED' | 'UNREAD'; readonly reason: string }
  >
}

export type ThumbnailsDeps = {
  readonly pool: pg.Pool
  readonly contents: Pick<Contents, 'open'>
  readonly store: ThumbnailStore
  readonly maker: MakeThumbnails
  /** Called with errors of the store: thumbnails are made and sent without it. */
  readonly onError: (error: unknown) => void
}

const MIB = 1024 * 1024

/** What can be drawn, and up to which size: the content is read as a whole. */
const DRAWN = {
  IMAGE: {
    types: [
      'image/jpeg',
      'image/png',
      'image/apng',
      'image/webp',
      'image/gif',
      'image/tiff',
      'image/avif',
    ] as readonly string[],
    maxBytes: 64 * MIB,
  },
  PDF: { types: ['application/pdf'] as readonly string[], maxBytes: 32 * MIB },
} as const

type Kind = keyof typeof DRAWN

/** Requests of one user that wait: those of some screens of a grid. */
const MAX_WAITING = 1_000

/** Whether requesting a thumbnail makes sense: by type, size and place, without reading the content. */
export function mayHaveThumbnail(file: File): boolean {
  return kindOf(file) !== null
}

function kindOf({ accountId, sha256, mimeType, size }: File): Kind | null {
  // What is in place at a provider would have to be downloaded completely for each picture.
  if (accountId !== null || sha256 === null || mimeType === null || size === 0) return null
  const kinds = Object.keys(DRAWN) as Kind[]
  return kinds.find((kind) => DRAWN[kind].types.includes(mimeType) && size <= DRAWN[kind].maxBytes) ?? null
}

type Making = { waiting: number; readonly abandoned: AbortController; readonly result: Promise<Pictures> }

/** In the order of the sizes in THUMBNAIL_SIDES; null: there are none. */
type Pictures = readonly Buffer[] | null

const SIZES = Object.keys(THUMBNAIL_SIDES) as ThumbnailSize[]
const SIDES = Object.values(THUMBNAIL_SIDES)

export function createThumbnailsService(deps: ThumbnailsDeps): ThumbnailsService {
  const { pool, contents, store, maker, onError } = deps
  const making = new Map<string, Making>()
  const turns = createFairSemaphore({
    limit: maker.limit,
    perOwner: maker.limit,
    maxWaiting: MAX_WAITING,
    createError: () => new TooManyRequestsError(1),
  })

  /** All sizes at once. The same content is made once for all requests of a user. */
  function makeOnce(viewer: Viewer, file: File, kind: Kind, key: string): Making {
    const name = `${viewer.userId} ${key}`
    const running = making.get(name)
    if (running && !running.abandoned.signal.aborted) return running
    const abandoned = new AbortController()
    const result = turns(viewer.userId, async () => {
      abandoned.signal.throwIfAborted()
      return make(viewer, file, kind, key)
    }).finally(() => {
      if (making.get(name) === started) making.delete(name)
    })
    const started: Making = { waiting: 0, abandoned, result }
    making.set(name, started)
    return started
  }

  async function make(viewer: Viewer, file: File, kind: Kind, key: string): Promise<Pictures> {
    const { source, file: opened } = await contents.open(viewer, file.id)
    // It would be kept as the picture of the earlier content.
    if (opened.sha256 !== key) throw new ContentUnavailableError('This file has just got another content.')
    const made = await maker.make({ kind, source, sides: SIDES })
    if ('failure' in made && made.failure === 'UNREAD') throw new ContentUnavailableError(made.reason)
    // Throws if the file was deleted while its thumbnails were made: they must not be stored after their removal.
    await requireFile(pool, viewer, file.id)
    if ('pictures' in made) {
      const facts = Buffer.from(made.facts ? JSON.stringify(made.facts) : '')
      await store.write(key, [...made.pictures, facts]).catch(onError)
      if (made.facts) await keepFacts(pool, viewer, file, made.facts)
    } else if (made.failure === 'BROKEN') await store.write(key, null).catch(onError)
    else await store.writeStopped(key).catch(onError)
    return 'pictures' in made ? made.pictures : null
  }

  async function pictureOf(
    viewer: Viewer,
    file: File,
    { kind, key, index, signal }: { kind: Kind; key: string; index: number; signal: AbortSignal },
  ): Promise<Buffer | null> {
    const stored = await store.read(key, index).catch((error: unknown) => {
      onError(error)
      return null
    })
    if (stored !== null && kind === 'IMAGE' && file.picture === null) await restoreFacts(viewer, file, key)
    if (stored !== null) return stored === 'NONE' ? null : stored
    signal.throwIfAborted()
    const pictures = await shared(makeOnce(viewer, file, kind, key), signal)
    return pictures?.[index] ?? null
  }

  /** Of another file with the same content, whose thumbnails were made before. */
  async function restoreFacts(viewer: Viewer, file: File, key: string): Promise<void> {
    const stored = await store.read(key, SIDES.length).catch(() => null)
    if (stored !== null && stored !== 'NONE') await keepFacts(pool, viewer, file, JSON.parse(stored.toString()))
  }

  return {
    ofFolders: (viewer, folderIds) => newestPictures(pool, viewer, folderIds, mayHaveThumbnail),
    async get(viewer, id, size, signal) {
      const file = await requireFile(pool, viewer, id)
      const kind = kindOf(file)
      const key = file.sha256
      if (kind === null || key === null) throw new NoThumbnailError(`There are no thumbnails of “${file.name}”.`)
      const bytes = await pictureOf(viewer, file, { kind, key, index: SIZES.indexOf(size), signal })
      if (bytes === null) throw new NoThumbnailError(`“${file.name}” could not be drawn.`)
      return { bytes, file, tag: `${key}-${size.toLowerCase()}` }
    },
  }
}

/** Does nothing if the file has another content by now. */
async function keepFacts(pool: pg.Pool, { userId }: Viewer, { id, sha256 }: File, facts: MadeFacts): Promise<void> {
  await pool.query(
    `update files set picture_width = $3, picture_height = $4, taken_at = $5
     where user_id = $1 and id = $2 and encode(sha256, 'hex') is not distinct from $6`,
    [userId, id, facts.width, facts.height, facts.takenAt, sha256],
  )
}

/** The result for one of those who wait; when all have left, what has not begun is not made. */
function shared(making: Making, signal: AbortSignal): Promise<Pictures> {
  making.waiting += 1
  return new Promise((resolve, reject) => {
    const leave = () => {
      making.waiting -= 1
      if (making.waiting === 0) making.abandoned.abort()
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    making.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
