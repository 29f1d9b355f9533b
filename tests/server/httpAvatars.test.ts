import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPictureService, initialsOf, initialsSvg } from '../../server/http/avatars.ts'
import { newId, publicId } from '../../server/lib/ids.ts'
import { createUser } from '../factories/user.ts'
import { createBrowser } from '../setup/browser.ts'
import { startHttp, type TestHttp } from '../setup/httpApp.ts'

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const asked: string[] = []
let service: Server
let http: TestHttp
let serviceUrl: URL

/** A service of pictures that knows some addresses and misbehaves for others. */
const ANSWERS: Readonly<Record<string, (send: (status: number, type: string, body: Buffer | string) => void) => void>> =
  {
    'has@example.org': (send) => send(200, 'image/png', PNG),
    'svg@example.org': (send) => send(200, 'image/svg+xml', '<svg onload="alert(1)"/>'),
    'html@example.org': (send) => send(200, 'text/html', '<script>alert(1)</script>'),
    'big@example.org': (send) => send(200, 'image/png', Buffer.alloc(600 * 1024)),
    'broken@example.org': (send) => send(500, 'image/png', PNG),
    'slow@example.org': () => {},
  }
const hashOf = (email: string) => createHash('sha256').update(email).digest('hex')

beforeAll(async () => {
  service = createServer((request, response) => {
    asked.push(request.url ?? '')
    const email = Object.keys(ANSWERS).find((known) => request.url?.startsWith(`/avatar/${hashOf(known)}?`))
    const send = (status: number, type: string, body: Buffer | string) =>
      response.writeHead(status, { 'content-type': type }).end(body)
    const answer = email && ANSWERS[email]
    if (answer) answer(send)
    else send(404, 'text/plain', 'no such picture')
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  serviceUrl = new URL(`http://127.0.0.1:${(service.address() as AddressInfo).port}/avatar/`)
  http = await startHttp({ avatarUrl: serviceUrl })
})
afterAll(async () => {
  await http.close()
  service.closeAllConnections()
  service.close()
})

describe('/avatars/{userId}', () => {
  it('hands on the picture of the service, asked by hash and only once', async () => {
    const { token, user } = await createUser(http.services.users, { email: 'Has@Example.org' })
    const browser = createBrowser(http.url, token)
    const path = `/avatars/${publicId('User', user.id)}`
    asked.length = 0
    for (let round = 0; round < 3; round++) {
      const { status, headers } = await browser.request('GET', path)
      expect([status, headers.get('content-type')]).toEqual([200, 'image/png'])
      expect(headers.get('cache-control')).toBe('private, max-age=3600')
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    }
    expect(asked).toEqual([`/avatar/${hashOf('has@example.org')}?s=80&d=404`])
  })

  it.each([
    'svg@example.org',
    'html@example.org',
    'big@example.org',
    'broken@example.org',
    'slow@example.org',
    'no@example.org',
  ])('shows initials for %s, and does not ask again', async (email) => {
    const { token, user } = await createUser(http.services.users, { email })
    asked.length = 0
    for (let round = 0; round < 2; round++) {
      const answer = await createBrowser(http.url, token).request('GET', `/avatars/${publicId('User', user.id)}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
      expect(answer.body).toContain('>AL</text>')
    }
    expect(asked).toHaveLength(1)
  })

  it('is for the user alone', async () => {
    const ada = await createUser(http.services.users)
    const eve = await createUser(http.services.users)
    const path = `/avatars/${publicId('User', ada.user.id)}`
    expect((await createBrowser(http.url, eve.token).request('GET', path)).status).toBe(404)
    const missing = await createBrowser(http.url, eve.token).request('GET', `/avatars/${publicId('User', newId())}`)
    expect(missing.status).toBe(404)
    expect((await createBrowser(http.url).request('GET', path)).status).toBe(401)
  })
})

describe('the picture service', () => {
  it('asks again for what was missing after an hour, and for what was there after a day', async () => {
    let now = 0
    const pictureOf = createPictureService(serviceUrl, () => now)
    const askedWithin = async (email: string, ms: number) => {
      await pictureOf(email)
      asked.length = 0
      now += ms
      await pictureOf(email)
      return asked.length
    }
    expect(await askedWithin('missing@example.org', 3_599_000)).toBe(0)
    expect(await askedWithin('missing@example.org', 3_601_000)).toBe(1)
    expect(await askedWithin('has@example.org', 86_399_000)).toBe(0)
    expect(await askedWithin('has@example.org', 86_401_000)).toBe(1)
  })

  it('asks once for many at once, and nobody when there is no service', async () => {
    asked.length = 0
    const pictureOf = createPictureService(serviceUrl)
    await Promise.all(Array.from({ length: 20 }, () => pictureOf('has@example.org')))
    expect(asked).toHaveLength(1)
    expect(await createPictureService(null)('has@example.org')).toBeNull()
  })
})

describe('initials', () => {
  it.each([
    ['Ada King Lovelace', 'AL'],
    ['ada', 'A'],
    ['  Łukasz   żak ', 'ŁŻ'],
    ['山田 太郎', '山太'],
    ['👩‍🚀 Smith', '👩‍🚀S'],
  ])('of %s are %s', (name, initials) => {
    expect(initialsOf(name)).toBe(initials)
  })

  it('cannot carry markup', () => {
    expect(initialsSvg('<b> &c')).toContain('>&#60;&#38;</text>')
  })
})
