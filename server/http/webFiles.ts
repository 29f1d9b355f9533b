import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { languageFor } from '../lib/languages.ts'
import { FRAME_POLICY, pagePolicy } from './security.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const
const HASHED = 'public, max-age=31536000, immutable'
const REVALIDATED = 'no-cache'
/** The service worker takes its policy from its own response: it requests our pages and their code, nothing else. */
const WORKER = { path: '/sw.js', policy: "default-src 'none'; connect-src 'self'" }
const CALLBACK_PATH = /^\/oauth\/[^/]+\/callback$/

type Encoding = 'br' | 'gzip' | 'identity'
type WebFile = {
  readonly etag: string
  readonly headers: Record<string, string>
  readonly bodies: Map<Encoding, Buffer>
}

/** The built web client, read into memory once (one or two MB). Keys are URL paths. */
export type WebFiles = ReadonlyMap<string, WebFile>

/** @param directory Vite's output; compressed variants (`x.js.br`, `x.js.gz`) are used where they exist */
export function readWebFiles(directory: string): WebFiles {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const known = new Set(paths)
  const originals = paths.filter((path) => TYPES[extname(path)] !== undefined)
  return new Map(originals.map((path) => [urlOf(directory, path), readWebFile(path, known, urlOf(directory, path))]))
}

/** Registers a route per file. */
export async function serveWebFiles(app: FastifyInstance, files: WebFiles): Promise<void> {
  for (const [path, file] of files) {
    app.get(path, { schema: { hide: true } }, (request, reply) => sendWebFile(file, request, reply))
  }
}

/**
 * The page of the web client, in the language of the request, for a navigation to any of its routes; null when the request
 * is not a navigation.
 */
export function pageFor(files: WebFiles, request: FastifyRequest): WebFile | null {
  const path = request.url.split('?', 1)[0] ?? ''
  const accept = request.headers.accept ?? '*/*'
  const navigates = ['GET', 'HEAD'].includes(request.method) && /text\/html|\*\/\*/.test(accept)
  // Routes of the client have no dots: a path with one is a missing file.
  const page = navigates && !path.includes('.') ? pageIn(files, request) : undefined
  if (!page) return null
  return CALLBACK_PATH.test(path) ? withoutOpenerPolicy(page) : page
}

function pageIn(files: WebFiles, { headers }: FastifyRequest): WebFile | undefined {
  return files.get(`/index.${languageFor(headers)}.html`) ?? files.get('/index.html')
}

/**
 * For the OAuth callback: the window keeps its opener only if no page on its way, including this one, sets an opener policy
 * (HTML 7.1.3.2). With one, the opener would see the window as closed before its message.
 */
function withoutOpenerPolicy(page: WebFile): WebFile {
  return { ...page, headers: { ...page.headers, 'cross-origin-opener-policy': 'unsafe-none' } }
}

export function sendWebFile(file: WebFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(file.headers)
  if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
  const encoding = encodingFor(request.headers['accept-encoding'] ?? '', file)
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.send(file.bodies.get(encoding))
}

function encodingFor(accepted: string, { bodies }: WebFile): Encoding {
  const usable = ENCODINGS.find(
    ([name]) => bodies.has(name) && new RegExp(`\\b${name}\\b(?!;q=0(\\D|$))`).test(accepted),
  )
  return usable?.[0] ?? 'identity'
}

function readWebFile(path: string, known: ReadonlySet<string>, url: string): WebFile {
  const content = readFileSync(path)
  const bodies = new Map<Encoding, Buffer>([['identity', content]])
  for (const [encoding, suffix] of ENCODINGS) {
    if (known.has(path + suffix)) bodies.set(encoding, readFileSync(path + suffix))
  }
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  return { etag, bodies, headers: headersOf(url, etag, content) }
}

function headersOf(url: string, etag: string, content: Buffer): Record<string, string> {
  return {
    'content-type': TYPES[extname(url)] ?? 'application/octet-stream',
    'cache-control': url.startsWith('/assets/') ? HASHED : REVALIDATED,
    etag,
    vary: url.endsWith('.html') ? 'accept-encoding, accept-language, cookie' : 'accept-encoding',
    ...(url === WORKER.path && { 'content-security-policy': WORKER.policy }),
    ...(url.startsWith('/frame/') ? frameHeaders(url) : pageHeaders(url, content)),
  }
}

function pageHeaders(url: string, content: Buffer): Record<string, string> {
  if (!url.endsWith('.html')) return {}
  return { 'content-security-policy': pagePolicy(inlineScriptHashes(content.toString())) }
}

/** The frame has no origin, so that its own script is one of another site to it. */
function frameHeaders(url: string): Record<string, string> {
  if (!url.endsWith('.html')) return { 'cross-origin-resource-policy': 'cross-origin' }
  return { 'content-security-policy': FRAME_POLICY, 'x-frame-options': 'SAMEORIGIN' }
}

/** CSP hashes of a page's inline scripts (the one that sets the theme before the first paint). */
function inlineScriptHashes(html: string): string[] {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  return scripts.map(
    (script) =>
      `sha256-${createHash('sha256')
        .update(script[1] ?? '')
        .digest('base64')}`,
  )
}

function urlOf(directory: string, path: string): string {
  return `/${relative(directory, path).split(sep).join('/')}`
}
