import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Credentials, FormValues } from '../../../server/providers/driver.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { webdavModule } from '../../../server/providers/webdav/module.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { createNextcloud, NEXTCLOUD_HOST, type NextcloudService } from '../../fakes/nextcloud/nextcloud.ts'

const LOGIN = { user: 'ann', password: 'abcde-fghij' }
let nextcloud: NextcloudService
let emulators: Emulators
const opened: { close(): unknown }[] = []

beforeEach(async () => {
  nextcloud = createNextcloud()
  emulators = await startEmulators({ services: [nextcloud] })
  nextcloud.commands.addUser({
    id: 'ann',
    appPassword: LOGIN.password,
    email: 'ann@example.com',
    quotaBytes: 1_000_000,
  })
})
afterEach(async () => {
  await emulators.close()
  for (const server of opened.splice(0)) server.close()
})

const call = () => ({ signal: new AbortController().signal, requestId: 'r1' })
const cloudAt = (path = '') => `${emulators.url}/@${NEXTCLOUD_HOST}${path}`

function module(allowed: readonly string[] = ['127.0.0.1']) {
  return webdavModule({ guard: createHostGuard(allowed) })
}

function connect(values: FormValues, own = module()): Promise<Credentials> {
  const { signIn } = own
  if (signIn.by !== 'FORM') throw new Error('It has no form.')
  return signIn.form.exchange(call(), values)
}

async function refusal(values: FormValues, own = module()): Promise<ProviderError> {
  const error = await connect(values, own).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ProviderError)
  return error as ProviderError
}

