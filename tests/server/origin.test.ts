import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROXIED_REQUESTS } from '../../server/http/proxies.ts'
import { createUser } from '../factories/user.ts'
import { createBrowser } from '../setup/browser.ts'
import { startHttp, type TestHttp } from '../setup/httpApp.ts'
import { openRaw } from '../setup/rawHttp.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** What a request with these header lines is answered: its status line and its body. */
async function ask(url: string, lines: readonly string[]): Promise<{ status: number; code?: string; detail?: string }> {
  const head = ['GET /api/v1/docs HTTP/1.1', ...lines, 'connection: close']
  const answer = await text(openRaw(Number(new URL(url).port), head))
  const [top = '', body = ''] = answer.split('\r\n\r\n')
  const status = Number(top.split(' ')[1])
  if (status < 400) return { status }
  const { code, detail } = JSON.parse(body)
  return { status, code, detail }
}

const HOSTILE = [
  'evil.example/x?',
  'a b',
  'evil.example#',
  'user@evil.example',
  'x:port',
  '[::1',
  '"',
  "a'b",
  'x:123456',
]

describe('a server on loopback', () => {
  let http: TestHttp
  beforeAll(async () => {
    http = await startHttp()
  })
  afterAll(() => http.close())

  it.each(['localhost', 'LOCALHOST:3000', '127.0.0.1', '127.0.0.1:65535', '[::1]', '[::1]:3000', 'skypool.localhost'])(
    'answers to %s',
    async (host) => {
      expect(await ask(http.url, [`host: ${host}`])).toEqual({ status: 200 })
    },
  )

  it.each(['evil.example', 'evil.example:3000', 'localhost.evil.example', '192.0.2.7', '127.0.0.1.evil.example'])(
    'refuses %s, and says which setting to make',
    async (host) => {
      const answer = await ask(http.url, [`host: ${host}`])
      expect(answer).toMatchObject({ status: 421, code: 'UNKNOWN_HOST' })
      expect(answer.detail).toContain(`PUBLIC_URL=http://${host}`)
    },
  )

  it.each(HOSTILE)('refuses the malformed name %j', async (host) => {
    expect(await ask(http.url, [`host: ${host}`])).toMatchObject({ status: 400, code: 'MALFORMED_BODY' })
  })

  it('refuses two Host headers, also when they are the same', async () => {
    for (const second of ['evil.example', 'localhost']) {
      const answer = await ask(http.url, ['host: localhost', `Host: ${second}`])
      expect(answer).toMatchObject({ status: 400, code: 'MALFORMED_BODY' })
    }
  })

  it('answers to whoever names no host, as HTTP/1.0 may', async () => {
    const answer = await text(openRaw(Number(new URL(http.url).port), ['GET /health HTTP/1.0']))
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })
})

it('a server on all addresses answers to any well-formed name', async () => {
  const http = await startHttp({ host: '0.0.0.0' })
  try {
    expect(await ask(http.url, ['host: nas.home.arpa:3000'])).toEqual({ status: 200 })
    for (const host of HOSTILE) expect((await ask(http.url, [`host: ${host}`])).status).toBe(400)
    const warnings = http.logs.filter((line) => line.includes('PUBLIC_URL=http://nas.home.arpa:3000'))
    expect(warnings).toHaveLength(1)
  } finally {
    await http.close()
  }
})

it('with PUBLIC_URL a request may come by another name', async () => {
  const http = await startHttp({ publicUrl: new URL('https://files.example.org') })
  try {
    expect(await ask(http.url, ['host: 10.0.0.7:3000'])).toEqual({ status: 200 })
    expect((await ask(http.url, ['host: evil.example/x?'])).status).toBe(400)
  } finally {
    await http.close()
  }
})

describe('links to shares', () => {
  let server: TestServer
  let token: string
  beforeAll(async () => {
    // The test is the proxy.
    server = await startTestServer({ trustProxy: true }, { single: true })
    token = (await createUser(server.services.users)).token
  })
  afterAll(() => server.close())

  /** The link to a new folder, asked for under this name by both doors. */
  async function linksBy(host: string): Promise<string[]> {
    const browser = createBrowser(server.url, token)
    const headers = { 'x-forwarded-host': host, origin: `http://${host}` }
    const folder = await browser.request('POST', '/api/v1/files/folders', { name: `For ${host}` }, headers)
    const made = await browser.request('POST', '/api/v1/shares', { fileId: folder.body.id }, headers)
    const query = `{ viewer { file(id: "${folder.body.id}") { shares { url } } } }`
    const read = await browser.request('POST', '/graphql', { query }, headers)
    return [made.body.url, read.body.data.viewer.file.shares[0].url]
  }

  it('never follow a name that anybody can send', async () => {
    for (const link of await linksBy('evil.example')) expect(link).toMatch(`${server.url}/shares/share_`)
  })

  it('follow names and addresses that nobody else can own', async () => {
    for (const link of await linksBy('192.0.2.9:8080')) expect(link).toMatch('http://192.0.2.9:8080/shares/share_')
    for (const link of await linksBy('localhost:8080')) expect(link).toMatch('http://localhost:8080/shares/share_')
  })
})

describe('a proxy that TRUST_PROXY does not name', () => {
  const warnings = ({ logs }: TestHttp) => logs.filter((line) => line.includes('TRUST_PROXY=127.0.0.1'))
  const visit = ({ url }: TestHttp, headers: Record<string, string> = {}) => fetch(`${url}/health`, { headers })

  it('is noticed, once, by requests from one address for others', async () => {
    const http = await startHttp()
    try {
      const proxied = { 'x-forwarded-for': '198.51.100.7' }
      for (let count = 1; count < PROXIED_REQUESTS; count += 1) await visit(http, proxied)
      await visit(http)
      expect(warnings(http), 'one that came by itself: no proxy').toEqual([])
      for (let count = 0; count < 3 * PROXIED_REQUESTS; count += 1) await visit(http, proxied)
      expect(warnings(http)).toHaveLength(1)
    } finally {
      await http.close()
    }
  })

  it('is not warned of when the setting is made', async () => {
    const http = await startHttp({ trustProxy: '127.0.0.1' })
    try {
      for (let count = 0; count < 2 * PROXIED_REQUESTS; count += 1)
        await visit(http, { 'x-forwarded-for': '198.51.100.7' })
      expect(warnings(http)).toEqual([])
    } finally {
      await http.close()
    }
  })
})
