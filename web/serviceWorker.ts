/// <reference lib="webworker" />
import { RECEIVED_CACHE, RECEIVED_NAME, RECEIVED_TIME, SHARE_PATH } from './lib/receivedFiles.ts'

declare const self: ServiceWorkerGlobalScope

/** The page and its code, nothing of anybody's files or names. */
const SHELL_CACHE = 'shell-1'
const PAGE = '/'
/** More than one build has, so that screens of the current one stay; the oldest go first. */
const MAX_ASSETS = 400
/** Paths that are answered by the server alone. */
const SERVER_PATHS = /^\/(?:api|graphql|avatars|health|ready|metrics)(?:\/|$)/

self.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(removeOldCaches().then(() => self.clients.claim()))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (url.origin !== self.location.origin) return
  if (request.method === 'POST' && url.pathname === SHARE_PATH) return event.respondWith(receive(request))
  if (request.method !== 'GET') return
  if (url.pathname.startsWith('/assets/')) return event.respondWith(readAsset(event))
  // Downloads and files with an ending are no pages.
  if (request.mode !== 'navigate' || SERVER_PATHS.test(url.pathname) || url.pathname.includes('.')) return
  event.respondWith(readPage(event))
})

/** Keeps the page and what it names, so that the app opens without a connection. */
async function keepShell(): Promise<void> {
  const page = await fetch(PAGE, { cache: 'no-cache' })
  if (!page.ok) throw new Error(`The page cannot be kept: status ${page.status}.`)
  const cache = await caches.open(SHELL_CACHE)
  const html = await page.clone().text()
  const assets = new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string))
  await cache.addAll([...assets])
  await cache.put(PAGE, page)
}

/** The page that came belongs to another build than the one that is kept. */
async function renewShell(etag: string | null): Promise<void> {
  const kept = await (await caches.open(SHELL_CACHE)).match(PAGE)
  if (etag !== null && kept?.headers.get('etag') !== etag) await keepShell()
}

async function removeOldCaches(): Promise<void> {
  const current: readonly string[] = [SHELL_CACHE, RECEIVED_CACHE]
  const names = await caches.keys()
  await Promise.all(names.filter((name) => !current.includes(name)).map((name) => caches.delete(name)))
}

/** From the network, so that an update of the server is seen at once; the kept page only without a connection. */
async function readPage(event: FetchEvent): Promise<Response> {
  try {
    const page = await fetch(event.request)
    if (page.ok) event.waitUntil(renewShell(page.headers.get('etag')))
    return page
  } catch (error) {
    const kept = await (await caches.open(SHELL_CACHE)).match(PAGE)
    if (kept) return kept
    throw error
  }
}

/** Names of assets contain a hash of their content: what is kept is never out of date. */
async function readAsset(event: FetchEvent): Promise<Response> {
  const cache = await caches.open(SHELL_CACHE)
  const kept = await cache.match(event.request)
  if (kept) return kept
  const response = await fetch(event.request)
  if (response.status === 200) event.waitUntil(keepAsset(cache, event.request, response.clone()))
  return response
}

async function keepAsset(cache: Cache, request: Request, response: Response): Promise<void> {
  await cache.put(request, response)
  const assets = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith('/assets/'))
  const surplus = assets.slice(0, Math.max(assets.length - MAX_ASSETS, 0))
  await Promise.all(surplus.map((each) => cache.delete(each)))
}

/** Keeps the files that another app shares with this one until a page takes them, and shows that page. */
async function receive(request: Request): Promise<Response> {
  const form = await request.formData()
  const files = form.getAll('files').filter((value) => value instanceof File)
  await caches.delete(RECEIVED_CACHE)
  const cache = await caches.open(RECEIVED_CACHE)
  for (const [index, file] of files.entries()) {
    const headers = {
      'content-type': file.type || 'application/octet-stream',
      [RECEIVED_NAME]: encodeURIComponent(file.name),
      [RECEIVED_TIME]: String(Date.now()),
    }
    await cache.put(`${SHARE_PATH}/${index}`, new Response(file, { headers }))
  }
  return Response.redirect(SHARE_PATH, 303)
}