/** A server that answers everything in one way; what it was asked. */
async function serve(answer: RequestListener): Promise<{ url: string; asked: string[]; authorizations: unknown[] }> {
  const [asked, authorizations]: [string[], unknown[]] = [[], []]
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    authorizations.push(request.headers.authorization)
    request.resume()
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push({
    close() {
      server.closeAllConnections()
      server.close()
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/dav/`, asked, authorizations }
}

describe('a Nextcloud', () => {
  it.each(['', '/', '/index.php/apps/files', '/remote.php/webdav/', '/remote.php/dav/files/ann/', '/apps/files'])(
    'is found at %o, with the folder of all files',
    async (path) => {
      const credentials = await connect({ address: cloudAt(path), ...LOGIN })
      expect(credentials).toMatchObject({
        flavour: 'CLOUD',
        root: cloudAt('/remote.php/dav/files/ann/'),
        uploads: cloudAt('/remote.php/dav/uploads/ann/'),
        email: 'ann@example.com',
        user: 'ann',
      })
      const driver = module().open(credentials)
      expect(await driver.identity(call())).toMatchObject({
        email: 'ann@example.com',
        name: expect.stringContaining('ann A.@127'),
        place: expect.stringContaining('ann@127'),
      })
      expect(await driver.quota(call())).toEqual({ state: 'KNOWN', usedBytes: 0, totalBytes: 1_000_000 })
    },
  )

  it('is connected with one folder of it, and then knows nothing else', async () => {
    const whole = module().open(await connect({ address: cloudAt(), ...LOGIN }))
    await whole.ensureFolder(call(), whole.root, 'Über uns')
    for (const path of ['/remote.php/dav/files/ann/Über uns', '/remote.php/webdav/%C3%9Cber%20uns/']) {
      const credentials = await connect({ address: cloudAt(path), ...LOGIN })
      expect(credentials.root).toBe(cloudAt('/remote.php/dav/files/ann/%C3%9Cber%20uns/'))
      const driver = module().open(credentials)
      expect((await driver.list(call(), driver.root, null)).items).toEqual([])
    }
  })

  it('is the same login by user name and by email address, with http and https, and another one for another user', async () => {
    const subject = async (user: string, password = LOGIN.password) =>
      (await connect({ address: cloudAt(), user, password })).subject
    nextcloud.commands.addUser({ id: 'bob', appPassword: 'another' })
    const ann = await subject('ann')
    expect(await subject('ann@example.com')).toBe(ann)
    expect(await subject('bob', 'another')).not.toBe(ann)
    expect(ann).toMatch(/^[\da-f]{32}$/)
  })

  it('without a quota is unlimited, and unknown where it does not say', async () => {
    const driver = module().open(await connect({ address: cloudAt(), ...LOGIN }))
    nextcloud.commands.setQuota({ id: 'ann', quotaBytes: -3 })
    expect(await driver.quota(call())).toEqual({ state: 'UNLIMITED', usedBytes: 0, totalBytes: null })
    nextcloud.commands.setQuota({ id: 'ann', quotaBytes: -2 })
    expect(await driver.quota(call())).toEqual({ state: 'UNKNOWN', usedBytes: 0, totalBytes: null })
  })

  it('that is full, or refuses the login, says so', async () => {
    const wrong = await refusal({ address: cloudAt(), ...LOGIN, password: 'wrong' })
    expect([wrong.code, wrong.detail.message]).toEqual([
      'Forbidden',
      'The server did not accept the user name and password.',
    ])
    nextcloud.commands.setQuota({ id: 'ann', quotaBytes: 0 })
    expect((await refusal({ address: cloudAt(), ...LOGIN })).detail.message).toMatch(/^The account is full/)
  })

  it('is sent no credentials before it has been recognised', async () => {
    const { url, authorizations } = await serve((_request, response) => response.writeHead(404).end())
    await refusal({ address: url, ...LOGIN })
    expect(authorizations[0]).toBeUndefined()
    expect(authorizations.at(-1)).toMatch(/^Basic /)
  })

  it('leaves nothing of the test in the folder', async () => {
    const driver = module().open(await connect({ address: cloudAt(), ...LOGIN }))
    expect(await driver.quota(call())).toMatchObject({ usedBytes: 0 })
    expect(emulators.log().filter(({ operation }) => operation === 'files.PUT')).toHaveLength(2)
  })
})

describe('an address that does not work', () => {
  it('of a private network is refused without a connection', async () => {
    const error = await refusal({ address: cloudAt(), ...LOGIN }, module([]))
    expect([error.code, error.detail.message]).toEqual(['Forbidden', expect.stringContaining('ALLOW_PRIVATE_HOSTS')])
    expect(emulators.log()).toEqual([])
  })

  it.each([
    [
      404,
      {},
      'There is no folder at this address. Check its path: of Nextcloud and ownCloud, enter the address of the start page.',
    ],
    [405, {}, /^There is a web server at .*, but no WebDAV folder/],
    [401, {}, 'The server did not accept the user name and password.'],
    [403, {}, 'The server does not let this user open the folder.'],
    [301, { location: 'http://127.0.0.1:1/' }, /^The server redirects to another address/],
    [429, { 'retry-after': '5' }, /^The server accepts no more attempts/],
  ])('with status %s says why', async (status, headers, message) => {
    const { url } = await serve((_request, response) => response.writeHead(status, headers).end())
    const error = await refusal({ address: url, ...LOGIN })
    expect([error.code, error.detail.message]).toEqual(['Forbidden', expect.stringMatching(message)])
  })

  it('of a page, of nothing, or of another protocol says that no WebDAV server answers', async () => {
    const page = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    )
    expect((await refusal({ address: page.url, ...LOGIN })).detail.message).toMatch(/^No WebDAV server answers/)
    const other = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    opened.push(other)
    const { port } = other.address() as AddressInfo
    for (const [address, message] of [
      [`http://127.0.0.1:${port}/`, /^No WebDAV server answers at/],
      [`https://127.0.0.1:${port}/`, /^There is no https at/],
      ['http://127.0.0.1:1/', /^Nothing accepts connections at 127.0.0.1:1\./],
    ] as const) {
      const error = await refusal({ address, ...LOGIN })
      expect([error.code, error.detail.message]).toEqual(['Forbidden', expect.stringMatching(message)])
    }
  })

  it('behind a proxy that changes paths names the reason', async () => {
    const { url } = await serve((request, response) => {
      if (request.method === 'GET') return response.writeHead(404).end()
      const propstat = '<d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop></d:propstat>'
      const body = `<d:multistatus xmlns:d="DAV:"><d:response><d:href>/inner/</d:href>${propstat}</d:response></d:multistatus>`
      return response.writeHead(207).end(body)
    })
    const { detail } = await refusal({ address: url, ...LOGIN })
    expect(detail.message).toMatch(/^The server names this folder by another path/)
  })

  it('with a certificate that is signed by itself is sent nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skypool-tls-'))
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
    const files = ['-keyout', join(folder, 'key'), '-out', join(folder, 'crt')]
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names, ...files], {
      stdio: 'ignore',
    })
    let requests = 0
    const tls = { key: readFileSync(join(folder, 'key')), cert: readFileSync(join(folder, 'crt')) }
    const server = createHttpsServer(tls, (_request, response) => {
      requests += 1
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    opened.push(server)
    const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { detail } = await refusal({ address, ...LOGIN })
    expect([detail.message, requests]).toEqual([expect.stringMatching(/^The certificate of .* is signed by itself/), 0])
    rmSync(folder, { recursive: true })
  })

  it('that can only be read says so, and whatever it stored is removed', async () => {
    const { url, asked } = await serve((request, response) => {
      if (request.method === 'GET') return response.writeHead(404).end()
      if (request.method !== 'PROPFIND') return response.writeHead(request.method === 'DELETE' ? 204 : 403).end()
      const body = `<d:multistatus xmlns:d="DAV:"><d:response><d:href>${request.url}</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop></d:propstat></d:response></d:multistatus>`
      return response.writeHead(207).end(body)
    })
    const error = await refusal({ address: url, ...LOGIN })
    expect([error.code, error.detail.message]).toEqual([
      'Forbidden',
      expect.stringMatching(/^You can read this folder, but not write/),
    ])
    expect(asked.filter((one) => one.startsWith('DELETE'))).toHaveLength(3)
  })

  it('is not kept waiting for, once the call has ended', async () => {
    const controller = new AbortController()
    const { url } = await serve(() => controller.abort(new Error('The user left.')))
    const { signIn } = module()
    if (signIn.by !== 'FORM') throw new Error('It has no form.')
    const exchange = signIn.form.exchange({ ...call(), signal: controller.signal }, { address: url, ...LOGIN })
    await expect(exchange).rejects.toThrow('The user left.')
  })
})

