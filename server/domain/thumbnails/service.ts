import type pg from 'pg'
import { createFairSemaphore } from '../../lib/concurrency.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { ThumbnailStore } from '../../storage/thumbnailStore.ts'
import { ContentUnavailableError, NoThumbnailError, TooManyRequestsError } from '../errors.ts'
import type { Contents } from '../files/content/content.ts'
import type { File, FileCategory, PictureFacts } from '../files/contract.ts'
import { requireFile } from '../files/tree/entries.ts'
import type { Viewer } from '../viewer.ts'
import { newestPictures } from './folders.ts'
import { type InPlaceDeps, MAX_READ_BYTES, originalOf, type PlacedContent, placesOf } from './inPlace.ts'

/** The longest side in pixels: rows (also at three pixels per point), tiles of the grid, details and dense screens. */
export const THUMBNAIL_SIDES = { LARGE: 640, MEDIUM: 320, SMALL: 96 } as const

export type ThumbnailSize = keyof typeof THUMBNAIL_SIDES

export const THUMBNAIL_SIZES = ['SMALL', 'MEDIUM', 'LARGE'] as const satisfies readonly ThumbnailSize[]

export type Thumbnail = {
  /** WebP without metadata. */
  readonly bytes: Buffer
  readonly file: File
  /** Identifies the content that it was made of: its SHA-256, or the file's `contentTags`. */
  readonly content: string
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
  /**
   * By file in an account under its own name: what identifies its content, 64 hex digits; without those that have no thumbnail, because
   * their service makes none and they are not drawn here. One statement.
   */
  contentTags(viewer: Viewer, ids: readonly string[]): Promise<Map<string, string>>
}

/** Of an image; `takenAt` is ISO 8601. */
type MadeFacts = Omit<PictureFacts, 'takenAt'> & { readonly takenAt: string | null }

type Made =
  | { readonly pictures: readonly Buffer[]; readonly facts?: MadeFacts | null }
  | { readonly failure: 'BROKEN' | 'STOPPED' | 'UNREAD'; readonly reason: string }

/** Makes the pictures, largest first, outside of this process (server/thumbnails). */
export type MakeThumbnails = {
  /** How many can be made at once. */
  readonly limit: number
  make(job: {
    readonly kind: 'IMAGE' | 'PDF'
    readonly source: ByteSource
    readonly sides: readonly number[]
  }): Promise<Made>
}

export type ThumbnailsDeps = {
  readonly pool: pg.Pool
  readonly contents: Pick<Contents, 'open' | 'openVersion'>
  readonly store: ThumbnailStore
  readonly maker: MakeThumbnails
  /** Whether the service makes pictures of files itself. */
  readonly hasThumbnails: (provider: string) => boolean
  /** Called with errors of the store: thumbnails are made and sent without it. */
  readonly onError: (error: unknown) => void
} & Pick<InPlaceDeps, 'openDriver' | 'report'>

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

/** Of a user, and of all: questions to accounts for pictures that wait for an answer. */
const QUESTIONS = { limit: 16, perOwner: 4 } as const

/** What services make pictures of. */
const PICTURED: readonly FileCategory[] = ['IMAGE', 'VIDEO', 'PDF']

/**
 * Whether requesting a thumbnail makes sense: by type, size and place, without reading the content. In accounts, not every service has
 * one of each: see `contentTags`.
 */
export function mayHaveThumbnail(file: File): boolean {
  return file.accountId === null ? file.sha256 !== null && kindOf(file) !== null : mayBePictured(file)
}

function mayBePictured({ category, isNative, size }: File): boolean {
  return PICTURED.includes(category) && !isNative && size > 0
}

/** Without the service: images that are worth a complete read. Services that report no types have them by the name alone. */
function isDrawnInPlace({ category, mimeType, size }: File): boolean {
  const isDrawn = category === 'IMAGE' && (mimeType === null || DRAWN.IMAGE.types.includes(mimeType))
  return isDrawn && size > 0 && size <= MAX_READ_BYTES
}

/** How the content is drawn here; null: not at all. */
function kindOf({ mimeType, size }: File): Kind | null {
  if (mimeType === null || size === 0) return null
  const kinds = Object.keys(DRAWN) as Kind[]
  return kinds.find((kind) => DRAWN[kind].types.includes(mimeType) && size <= DRAWN[kind].maxBytes) ?? null
}

/** A content with thumbnails. `place`: in an account; else `key` is its SHA-256. */
type Subject = { readonly file: File; readonly key: string } & (
  | { readonly kind: Kind; readonly place: null }
  | { readonly kind: 'IMAGE'; readonly place: PlacedContent }
)

type Making = { waiting: number; readonly abandoned: AbortController; readonly result: Promise<Pictures> }

/** In the order of the sizes in THUMBNAIL_SIDES; null: there are none. */
type Pictures = readonly Buffer[] | null

const SIZES = Object.keys(THUMBNAIL_SIDES) as ThumbnailSize[]
const SIDES = Object.values(THUMBNAIL_SIDES)

