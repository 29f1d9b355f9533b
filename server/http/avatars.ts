import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { NotFoundError } from '../domain/errors.ts'
import type { UsersService } from '../domain/users/contract.ts'
import { requireAccess } from '../domain/viewer.ts'
import { escapeHtml } from '../lib/html.ts'
import { databaseId, requireViewer } from '../rest/request.ts'

const CACHE = 'private, max-age=3600'
const SIZE = 80
/** The accent colour: other hues are reserved for storage accounts. */
const COLOUR = '#07637d'

const TIMEOUT_MS = 2_000
const MAX_BYTES = 512 * 1024
const MAX_CACHED = 1_000
const FOUND_FOR_MS = 24 * 3_600_000
const MISSING_FOR_MS = 3_600_000
const RASTER = /^image\/(png|jpeg|gif|webp)$/

type Picture = { readonly type: string; readonly bytes: Buffer }
type Cached = { readonly until: number; readonly picture: Promise<Picture | null> }

/**
 * `/avatars/{userId}`: the picture of the signed-in user, or their initials; with `?picture=only` 204 instead of initials,
 * for clients that draw them themselves. The browser never contacts the picture service.
 */
export async function serveAvatars(app: FastifyInstance, users: UsersService, serviceUrl: URL | null): Promise<void> {
  const pictureOf = createPictureService(serviceUrl)

  app.get<{ Params: { userId: string }; Querystring: { picture?: string } }>(
    '/avatars/:userId',
    { schema: { hide: true } },
    async (request, reply) => {
      const viewer = requireViewer(request)
      requireAccess(viewer, 'READ')
      const userId = databaseId('User', request.params.userId)
      if (userId !== viewer.userId) throw new NotFoundError()
      const { email, fullName } = await users.me(viewer)
      const picture = await pictureOf(email)
      reply.header('cache-control', CACHE)
      if (!picture && request.query.picture === 'only') return reply.code(204).send()
      return picture
        ? reply.type(picture.type).send(picture.bytes)
        : reply.type('image/svg+xml').send(initialsSvg(fullName))
    },
  )
}

/** A picture of a person's initials, as SVG without scripts or styles. */
export function initialsSvg(fullName: string): string {
  const half = SIZE / 2
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 ${SIZE} ${SIZE}">
<rect width="${SIZE}" height="${SIZE}" fill="${COLOUR}"/>
<text x="${half}" y="${half}" dy="0.36em" text-anchor="middle" fill="#fff" font-size="32" font-weight="600"
 font-family="Inter, system-ui, sans-serif">${escapeHtml(initialsOf(fullName))}</text>
</svg>`
}

/** First letters of the first and the last word: "Ada King Lovelace" is AL. */
export function initialsOf(fullName: string): string {
  const words = fullName.trim().split(/\s+/)
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return ends.map((word) => firstLetter(word ?? '')).join('')
}

function firstLetter(word: string): string {
  const [first] = new Intl.Segmenter().segment(word)
  return (first?.segment ?? '').toUpperCase()
}

/**
 * Fetches pictures from a service that finds people by the SHA-256 of their e-mail address (Gravatar, Libravatar), once per
 * address and day. Any failure counts as having no picture.
 * @param serviceUrl null: no service, so no pictures
 */
export function createPictureService(serviceUrl: URL | null, now: () => number = Date.now) {
  const cache = new Map<string, Cached>()
  return async (email: string): Promise<Picture | null> => {
    if (!serviceUrl) return null
    const hash = createHash('sha256').update(email.trim().toLowerCase()).digest('hex')
    const cached = cache.get(hash)
    if (cached && cached.until > now()) return cached.picture
    const picture = fetchPicture(new URL(`${serviceUrl.href.replace(/\/$/, '')}/${hash}?s=80&d=404`))
    remember(cache, hash, { until: now() + MISSING_FOR_MS, picture })
    if (await picture) remember(cache, hash, { until: now() + FOUND_FOR_MS, picture })
    return picture
  }
}

function remember(cache: Map<string, Cached>, key: string, entry: Cached): void {
  cache.delete(key)
  cache.set(key, entry)
  const [oldest] = cache.keys()
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest)
}

/** null for anything but a raster image of at most 512 KiB, received within 2 s. */
async function fetchPicture(url: URL): Promise<Picture | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim() ?? ''
    if (!response.ok || !response.body || !RASTER.test(type)) {
      await response.body?.cancel()
      return null
    }
    const bytes = await readAtMost(response.body, MAX_BYTES)
    return bytes && { type, bytes }
  } catch {
    // Unreachable, too slow, redirected or cut off: initials are shown, and the next attempt is an hour later.
    return null
  }
}

async function readAtMost(body: ReadableStream<Uint8Array>, limit: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > limit) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