describe('the form', () => {
  const problems = (values: FormValues) => {
    const { signIn } = module()
    return signIn.by === 'FORM' ? (signIn.form.check?.({ address: 'https://dav.example.org/', ...values }) ?? []) : []
  }

  it('takes a user name with a password, or a token', () => {
    expect(problems(LOGIN)).toEqual([])
    expect(problems({ token: 'abc.def' })).toEqual([])
    expect(problems({ user: 'ann', token: 'abc.def' })).toEqual([])
  })

  it.each([
    [{ user: 'a:b', password: 'x' }, 'user'],
    [{ ...LOGIN, token: 'abc' }, 'token'],
    [{ token: 'a b' }, 'token'],
    [{ ...LOGIN, address: 'https://ann:secret@dav.example.org/' }, 'address'],
    [{ ...LOGIN, address: 'https://dav.example.org/?x=1' }, 'address'],
  ])('refuses %o by its field', (values, field) => {
    expect(problems(values).map((problem) => problem.field)).toEqual([field])
  })

  it('sends a token as it is', async () => {
    const { url, authorizations } = await serve((_request, response) => response.writeHead(401).end())
    const error = await refusal({ address: url, token: 'abc.def' })
    expect(error.detail.message).toBe('The server did not accept the access token.')
    expect(authorizations.at(-1)).toBe('Bearer abc.def')
  })
})
