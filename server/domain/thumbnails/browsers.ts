import type pg from 'pg'
import { type ByteSource, sourceOfBytes } from '../../storage/byteSource.ts'
import { InvalidInputError, NoThumbnailError, PreconditionFailedError } from '../errors.ts'
import type { Events } from '../events.ts'
import {
  browserPicturesOf,
  isMadeByBrowsers,
  readBrowserPicture,
  saveBrowserPicture,
} from '../files/content/browserPictures.ts'
import type { File } from '../files/contract.ts'
import { requireFile } from '../files/tree/entries.ts'
import type { Viewer } from '../viewer.ts'
import { browserPictureTag, type Thumbnail, type ThumbnailSize } from './kinds.ts'

export type OfferedPicture = {
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

const SIZES = { SMALL: 'small', MEDIUM: 'medium', LARGE: 'large' } as const

/** Pictures of films and HEIC images, as the browsers made them that uploaded the files. */
export function createBrowserPictures({ pool, events, draw }: BrowserPicturesDeps) {
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
      const bytes = pictures[SIZES[size]]
      return { bytes, mimeType: 'image/webp', file, content, tag: `${content}-${size.toLowerCase()}` }
    },
  }
}

const notOffered = ({ name }: File) =>
  new InvalidInputError([{ path: 'id', message: `Pictures of “${name}” are not made by browsers.` }])
