import type {
  ByteRange,
  Call,
  Capabilities,
  ChangePage,
  Download,
  Driver,
  EntryRef,
  ProviderModule,
} from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { rangedDownload, wholeDownload } from '../shared/download.ts'
import { createGoogleOAuth } from '../shared/googleOauth.ts'
import type { Http } from '../shared/http.ts'
import { createPhotosClient, KIND } from './client.ts'
import {
  albumOf,
  albumRef,
  albumsOf,
  bytesUrl,
  DEFAULT_LIMITS,
  type Library,
  list,
  listAll,
  type PhotosLimits,
  ROOT,
  readItem,
  stat,
} from './library.ts'
import { abandon, MAX_VIDEO_BYTES, put } from './put.ts'

export type GooglePhotosDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  /** Smaller limits for tests. */
  readonly limits?: Partial<PhotosLimits>
  readonly now?: () => number
}

const SCOPE = 'https://www.googleapis.com/auth/photoslibrary'

/** Google Photos: what Skypool adds there, as programs see nothing else of a library since 2025-03-31. */
export function googlePhotosModule({ limits, now = Date.now, ...deps }: GooglePhotosDeps): ProviderModule {
  const oauth = createGoogleOAuth({
    ...deps,
    provider: KIND,
    callbackName: 'google-photos',
    scopes: [`${SCOPE}.appendonly`, `${SCOPE}.readonly.appcreateddata`],
    service: 'Google Photos',
    now,
  })
  return {
    kind: KIND,
    signIn: {
      by: 'OAUTH',
      oauth: {
        ...oauth,
        async exchange(call, grant) {
          const credentials = await oauth.exchange(call, grant)
          // The login is known without the Photos Library API: this call fails where the project has not enabled it.
          await createPhotosClient(deps.http, credentials.accessToken ?? '').ask(call, 'exchange', '/albums?pageSize=1')
          return credentials
        },
      },
    },
    open({ accessToken }) {
      const client = createPhotosClient(deps.http, accessToken ?? '')
      const sizes = new Map<string, number>()
      return createDriver({ client, limits: { ...DEFAULT_LIMITS, ...limits }, now, sizes, albums: null })
    },
  }
}

const RELIST_HOURS = 6
const PHOTO_OR_VIDEO =
  /\.(avif|bmp|gif|heic|heif|ico|jpe?g|png|raw|arw|cr2|cr3|dng|nef|orf|rw2|tiff?|webp|3gp|3g2|asf|avi|divx|m2ts?|m4v|mkv|mmv|mod|mov|mp4|mpe?g|mts|tod|wmv)$/i

const CAPABILITIES: Capabilities = {
  hash: null,
  duplicateNames: true,
  caseSensitive: true,
  maxObjectBytes: MAX_VIDEO_BYTES,
  maxNameLength: 255,
  nameUnit: 'utf16',
  refusesName: (name) => !PHOTO_OR_VIDEO.test(name),
  maxConcurrency: 8,
  // Google adds the items of a user one after the other.
  maxConcurrentWrites: 1,
  resumable: true,
  altersContent: true,
  relistHours: RELIST_HOURS,
}

/** The driver of one account. */
function createDriver(library: Library): Driver {
  const { client, now } = library
  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: ROOT,
    async identity(call) {
      const { sub, email, name } = await client.userinfo(call, 'identity')
      if (typeof sub !== 'string') throw failed('identity', 'Transient', 'Google named no login.')
      const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
      return { subject: sub, email: text(email), name: text(name) }
    },
    async quota(call) {
      // Photos count in the storage of the Google account, which this access does not show.
      await client.userinfo(call, 'quota')
      return { state: 'UNKNOWN', usedBytes: null, totalBytes: null }
    },
    stat: (call, ref) => stat(library, call, ref),
    list: (call, folder, cursor) => list(library, call, folder, cursor),
    listAll: (call, cursor) => listAll(library, call, cursor),
    changes: async (call, cursor) => changes(now(), call, cursor),
    get: (call, ref, range) => get(library, call, ref, range ?? null),
    put: (call, entry, content, progress) => put({ library, call, entry, content, progress }),
    abandon: (call, session) => abandon(library, call, session),
    async delete(call, ref) {
      const entry = await stat(library, call, ref).catch((error: unknown) => {
        if (error instanceof ProviderError && error.code === 'NotFound') return null
        throw error
      })
      if (!entry) return
      throw failed('delete', 'Forbidden', 'Google Photos lets programs delete nothing. Please delete it there.')
    },
    async ensureFolder(call, parent, name) {
      if (parent !== ROOT) throw failed('ensureFolder', 'Forbidden', 'Albums contain no folders.')
      const { all } = await albumsOf({ ...library, albums: null }, call, 'ensureFolder')
      const known = all.find(({ title }) => title === name)
      if (known) return albumRef(known.id)
      const made = albumOf(await client.ask(call, 'ensureFolder', '/albums', { album: { title: name } }))
      library.albums = null
      return albumRef(made.id)
    },
  }
}

/** Google tells no changes: after some hours, everything is listed again. See Capabilities.relistHours. */
function changes(now: number, call: Call, cursor: string | null): ChangePage {
  call.signal.throwIfAborted()
  if (cursor === null) return { changes: [], cursor: String(now), hasMore: false }
  const age = now - Number(cursor)
  if (age >= 0 && age < RELIST_HOURS * 3_600_000) return { changes: [], cursor, hasMore: false }
  throw failed('changes', 'CursorReset', 'Google Photos reports no changes.')
}

async function get(library: Library, call: Call, ref: EntryRef, range: ByteRange | null): Promise<Download> {
  const where = { provider: KIND, operation: 'get' }
  const item = await readItem(library, call, 'get', ref)
  const response = await library.client.send(call, 'get', {
    method: 'GET',
    url: bytesUrl(item),
    headers: range ? { range: `bytes=${range.start}-${range.end}` } : {},
  })
  if (range) return rangedDownload(response, range, where)
  const size = library.sizes.get(item.id)
  const announced = response.header('content-length')
  if (size === undefined || announced === null || Number(announced) === size) return wholeDownload(response, where)
  response.dispose()
  throw failed('get', 'Transient', `${announced} of ${size} bytes were announced.`)
}

function failed(operation: string, code: ConstructorParameters<typeof ProviderError>[0], message: string) {
  return new ProviderError(code, { provider: KIND, operation }, { message })
}
