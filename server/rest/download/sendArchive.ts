import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Archive } from '../../domain/files/contract.ts'
import { contentDisposition } from './contentDisposition.ts'

/** Streams a ZIP whose length is not known beforehand. A client that leaves ends its making; a failure cuts it off. */
export async function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, stream }: Archive,
): Promise<FastifyReply> {
  reply.hijack()
  reply.raw.writeHead(200, {
    'content-type': 'application/zip',
    'content-disposition': contentDisposition('attachment', name),
    'cache-control': 'private, no-store',
  })
  if (request.method === 'HEAD') {
    stream.destroy()
    reply.raw.end()
    return reply
  }
  await pipeline(stream, reply.raw).catch((error: Error) => {
    const left = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (!left) request.log.error({ err: error }, 'archive cut off')
  })
  return reply
}
