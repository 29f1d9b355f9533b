import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { changed } from './damage.ts'
import type { Fault, FaultKind, Faults } from './faults.ts'
import { type Exchange, ExchangeEnded, type Headers } from './service.ts'
import type { Throttles } from './throttle.ts'

/** What an exchange came to, for the log. */
export type Course = {
  operation: string
  user: string | null
  bytesIn: number
  bytesOut: number
  readonly faults: FaultKind[]
}

export type ExchangeInput = {
  readonly service: string
  readonly url: URL
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly faults: Faults
  readonly throttles: Throttles
  readonly closing: AbortSignal
}

const DEFAULT_LIMIT = 10 * 1024 * 1024

export function createExchange(input: ExchangeInput): { exchange: Exchange; course: Course } {
  const { url, request, response, faults, throttles } = input
  const course: Course = { operation: '', user: null, bytesIn: 0, bytesOut: 0, faults: [] }
  const key = (): string => `${input.service}:${course.user}`
  let cutUp: Fault | null = null

  const take = (kind: FaultKind): Fault | null => {
    const fault = faults.take(kind, { service: input.service, operation: course.operation, user: course.user })
    if (fault) course.faults.push(kind)
    return fault
  }
  const cut = (): never => {
    request.socket.resetAndDestroy()
    throw new ExchangeEnded()
  }
  async function* body(): AsyncGenerator<Buffer> {
    let left = cutUp?.bytes ?? (cutUp ? 0 : Number.POSITIVE_INFINITY)
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        await throttles.pass(key(), chunk.length)
        course.bytesIn += Math.min(chunk.length, left)
        if (chunk.length <= left) yield chunk
        else if (left > 0) yield chunk.subarray(0, left)
        if (chunk.length > left) cut()
        left -= chunk.length
      }
    } catch (error) {
      throw request.destroyed && !request.complete ? new ExchangeEnded() : error
    }
  }
  const write = async (head: () => void, bytes: AsyncIterable<Buffer>, whole: boolean): Promise<void> => {
    if (response.destroyed || isReplyLost(response, take)) cut()
    head()
    const cutDown = request.method === 'HEAD' ? null : take('cutDown')
    let left = cutDown ? (cutDown.bytes ?? 0) : Number.POSITIVE_INFINITY
    for await (const chunk of bytes) {
      if (request.method === 'HEAD') break
      await throttles.pass(key(), chunk.length)
      const part = chunk.length > left ? chunk.subarray(0, left) : chunk
      course.bytesOut += part.length
      if (!response.write(part)) await drained(response)
      left -= part.length
      if (part.length < chunk.length) cut()
    }
    if (cutDown) cut()
    if (whole || request.method === 'HEAD') response.end()
    else request.socket.end()
  }
  const exchange: Exchange = {
    url,
    request,
    response,
    faults,
    take,
    body,
    method: request.method ?? 'GET',
    async begin(operation, user = null) {
      course.operation = operation
      course.user = user
      await playBefore(exchange, input.closing)
      cutUp = take('cutUp')
    },
    async readBody(limit = DEFAULT_LIMIT) {
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of body()) {
        size += chunk.length
        if (size <= limit) chunks.push(chunk)
      }
      if (size <= limit) return Buffer.concat(chunks)
      await exchange.send(413, { 'Content-Type': 'text/plain' }, 'Request body is too large.')
      throw new ExchangeEnded()
    },
    async send(status, headers = {}, body = '') {
      const bytes = Buffer.from(body as string)
      const length: Headers = status === 204 || status === 304 ? {} : { 'Content-Length': bytes.length }
      response.statusCode = status
      await write(() => setHead(response, status, { ...length, ...headers }), once(bytes), true)
    },
    sendJson: (status, value, headers = {}) =>
      exchange.send(
        status,
        { 'Content-Type': 'application/json; charset=UTF-8', ...headers },
        JSON.stringify(value, null, 1),
      ),
    async sendObject(status, headers, length, bytes) {
      response.statusCode = status
      const sent = await changed({ length, bytes: bytes as AsyncIterable<Buffer>, headers }, take)
      try {
        const head = (): void => setHead(response, status, { 'Content-Length': sent.length, ...sent.headers })
        await write(head, sent.bytes, sent.whole)
      } finally {
        ;(bytes as Readable).destroy()
      }
    },
  }
  return { exchange, course }
}

async function playBefore(exchange: Exchange, closing: AbortSignal): Promise<void> {
  const { request, response, take } = exchange
  if (take('refuse')) {
    request.socket.destroy()
    throw new ExchangeEnded()
  }
  if (take('reset')) {
    request.socket.resetAndDestroy()
    throw new ExchangeEnded()
  }
  if (take('blackhole')) {
    request.resume()
    await new Promise<void>((resolve) => {
      response.once('close', resolve)
      closing.addEventListener('abort', () => resolve(), { once: true })
    })
    request.socket.destroy()
    throw new ExchangeEnded()
  }
  const delay = take('delay')
  if (delay) await sleep(delay.ms ?? 1000, undefined, { signal: closing }).catch(() => undefined)
  const skew = take('skew')
  if (skew) response.setHeader('Date', new Date(Date.now() + (skew.ms ?? 3_600_000)).toUTCString())
  const redirect = take('redirect')
  if (redirect) {
    await exchange.send(redirect.status ?? 302, { Location: redirect.location ?? 'https://example.org/elsewhere' })
    throw new ExchangeEnded()
  }
  if (take('html')) {
    const page = '<!doctype html><title>Sign in</title><p>Please sign in to this network.</p>'
    await exchange.send(200, { 'Content-Type': 'text/html; charset=utf-8' }, page)
    throw new ExchangeEnded()
  }
}

/** Whether the reply to something that was done is to be lost. */
function isReplyLost(response: ServerResponse, take: Exchange['take']): boolean {
  return response.statusCode < 400 && take('lostReply') !== null
}

function setHead(response: ServerResponse, status: number, headers: Headers): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value)
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      response.off('drain', onDrain)
      response.off('close', onClose)
    }
    const onDrain = (): void => {
      end()
      resolve()
    }
    const onClose = (): void => {
      end()
      reject(new ExchangeEnded())
    }
    response.on('drain', onDrain)
    response.on('close', onClose)
    if (response.destroyed) onClose()
  })
}