export function createThumbnailsService(deps: ThumbnailsDeps): ThumbnailsService {
  const { pool, contents, store, maker, hasThumbnails, onError } = deps
  const making = new Map<string, Making>()
  const turns = createFairSemaphore({
    limit: maker.limit,
    perOwner: maker.limit,
    maxWaiting: MAX_WAITING,
    createError: () => new TooManyRequestsError(1),
  })

  const questions = createFairSemaphore({
    ...QUESTIONS,
    maxWaiting: MAX_WAITING,
    createError: () => new TooManyRequestsError(1),
  })

  /** All sizes at once. The same content is made once for all requests of a user. */
  function makeOnce(viewer: Viewer, subject: Subject): Making {
    const name = `${viewer.userId} ${subject.key}`
    const running = making.get(name)
    if (running && !running.abandoned.signal.aborted) return running
    const abandoned = new AbortController()
    const make = subject.place === null ? makeOfOwn : makeInPlace
    const result = make(viewer, subject, abandoned.signal).finally(() => {
      if (making.get(name) === started) making.delete(name)
    })
    const started: Making = { waiting: 0, abandoned, result }
    making.set(name, started)
    return started
  }

  function makeOfOwn(viewer: Viewer, { file, kind, key }: Subject, signal: AbortSignal): Promise<Pictures> {
    return turns(viewer.userId, async () => {
      signal.throwIfAborted()
      const { source, file: opened } = await contents.open(viewer, file.id)
      // It would be kept as the picture of the earlier content.
      if (opened.sha256 !== key) throw new ContentUnavailableError('This file has just got another content.')
      const made = await draw(kind, source)
      // Throws if the file was deleted while its thumbnails were made: they must not be stored after their removal.
      await requireFile(pool, viewer, file.id)
      await keep(key, made)
      if ('pictures' in made && made.facts) await keepFacts(pool, viewer, file, made.facts)
      return 'pictures' in made ? made.pictures : null
    })
  }

  async function makeInPlace(viewer: Viewer, { file, key, place }: Subject, signal: AbortSignal): Promise<Pictures> {
    if (place === null) throw new Error('The file is in no account.')
    const isDrawn = isDrawnInPlace(file)
    const original = await questions(viewer.userId, async () => {
      signal.throwIfAborted()
      return originalOf(deps, viewer, place, { isDrawn, signal })
    })
    const made =
      original &&
      (await turns(viewer.userId, async () => {
        signal.throwIfAborted()
        return draw('IMAGE', original)
      }))
    // As above; and with another revision it would be the picture of the earlier one.
    const now = await placesOf(pool, viewer, [file.id])
    if (now.get(file.id)?.key !== key) throw new ContentUnavailableError('This file has just got another content.')
    // A service may make a picture later. What is known of the service's picture is not known of the content.
    if (made && 'pictures' in made) await keep(key, { pictures: made.pictures })
    else await store.writeStopped(key).catch(onError)
    return made && 'pictures' in made ? made.pictures : null
  }

  /** @throws ContentUnavailableError when nothing is known about the content */
  async function draw(kind: Kind, source: ByteSource): Promise<Made> {
    const made = await maker.make({ kind, source, sides: SIDES })
    if ('failure' in made && made.failure === 'UNREAD') throw new ContentUnavailableError(made.reason)
    return made
  }

  async function keep(key: string, made: Made): Promise<void> {
    if ('pictures' in made) {
      const facts = Buffer.from(made.facts ? JSON.stringify(made.facts) : '')
      await store.write(key, [...made.pictures, facts]).catch(onError)
    } else if (made.failure === 'BROKEN') await store.write(key, null).catch(onError)
    else await store.writeStopped(key).catch(onError)
  }

  async function pictureOf(
    viewer: Viewer,
    subject: Subject,
    { index, signal }: { index: number; signal: AbortSignal },
  ): Promise<Buffer | null> {
    const { file, key, kind, place } = subject
    const stored = await store.read(key, index).catch((error: unknown) => {
      onError(error)
      return null
    })
    const isWithoutFacts = place === null && kind === 'IMAGE' && file.picture === null
    if (stored !== null && isWithoutFacts) await restoreFacts(viewer, file, key)
    if (stored !== null) return stored === 'NONE' ? null : stored
    signal.throwIfAborted()
    const pictures = await shared(makeOnce(viewer, subject), signal)
    return pictures?.[index] ?? null
  }

  /** Of another file with the same content, whose thumbnails were made before. */
  async function restoreFacts(viewer: Viewer, file: File, key: string): Promise<void> {
    const stored = await store.read(key, SIDES.length).catch(() => null)
    if (stored !== null && stored !== 'NONE') await keepFacts(pool, viewer, file, JSON.parse(stored.toString()))
  }

  const isOffered = ({ file, provider }: PlacedContent): boolean =>
    mayBePictured(file) && (hasThumbnails(provider) || isDrawnInPlace(file))

  /** Null: there are no thumbnails of it. */
  async function subjectOf(viewer: Viewer, file: File): Promise<Subject | null> {
    if (file.accountId === null) {
      const kind = kindOf(file)
      return kind === null || file.sha256 === null ? null : { file, key: file.sha256, kind, place: null }
    }
    const place = (await placesOf(pool, viewer, [file.id])).get(file.id)
    return place && isOffered(place) ? { file, key: place.key, kind: 'IMAGE', place } : null
  }

  return {
    ofFolders: (viewer, folderIds) => newestPictures(pool, viewer, folderIds, mayHaveThumbnail),
    async contentTags(viewer, ids) {
      const places = await placesOf(pool, viewer, ids)
      return new Map([...places].flatMap(([id, place]) => (isOffered(place) ? [[id, place.key] as const] : [])))
    },
    async get(viewer, id, size, signal) {
      const file = await requireFile(pool, viewer, id)
      const subject = await subjectOf(viewer, file)
      if (subject === null) throw new NoThumbnailError(`There are no thumbnails of “${file.name}”.`)
      const bytes = await pictureOf(viewer, subject, { index: SIZES.indexOf(size), signal })
      if (bytes === null) throw new NoThumbnailError(`“${file.name}” could not be drawn.`)
      return { bytes, file, content: subject.key, tag: `${subject.key}-${size.toLowerCase()}` }
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
