import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../factories/user.ts'
import { createBrowser } from '../setup/browser.ts'
import { startHttp, type TestHttp } from '../setup/httpApp.ts'

let http: TestHttp
let token: string
let isReady = true
beforeAll(async () => {
  http = await startHttp({
    bodyRate: { checkEveryMs: 20, stallMs: 300, minimumBytes: 200, wholeMs: 60_000 },
    readyChecks: {
      database: async () => {},
      staging: async () => {
        if (!isReady) throw new Error('No space left on /secret/path')
      },
    },
    graphql: async (app) => {
      app.post('/graphql', async () => ({ data: null }))
      app.get('/graphql/broken', async () => {
        throw new Error('secret detail of select * from users')
      })
      app.get('/graphql/raw', (_request, reply) => {
        reply.hijack()
        reply.raw.end('raw')
      })
    },
  })
  token = (await createUser(http.services.users)).token
})
afterAll(() => http.close())

describe('requests of other sites', () => {
  const OWN = 'own'
  type Case = [cookie: boolean, origin: string | null, expected: string | null]
  const CASES: Case[] = [
    [true, OWN, null],
    [false, OWN, null],
    [false, null, null],
    [true, null, 'ORIGIN_REQUIRED'],
    [true, 'https://evil.example', 'FOREIGN_ORIGIN'],
    [false, 'https://evil.example', 'FOREIGN_ORIGIN'],
    [true, 'null', 'FOREIGN_ORIGIN'],
    [true, 'http://127.0.0.1', 'FOREIGN_ORIGIN'],
    [true, 'https://127.0.0.1.evil.example', 'FOREIGN_ORIGIN'],
  ]
  const TYPES = [
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ]
  const TARGETS = [
    ['POST', '/graphql'],
    ['POST', '/api/v1/auth/logout'],
    ['POST', '/api/v1/group-clouds'],
    ['PATCH', '/api/v1/group-clouds/pool_1'],
    ['DELETE', '/api/v1/group-clouds/pool_1'],
  ] as const

  const send = (method: string, path: string, cookie: boolean, origin: string | null, type: string) =>
    fetch(http.url + path, {
      method,
      headers: {
        'content-type': type,
        ...(cookie && { cookie: `sid=${token}` }),
        ...(origin && { origin: origin === OWN ? http.url : origin }),
      },
      body: '{}',
    })

  it('from our own page at another address than PUBLIC_URL are answered with the address where it works', async () => {
    const { host } = new URL(http.url)
    const response = await send('POST', '/graphql', false, `https://${host}`, 'application/json')
    expect(await response.json()).toMatchObject({
      code: 'FOREIGN_ORIGIN',
      detail: `This server is used at ${http.url}. Open it there. If https://${host} is its address, the administrator has to set PUBLIC_URL to that.`,
    })
    const other = await send('POST', '/graphql', false, 'https://evil.example', 'application/json')
    expect(await other.json()).toMatchObject({ detail: 'Requests from other sites need an API key.' })
  })

  describe.each(TARGETS)('%s %s', (method, path) => {
    it.each(CASES)('cookie %s, Origin %s: %s', async (cookie, origin, expected) => {
      for (const type of TYPES) {
        const response = await send(method, path, cookie, origin, type)
        const { code } = response.status === 204 ? { code: null } : await response.json()
        if (expected) expect([response.status, code]).toEqual([403, expected])
        else expect(response.status).not.toBe(403)
        if (path.endsWith('logout') && expected === null && cookie)
          token = (await createUser(http.services.users)).token
      }
    })
  })

  it('lets a foreign logout have no effect', async () => {
    await send('POST', '/api/v1/auth/logout', true, 'https://evil.example', 'text/plain')
    expect((await createBrowser(http.url, token).request('GET', '/api/v1/auth/validate')).status).toBe(200)
  })

  it('takes the origin from PUBLIC_URL where it is set', async () => {
    const proxied = await startHttp({ publicUrl: new URL('https://files.example.org/') })
    try {
      const login = (origin: string) =>
        fetch(`${proxied.url}/api/v1/auth/logout`, { method: 'POST', headers: { origin } }).then(({ status }) => status)
      expect(await login('https://files.example.org')).toBe(204)
      expect(await login(proxied.url)).toBe(403)
    } finally {
      await proxied.close()
    }
  })

  it('never answers with CORS headers', async () => {
    const response = await fetch(`${http.url}/api/v1/auth/me`, { headers: { origin: 'https://evil.example' } })
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('security headers', () => {
  const EXPECTED = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'x-frame-options': 'DENY',
  }

  it.each([
    [200, 'GET', '/health', undefined],
    [200, 'GET', '/graphql/raw', undefined],
    [204, 'POST', '/api/v1/auth/logout', undefined],
    [400, 'POST', '/api/v1/auth/login', {}],
    [400, 'POST', '/api/v1/auth/login', '{"email":'],
    [401, 'GET', '/api/v1/auth/me', undefined],
    [403, 'POST', '/graphql', {}],
    [404, 'GET', '/api/v1/nothing', undefined],
    [405, 'PUT', '/api/v1/group-clouds', {}],
    [413, 'POST', '/graphql', 'x'.repeat(1024 * 1024 + 1)],
    [500, 'GET', '/graphql/broken', undefined],
  ])('are on a %i of %s %s', async (status, method, path, body) => {
    const headers = status === 403 ? { origin: 'https://evil.example' } : {}
    const answer = await createBrowser(http.url).request(method, path, body, headers)
    expect(answer.status).toBe(status)
    expect(Object.fromEntries(answer.headers)).toMatchObject(EXPECTED)
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect(answer.headers.get('strict-transport-security')).toBeNull()
    expect(answer.headers.get('server') ?? answer.headers.get('x-powered-by')).toBeNull()
  })

  it('are on an answer to what is no HTTP', async () => {
    const answer = await exchange('GET / HTTP/1.1\r\nbroken header\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    for (const [name, value] of Object.entries(EXPECTED)) expect(answer).toContain(`${name}: ${value}\r\n`)
    expect(await exchange(`GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nbig: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    )
  })

  it('ask for https for a year once the server is reached by it', async () => {
    const secure = await startHttp({ publicUrl: new URL('https://files.example.org') })
    const { headers } = await fetch(`${secure.url}/health`)
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
    await secure.close()
  })

  it('forbid to store what the API says', async () => {
    const me = await createBrowser(http.url, token).request('GET', '/api/v1/auth/me')
    expect(me.headers.get('cache-control')).toBe('no-store')
    expect((await createBrowser(http.url).request('GET', '/api/v1/x')).headers.get('cache-control')).toBe('no-store')
  })
})

describe('problems', () => {
  it('are application/problem+json of one shape', async () => {
    const { headers, body } = await createBrowser(http.url).request('GET', '/api/v1/nothing')
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(body).toEqual({
      type: '/api/v1/docs#NOT_FOUND',
      title: 'Not found',
      status: 404,
      code: 'NOT_FOUND',
      detail: 'There is nothing at this address.',
    })
  })

  it('name the methods that are possible', async () => {
    const { body, headers } = await createBrowser(http.url).request('PUT', '/api/v1/group-clouds/pool_1', {})
    expect(body).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' })
    expect(headers.get('allow')).toBe('PATCH, DELETE, GET, HEAD')
  })

  it('tell what is wrong with a body', async () => {
    const post = (body: string, type: string, more: Record<string, string> = {}) =>
      createBrowser(http.url).request('POST', '/api/v1/auth/login', body, { 'content-type': type, ...more })
    const cut = await post('{', 'application/json')
    expect(cut.body).toMatchObject({ code: 'MALFORMED_BODY', detail: 'The body is not valid JSON.' })
    expect((await post('{"__proto__":{"a":1}}', 'application/json')).body.code).toBe('MALFORMED_BODY')
    expect((await post('[]', 'application/json')).body.code).toBe('INVALID_INPUT')
    expect((await post('{}', 'text/plain')).body).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
    const packed = await post('{}', 'application/json', { 'content-encoding': 'gzip' })
    expect(packed.body).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  it('say in plain words which fields are invalid, and what is possible', async () => {
    const user = createBrowser(http.url, (await createUser(http.services.users)).token)
    const wrong = await user.request('POST', '/api/v1/tags', { name: 7 })
    expect(wrong.body.detail).toBe(
      'name: This must be a text. color: This field is required. Possible values: RED, ORANGE, YELLOW, GREEN, TEAL, BLUE, PURPLE, PINK.',
    )
    expect(wrong.body.errors.map(({ path }: { path: string }) => path)).toEqual(['name', 'color'])
    const query = 'limit=many&minSize=-1&view=mine&modifiedAfter=yesterday&sort=&x=1'
    expect((await user.request('GET', `/api/v1/files?${query}`)).body.errors).toEqual([
      { path: 'limit', message: 'This must be a number.' },
      { path: 'view', message: 'Possible values: all, drive, shared, starred, trash.' },
      { path: 'minSize', message: 'This must be at least 0.' },
      { path: 'modifiedAfter', message: 'This must be a time in UTC, such as 2026-01-31T12:00:00Z.' },
      {
        path: 'sort',
        message: 'Possible values: name, -name, modified, -modified, size, -size, taken, -taken.',
      },
      { path: 'x', message: 'Unknown field.' },
    ])
    const messageOf = async (body: object) =>
      (await user.request('POST', '/api/v1/files/trash', body)).body.errors[0].message
    expect(await messageOf({ ids: [] })).toBe('This must have at least 1 item.')
    expect(await messageOf({ ids: ['x'.repeat(201)] })).toBe('This must have at most 200 characters.')
    expect(await messageOf({ ids: 'x' })).toBe('This must be a list.')
    const none = await user.request('POST', '/api/v1/tags')
    expect(none.body.detail).toBe('This request needs a body, as application/json.')
  })

  it('do not arise from a content type without a body, as many clients send it', async () => {
    const user = createBrowser(http.url, (await createUser(http.services.users)).token)
    const empty = (method: string, path: string) =>
      user.request(method, path, '', { 'content-type': 'application/json' })
    expect((await empty('DELETE', '/api/v1/sessions/sess_1')).body.code).toBe('NOT_FOUND')
    expect((await empty('DELETE', '/api/v1/files')).body.code).toBe('METHOD_NOT_ALLOWED')
    expect((await empty('POST', '/api/v1/tags')).body.code).toBe('INVALID_INPUT')
    expect((await empty('POST', '/api/v1/auth/logout')).status).toBe(204)
  })

  it('of the server itself say nothing about it, and are logged', async () => {
    const { status, body } = await createBrowser(http.url).request('GET', '/graphql/broken')
    expect([status, body.code]).toEqual([500, 'INTERNAL'])
    expect(JSON.stringify(body)).not.toMatch(/secret|select|Error|at /)
    expect(http.logs.join('')).toContain('secret detail of select')
  })
})

describe('slow bodies', () => {
  it('end the connection, while steady ones may take their time', async () => {
    const head = (length: number) =>
      `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
    const stalled = exchange(`${head(100)}{`)
    const dripping = exchange(`${head(100)}{`, { everyMs: 40, chunk: ' ' })
    const steady = exchange(`${head(2102)}{}`, { everyMs: 50, chunk: ' '.repeat(100), times: 21 })
    expect(await stalled).not.toContain('200 OK')
    expect(await dripping).not.toContain('200 OK')
    expect(await steady).toContain('200 OK')
  })
})

describe('limits', () => {
  it('count the address of the connection, whatever a client claims', async () => {
    const login = (index: number) =>
      createBrowser(http.url).request(
        'POST',
        '/api/v1/auth/login',
        { email: `u${index}@example.org`, password: 'a wrong guess' },
        { 'x-forwarded-for': `198.51.100.${index}` },
      )
    const answers = await Promise.all(Array.from({ length: 22 }, (_, index) => login(index)))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
  })

  it('of connections are set: headers within 10 s, uploads as long as they need', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, maxConnections } = http.app.server
    expect({ headersTimeout, requestTimeout, keepAliveTimeout, maxConnections }).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 0,
      keepAliveTimeout: 65_000,
      // More than 20 addresses may open: others are served while they hold all of theirs.
      maxConnections: 4_000,
    })
  })
})

describe('health', () => {
  it('says that the process lives, and whether it can serve', async () => {
    const get = (path: string) => createBrowser(http.url).request('GET', path)
    expect((await get('/health')).body).toEqual({ status: 'ok' })
    expect((await get('/ready')).body).toEqual({ status: 'ready', checks: ['database', 'staging'] })
    isReady = false
    const { status, body } = await get('/ready')
    expect([status, body.code, body.detail]).toEqual([503, 'NOT_READY', 'Not ready: staging.'])
    expect((await get('/health')).status).toBe(200)
    isReady = true
  })
})

/** Sends raw bytes, then drips chunks, and reads until the server closes or answers. */
function exchange(start: string, drip?: { everyMs: number; chunk: string; times?: number }): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(http.url).port), '127.0.0.1')
    let answer = ''
    let sent = 0
    const timer =
      drip && setInterval(() => (sent++ < (drip.times ?? 1000) ? socket.write(drip.chunk) : undefined), drip.everyMs)
    socket.on('data', (chunk) => {
      answer += chunk
      socket.end()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(answer)
    })
    socket.write(start)
  })
}
