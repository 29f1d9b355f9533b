import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { amazonS3Module } from '../../server/providers/amazon-s3/module.ts'
import type { Credentials, FormValues, ProviderModule, SignInForm } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { credentialsOf, loginOf } from '../../server/providers/sftp/login.ts'
import { sftpModule } from '../../server/providers/sftp/module.ts'
import { createHostGuard, type Resolve } from '../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import { webdavModule } from '../../server/providers/webdav/module.ts'
import { createUser } from '../factories/user.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { ELSEWHERE, IN_URLS, THIS_MACHINE } from './providers/privateAddresses.ts'

/** Hosts that users enter in the forms of SFTP, WebDAV and S3: none in a private network is ever connected to. */

/** On 127.0.0.1 (and ::1), which no test allows. */
let connections = 0
const servers: Server[] = []
let port = 0

/** @returns its port */
async function listen(host: string, at: number, serve: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    serve(socket)
  })
  await once(server.listen(at, host), 'listening')
  servers.push(server)
  return (server.address() as AddressInfo).port
}

const count = (socket: Socket): void => {
  connections += 1
  socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok')
}

beforeAll(async () => {
  port = await listen('127.0.0.1', 0, count)
  // Machines without IPv6 have only the first.
  await listen('::1', port, count).catch(() => undefined)
})
beforeEach(() => {
  connections = 0
})
afterAll(() => {
  for (const server of servers) server.close()
})

const inUrl = (host: string): string => (host.includes(':') ? `[${host.replace('%', '%25')}]` : host)

/** What is entered for a host, by provider. */
const FORMS: Readonly<Record<string, (host: string, at: number | string) => FormValues>> = {
  sftp: (host, at) => ({ host, port: String(at), user: 'maren', password: 'secret' }),
  webdav: (host, at) => ({ address: `http://${inUrl(host)}:${at}/dav/`, user: 'maren', password: 'secret' }),
  'amazon-s3': (host, at) => ({
    service: 'other',
    endpoint: `http://${inUrl(host)}:${at}`,
    bucket: 'bucket',
    accessKey: 'key',
    secretKey: 'secret',
  }),
}
const PROVIDERS = Object.keys(FORMS)

