import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteReader, ByteSource } from '../../storage/byteSource.ts'
import type { Range } from './conditions.ts'

/** Large reads and writes make a download fast; two of them are all the memory that it takes. */
const CHUNK = 512 * 1024
/** Of the downloads beyond `MOST_LARGE_PAIRS`: slower, but a thousand readers that do not read hold 160 MiB, not a thousand. */
const SMALL_CHUNK = 64 * 1024
const MOST_LARGE_PAIRS = 32
/** Pairs of chunks kept for the next downloads: fresh memory costs more than reading a file into it. */
const MOST_SPARE_PAIRS = 8

type Pair = readonly [Buffer, Buffer]

const spare: Pair[] = []
let largePairs = 0

/** `isUnused`: nothing can read from it any more, so that the next download may have it. */
function takePair(): { readonly pair: Pair; release(isUnused: boolean): void } {
  if (largePairs >= MOST_LARGE_PAIRS) return { pair: newPair(SMALL_CHUNK), release: () => undefined }
  largePairs += 1
  const pair = spare.pop() ?? newPair(CHUNK)
  return {
    pair,
    release(isUnused) {
      largePairs -= 1
      if (isUnused && spare.length < MOST_SPARE_PAIRS) spare.push(pair)
    },
  }
}

function newPair(size: number): Pair {
  return [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)]
}

/**
 * Sends a range from the source to the socket, past Fastify: while one chunk goes out the next is read, and nothing is read
 * that nobody takes. `begin` writes the head once the first bytes are there: until then a failure is thrown and can still be
 * answered as one. Later ones cut the answer off, so that nobody takes it for the whole.
 */
export async function sendRange(
  request: FastifyRequest,
  reply: FastifyReply,
  source: ByteSource,
  range: Range,
  begin: () => void,
): Promise<void> {
  const { socket } = request.raw
  const left = new AbortController()
  const leave = () => left.abort()
  socket.once('close', leave)
  try {
    await send(request, reply, await source.open({ ...range, signal: left.signal }), range, begin)
  } catch (error) {
    if (!socket.destroyed) throw error
    // Nobody is left to be answered.
    reply.hijack()
  } finally {
    socket.off('close', leave)
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
    await pour(reader, reply.raw, request.raw.socket, range, pair, first).catch((error: unknown) => {
      if (!request.raw.socket.destroyed) request.log.error({ err: error }, 'download cut off')
      reply.raw.destroy()
    })
    // What a closed socket may still hold is not used again.
    isUnused = !reply.raw.destroyed
  } finally {
    release(isUnused)
  }
}

/** `first` bytes of the range are in the first buffer already. Ends early when the client has gone. */
async function pour(
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

/** `write` resolves when the kernel has the bytes, or nobody wants them any more: then the buffer is free. */
function createWriter(response: ServerResponse, socket: Socket) {
  let release = () => {}
  // A response that waits for its turn on the connection is not told of its end by its own callbacks.
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
