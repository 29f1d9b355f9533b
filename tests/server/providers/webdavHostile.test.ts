import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Driver } from '../../../server/providers/driver.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { webdavModule } from '../../../server/providers/webdav/module.ts'

const call = () => ({ signal: new AbortController().signal, requestId: 'r1' })
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A driver at a server that answers like this. */
async function driverAt(answer: RequestListener): Promise<{ driver: Driver; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume()
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dav/`
  const module = webdavModule({
    guard: createHostGuard(['127.0.0.1']),
    limits: { resources: 1000, bytes: 4 * 1024 * 1024, text: 1024 * 1024 },
  })
  return { driver: module.open({ expiresAt: null, root, user: 'ann', password: 'pw' }), asked }
}

const FOLDER =
  '<d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>'
const FILE =
  '<d:propstat><d:prop><d:getcontentlength>5</d:getcontentlength><d:resourcetype/></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>'
const resource = (href: string, inside: string) => `<d:response><d:href>${href}</d:href>${inside}</d:response>`
const listOf = (...resources: string[]) =>
  `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${resources.join('')}</d:multistatus>`
const listing =
  (body: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(207, { 'content-type': 'application/xml' }).end(body)

async function failure(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await promise.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ProviderError)
  return error as ProviderError
}

describe('a list of a WebDAV server', () => {
  it('leads to no place outside the folder', async () => {
    const hrefs = [
      ...[
        '/dav/good.txt',
        '/dav/../up.txt',
        '/dav/%2e%2e',
        '/dav/%2E%2E/',
        '/dav/a%2Fb',
        '/dav/a/b.txt',
        '/other/x.txt',
        '/da',
      ],
      ...[
        '//evil.example/dav/y.txt',
        'https://evil.example/elsewhere/z.txt',
        'file:///etc/passwd',
        '/dav/%00',
        '',
        '/dav//x',
      ],
    ]
    const body = listOf(resource('/dav/', FOLDER), ...hrefs.map((href) => resource(href, FILE)))
    const { driver } = await driverAt(listing(body))
    const { items } = await driver.list(call(), driver.root, null)
    expect(items.map(({ ref }) => ref)).toEqual(['/good.txt'])
  })

  it('of another folder, with an unfinished part, or of a file is not taken for a list of this one', async () => {
    for (const [body, code] of [
      [listOf(), 'Transient'],
      [listOf(resource('/other/', FOLDER)), 'Transient'],
      [listOf(resource('/dav/', FOLDER), resource('/dav/a/', '<d:status>HTTP/1.1 503 Busy</d:status>')), 'Transient'],
      [listOf(resource('/dav/', FILE)), 'NotFound'],
    ] as const) {
      const { driver } = await driverAt(listing(body))
      expect((await failure(driver.list(call(), driver.root, null))).code).toBe(code)
      expect((await failure(driver.listAll?.(call(), null) ?? Promise.resolve())).code).toBe(code)
    }
  })

  it('shows what the user may not open, and does not try to', async () => {
    const forbidden = '<d:status>HTTP/1.1 403 Forbidden</d:status>'
    const body = listOf(
      resource('/dav/', FOLDER),
      resource('/dav/closed/', forbidden),
      resource('/dav/gone', '<d:status>HTTP/1.1 404 Not Found</d:status>'),
    )
    const { driver, asked } = await driverAt(listing(body))
    const { items } = (await driver.listAll?.(call(), null)) ?? { items: [] }
    expect(items).toMatchObject([
      { ref: '/closed/', kind: 'folder', details: { rights: { read: false, write: false } } },
    ])
    expect(asked).toEqual(['PROPFIND /dav/'])
  })

  it('without an end, or of too many entries, is an error and not memory', async () => {
    const { driver } = await driverAt((_request, response) => {
      response.writeHead(207).write('<d:multistatus xmlns:d="DAV:">')
      const part = resource('/dav/x', FILE).repeat(100)
      const more = (): void => {
        while (!response.destroyed && response.write(part));
      }
      response.on('drain', more)
      more()
    })
    expect((await failure(driver.list(call(), driver.root, null))).code).toBe('Permanent')
  })
})

describe('a WebDAV server', () => {
  it('cannot send a request elsewhere', async () => {
    const { driver, asked } = await driverAt((request, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${request.socket.localPort}/elsewhere/` }).end(),
    )
    const ref = (await import('../../../server/providers/webdav/address.ts')).ROOT
    expect((await failure(driver.stat(call(), ref))).code).toBe('Transient')
    expect((await failure(driver.get(call(), ref))).code).toBe('Transient')
    expect(asked.filter((one) => one.includes('elsewhere'))).toEqual([])
  })

  it('that deletes or moves only a part says so, and the rest is not taken for gone', async () => {
    const { driver } = await driverAt((request, response) => {
      const part = (status: string) => resource('/dav/folder/locked.txt', `<d:status>HTTP/1.1 ${status}</d:status>`)
      const status = request.method === 'DELETE' ? '423 Locked' : '403 Forbidden'
      return response
        .writeHead(207)
        .end(
          request.method === 'PROPFIND'
            ? listOf(resource(request.url ?? '', FOLDER))
            : listOf(part('424 Failed Dependency'), part(status)),
        )
    })
    const folder = '/folder/' as typeof driver.root
    expect((await failure(driver.delete(call(), folder))).code).toBe('Transient')
    expect((await failure(driver.move?.(call(), folder, { name: 'other' }) ?? Promise.resolve())).code).toBe(
      'Forbidden',
    )
  })

  it('that ignores ranges gives whole files, and nothing of a part', async () => {
    const { driver } = await driverAt((request, response) => {
      if (request.method === 'PROPFIND') return response.writeHead(207).end(listOf(resource('/dav/a.txt', FILE)))
      return response.writeHead(200).end('hello')
    })
    const file = '/a.txt' as typeof driver.root
    const { body } = await driver.get(call(), file)
    expect(Buffer.concat(await body.toArray()).toString()).toBe('hello')
    expect((await failure(driver.get(call(), file, { start: 1, end: 2 }))).code).toBe('Transient')
  })
})
