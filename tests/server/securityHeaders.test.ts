import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProofCookie } from '../../server/rest/cookies.ts'
import { startHttp, type TestHttp } from '../setup/httpApp.ts'

/** The ten tests of MDN's HTTP Observatory, as it runs them over a site with TLS, on each kind of page. */
const SITE = 'https://files.example.org'
const PAGES = [
  '/',
  '/file-manager',
  '/shares/share_0123456789abcdef0123456789abcdef',
  '/oauth/google/callback?code=1&state=2',
]
const ELSEWHERE = 'https://elsewhere.example.com'
const SIX_MONTHS_SECONDS = 15_768_000

const directory = mkdtempSync(join(tmpdir(), 'skypool-headers-'))
let http: TestHttp
beforeAll(async () => {
  mkdirSync(directory, { recursive: true })
  cpSync('web/index.html', join(directory, 'index.html'))
  http = await startHttp({ webDirectory: directory, publicUrl: new URL(SITE), trustProxy: true })
})
afterAll(async () => {
  await http?.close()
  rmSync(directory, { recursive: true, force: true })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(http.url + path, {
    redirect: 'manual',
    headers: { 'x-forwarded-proto': 'https', accept: 'text/html', ...headers },
  })

type Policy = ReadonlyMap<string, readonly string[]>

function policyOf(response: Response): Policy {
  const directives = (response.headers.get('content-security-policy') ?? '').split(';')
  return new Map(directives.map((text) => text.trim().split(/\s+/)).map(([name = '', ...sources]) => [name, sources]))
}

/** What holds for a directive, its own or the default. */
const sourcesOf = (policy: Policy, name: string) => policy.get(name) ?? policy.get('default-src') ?? ['*']

function expectStrictPolicy(policy: Policy): void {
  expect(policy.get('default-src')).toEqual(["'none'"])
  for (const name of ['script-src', 'style-src', 'object-src']) {
    const sources = sourcesOf(policy, name)
    expect(
      sources.filter((source) => /unsafe-|^\*|^https?:$|^data:|^blob:|^http:/.test(source)),
      name,
    ).toEqual([])
  }
  for (const [name, sources] of policy) expect(sources.join(' '), name).not.toMatch(/(^| )(\*|https?:)( |$)/)
  for (const name of ['base-uri', 'frame-ancestors']) expect(policy.get(name), name).toEqual(["'none'"])
  expect([["'self'"], ["'none'"]]).toContainEqual(policy.get('form-action'))
}

/** Scripts of the page that another site could change. */
function foreignScripts(html: string): string[] {
  const sources = [...html.matchAll(/<script[^>]*\ssrc="([^"]*)"/g)].map(([, source = '']) => source)
  return sources.filter((source) => new URL(source, SITE).origin !== SITE)
}

describe.each(PAGES)('%s', (path) => {
  it('is a page', async () => {
    const response = await get(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  })

  it('1 Content-Security-Policy: everything is forbidden that is not named, nothing unsafe is named', async () => {
    expectStrictPolicy(policyOf(await get(path)))
  })

  it('2 Cookies: a page sets none', async () => {
    expect((await get(path)).headers.getSetCookie()).toEqual([])
  })

  it('3 CORS: no other site may read it', async () => {
    const { headers } = await get(path, { origin: ELSEWHERE })
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('4 Redirection: without TLS the first answer leads to the same address with it', async () => {
    const response = await get(path, { 'x-forwarded-proto': 'http' })
    expect([response.status, response.headers.get('location')]).toEqual([308, SITE + path])
  })

  it('5 Referrer-Policy: none', async () => {
    expect((await get(path)).headers.get('referrer-policy')).toBe('no-referrer')
  })

  it('6 Strict-Transport-Security: half a year or more, subdomains too', async () => {
    const value = (await get(path)).headers.get('strict-transport-security') ?? ''
    expect(Number(/max-age=(\d+)/.exec(value)?.[1])).toBeGreaterThanOrEqual(SIX_MONTHS_SECONDS)
    expect(value).toContain('includeSubDomains')
  })

  it('7 Subresource Integrity: no script of another site', async () => {
    expect(foreignScripts(await (await get(path)).text())).toEqual([])
  })

  it('8 X-Content-Type-Options', async () => {
    expect((await get(path)).headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('9 X-Frame-Options, and frame-ancestors', async () => {
    const response = await get(path)
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    expect(policyOf(response).get('frame-ancestors')).toEqual(["'none'"])
  })

  it('10 Cross-Origin-Resource-Policy', async () => {
    expect((await get(path)).headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })
})

describe('what is no page', () => {
  it.each(['/api/v1/auth/me', '/nothing/here.js', '/health', '/graphql', '/avatars/x', '/%zz'])(
    '%s has the same headers, and may do nothing when it is opened as one',
    async (path) => {
      const response = await get(path)
      expectStrictPolicy(policyOf(response))
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('strict-transport-security')).toContain('max-age=31536000')
      expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    },
  )
})

describe('cookies', () => {
  it('of a session are secure, closed to scripts, bound to this host, and not sent from other sites', async () => {
    const person = { fullName: 'Ada', email: 'ada@example.org', password: 'correct horse battery' }
    const response = await fetch(`${http.url}/api/v1/auth/register`, {
      method: 'POST',
      headers: { origin: SITE, 'content-type': 'application/json', 'x-forwarded-proto': 'https' },
      body: JSON.stringify(person),
    })
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure/)
  })

  it('of an unlocked share too', () => {
    const cookie = createProofCookie(true).write('01234567-89ab-cdef-0123-456789abcdef', 'proof')
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Secure', 'Path=/']) expect(cookie).toContain(attribute)
  })
})

describe('the way to TLS', () => {
  it('is taken only where the proxy says that there was none', async () => {
    const direct = await fetch(`${http.url}/`, { redirect: 'manual' })
    expect(direct.status).toBe(200)
    expect((await get('/', { 'x-forwarded-proto': 'http, https' })).status).toBe(200)
    expect((await get('/', { 'x-forwarded-proto': 'https, http' })).status).toBe(308)
  })

  it('leads to no other host, and is not for probes or changes', async () => {
    const plain = { 'x-forwarded-proto': 'http' }
    const other = await get('//elsewhere.example.com/x', plain)
    expect(other.headers.get('location')).toBe(`${SITE}//elsewhere.example.com/x`)
    expect((await get('/health', plain)).status).toBe(200)
    const posted = await fetch(`${http.url}/api/v1/auth/logout`, { method: 'POST', redirect: 'manual', headers: plain })
    expect(posted.status).not.toBe(308)
  })

  it('is taken by nobody where the public address has no TLS', async () => {
    const without = await startHttp({ webDirectory: directory, publicUrl: new URL('http://files.example.org') })
    const response = await fetch(`${without.url}/`, { redirect: 'manual', headers: { 'x-forwarded-proto': 'http' } })
    expect([response.status, response.headers.get('strict-transport-security')]).toEqual([200, null])
    await without.close()
  })
})
