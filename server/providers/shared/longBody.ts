import type { ClientRequest, IncomingMessage } from 'node:http'

/**
 * So much must be left of a body: more than in the parts in which files are read from accounts, whose connections are used again. To
 * connect again takes little time compared with so many bytes.
 */
const LONG_BYTES = 32 * 1024 * 1024

type LongBody = {
  /** So many bytes are announced, and nothing has to be parsed. */
  readonly isPossible: boolean
  /**
   * From now on the receiver gets what arrives at the connection, if so many bytes are left that it is worth it; all `seen` before must
   * have been passed on. @returns whether it does
   */
  begin(seen: number, receiver: Receiver): boolean
  isDirect(): boolean
  /** All announced bytes have been received in this way. The message is destroyed then, and reports no end. */
  hasEnded(): boolean
}

type Receiver = {
  /** @returns whether there is room for more; the connection is paused until someone resumes it where there is none */
  take(chunk: Buffer): boolean
  end(): void
}

/**
 * Reads the rest of a long response from its connection, without Node's parser, which copies all bytes into new memory: that takes as
 * much time as to receive them. Only with an announced length, where there is nothing to parse. The parser does not learn of the
 * end, so the connection is closed and not used again.
 */
export function longBody({ method }: ClientRequest, message: IncomingMessage): LongBody {
  const { socket, statusCode, headers } = message
  const isPlain = method === 'GET' && (statusCode === 200 || statusCode === 206)
  const isCounted = headers['transfer-encoding'] === undefined && headers['content-length'] !== undefined
  const length = isPlain && isCounted ? Number(headers['content-length']) : 0
  let isDirect = false
  let hasEnded = false
  return {
    isPossible: length >= LONG_BYTES,
    isDirect: () => isDirect,
    hasEnded: () => hasEnded,
    begin(seen, { take, end }) {
      if (isDirect || length - seen < LONG_BYTES) return isDirect
      isDirect = true
      let left = length - seen
      const parsing = socket.listeners('data') as ((chunk: Buffer) => void)[]
      socket.on('data', (chunk: Buffer) => {
        if (hasEnded) return
        // What a server sends in addition is no part of this response.
        const part = chunk.length > left ? chunk.subarray(0, left) : chunk
        left -= part.length
        if (!take(part)) socket.pause()
        if (left > 0) return
        hasEnded = true
        end()
        message.destroy()
      })
      for (const listener of parsing) socket.off('data', listener)
      // The message may have paused it, and resumes it only when more of it is parsed.
      socket.resume()
      return true
    },
  }
}
