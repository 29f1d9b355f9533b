import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Call } from '../../../server/providers/driver.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import { exactDownload } from '../../../server/providers/shared/download.ts'
import { createHttp, type Http, type HttpRequest, type Timeouts } from '../../../server/providers/shared/http.ts'

const servers: Server[] = []
const where = { provider: 'test', operation: 'call' }
const call = (signal = new AbortController().signal): Call => ({ signal, requestId: 'r1' })

async function serve(answer: RequestListener, timeouts: Partial<Timeouts> = {}): Promise<Http> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const emulatorUrl = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return createHttp({ emulatorUrl, timeouts })
}

const ask = (more: Partial<HttpRequest> = {}): HttpRequest => ({
  where,
  method: 'GET',
  url: 'https://api.example.com/thing?x=1',
  ...more,
})

async function failure(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await promise.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ProviderError)
  return error as ProviderError
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

describe('address', () => {
  it('is the real one without an emulator, and below the emulator with one, however often it is asked', () => {
    const real = createHttp({ emulatorUrl: null })
    expect(real.address('https://a.example/b?c=d').href).toBe('https://a.example/b?c=d')
    const emulated = createHttp({ emulatorUrl: new URL('http://127.0.0.1:9100') })
    const once = emulated.address('https://a.example/b?c=d')
    expect(once.href).toBe('http://127.0.0.1:9100/@a.example/b?c=d')
    expect(emulated.address(once).href).toBe(once.href)
  })

  it('must be https without an emulator', async () => {
    const error = await failure(createHttp({ emulatorUrl: null }).send(call(), ask({ url: 'http://127.0.0.1:1/' })))
    expect(error.code).toBe('Permanent')
  })
})

