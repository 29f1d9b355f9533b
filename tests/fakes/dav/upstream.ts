import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { type Exchange, ExchangeEnded, type Headers, type Service } from '../core/service.ts'
import { DAV_HOST } from './servers.ts'

/**
 * A real WebDAV server behind the emulators, which play their faults before it: operations are its methods. `expired`: it is
 * asked with a wrong password. `full`: uploads are refused as without room.
 */
export function createUpstream(port: number): Service {
  return {
    name: 'webdav',
    hosts: [DAV_HOST],
    commands: {},
    async handle(exchange) {
      const { method, take } = exchange
      await exchange.begin(method)
      const limit = take('rateLimit')
      if (limit) return exchange.send(429, { 'Retry-After': limit.retryAfter })
      if (take('serverError')) return exchange.send(503)
      if (method === 'PUT' && take('full')) return exchange.send(507)
      if (method === 'PUT' && take('vanish')) return swallow(exchange)
      await forward(exchange, port)
    },
  }
}

async function swallow(exchange: Exchange): Promise<void> {
  for await (const _ of exchange.body());
  await exchange.send(201)
}

async function forward(exchange: Exchange, port: number): Promise<void> {
  const { request, method, take } = exchange
  const headers = { ...request.headers }
  if (take('expired')) headers.authorization = `Basic ${Buffer.from('ann:wrong').toString('base64')}`
  const lost = method === 'PUT' ? (take('truncate')?.bytes ?? 0) : 0
  if (lost > 0) headers['content-length'] = String(Math.max(0, Number(headers['content-length']) - lost))
  const upstream = requestHttp({ host: '127.0.0.1', port, method, path: request.url, headers, agent: false })
  upstream.on('error', () => undefined)
  const answered = once(upstream, 'response') as Promise<[IncomingMessage]>
  answered.catch(() => undefined)
  try {
    await sendBody(exchange, upstream, Number(headers['content-length'] ?? 0))
    const [message] = await answered
    await answer(exchange, message)
  } catch (error) {
    upstream.destroy()
    throw error instanceof ExchangeEnded || !request.destroyed ? error : new ExchangeEnded()
  }
}

/** The first `length` bytes. */
async function sendBody(exchange: Exchange, upstream: ReturnType<typeof requestHttp>, length: number): Promise<void> {
  let left = length
  for await (const chunk of exchange.body()) {
    const part = chunk.subarray(0, left)
    left -= part.length
    if (part.length > 0 && !upstream.write(part)) await Promise.race([once(upstream, 'drain'), once(upstream, 'close')])
  }
  upstream.end()
}

async function answer(exchange: Exchange, message: IncomingMessage): Promise<void> {
  const headers = kept(message.headers)
  const status = message.statusCode ?? 502
  const length = Number(message.headers['content-length'])
  if (exchange.method === 'GET' && status < 300) return exchange.sendObject(status, headers, length, message)
  const chunks: Buffer[] = []
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk)
  await exchange.send(status, headers, Buffer.concat(chunks))
}

function kept(headers: IncomingHttpHeaders): Headers {
  const dropped = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])
  const entries = Object.entries(headers).filter(([name]) => !dropped.has(name))
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]))
}
