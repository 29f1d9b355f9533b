import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { TooManyRequestsError } from '../../domain/errors.ts'
import { inlineTypeOf } from '../../domain/files/content/types.ts'
import type { Archive, File } from '../../domain/files/contract.ts'
import { networkOf } from '../../lib/addresses.ts'
import type { ByteReader, ByteSource } from '../../storage/byteSource.ts'
import { HttpError } from '../errors.ts'

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

/** Validators of a content (RFC 9110, 8.8): a strong entity tag with quotes, and the time of the last change. */
type Validators = { readonly etag: string; readonly modified: Date }

type Range = { readonly start: number; readonly end: number }

/** For content opened as a page: it may load and run nothing and has no origin. */
const SAVED_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'"
/** What a browser's built-in page for an image, audio or video file needs. */
const SHOWN_POLICY =
  "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
/**
 * Built-in PDF viewers are scripts, which a sandbox blocks in some browsers (older Chromium, Firefox). They run in a separate
 * origin, so a PDF never acts as ours. Tested with Chromium 156 in a frame of our page.
 */
const PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"

const INERT = 'application/octet-stream'
/** Types that a page could be made to load as scripts or styles. */
const ACTIVE = /html|\bxml|svg|script|css|wasm/
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i

/** Bidirectional control characters: they can make a name appear to have another extension. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** Not allowed unencoded in `filename*` (RFC 8187, attr-char), but left as they are by encodeURIComponent. */
const NOT_ATTR_CHAR = /[!'()*]/g

/** Headers of a user's content: displayed inline when requested and safe, otherwise saved. */
export function contentHeaders(
  { name, mimeType }: Pick<File, 'name' | 'mimeType'>,
  disposition: 'attachment' | 'inline',
): Record<string, string> {
  const inlineType = inlineTypeOf(mimeType)
  const headers = {
    'content-type': inlineType ?? savedType(mimeType ?? INERT),
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  }
  if (disposition === 'attachment' || inlineType === null) {
    return {
      ...headers,
      'content-disposition': contentDisposition('attachment', name),
      'content-security-policy': SAVED_POLICY,
    }
  }
  return {
    ...headers,
    'content-disposition': contentDisposition('inline', name),
    'content-security-policy': inlineType === 'application/pdf' ? PDF_POLICY : SHOWN_POLICY,
    'x-frame-options': 'SAMEORIGIN',
  }
}

function savedType(type: string): string {
  return TYPE.test(type) && !ACTIVE.test(type) ? type : INERT
}

/** `Content-Disposition` with the name in any script (RFC 6266), and an ASCII form for old clients. */
function contentDisposition(type: 'attachment' | 'inline', name: string): string {
  const shown = name.replace(DIRECTION_MARKS, '')
  const ascii = shown.replace(/[^\x20-\x7e]+|["\\%/]/g, '_')
  const encoded = encodeURIComponent(shown).replace(NOT_ATTR_CHAR, (character) => `%${hexOf(character)}`)
  return `${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase()
}

/** Whether the client's copy is current (RFC 9110, 13.1.2 and 13.1.3). */
function isNotModified(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) return lists(ifNoneMatch, etag, 'weak')
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return wholeSeconds(modified) <= since
}

/** @throws HttpError PRECONDITION_FAILED when the content is not in the state the client expects (13.1.1, 13.1.4) */
function checkPreconditions(headers: IncomingHttpHeaders, { etag, modified }: Validators): void {
  const { 'if-match': ifMatch, 'if-unmodified-since': unmodifiedSince } = headers
  const since = Date.parse(unmodifiedSince ?? '')
  const changed = ifMatch === undefined ? wholeSeconds(modified) > since : !lists(ifMatch, etag, 'strong')
  if (changed)
    throw new HttpError('PRECONDITION_FAILED', 'The file has changed since the state that the request expects.')
}

/**
 * The requested bytes; null: all of them. Multiple ranges, other units and malformed headers are ignored, as
 * RFC 9110 (14.2) allows. @throws HttpError RANGE_NOT_SATISFIABLE
 */
function rangeOf(headers: IncomingHttpHeaders, validators: Validators, size: number): Range | null {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(headers.range?.trim() ?? '')
  if (!match || !ifRangeHolds(headers['if-range'], validators)) return null
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return null
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start <= end) return { start, end }
  throw new HttpError('RANGE_NOT_SATISFIABLE', `The range is outside the file, which has ${size} bytes.`, {
    'content-range': `bytes */${size}`,
  })
}

function ifRangeHolds(header: string | string[] | undefined, { etag, modified }: Validators): boolean {
  if (header === undefined) return true
  const value = String(header).trim()
  return value === etag || Date.parse(value) === wholeSeconds(modified)
}

function lists(header: string, etag: string, comparison: 'weak' | 'strong'): boolean {
  if (header.trim() === '*') return true
  const tags = header.split(',').map((tag) => tag.trim())
  return tags.some((tag) => (comparison === 'weak' ? tag.replace(/^W\//, '') : tag) === etag)
}

/** HTTP dates have no fractions of a second. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}

/** A binary response in the OpenAPI document. */
export const bytes = (description: string, ...types: string[]) => ({
  description,
  content: Object.fromEntries(types.map((type) => [type, { schema: z.string().meta({ format: 'binary' }) }])),
})

/** Request headers of downloads (RFC 9110, 13 and 14). */
export const CONDITIONS = z.object({
  range: z.string().optional(),
  'if-range': z.string().optional(),
  'if-match': z.string().optional(),
  'if-none-match': z.string().optional(),
  'if-modified-since': z.string().optional(),
  'if-unmodified-since': z.string().optional(),
})

export const CONTENT_RANGE = {
  'Content-Range': { type: 'string', description: 'The returned range and the full size.' },
} as const
