import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { type S3Bucket, s3Address, sha256Hex, signedHeaders, UNSIGNED_PAYLOAD } from '../../lib/s3/sign.ts'
import { parseXml, textOf, type XmlElement } from '../../lib/s3/xml.ts'
import { S3Error } from './errors.ts'

export type S3Request = {
  /** For error messages. */
  readonly operation: string
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Absent: the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  /** In lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Chunks need a signed Content-MD5. */
  readonly body?: string | readonly Buffer[]
  /** The end of the body is not sent after this time (performance.now()): a write must not land late. */
  readonly until?: number | undefined
  /** How long the answer may take after the request was sent (ms). */
  readonly patienceMs?: number
  readonly signal?: AbortSignal | undefined
}

export type S3Answer = { readonly headers: IncomingMessage['headers']; readonly text: string }

/** Signed requests to one bucket, repeated with growing pauses while the service or the network fails. */
export type S3Client = {
  readonly bucket: string
  /** Resolves with the head of a response whose body the caller reads or destroys. @throws S3Error */
  open(request: S3Request): Promise<IncomingMessage>
  /** Resolves with the whole response. @throws S3Error */
  send(request: S3Request): Promise<S3Answer>
  /** As `send`, with the response as XML: services can report errors with the status of success. @throws S3Error */
  ask(request: S3Request): Promise<XmlElement>
  /** Whether the service, or the network on the way, failed during the last `ms` milliseconds, as far as requests of this client show. */
  failedWithin(ms: number): boolean
  /** Closes idle connections. */
  close(): void
}

export type S3ClientOptions = {
  readonly bucket: S3Bucket
  /** How long requests are repeated (ms). */
  readonly retryMs?: number
}

const RETRY_MS = 30_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
const CONNECT_MS = 10_000
const ANSWER_MS = 60_000
const IDLE_MS = 60_000
const LONGEST_TEXT = 8 * 1024 * 1024
const SLICE = 256 * 1024

export function createS3Client({ bucket, retryMs = RETRY_MS }: S3ClientOptions): S3Client {
  const isTls = bucket.endpoint.startsWith('https:')
  const agentOptions = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' } as const
  const agent = isTls ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions)
  let aheadMs = 0
  let failedAt = Number.NEGATIVE_INFINITY

  async function once(asked: S3Request): Promise<IncomingMessage> {
    const { operation, method, key, query = {}, headers = {}, body, signal } = asked
    signal?.throwIfAborted()
    const url = s3Address(bucket, key, query)
    const payload = typeof body === 'object' ? UNSIGNED_PAYLOAD : sha256Hex(body ?? '')
    const unsigned = { method, url, headers: { ...headers, ...lengthOf(method, body) }, payload }
    const signed = signedHeaders(unsigned, bucket, new Date(Date.now() + aheadMs))
    const request = (isTls ? requestHttps : requestHttp)(url, { method, agent, headers: signed, signal })
    try {
      const answered = responseTo(request, asked)
      answered.catch(() => undefined)
      await writeBody(request, asked)
      return await answered
    } catch (error) {
      request.destroy()
      if (error instanceof S3Error) throw error
      throw S3Error.ofNetwork(operation, error, request.reusedSocket)
    }
  }

  async function openOnce(asked: S3Request): Promise<IncomingMessage> {
    const response = await once(asked)
    const { statusCode: status = 0, headers } = response
    if (status < 300) return response
    const xml = parsed(await textIn(response).catch(() => ''))
    const code = xml?.name === 'Error' ? textOf(xml, 'Code') : null
    const theirs = Date.parse(headers.date ?? '')
    if (code === 'RequestTimeTooSkewed' && !Number.isNaN(theirs)) aheadMs = theirs - Date.now()
    throw new S3Error(asked.operation, { status, code, retryAfter: headers['retry-after'] })
  }

  async function repeated<Value>(work: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    const until = performance.now() + retryMs
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        if (!(error instanceof S3Error) || !error.canRepeat) throw error
        // A connection that was kept open and has just been closed by the service says nothing about the service.
        const isIdleClosed = error.wasKept && attempt === 0
        if (!isIdleClosed) failedAt = performance.now()
        if (performance.now() >= until) throw error
        if (isIdleClosed) continue
        const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random() / 2)
        await sleep(Math.max(pause, Math.min(error.retryAfterMs ?? 0, LONGEST_PAUSE_MS)))
      }
    }
  }

  const sendOnce = async (asked: S3Request): Promise<S3Answer> => {
    const response = await openOnce(asked)
    const text = await textIn(response).catch((error: unknown) => {
      throw S3Error.ofNetwork(asked.operation, error, false)
    })
    return { headers: response.headers, text }
  }

  return {
    bucket: bucket.bucket,
    open: (asked) => repeated(() => openOnce(asked), asked.signal),
    send: (asked) => repeated(() => sendOnce(asked), asked.signal),
    ask: (asked) =>
      repeated(async () => {
        const { operation } = asked
        const xml = parsed((await sendOnce(asked)).text)
        if (xml === null) throw S3Error.ofNetwork(operation, new Error('The response is not XML.'), false)
        if (xml.name === 'Error') throw new S3Error(operation, { status: 500, code: textOf(xml, 'Code') })
        return xml
      }, asked.signal),
    failedWithin: (ms) => performance.now() - failedAt <= ms,
    close: () => agent.destroy(),
  }
}

