import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { TooManyRequestsError } from '../../domain/errors.ts'
import type { Archive } from '../../domain/files/contract.ts'
import { networkOf } from '../../lib/addresses.ts'
import type { ByteReader, ByteSource } from '../../storage/byteSource.ts'
import {
  checkPreconditions,
  contentDisposition,
  isNotModified,
  type Range,
  rangeOf,
  type Validators,
} from './headers.ts'

type Bytes = Validators & {
  readonly source: ByteSource
  /** Additional headers: type, disposition, policies. */
  readonly headers: Readonly<Record<string, string>>
  /** Called with the range to be sent, before its first byte; not for HEAD and 304. */
  readonly onStart?: (range: Range) => void
}

export type DownloadSlots = {
  /** Counts a download. Call the returned function once, when it ends. @throws TooManyRequestsError */
  take(whose: { readonly kind: 'user' | 'network'; readonly id: string }): () => void
}

/** Large reads and writes make a download fast; two such buffers are all the memory it takes. */
const CHUNK = 512 * 1024
/** For downloads beyond `MAX_LARGE_PAIRS`: slower, but a thousand stalled readers hold 160 MiB instead of a thousand. */
const SMALL_CHUNK = 64 * 1024
const MAX_LARGE_PAIRS = 32
/** Buffer pairs kept for later downloads: allocating memory costs more than reading a file into it. */
const MAX_SPARE_PAIRS = 8

/** Simultaneous downloads per user, and per network for anonymous clients. Each holds buffers, a file and a connection. */
export const MAX_DOWNLOADS = { user: 64, network: 32 } as const
const RETRY_AFTER_SECONDS = 10

type Pair = readonly [Buffer, Buffer]

const spare: Pair[] = []
let largePairs = 0

/**
 * Answers GET and HEAD with bytes, or a range of them, or 304.
 * @throws HttpError PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE, and what the source throws before its first byte
 */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, bytes: Bytes): Promise<FastifyReply> {
  const { source, etag, modified } = bytes
  checkPreconditions(request.headers, bytes)
  const validators = { etag, 'last-modified': modified.toUTCString(), 'accept-ranges': 'bytes' }
  const headers = { 'cache-control': 'private, no-cache', ...bytes.headers, ...validators }
  if (isNotModified(request.headers, bytes)) return sendHead(reply, 304, headers)

  const range = request.method === 'GET' ? rangeOf(request.headers, bytes, source.size) : null
  const { start, end } = range ?? { start: 0, end: source.size - 1 }
  const status = range ? 206 : 200
  const described = { ...headers, 'content-length': String(end - start + 1), ...contentRange(range, source.size) }
  if (request.method === 'GET') bytes.onStart?.({ start, end })
  if (request.method === 'HEAD' || source.size === 0) return sendHead(reply, status, described)
  await sendRange(request, reply, source, { start, end }, () => reply.raw.writeHead(status, described))
  return reply
}

function contentRange(range: Range | null, size: number): Record<string, string> {
  return range ? { 'content-range': `bytes ${range.start}-${range.end}/${size}` } : {}
}

function sendHead(reply: FastifyReply, status: number, headers: Readonly<Record<string, string>>): FastifyReply {
  reply.hijack()
  reply.raw.writeHead(status, headers).end()
  return reply
}

/** Streams a ZIP of unknown length. It stops when the client disconnects; a failure closes the connection. */
export async function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, stream }: Archive,
): Promise<FastifyReply> {
  const headers = {
    'content-type': 'application/zip',
    'content-disposition': contentDisposition('attachment', name),
    'cache-control': 'private, no-store',
  }
  if (request.method === 'HEAD') stream.destroy()
  return sendStream(request, reply, { headers, open: async () => stream })
}

type Streamed = {
  readonly headers: Readonly<Record<string, string>>
  /** Called for GET only. */
  readonly open: () => Promise<Readable>
}

/**
 * Sends content of unknown length. It stops when the client disconnects; a failure closes the connection, so that the client does not
 * take the response for complete. @throws what `open` throws
 */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { headers, open }: Streamed,
): Promise<FastifyReply> {
  if (request.method === 'HEAD') return sendHead(reply, 200, headers)
  const stream = await open()
  reply.hijack()
  reply.raw.writeHead(200, headers)
  await pipeline(stream, reply.raw).catch((error: Error) => {
    const disconnected = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (!disconnected) request.log.error({ err: error }, 'download cut off')
  })
  return reply
}

/**
 * Sends a range directly to the socket: while one chunk is written the next is read, and reading waits for the client. `begin`
 * writes the head once the first bytes were read: until then failures are thrown and can be answered as errors. Later ones
 * close the connection, so that the client does not take the response for complete.
 */