describe('send', () => {
  it('does not take the page of a network or proxy for the answer to a deletion', async () => {
    const http = await serve((_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end('<p>Please sign in.</p>'),
    )
    const error = await failure(http.send(call(), ask({ method: 'DELETE' })))
    expect([error.code, error.detail.message]).toEqual(['Transient', 'A web page came instead of a response.'])
  })

  it('asks for what the service would be asked, and says the length of what it sends', async () => {
    const http = await serve(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const { url, method, headers } = request
      const told = { url, method, body, length: headers['content-length'], chunked: headers['transfer-encoding'] }
      response.end(JSON.stringify({ ...told, encoding: headers['accept-encoding'] }))
    })
    const bytes = (async function* () {
      yield Buffer.from('abc')
      yield Buffer.from('def')
    })()
    const response = await http.send(call(), ask({ method: 'PUT', body: { length: 6, bytes } }))
    expect(await response.json()).toEqual({
      url: '/@api.example.com/thing?x=1',
      method: 'PUT',
      body: 'abcdef',
      length: '6',
      encoding: 'identity',
    })
  })

  it('is Corrupt when the bytes end early', async () => {
    const http = await serve((request) => request.resume())
    const bytes = (async function* () {
      yield Buffer.from('abc')
    })()
    const error = await failure(http.send(call(), ask({ method: 'PUT', body: { length: 6, bytes } })))
    expect(error.code).toBe('Corrupt')
  })

  it('hands on what breaks in the source of the bytes', async () => {
    const http = await serve((request) => request.resume())
    const broken = new ProviderError('NotFound', where, { message: 'gone' })
    const bytes = (async function* () {
      yield Buffer.from('abc')
      throw broken
    })()
    const sending = http.send(call(), ask({ method: 'PUT', body: { length: 6, bytes } }))
    await expect(sending).rejects.toBe(broken)
  })

  it('takes an answer that comes before all is sent, and sends no more', async () => {
    let taken = 0
    const http = await serve((request, response) => {
      request.once('data', () => response.writeHead(401).end('no'))
    })
    const bytes = (async function* () {
      for (; taken < 1000; taken += 1) yield Buffer.alloc(64 * 1024)
    })()
    const response = await http.send(call(), ask({ method: 'PUT', body: { length: 64 * 1024 * 1000, bytes } }))
    expect(response.status).toBe(401)
    expect(await response.text()).toBe('no')
    expect(taken).toBeLessThan(1000)
  })

  it('hands over 308 without a location, and follows no redirect', async () => {
    const http = await serve((request, response) => {
      if (request.url?.includes('resume')) response.writeHead(308, { Range: 'bytes=0-9' }).end()
      else response.writeHead(302, { Location: 'https://elsewhere.example/' }).end()
    })
    const resumed = await http.send(call(), ask({ url: 'https://api.example.com/resume' }))
    expect([resumed.status, resumed.header('Range')]).toEqual([308, 'bytes=0-9'])
    resumed.dispose()
    const error = await failure(http.send(call(), ask()))
    expect([error.code, error.where.status]).toEqual(['Transient', 302])
  })

  it('is Transient when the answer is packed, or is a page where JSON belongs', async () => {
    const http = await serve((request, response) => {
      if (request.url?.includes('packed')) response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('x')
      else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>Please sign in.</p>')
    })
    expect((await failure(http.send(call(), ask({ url: 'https://api.example.com/packed' })))).code).toBe('Transient')
    const page = await http.send(call(), ask())
    expect((await failure(page.json())).code).toBe('Transient')
  })

  it('is Transient when nobody is there, when the connection is cut, and when the answer takes too long', async () => {
    const nobody = createHttp({ emulatorUrl: new URL('http://127.0.0.1:1') })
    expect((await failure(nobody.send(call(), ask()))).message).toContain('ECONNREFUSED')
    const cutting = await serve((request) => void request.socket.destroy())
    expect((await failure(cutting.send(call(), ask()))).code).toBe('Transient')
    const silent = await serve((request) => request.resume())
    const late = await failure(silent.send(call(), ask({ patienceMs: 30 })))
    expect(late.message).toContain('no response in time')
  })

  it('takes an early answer although the content comes no further', async () => {
    const http = await serve((request, response) => {
      request.once('data', () => response.writeHead(503).end('no'))
    })
    const bytes = (async function* () {
      yield Buffer.alloc(1000)
      await new Promise(() => undefined)
    })()
    const response = await http.send(call(), ask({ method: 'PUT', body: { length: 2000, bytes } }))
    expect([response.status, await response.text()]).toEqual([503, 'no'])
  })

  it('is Transient when nothing is taken, and when nothing comes', async () => {
    const deaf = await serve((request) => void request.pause(), { idleMs: 30 })
    const bytes = (async function* () {
      for (;;) yield Buffer.alloc(256 * 1024)
    })()
    const stalled = failure(deaf.send(call(), ask({ method: 'PUT', body: { length: 2 ** 30, bytes } })))
    expect((await stalled).message).toContain('stopped reading')
    const mute = await serve(
      (_request, response) => {
        response.writeHead(200, { 'Content-Length': 1_000_000 })
        response.write('some')
      },
      { idleMs: 250 },
    )
    const broken = await mute.send(call(), ask())
    expect((await failure(broken.text())).message).toContain('stopped sending')
  })

  it('waits for a reader that rests longer than a service may be silent', async () => {
    // Long enough that a busy machine alone does not look like a silent service.
    const http = await serve((_request, response) => response.end(Buffer.alloc(1_000_000)), { idleMs: 2_000 })
    const whole = await http.send(call(), ask())
    await sleep(2_600)
    expect(await whole.text()).toHaveLength(1_000_000)
  })

  it('breaks the body with Transient when it ends early, without a word of the address', async () => {
    const http = await serve((request, response) => {
      response.writeHead(200, { 'Content-Length': 100 })
      response.write('some', () => request.socket.destroy())
    })
    const response = await http.send(call(), ask())
    const error = await failure(response.text())
    expect(error.code).toBe('Transient')
    expect(error.message).not.toContain('x=1')
  })

  it('does not read answers without an end into memory', async () => {
    const http = await serve((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024)));
      }
      response.on('drain', more)
      more()
    })
    const response = await http.send(call(), ask())
    expect((await failure(response.text())).message).toContain('too long')
  })

  it('ends with the call: before, while it waits, and while the body comes', async () => {
    const http = await serve((request, response) => {
      if (request.url?.includes('begin')) response.writeHead(200, { 'Content-Length': 100 }).write('some')
    })
    const reason = new Error('enough')
    await expect(http.send(call(AbortSignal.abort(reason)), ask())).rejects.toBe(reason)
    const waiting = new AbortController()
    const sent = http.send(call(waiting.signal), ask())
    setTimeout(() => waiting.abort(reason), 20)
    await expect(sent).rejects.toBe(reason)
    const reading = new AbortController()
    const response = await http.send(call(reading.signal), ask({ url: 'https://api.example.com/begin' }))
    setTimeout(() => reading.abort(reason), 20)
    await expect(response.text()).rejects.toBe(reason)
  })
})

describe('a download that is called off', () => {
  it('ends with the reason, however much of it has come already', async () => {
    const size = 4 * 1024 * 1024
    for (const most of [1, size / 2, size - 1]) {
      // The rest never comes: what ends the download is the abort alone.
      const http = await serve((_request, response) => {
        response.writeHead(200, { 'content-length': size })
        response.write(Buffer.alloc(most, 7))
      })
      const ended = new AbortController()
      const reason = new Error('Nobody reads any more.')
      const { body } = exactDownload(await http.send(call(ended.signal), ask()), size, where)
      let seen = 0
      const reading = (async () => {
        for await (const chunk of body as AsyncIterable<Buffer>) {
          seen += chunk.length
          if (seen >= most) ended.abort(reason)
        }
      })()
      await expect(reading).rejects.toBe(reason)
    }
  })
})
