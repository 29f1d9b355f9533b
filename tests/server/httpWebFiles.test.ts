import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser } from '../setup/browser.ts'
import { startHttp, type TestHttp } from '../setup/httpApp.ts'

const THEME = "document.documentElement.classList.add('dark')"
const PAGE = `<!doctype html><title>Skypool</title><script>${THEME}</script><script type="module" src="/assets/app-1a2b.js"></script>`
const SCRIPT = 'console.log(1)'.repeat(200)

let http: TestHttp
const directory = mkdtempSync(join(tmpdir(), 'skypool-web-'))
beforeAll(async () => {
  mkdirSync(join(directory, 'assets'))
  mkdirSync(join(directory, 'frame'))
  writeFileSync(join(directory, 'frame', 'docx.html'), '<!doctype html><script src="/frame/docx.js"></script>')
  writeFileSync(join(directory, 'frame', 'docx.js'), SCRIPT)
  writeFileSync(join(directory, 'index.html'), PAGE)
  writeFileSync(join(directory, 'index.de.html'), PAGE.replace('Skypool', 'Skypool auf Deutsch'))
  writeFileSync(join(directory, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(directory, 'assets', 'app-1a2b.js'), SCRIPT)
  writeFileSync(join(directory, 'assets', 'app-1a2b.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(directory, 'assets', 'app-1a2b.js.gz'), gzipSync(SCRIPT))
  http = await startHttp({ webDirectory: directory })
})
afterAll(async () => {
  await http.close()
  rmSync(directory, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  createBrowser(http.url).request('GET', path, undefined, headers)

/** The size of the body as it crosses the wire. */
function wireBytes(path: string, acceptEncoding: string): Promise<{ encoding: string | undefined; bytes: number }> {
  return new Promise((resolve, reject) => {
    request(http.url + path, { headers: { 'accept-encoding': acceptEncoding } }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('end', () => resolve({ encoding: response.headers['content-encoding'], bytes }))
    })
      .on('error', reject)
      .end()
  })
}

describe('the page', () => {
  it('is in the language that was chosen, or that the browser asks for, and caches know that', async () => {
    const german = await get('/settings', { 'accept-language': 'de-AT,en;q=0.5' })
    expect([german.body, german.headers.get('vary')]).toEqual([
      expect.stringContaining('auf Deutsch'),
      'accept-encoding, accept-language, cookie',
    ])
    const english = await get('/settings', { 'accept-language': 'de', cookie: 'language=en' })
    expect(english.body).not.toContain('auf Deutsch')
    expect(english.headers.get('etag')).not.toBe(german.headers.get('etag'))
  })
})

describe('the frame of previews', () => {
  it('has no origin, loads only its script, and is embedded only by us', async () => {
    const { headers } = await get('/frame/docx.html')
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      'sandbox allow-scripts',
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'unsafe-inline'",
      'img-src blob: data:',
      'font-src blob: data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ])
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  it('has a script that a page without an origin can load; other scripts stay with their origin', async () => {
    expect((await get('/frame/docx.js')).headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect((await get('/assets/app-1a2b.js')).headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })
})

describe('the page', () => {
  it.each(['/', '/login', '/file-manager/my-drive', '/oauth/google/callback?code=1.2', '/index.html', '/shares/abc'])(
    'answers %s',
    async (path) => {
      const { status, body, headers } = await get(path, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
      expect([status, body]).toEqual([200, PAGE])
      expect(headers.get('cache-control')).toBe('no-cache')
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    },
  )

  it('lets its inline script run, by hash, and nothing else that is not ours', async () => {
    const policy = (await get('/login')).headers.get('content-security-policy')
    const hash = createHash('sha256').update(THEME).digest('base64')
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`)
    expect(policy).toContain("default-src 'none';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe/)
  })

  it('is cut off from whoever opened it, but where a provider sends its window back to', async () => {
    const policyOf = async (path: string) => (await get(path)).headers.get('cross-origin-opener-policy')
    expect(await policyOf('/oauth/google/callback?code=1&state=2')).toBe('unsafe-none')
    for (const path of ['/', '/cloud-integration', '/oauth/google/callback/x', '/oauth/callback']) {
      expect(await policyOf(path), path).toBe('same-origin-allow-popups')
    }
  })

  it('is not sent again when it has not changed', async () => {
    const etag = (await get('/login')).headers.get('etag') ?? ''
    const { status, body, headers } = await get('/file-manager', { 'if-none-match': etag })
    expect([status, body]).toEqual([304, ''])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it.each([
    '/favicon.ico',
    '/.env',
    '/.git/config',
    '/assets/gone-1234.js',
    '/assets/../../package.json',
    '/api',
    '/graphql/x',
  ])('does not answer %s', async (path) => {
    const { status, body } = await get(path, { accept: 'text/html' })
    expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
  })

  it('does not answer for programs or other methods', async () => {
    expect((await get('/login', { accept: 'application/json' })).status).toBe(404)
    expect((await createBrowser(http.url).request('POST', '/login', {})).status).toBe(404)
    const head = await createBrowser(http.url).request('HEAD', '/login')
    expect([head.status, head.body, head.headers.get('content-length')]).toEqual([200, '', String(PAGE.length)])
  })
})

describe('assets', () => {
  it('may be kept for good when their name is a hash', async () => {
    const { status, body, headers } = await get('/assets/app-1a2b.js')
    expect([status, body]).toEqual([200, SCRIPT])
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(headers.get('vary')).toBe('accept-encoding')
    expect((await get('/logo.svg')).headers.get('cache-control')).toBe('no-cache')
  })

  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliCompressSync(SCRIPT).length],
    ['gzip', 'gzip', gzipSync(SCRIPT).length],
    ['br;q=0, gzip', 'gzip', gzipSync(SCRIPT).length],
    ['identity', undefined, SCRIPT.length],
  ])('cross the wire as accepted: %s', async (accepted, encoding, bytes) => {
    expect(await wireBytes('/assets/app-1a2b.js', accepted)).toEqual({ encoding, bytes })
  })

  it('do not show their compressed twins as files', async () => {
    expect((await get('/assets/app-1a2b.js.br')).status).toBe(404)
  })
})
