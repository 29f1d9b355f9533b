/** Another app sends files here (`share_target` in manifest.webmanifest); a page with this path takes them. */
export const SHARE_PATH = '/share-target'
/** Where the service worker keeps them until then. */
export const RECEIVED_CACHE = 'received-files'
/** Headers of a kept file: its name, percent-encoded, and when it came, in ms since 1970. */
export const RECEIVED_NAME = 'x-received-name'
export const RECEIVED_TIME = 'x-received-time'

/** Later, they are forgotten: another person may have signed in since. */
const MAX_AGE_MS = 15 * 60_000

/** The files that another app has sent, in their order. They are given once. */
export async function takeReceivedFiles(now = Date.now()): Promise<readonly File[]> {
  if (!('caches' in window)) return []
  const cache = await caches.open(RECEIVED_CACHE)
  const kept = await Promise.all((await cache.keys()).map((request) => cache.match(request)))
  const files = await Promise.all(kept.map((response) => (response ? readFile(response, now) : null)))
  await caches.delete(RECEIVED_CACHE)
  return files.filter((file) => file !== null)
}

async function readFile(response: Response, now: number): Promise<File | null> {
  const { headers } = response
  if (now - Number(headers.get(RECEIVED_TIME)) > MAX_AGE_MS) return null
  const name = decodeURIComponent(headers.get(RECEIVED_NAME) ?? '') || 'Shared file'
  return new File([await response.blob()], name, { type: headers.get('content-type') ?? '' })
}
