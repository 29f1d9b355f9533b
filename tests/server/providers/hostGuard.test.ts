import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Call } from '../../../server/providers/driver.ts'
import { createHostGuard, HostRefused, type Resolve } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { ELSEWHERE, IN_URLS, THIS_MACHINE } from './privateAddresses.ts'

const call = (): Call => ({ signal: new AbortController().signal, requestId: 'r1' })

const PUBLIC = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1', '::ffff:8.8.8.8']

/** What looks public at first, with the port of this machine. */
const DISGUISED = [
  'http://8.8.8.8@127.0.0.1:PORT/',
  'http://8.8.8.8:80@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT#@8.8.8.8/',
  'http://127.0.0.1:PORT\\@8.8.8.8/',
  'http://127.0.0.1:PORT?@8.8.8.8/',
  'http:\\\\127.0.0.1:PORT/',
  'http:127.0.0.1:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://8.8.8.8@[::1]:PORT/',
  ' http://127.0.0.1:PORT/ ',
  'ht\ntp://127.0.\t0.1:PORT/',
]

const servers: Server[] = []
let connections = 0
let port = 0

beforeAll(async () => {
  await listen('127.0.0.1')
  // Machines without IPv6 have only the first.
  await listen('::1').catch(() => undefined)
})
beforeEach(() => {
  connections = 0
})
afterAll(() => {
  for (const server of servers) server.close()
})

/** Answers on the port that all of them have. */
async function listen(host: string): Promise<void> {
  const server = createServer((socket) => {
    connections += 1
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok')
  })
  await once(server.listen(port, host), 'listening')
  port = (server.address() as AddressInfo).port
  servers.push(server)
}

const urlOf = (host: string): string => `http://${host.includes(':') ? `[${host.replace('%', '%25')}]` : host}:${port}/`

function send(host: string, guard = createHostGuard([]), url = urlOf(host)) {
  const where = { provider: 'test', operation: 'call' }
  return createHttp({ emulatorUrl: null, guard }).send(call(), { where, method: 'GET', url })
}

const reject = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => error,
  )