async function sendRange(
  request: FastifyRequest,
  reply: FastifyReply,
  source: ByteSource,
  range: Range,
  begin: () => void,
): Promise<void> {
  const { socket } = request.raw
  const disconnected = new AbortController()
  const onClose = () => disconnected.abort()
  socket.once('close', onClose)
  try {
    await send(request, reply, await source.open({ ...range, signal: disconnected.signal }), range, begin)
  } catch (error) {
    if (!socket.destroyed) throw error
    // The client is gone.
    reply.hijack()
  } finally {
    socket.off('close', onClose)
  }
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  reader: ByteReader,
  range: Range,
  begin: () => void,
): Promise<void> {
  try {
    const isSmall = range.end - range.start < CHUNK
    await (isSmall ? sendWhole(reply, reader, range, begin) : sendChunks(request, reply, reader, range, begin))
  } finally {
    await reader.close()
  }
}

/** Head and bytes in one write. */
async function sendWhole(reply: FastifyReply, reader: ByteReader, range: Range, begin: () => void): Promise<void> {
  const bytes = Buffer.allocUnsafe(range.end - range.start + 1)
  for (let filled = 0; filled < bytes.length; ) {
    filled += await reader.read(bytes.subarray(filled), range.start + filled)
  }
  reply.hijack()
  begin()
  reply.raw.end(bytes)
}

async function sendChunks(
  request: FastifyRequest,
  reply: FastifyReply,
  reader: ByteReader,
  range: Range,
  begin: () => void,
): Promise<void> {
  const { pair, release } = takePair()
  let isUnused = false
  try {
    const first = await reader.read(pair[0], range.start)
    reply.hijack()
    begin()
    await streamChunks(reader, reply.raw, request.raw.socket, range, pair, first).catch((error: unknown) => {
      if (!request.raw.socket.destroyed) request.log.error({ err: error }, 'download cut off')
      reply.raw.destroy()
    })
    // A closed socket may still reference the buffers.
    isUnused = !reply.raw.destroyed
  } finally {
    release(isUnused)
  }
}

/** `isUnused`: nothing can still read from the pair, so it may be reused. */
function takePair(): { readonly pair: Pair; release(isUnused: boolean): void } {
  if (largePairs >= MAX_LARGE_PAIRS) return { pair: newPair(SMALL_CHUNK), release: () => undefined }
  largePairs += 1
  const pair = spare.pop() ?? newPair(CHUNK)
  return {
    pair,
    release(isUnused) {
      largePairs -= 1
      if (isUnused && spare.length < MAX_SPARE_PAIRS) spare.push(pair)
    },
  }
}

function newPair(size: number): Pair {
  return [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)]
}

/** `first` bytes of the range are already in the first buffer. Ends early when the client disconnects. */
async function streamChunks(
  reader: ByteReader,
  response: ServerResponse,
  socket: Socket,
  { start, end }: Range,
  pair: Pair,
  first: number,
): Promise<void> {
  const writer = createWriter(response, socket)
  let flushed = writer.write(pair[0].subarray(0, first))
  let position = start + first
  for (let turn: 0 | 1 = 1; position <= end && !socket.destroyed; turn = turn === 0 ? 1 : 0) {
    const target = pair[turn].subarray(0, end - position + 1)
    const bytes = await reader.read(target, position)
    await flushed
    flushed = writer.write(target.subarray(0, bytes))
    position += bytes
  }
  await flushed
  writer.close()
  response.end()
}

/** `write` resolves when the buffer may be reused: the kernel has its bytes, or the connection is closed. */
function createWriter(response: ServerResponse, socket: Socket) {
  let release = () => {}
  // A pipelined response that waits for its turn gets no callbacks when the connection closes.
  const onClose = () => release()
  socket.on('close', onClose)
  return {
    write: (chunk: Buffer) =>
      new Promise<void>((resolve) => {
        release = resolve
        if (socket.destroyed) resolve()
        else response.write(chunk, () => resolve())
      }),
    close: () => socket.off('close', onClose),
  }
}

export function createDownloadSlots(most: Readonly<Record<'user' | 'network', number>> = MAX_DOWNLOADS): DownloadSlots {
  const running = new Map<string, number>()
  return {
    take({ kind, id }) {
      const key = `${kind} ${id}`
      const count = running.get(key) ?? 0
      if (count >= most[kind]) {
        throw new TooManyRequestsError(RETRY_AFTER_SECONDS, `${count} downloads are running already.`)
      }
      running.set(key, count + 1)
      return () => {
        const left = (running.get(key) ?? 1) - 1
        if (left === 0) running.delete(key)
        else running.set(key, left)
      }
    },
  }
}

/** Counts every request of this scope as a download. */
export function countDownloads(app: FastifyInstance, slots: DownloadSlots): void {
  app.addHook('onRequest', async ({ viewer, ip }, reply) => {
    const release = slots.take(viewer ? { kind: 'user', id: viewer.userId } : { kind: 'network', id: networkOf(ip) })
    reply.raw.once('close', release)
  })
}
