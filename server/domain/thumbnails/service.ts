import type pg from 'pg'
import { createFairSemaphore } from '../../lib/concurrency.ts'
import { type ByteSource, sourceOfBytes } from '../../storage/byteSource.ts'
import type { ThumbnailStore } from '../../storage/thumbnailStore.ts'
import {
  ContentUnavailableError,
  InvalidInputError,
  NoThumbnailError,
  PreconditionFailedError,
  TooManyRequestsError,
} from '../errors.ts'
import type { Events } from '../events.ts'
import {
  type BrowserPicture,
  browserPicturesOf,
  HAS_OTHER_OR_BROWSER_PICTURE,
  isMadeByBrowsers,
  readBrowserPicture,
  saveBrowserPicture,
} from '../files/content/browserPictures.ts'
import type { Contents } from '../files/content/content.ts'
import type { File, PictureFacts } from '../files/contract.ts'
import {
  createFileReads,
  FILE_COLUMNS,
  type FileRow,
  type Queryable,
  ROOT,
  requireFile,
  toFile,
} from '../files/tree/entries.ts'
import type { Viewer } from '../viewer.ts'
import { type InPlaceDeps, originalOf, type PlacedContent, placesOf } from './inPlace.ts'
import {
  browserPictureTag,
  isDrawnInPlace,
  type Kind,
  kindInPlace,
  kindOf,
  lookOfFile,
  mayHaveThumbnail,
  neededPart,
  pictureTag,
  THUMBNAIL_SIDES,
  type Thumbnail,
  type ThumbnailSize,
} from './kinds.ts'
import { drawPaper, Excerpt } from './paper.ts'

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
  /**
   * Keeps a picture that a browser has made of a file of this user which is not drawn here (`isMadeByBrowsers`), with all files of the
   * user that have the same content. It is decoded and encoded again outside of this process.
   * @throws NotFoundError; InvalidInputError for other files, and for what is no picture; PreconditionFailedError when the file does not
   * have this size; ContentUnavailableError, TooManyRequestsError
   */
  offer(viewer: Viewer, id: string, offered: OfferedPicture): Promise<void>
  /** By file: what is known of a picture that a browser has made. One statement. */
  fromBrowsers(viewer: Viewer, ids: readonly string[]): Promise<Map<string, BrowserPicture>>
}

/** Of an image; `takenAt` is ISO 8601. */
type MadeFacts = Omit<PictureFacts, 'takenAt'> & { readonly takenAt: string | null }

type Made =
  | { readonly pictures: readonly Buffer[]; readonly facts?: MadeFacts | null }
  | { readonly excerpt: unknown }
  | { readonly failure: 'BROKEN' | 'STOPPED' | 'UNREAD'; readonly reason: string }