function lengthOf(method: string, body: S3Request['body']): Record<string, string> {
  if (body === undefined) return method === 'PUT' || method === 'POST' ? { 'content-length': '0' } : {}
  if (typeof body === 'string') return { 'content-length': String(Buffer.byteLength(body)) }
  return { 'content-length': String(body.reduce((sum, chunk) => sum + chunk.length, 0)) }
}

function responseTo(
  request: ClientRequest,
  { patienceMs = ANSWER_MS }: Pick<S3Request, 'patienceMs'>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const late = (what: string) => () => void request.destroy(new Error(what))
    let timer = setTimeout(late('no connection in time'), CONNECT_MS)
    const restart = (what: string, ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(late(what), ms)
    }
    const sending = () => {
      restart('the service stopped reading', IDLE_MS)
      // Many chunks wait in the connection: each time it takes more, it is alive.
      request.on('drain', () => restart('the service stopped reading', IDLE_MS))
    }
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('encrypted' in socket ? 'secureConnect' : 'connect', sending)
      else sending()
    })
    request.once('finish', () => restart('no answer in time', patienceMs))
    request.once('close', () => clearTimeout(timer))
    request.once('response', (message) => {
      clearTimeout(timer)
      // Some services end a response to HEAD like one with a body: the next request on this connection would fail.
      if (request.method === 'HEAD' && message.headers['transfer-encoding'] !== undefined) message.socket.destroy()
      resolve(message)
    })
    // Never removed: an error after the head breaks the body, which reports it.
    request.on('error', reject)
  })
}

/** Resolves when the connection has everything. @throws when `until` has passed before the end was sent */
async function writeBody(request: ClientRequest, { operation, body, until }: S3Request): Promise<void> {
  if (until === undefined) {
    request.cork()
    for (const chunk of typeof body === 'object' ? body : [body ?? '']) if (chunk.length > 0) request.write(chunk)
    request.end()
    request.uncork()
    return
  }
  await connected(request)
  const chunks = typeof body === 'object' ? body : [Buffer.from(body ?? '')]
  for (const slice of slicesOf(chunks)) {
    checkTime(operation, until)
    if (!request.write(slice)) await drained(request)
    if (request.destroyed) return
  }
  checkTime(operation, until)
  request.end()
}

function* slicesOf(chunks: readonly Buffer[]): Iterable<Buffer> {
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += SLICE) yield chunk.subarray(at, at + SLICE)
  }
}

function checkTime(operation: string, until: number): void {
  if (performance.now() > until) throw S3Error.tooLate(operation)
}

function connected(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    request.once('close', resolve)
    const wait = (socket: NonNullable<ClientRequest['socket']>) => {
      if (socket.connecting) socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => resolve())
      else resolve()
    }
    if (request.socket) wait(request.socket)
    else request.once('socket', wait)
  })
}

/** Resolves also when the request has ended. */
function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'response', 'close']) request.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'response', 'close']) request.on(event, done)
    if (request.destroyed) done()
  })
}

function textIn(message: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const timer = setTimeout(() => message.destroy(new Error('the service stopped sending')), IDLE_MS)
    message.on('data', (chunk: Buffer) => {
      timer.refresh()
      length += chunk.length
      if (length > LONGEST_TEXT) message.destroy(new Error('the response is too long'))
      else chunks.push(chunk)
    })
    message.once('end', () => resolve(Buffer.concat(chunks).toString()))
    message.once('error', reject)
    message.once('close', () => {
      clearTimeout(timer)
      reject(new Error('the response ended early'))
    })
  })
}

/** Null when it is no XML, as from proxies. */
function parsed(text: string): XmlElement | null {
  try {
    return parseXml(text)
  } catch {
    return null
  }
}