describe('a server without ALLOW_PRIVATE_HOSTS', () => {
  let server: TestServer
  let browser: Browser
  beforeAll(async () => {
    server = await startTestServer({}, { openProviders })
    browser = createBrowser(server.url, (await createUser(server.services.users)).token)
  })
  afterAll(() => server?.close())

  /** Tries, and connects in every fifth case. @returns why not, as text */
  async function attempt(provider: string, fields: FormValues | undefined, connects: boolean): Promise<string> {
    const { body } = connects
      ? await browser.request('POST', '/api/v1/accounts', { provider, name: 'x', fields })
      : await browser.request('POST', '/api/v1/accounts/test', { provider, fields })
    return body.problem ?? (body.code === 'INVALID_INPUT' ? JSON.stringify(body.errors) : body.detail)
  }

  it.each(PROVIDERS)('does not connect to any private address that is entered for %s', async (provider) => {
    const hosts = [...THIS_MACHINE, ...ELSEWHERE, ...IN_URLS]
    const ports = [port, port, port, 0, 1, 22, 65_535]
    let tries = 0
    for (const [index, host] of hosts.entries()) {
      const fields = FORMS[provider]?.(host, ports[index % ports.length] ?? port)
      const why = await attempt(provider, fields, index % 5 === 0)
      // What is no host name or port is refused by the form.
      expect([host, why]).toEqual([host, expect.stringMatching(/ALLOW_PRIVATE_HOSTS|"path":"fields\./)])
      tries += 1
    }
    expect(tries * PROVIDERS.length).toBeGreaterThanOrEqual(200)
    expect(connections).toBe(0)
  })
})

describe('a host that is allowed', () => {
  const ALLOWED = '127.0.0.2'
  const modules = (resolve?: Resolve): Readonly<Record<string, ProviderModule>> => {
    const guard = createHostGuard([ALLOWED], resolve)
    return {
      sftp: sftpModule({ guard }),
      webdav: webdavModule({ guard }),
      'amazon-s3': amazonS3Module({ http: createHttp({ emulatorUrl: null, guard }) }),
    }
  }
  const call = () => ({ signal: AbortSignal.timeout(20_000), requestId: 'r1' })
  const formOf = ({ signIn }: ProviderModule): SignInForm => {
    if (signIn.by !== 'FORM') throw new Error('It is not connected with a form.')
    return signIn.form
  }
  let visits = 0
  let status = 302

  beforeAll(async () => {
    // The same port as the one that must not be reached.
    await listen(ALLOWED, port, (socket) => {
      visits += 1
      socket.once('data', () =>
        socket.end(
          `HTTP/1.1 ${status} Elsewhere\r\nlocation: http://127.0.0.1:${port}/dav/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
        ),
      )
      setTimeout(() => socket.end(), 2_000).unref()
    })
  })

  it.each(PROVIDERS)('leads %s to no other one by a redirect', async (provider) => {
    const form = formOf(modules()[provider] as ProviderModule)
    for (status of [301, 302, 303, 307, 308]) {
      visits = 0
      const fields = FORMS[provider]?.(ALLOWED, port) ?? {}
      await expect(form.exchange(call(), fields)).rejects.toThrow()
      expect(visits).toBeGreaterThan(0)
    }
    expect(connections).toBe(0)
  })

  it.each(PROVIDERS)('is not followed by %s to a private address that its name has later', async (provider) => {
    for (const first of [0, 1, 2, 3]) {
      let answers = 0
      const resolve: Resolve = async () => {
        answers += 1
        return [{ address: answers <= first ? ALLOWED : '127.0.0.1', family: 4 }]
      }
      const form = formOf(modules(resolve)[provider] as ProviderModule)
      const fields = FORMS[provider]?.('files.example.org', port) ?? {}
      for (let attempt = 0; attempt < 4; attempt += 1) await expect(form.exchange(call(), fields)).rejects.toThrow()
      expect(answers).toBeGreaterThan(first)
    }
    expect(connections).toBe(0)
  })
})

describe('an account whose host is not allowed any more', () => {
  const guard = createHostGuard([])
  const host = '127.0.0.1'
  const fingerprint = `SHA256:${'A'.repeat(43)}`
  const sftpLogin = () =>
    loginOf({ host, port: String(port), user: 'maren', password: 'secret', fingerprint, folder: '/' })
  const MODULES: Readonly<Record<string, () => [ProviderModule, Credentials]>> = {
    sftp: () => [sftpModule({ guard }), credentialsOf(sftpLogin())],
    webdav: () => [
      webdavModule({ guard }),
      {
        expiresAt: null,
        root: `http://${host}:${port}/`,
        user: 'maren',
        password: 'secret',
        subject: 'maren',
        flavour: 'PLAIN',
        destination: 'ADDRESS',
      },
    ],
    'amazon-s3': () => [
      amazonS3Module({ http: createHttp({ emulatorUrl: null, guard }) }),
      {
        expiresAt: null,
        capacityBytes: null,
        endpoint: `http://${host}:${port}`,
        region: 'us-east-1',
        bucket: 'bucket',
        style: 'path',
        accessKey: 'key',
        secretKey: 'secret',
        folder: '',
      },
    ],
  }

  it.each(PROVIDERS)('is not connected to by %s, which says so', async (provider) => {
    const [module, credentials] = MODULES[provider]?.() ?? []
    if (!module || !credentials) throw new Error(`There is no ${provider}.`)
    const driver = module.open(credentials)
    const call = { signal: AbortSignal.timeout(20_000), requestId: 'r1' }
    const error = await driver.list(call, driver.root, null).catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(ProviderError)
    const { code, detail } = error as ProviderError
    expect([code, detail]).toEqual(['Forbidden', expect.objectContaining({ isHostRefused: true })])
    expect(detail.message).toContain('ALLOW_PRIVATE_HOSTS')
    expect(connections).toBe(0)
  })
})
