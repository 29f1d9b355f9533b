import { createHash } from 'node:crypto'

const TIMEOUT_MS = 2_000
const LARGEST_BYTES = 512 * 1024
const MOST_CACHED = 1_000
const FOUND_FOR_MS = 24 * 3_600_000
const MISSING_FOR_MS = 3_600_000
const RASTER = /^image\/(png|jpeg|gif|webp)$/

export type Picture = { readonly type: string; readonly bytes: Buffer }
type Cached = { readonly until: number; readonly picture: Promise<Picture | null> }

/**
 * Pictures from a service that knows people by the SHA-256 of their e-mail address (Gravatar, Libravatar). It is asked by
 * the server alone and once per address and day; whatever goes wrong there is the same as having no picture.
 * @param serviceUrl null: no service, nobody has a picture
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
  if (cache.size > MOST_CACHED && oldest !== undefined) cache.delete(oldest)
}

/** null for anything but a raster image of sensible size, in time. */
async function fetchPicture(url: URL): Promise<Picture | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim() ?? ''
    if (!response.ok || !response.body || !RASTER.test(type)) {
      await response.body?.cancel()
      return null
    }
    const bytes = await readAtMost(response.body, LARGEST_BYTES)
    return bytes && { type, bytes }
  } catch {
    // Unreachable, too slow, redirected or cut: the initials are the answer, and the address is not asked again for an hour.
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
