import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteSource } from '../storage/byteSource.ts'
import { checkPreconditions, isNotModified, type Range, rangeOf, type Validators } from './conditions.ts'

export type Bytes = Validators & {
  readonly source: ByteSource
  /** Beside those that this module sets: type, disposition, policies. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Answers GET and HEAD with bytes, or a range of them, or 304. The bytes go from the source to the socket as they are, past
 * Fastify: one chunk is on its way to the client while the next is read, and nothing is read that nobody takes.
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
  if (request.method === 'HEAD' || source.size === 0) return sendHead(reply, status, described)

  const body = source.read(start, end)
  // A client that goes away ends the reading, also while a chunk is awaited.
  reply.raw.once('close', () => body.destroy())
  const chunks = body[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>
  // Nothing is promised before the first chunk is there: until then a failure can still be answered as one.
  const { value: first } = await chunks.next()
  reply.hijack()
  reply.raw.writeHead(status, described)
  await pour(first, chunks, reply.raw).catch((error: unknown) => cut(request, reply.raw, error))
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

/** A content of one chunk goes out together with the headers, in one write. */
async function pour(first: Buffer, rest: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> {
  let last = first
  for await (const chunk of rest) {
    if (!response.write(last)) await drained(response)
    last = chunk
  }
  response.end(last)
}

/** Resolves also when the client has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    if (response.destroyed) resolve()
    else response.on('drain', done).on('close', done)
  })
}

/** An answer that cannot be completed is cut off, so that nobody takes it for the whole. A client that left is no failure. */
function cut(request: FastifyRequest, response: ServerResponse, error: unknown): void {
  if (!response.destroyed) request.log.error({ err: error }, 'download cut off')
  response.destroy()
}
