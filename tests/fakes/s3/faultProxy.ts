import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServiceFault } from '../../conformance/harness.ts'

/** What the service is made to do until it is reset. */
export type Condition = 'full' | 'refusesKeys'

export type FaultProxy = {
  readonly endpoint: string
  /** Once, for the next request that it concerns. */
  plan(fault: ServiceFault): void
  set(condition: Condition): void
  /** Nothing is planned, and no condition holds. */
  reset(): void
  /** Bytes of contents that arrived so far. */
  received(): number
  close(): Promise<void>
}

export type FaultProxyOptions = {
  /** The service. */
  readonly target: string
  /** Stores an object at the service by another way. */
  readonly store: (path: string, bytes: Buffer) => Promise<void>
}

type Kind = 'whole' | 'part' | 'last' | 'create' | 'content' | 'other'

/** Passes requests on to a service with the S3 API, with their signatures, and makes what networks and services do wrong. */
export async function startFaultProxy({ target, store }: FaultProxyOptions): Promise<FaultProxy> {
  let planned: ServiceFault | null = null
  const conditions = new Set<Condition>()
  let received = 0

  function take<Name extends ServiceFault['kind']>(kind: Name): Extract<ServiceFault, { kind: Name }> | null {
    if (planned?.kind !== kind) return null
    const fault = planned as Extract<ServiceFault, { kind: Name }>
    planned = null
    return fault
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const kind = kindOf(request)
    if (take('reset')) return void request.socket.destroy()
    if (take('serverError')) return refuse(request, response, 503, 'ServiceUnavailable')
    const limit = take('rateLimit')
    if (limit) return refuse(request, response, 503, 'SlowDown', { 'retry-after': String(limit.retryAfterMs / 1000) })
    const isUpload = kind === 'whole' || kind === 'part' || kind === 'create'
    if (conditions.has('full') && isUpload) return refuse(request, response, 403, 'QuotaExceeded')
    if (kind === 'whole' && (planned?.kind === 'truncate' || planned?.kind === 'vanish')) {
      return pretend(request, response)
    }
    pass(request, response, kind)
  }

  /** Answers as if everything was stored. */
  async function pretend(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const truncate = take('truncate')
    take('vanish')
    const body = await collect(request)
    received += body.length
    if (truncate) await store(request.url ?? '/', body.subarray(0, truncate.bytes))
    response.writeHead(200, { etag: `"${createHash('md5').update(body).digest('hex')}"` }).end()
  }

  function pass(request: IncomingMessage, response: ServerResponse, kind: Kind): void {
    const isLost = (kind === 'whole' || kind === 'last') && take('lostReply') !== null
    const cut = kind === 'part' ? cutUp(request) : null
    const headers = { ...request.headers }
    if (conditions.has('refusesKeys')) headers.authorization = `${headers.authorization ?? ''}0`
    let hasAnswered = false
    const options = { method: request.method, headers, agent: false } as const
    const upstream = requestHttp(new URL(request.url ?? '/', target), options, (answer) => {
      hasAnswered = true
      if (isLost) {
        answer.resume()
        answer.once('end', () => request.socket.destroy())
        return
      }
      respond(answer, response, kind)
    })
    upstream.on('error', () => hasAnswered || request.socket.destroy())
    request.on('aborted', () => upstream.destroy())
    request.on('data', (chunk: Buffer) => {
      if (kind === 'whole' || kind === 'part') received += chunk.length
      if (cut?.(chunk.length)) {
        upstream.destroy()
        request.socket.destroy()
      } else if (!upstream.write(chunk)) {
        request.pause()
        upstream.once('drain', () => request.resume())
      }
    })
    request.on('end', () => upstream.end())
  }

  let sentSinceCut = 0
  /** Parts whose bytes are on their way, in the order in which they began. */
  const sending = new Set<IncomingMessage>()
  /**
   * Counts over all requests of an upload. Of parts that are sent at the same time the first one is not cut: what arrived after it
   * could not be continued. @returns whether the connection ends with the chunk
   */
  function cutUp(request: IncomingMessage): ((bytes: number) => boolean) | null {
    if (planned?.kind !== 'cutUp') return null
    sending.add(request)
    for (const event of ['end', 'close']) request.once(event, () => sending.delete(request))
    return (bytes) => {
      sentSinceCut += bytes
      if (planned?.kind !== 'cutUp' || sentSinceCut <= planned.afterBytes) return false
      if (sending.size > 1 && sending.values().next().value === request) return false
      planned = null
      return true
    }
  }

  function respond(answer: IncomingMessage, response: ServerResponse, kind: Kind): void {
    const isContent = kind === 'content' && (answer.statusCode ?? 500) < 300
    const cut = isContent ? take('cutDown') : null
    const short = isContent ? take('shortBody') : null
    const length = short ? { 'content-length': String(short.bytes) } : {}
    response.writeHead(answer.statusCode ?? 500, { ...answer.headers, ...length })
    let left = cut?.afterBytes ?? short?.bytes ?? Number.POSITIVE_INFINITY
    answer.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, left)
      left -= part.length
      if (part.length > 0 && !response.write(part)) {
        answer.pause()
        response.once('drain', () => answer.resume())
      }
      if (left > 0) return
      answer.destroy()
      if (cut) response.socket?.destroySoon()
      else response.end()
    })
    answer.on('end', () => response.end())
    answer.on('error', () => response.destroy())
    response.on('close', () => answer.destroy())
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan(fault) {
      planned = fault
      sentSinceCut = 0
    },
    set: (condition) => void conditions.add(condition),
    reset() {
      planned = null
      conditions.clear()
    },
    received: () => received,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function kindOf({ method, url = '/' }: IncomingMessage): Kind {
  const { pathname, searchParams } = new URL(url, 'http://service')
  const isObject = pathname.split('/').length > 2 && !pathname.endsWith('/')
  if (!isObject) return 'other'
  if (method === 'PUT') return searchParams.has('partNumber') ? 'part' : 'whole'
  if (method === 'POST') return searchParams.has('uploads') ? 'create' : 'last'
  return method === 'GET' && !searchParams.has('uploadId') ? 'content' : 'other'
}

async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  await collect(request)
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>No.</Message></Error>`
  response.writeHead(status, { 'content-type': 'application/xml', ...headers })
  response.end(request.method === 'HEAD' ? undefined : body)
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
