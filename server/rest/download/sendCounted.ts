import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SharedDownload } from '../../domain/shares/contract.ts'

/** What an answer is going to hold; null where its length is not known beforehand. */
type Part = { readonly length: number; readonly reachesEnd: boolean } | null

/**
 * Sends a download, tells it what of it left, and cuts it off when its signal says so. `send` says with `begins` what it is about to
 * send; what never does sends nothing that counts.
 */
export async function sendCounted(
  request: FastifyRequest,
  reply: FastifyReply,
  download: SharedDownload,
  send: (begins: (part: Part) => void) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { socket } = request.raw
  const cut = () => void socket.destroy()
  const sentBefore = socket.bytesWritten
  const outcome = outcomeOf(reply.raw, socket)
  let part: Part | undefined
  download.signal.addEventListener('abort', cut, { once: true })
  let isSent = false
  try {
    if (download.signal.aborted) cut()
    await send((begun) => {
      part = begun
    })
    isSent = part !== undefined
  } finally {
    const isComplete = isSent && (await outcome)
    download.signal.removeEventListener('abort', cut)
    const left = part === undefined ? 0 : socket.bytesWritten - sentBefore
    const bytes = isComplete && part ? part.length : Math.min(left, part?.length ?? left)
    await download.done({ bytes, whole: isComplete && (part?.reachesEnd ?? true) })
  }
  return reply
}

/** Resolves with whether all of the answer went to the system: the connection was still there when its last byte had been taken. */
function outcomeOf(response: ServerResponse, socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    response.once('finish', () => resolve(!socket.destroyed))
    response.once('close', () => resolve(false))
    if (socket.destroyed) resolve(false)
  })
}