/** Makes the pictures, largest first, outside of this process (server/thumbnails). */
export type MakeThumbnails = {
  /** How many can be made at once. */
  readonly limit: number
  make(job: {
    readonly kind: Kind
    readonly source: Pick<ByteSource, 'size' | 'read'>
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
  readonly events: Pick<Events, 'publish'>
  /** Called with errors of the store: thumbnails are made and sent without it. */
  readonly onError: (error: unknown) => void
} & Pick<InPlaceDeps, 'openDriver' | 'report'>

/** Requests of one user that wait: those of some screens of a grid. */
const MAX_WAITING = 1_000

/** Of a user, and of all: questions to accounts for pictures that wait for an answer. */
const QUESTIONS = { limit: 16, perOwner: 4 } as const

/** A content with thumbnails. `place`: in an account; else `key` is its SHA-256. `kept`: its key in the store. */
type Subject = {
  readonly file: File
  readonly key: string
  readonly kept: string
  readonly kind: Kind
  readonly place: PlacedContent | null
}

type Making = { waiting: number; readonly abandoned: AbortController; readonly result: Promise<Result> }

/** Pictures in the order of the sizes in THUMBNAIL_SIDES; null: there are none. */
type Result = { readonly pictures: readonly Buffer[] } | { readonly excerpt: Excerpt } | null

const SIZES = Object.keys(THUMBNAIL_SIDES) as ThumbnailSize[]
const SIDES = Object.values(THUMBNAIL_SIDES)
/** In the store, after the pictures: facts about an image, or the excerpt that has none. */
const ABOUT = SIDES.length

export function createThumbnailsService(deps: ThumbnailsDeps): ThumbnailsService {
  const { pool, contents, store, maker, hasThumbnails, events, onError } = deps
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

  const browsers = createBrowserPictures({ pool, events, draw })

  const files = createFileReads(pool)

  /** All sizes at once. The same content is made once for all requests of a user. */
  function makeOnce(viewer: Viewer, subject: Subject): Making {
    const name = `${viewer.userId} ${subject.kept}`
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

  function makeOfOwn(viewer: Viewer, { file, kind, key, kept }: Subject, signal: AbortSignal): Promise<Result> {
    return turns(viewer.userId, async () => {
      signal.throwIfAborted()
      const { source, file: opened } = await contents.open(viewer, file.id)
      // It would be kept as the picture of the earlier content.
      if (opened.sha256 !== key) throw new ContentUnavailableError('This file has just got another content.')
      const made = await draw(kind, neededPart(source, kind))
      // Throws if the file was deleted while its thumbnails were made: they must not be stored after their removal.
      await requireFile(pool, viewer, file.id)
      await keep(kept, made)
      if ('pictures' in made && made.facts) await keepFacts(pool, viewer, file, made.facts)
      return 'failure' in made ? null : made
    })
  }

  async function makeInPlace(viewer: Viewer, { file, key, kept, kind, place }: Subject, signal: AbortSignal) {
    if (place === null) throw new Error('The file is in no account.')
    const isDrawn = isDrawnInPlace(file)
    const original = await questions(viewer.userId, async () => {
      signal.throwIfAborted()
      return originalOf(deps, viewer, place, { kind, isDrawn, signal })
    })
    const made =
      original &&
      (await turns(viewer.userId, async () => {
        signal.throwIfAborted()
        return draw(original.kind, original.source)
      }))
    // As above; and with another revision it would be the picture of the earlier one.
    const now = await placesOf(pool, viewer, [file.id])
    if (now.get(file.id)?.key !== key) throw new ContentUnavailableError('This file has just got another content.')
    const isMade = made !== null && !('failure' in made)
    // A service may make a picture later. What is known of the service's picture is not known of the content.
    if (isMade) await keep(kept, 'pictures' in made ? { pictures: made.pictures } : made)
    else await store.writeStopped(kept).catch(onError)
    return isMade ? made : null
  }

  /** @throws ContentUnavailableError when nothing is known about the content */
  async function draw(kind: Kind, source: Pick<ByteSource, 'size' | 'read'>) {
    const made = await maker.make({ kind, source, sides: SIDES })
    if ('failure' in made && made.failure === 'UNREAD') throw new ContentUnavailableError(made.reason)
    return 'excerpt' in made ? { excerpt: Excerpt.parse(made.excerpt) } : made
  }

  async function keep(key: string, made: Awaited<ReturnType<typeof draw>>): Promise<void> {
    if ('failure' in made) {
      await (made.failure === 'BROKEN' ? store.write(key, null) : store.writeStopped(key)).catch(onError)
      return
    }
    const pictures = 'pictures' in made ? made.pictures : SIDES.map(() => Buffer.alloc(0))
    const about = 'pictures' in made ? made.facts : made.excerpt
    await store.write(key, [...pictures, Buffer.from(about ? JSON.stringify(about) : '')]).catch(onError)
  }

  /** Null: it is known that there is none. */
  async function pictureOf(
    viewer: Viewer,
    subject: Subject,
    { size, signal }: { size: ThumbnailSize; signal: AbortSignal },
  ): Promise<Pick<Thumbnail, 'bytes' | 'mimeType'> | null> {
    const index = SIZES.indexOf(size)
    const known = await storedOf(subject, index).catch((error: unknown) => {
      onError(error)
      return null
    })
    if (known !== null) await restoreFacts(viewer, subject)
    signal.throwIfAborted()
    const result = known ?? (await shared(makeOnce(viewer, subject), signal))
    if (result === null || result === 'NONE') return null
    if ('excerpt' in result) {
      return { bytes: drawPaper(result.excerpt, lookOfFile(subject.file) ?? 'PLAIN', size), mimeType: 'image/svg+xml' }
    }
    const bytes = 'picture' in result ? result.picture : result.pictures[index]
    return bytes ? { bytes, mimeType: 'image/webp' } : null
  }

  /** Null: nothing is known. */
  async function storedOf({ kind, kept }: Subject, index: number) {
    const about = isExcerpt(kind) ? await store.read(kept, ABOUT) : null
    if (about instanceof Buffer) return { excerpt: Excerpt.parse(JSON.parse(about.toString())) }
    const picture = await store.read(kept, index)
    return picture === null || picture === 'NONE' ? picture : { picture }
  }

  /** Of another file with the same content, whose thumbnails were made before. */
  async function restoreFacts(viewer: Viewer, { file, kind, kept, place }: Subject): Promise<void> {
    if (place !== null || kind !== 'IMAGE' || file.picture !== null) return
    const stored = await store.read(kept, ABOUT).catch(() => null)
    if (stored instanceof Buffer) await keepFacts(pool, viewer, file, JSON.parse(stored.toString()))
  }

  function isOffered({ file, provider }: PlacedContent): boolean {
    const kind = kindInPlace(file)
    return kind !== null && ((kind !== 'TEXT' && hasThumbnails(provider)) || isDrawnInPlace(file))
  }

  /** Null: there are no thumbnails of it. */
  async function subjectOf(viewer: Viewer, file: File): Promise<Subject | null> {
    const place = file.accountId === null ? null : ((await placesOf(pool, viewer, [file.id])).get(file.id) ?? null)
    if (file.accountId !== null && (place === null || !isOffered(place))) return null
    const kind = place === null ? kindOf(file) : kindInPlace(file)
    const key = place === null ? file.sha256 : place.key
    if (kind === null || key === null) return null
    // What is found about a text says nothing about the same bytes as a picture.
    return { file, key, kept: isExcerpt(kind) ? `${key}.text` : key, kind, place }
  }

  return {
    ofFolders: (viewer, folderIds) => newestPictures(pool, viewer, folderIds, mayHaveThumbnail),
    async contentTags(viewer, ids) {
      const places = await placesOf(pool, viewer, ids)
      return new Map([...places].flatMap(([id, place]) => (isOffered(place) ? [[id, place.key] as const] : [])))
    },
    fromBrowsers: browsers.facts,
    offer: (viewer, id, offered) => turns(viewer.userId, () => browsers.offer(viewer, id, offered)),
    async get(viewer, id, size, signal) {
      const file = await files.get(viewer, id)
      if (isMadeByBrowsers(file)) return browsers.read(viewer, file, size)
      const subject = await subjectOf(viewer, file)
      if (subject === null) throw new NoThumbnailError(`There are no thumbnails of “${file.name}”.`)
      const picture = await pictureOf(viewer, subject, { size, signal })
      if (picture === null) throw new NoThumbnailError(`“${file.name}” could not be drawn.`)
      const content = pictureTag(file, subject.key)
      return { ...picture, file, content, tag: `${content}-${size.toLowerCase()}` }
    },
  }
}

const isExcerpt = (kind: Kind) => kind === 'TEXT' || kind === 'OFFICE'

/** Does nothing if the file has another content by now. */
async function keepFacts(pool: pg.Pool, { userId }: Viewer, { id, sha256 }: File, facts: MadeFacts): Promise<void> {
  await pool.query(
    `update files set picture_width = $3, picture_height = $4, taken_at = $5
     where user_id = $1 and id = $2 and encode(sha256, 'hex') is not distinct from $6`,
    [userId, id, facts.width, facts.height, facts.takenAt, sha256],
  )
}

/** The result for one of those who wait; when all have left, what has not begun is not made. */
function shared(making: Making, signal: AbortSignal): Promise<Result> {
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

/** Files of a folder among which the newest that can be drawn are looked for, so that a folder of any size costs the same. */
const NEWEST = 60
/** Pictures on the tile of a folder. */
const FOLDER_PICTURES = 4

const RECENT = {
  name: 'newest files of folders that can be drawn',
  text: `select p.id as folder, ${FILE_COLUMNS} from unnest($2::uuid[]) as p(id)
    join files parent on parent.id = p.id and parent.user_id = $1 and parent.kind = 'FOLDER' and parent.purged_at is null
    cross join lateral (
      select * from (
        select * from files c where c.user_id = $1 and coalesce(c.parent_id, '${ROOT}') = p.id and c.kind = 'FILE'
          and c.trashed_at is null and c.purged_at is null
        order by c.updated_at desc, c.id desc limit ${NEWEST}) as newest
      where newest.category in ('IMAGE', 'VIDEO', 'PDF', 'TEXT', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION')
      order by newest.updated_at desc, newest.id desc) as f
    where ${HAS_OTHER_OR_BROWSER_PICTURE}`,
}

/** The newest files of each folder that may have a thumbnail, at most four of each, in one statement. */
async function newestPictures(
  sql: Queryable,
  { userId }: Viewer,
  folderIds: readonly string[],
  mayHave: (file: File) => boolean,
): Promise<Map<string, File[]>> {
  const { rows } = await sql.query<FileRow & { folder: string }>({ ...RECENT, values: [userId, folderIds] })
  const found = new Map<string, File[]>(folderIds.map((id) => [id, []]))
  for (const row of rows) {
    const file = toFile(row)
    const pictures = found.get(row.folder)
    if (pictures && pictures.length < FOLDER_PICTURES && mayHave(file)) pictures.push(file)
  }
  return found
}

type OfferedPicture = {
  readonly bytes: Buffer
  /** Of the file that it was made of, in bytes. */
  readonly size: number
  /** Of a film. */
  readonly durationMs: number | null
}

export type BrowserPicturesDeps = {
  readonly pool: pg.Pool
  readonly events: Pick<Events, 'publish'>
  /** Decodes untrusted bytes outside of this process. @returns pictures, largest first; nothing of the kind for what is no picture */
  readonly draw: (kind: 'IMAGE', source: ByteSource) => Promise<{ readonly pictures: readonly Buffer[] } | object>
}

const PICTURE_OF = { SMALL: 'small', MEDIUM: 'medium', LARGE: 'large' } as const

/** Pictures of films and HEIC images, as the browsers made them that uploaded the files. */
function createBrowserPictures({ pool, events, draw }: BrowserPicturesDeps) {
  return {
    facts: (viewer: Viewer, ids: readonly string[]) => browserPicturesOf(pool, viewer, ids),

    /** As ThumbnailsService.offer. */
    async offer(viewer: Viewer, id: string, { bytes, size, durationMs }: OfferedPicture): Promise<void> {
      const file = await requireFile(pool, viewer, id)
      if (!isMadeByBrowsers(file)) throw notOffered(file)
      if (file.size !== size) throw new PreconditionFailedError()
      const made = await draw('IMAGE', sourceOfBytes(bytes))
      if (!('pictures' in made)) throw new InvalidInputError([{ path: 'body', message: 'This is not a picture.' }])
      const [large, medium, small] = made.pictures
      if (!large || !medium || !small) throw new Error('The pictures are not complete.')
      const isSaved = await saveBrowserPicture(pool, viewer, file, { large, medium, small, durationMs })
      if (!isSaved) throw new PreconditionFailedError()
      const parentIds = [file.parentId]
      events.publish('filesChanged', viewer.userId, { fileIds: [id], removedIds: [], parentIds, truncated: false })
    },

    /** @throws NoThumbnailError */
    async read(viewer: Viewer, file: File, size: ThumbnailSize): Promise<Thumbnail> {
      const { id, name, sha256 } = file
      const facts = (await browserPicturesOf(pool, viewer, [id])).get(id)
      const pictures = facts && sha256 !== null && (await readBrowserPicture(pool, viewer, sha256))
      if (!pictures) throw new NoThumbnailError(`No browser has made a picture of “${name}”.`)
      const content = browserPictureTag(sha256, facts)
      const bytes = pictures[PICTURE_OF[size]]
      return { bytes, mimeType: 'image/webp', file, content, tag: `${content}-${size.toLowerCase()}` }
    },
  }
}

const notOffered = ({ name }: File) =>
  new InvalidInputError([{ path: 'id', message: `Pictures of “${name}” are not made by browsers.` }])