describe('a host that a user types in', () => {
  it('says what the administrator has to set for a private address, and nothing about a name', async () => {
    const guard = createHostGuard([], async (host) => [
      { address: host.startsWith('nas') ? '10.0.0.5' : host, family: 4 },
    ])
    const messageFor = async (host: string) => String(await reject(guard.resolve(host)))
    expect(await messageFor('10.0.0.5')).toMatch(
      /The address 10\.0\.0\.5 is private\. .* add it to ALLOW_PRIVATE_HOSTS/,
    )
    expect(await messageFor('nas.example')).toMatch(/^HostRefused: The host was not found, or its address is private\./)
    expect(await messageFor('169.254.169.254')).not.toContain('The address')
  })

  it('is not connected in any notation of a private address: 200 tries, 0 connections', async () => {
    const guard = createHostGuard([])
    const hosts = [...THIS_MACHINE, ...ELSEWHERE]
    let tries = 0
    for (const host of hosts) {
      tries += 2
      expect([host, await reject(guard.resolve(host))]).toEqual([host, expect.any(HostRefused)])
      const error = await reject(send(host))
      // A URL refuses some notations itself.
      if (!(error instanceof TypeError)) expect([host, error]).toMatchObject([host, { code: 'Forbidden' }])
    }
    for (const host of IN_URLS) {
      tries += 1
      expect([host, await reject(send(host))]).toMatchObject([host, { code: 'Forbidden' }])
    }
    for (const text of DISGUISED) {
      tries += 1
      const url = text.replace('PORT', String(port))
      expect([url, await reject(send('', guard, url))]).toMatchObject([url, { code: 'Forbidden' }])
    }
    expect(tries).toBeGreaterThanOrEqual(200)
    expect(connections).toBe(0)
  })

  it('is not connected when its name has a private address, not even one of several', async () => {
    for (const host of [...THIS_MACHINE, ...ELSEWHERE].filter((name) => name.includes(':'))) {
      const resolve: Resolve = async () => [
        { address: '8.8.8.8', family: 4 },
        { address: host, family: 6 },
      ]
      const guard = createHostGuard([], resolve)
      expect(await reject(guard.resolve('files.example.org'))).toBeInstanceOf(HostRefused)
      expect(await reject(send('files.example.org', guard))).toMatchObject({ code: 'Forbidden' })
    }
    expect(connections).toBe(0)
  })

  it('is resolved once: an answer that changes afterwards is not used', async () => {
    let answers = 0
    const resolve: Resolve = async () => {
      answers += 1
      return [{ address: answers === 1 ? '127.0.0.1' : '8.8.8.8', family: 4 }]
    }
    const guard = createHostGuard(['127.0.0.1'], resolve)
    expect(await (await send('files.example.org', guard)).text()).toBe('ok')
    expect([answers, connections]).toEqual([1, 1])
  })

  it('looks the same where there is no such host', async () => {
    const missing: Resolve = async () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }))
    const [unknown, hidden] = [
      await reject(send('unknown.example.org', createHostGuard([], missing))),
      await reject(send('localhost')),
    ]
    expect(unknown).toMatchObject({ code: 'Forbidden' })
    expect(String(unknown)).toBe(String(hidden))
    const trouble: Resolve = async () => Promise.reject(Object.assign(new Error('later'), { code: 'EAI_AGAIN' }))
    expect(await reject(send('files.example.org', createHostGuard([], trouble)))).toMatchObject({ code: 'Transient' })
  })

  it('is not called by another protocol, and redirects are not followed', async () => {
    for (const url of ['ftp://8.8.8.8/', 'file:///etc/passwd', 'gopher://127.0.0.1/']) {
      expect(await reject(send('', createHostGuard([]), url))).toMatchObject({ code: 'Permanent' })
    }
  })
})

describe('a guard', () => {
  it('lets public addresses through', async () => {
    const guard = createHostGuard([])
    for (const host of PUBLIC) expect((await guard.resolve(host))[0].address).toBe(host)
    expect((await guard.resolve('[2606:4700::1111]'))[0]).toEqual({ address: '2606:4700::1111', family: 6 })
  })

  it('lets the networks through that the administrator lists', async () => {
    const guard = createHostGuard(['127.0.0.0/8', 'fd00::/8', '192.168.1.7'])
    expect((await guard.resolve('127.0.0.1'))[0].address).toBe('127.0.0.1')
    expect((await guard.resolve('192.168.1.7'))[0].address).toBe('192.168.1.7')
    for (const host of ['192.168.1.8', '::1', '10.0.0.1']) expect(await reject(guard.resolve(host))).not.toBe('done')
    expect(await (await send('127.0.0.1', guard)).text()).toBe('ok')
    const [{ address }] = await guard.resolve('127.1')
    const socket = connectTcp({ host: address, port })
    expect(String((await once(socket, 'data'))[0])).toContain('200 OK')
    socket.destroy()
    expect(connections).toBe(2)
  })

  it('lets all private networks through, but no metadata service and no reserved address', async () => {
    const guard = createHostGuard(true)
    for (const host of ['127.0.0.1', '::1', '10.0.0.1', '192.168.0.1', 'fd12::1', '::ffff:10.0.0.1', ...PUBLIC]) {
      expect((await guard.resolve(host))[0].address).toBe(host)
    }
    const refused = ['169.254.169.254', '100.100.100.200', 'fd00:ec2::254', '168.63.129.16', 'fe80::1', '0.0.0.0']
    const more = ['::', '224.0.0.1', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '::ffff:a9fe:a9fe', 'fe80::1%lo']
    for (const host of [...refused, ...more]) expect(await reject(guard.resolve(host))).toBeInstanceOf(HostRefused)
  })
})
