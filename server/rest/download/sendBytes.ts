import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteSource } from '../../storage/byteSource.ts'
import { checkPreconditions, isNotModified, type Range, rangeOf, type Validators } from './conditions.ts'
import { sendRange } from './sendRange.ts'

export type Bytes = Validators & {
  readonly source: ByteSource
  /** Beside those that this module sets: type, disposition, policies. */
  readonly headers: Readonly<Record<string, string>>
  /** Told which bytes the answer will hold, before the first of them; not for HEAD and 304. */
  readonly begins?: (range: Range) => void
}

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
  if (request.method === 'GET') bytes.begins?.({ start, end })
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
