import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { changed } from './damage.ts'
import type { FaultKind, Faults } from './faults.ts'
import { type Exchange, ExchangeEnded, type Headers } from './service.ts'
import type { Throttles } from './throttle.ts'
import { playBefore } from './transport.ts'
import { createInput, createOutput, type Wire } from './wire.ts'

/** What an exchange came to, for the log. */
export type Course = {
  operation: string
  user: string | null
  bytesIn: number
  bytesOut: number
  readonly faults: FaultKind[]
  readonly concerns: string[]
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
  const { url, request, response, faults } = input
  const course: Course = { operation: '', user: null, bytesIn: 0, bytesOut: 0, faults: [], concerns: [] }
  const wire = wireOf(input, course)
  const { body, limit } = createInput(wire)
  const exchange: Exchange = {
    url,
    request,
    response,
    faults,
    take: wire.take,
    concerns: (id) => void course.concerns.push(id),
    body,
    method: request.method ?? 'GET',
    async begin(operation, user = null) {
      Object.assign(course, { operation, user })
      await playBefore(exchange, input.closing)
      const cutUp = wire.take('cutUp')
      if (cutUp) limit(cutUp.bytes ?? 0)
    },
    readBody: (most = DEFAULT_LIMIT) => readWhole(exchange, most),
    ...answers(wire),
  }
  return { exchange, course }
}

function wireOf({ service, request, response, faults, throttles }: ExchangeInput, course: Course): Wire {
  return {
    request,
    response,
    course,
    take(kind) {
      const fault = faults.take(kind, { service, operation: course.operation, user: course.user })
      if (fault) course.faults.push(kind)
      return fault
    },
    pass: (bytes) => throttles.pass(`${service}:${course.user}`, bytes),
    cut() {
      request.socket.resetAndDestroy()
      throw new ExchangeEnded()
    },
  }
}

function answers(wire: Wire): Pick<Exchange, 'send' | 'sendJson' | 'sendObject'> {
  const write = createOutput(wire)
  const send: Exchange['send'] = async (status, headers = {}, body = '') => {
    const bytes = Buffer.from(body as string)
    const length: Headers = status === 204 || status === 304 ? {} : { 'Content-Length': bytes.length }
    await write({ status, headers: { ...length, ...headers }, bytes: once(bytes), whole: true })
  }
  return {
    send,
    sendJson(status, value, headers = {}) {
      const type = { 'Content-Type': 'application/json; charset=UTF-8' }
      return send(status, { ...type, ...headers }, JSON.stringify(value, null, 1))
    },
    async sendObject(status, headers, length, source: Readable) {
      try {
        const sent = await changed({ length, bytes: source as AsyncIterable<Buffer>, headers }, wire.take)
        await write({ ...sent, status, headers: { 'Content-Length': sent.length, ...sent.headers } })
      } finally {
        source.destroy()
      }
    },
  }
}

async function readWhole(exchange: Exchange, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of exchange.body()) {
    size += chunk.length
    if (size <= most) chunks.push(chunk)
  }
  if (size <= most) return Buffer.concat(chunks)
  await exchange.send(413, { 'Content-Type': 'text/plain' }, 'Request body is too large.')
  throw new ExchangeEnded()
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes
}
