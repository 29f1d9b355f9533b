import { connect, type Socket } from 'node:net'

/** Of one read. What waits is taken at once: packets that end in the next read cost a copy. */
const READ_BYTES = 256 * 1024

/**
 * A socket for ssh2, which writes each packet in three parts and reads everything that comes. With a plain socket each part is a call of
 * the system and a TCP segment, and each read takes new memory, for which V8 goes through the whole heap again and again.
 */
export type SshSocket = {
  readonly socket: Socket
  /** From now on what is passed to listeners of 'data' is valid only during the call. */
  reuseMemory(): void
}

/** Starts to connect. The socket is paused, and emits 'timeout' after `timeoutMs` without an answer. */
export function connectSshSocket(host: string, port: number, timeoutMs: number): SshSocket {
  let mayReuse = false
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  const callback = (length: number): boolean => {
    const read = buffer.subarray(0, length)
    socket.emit('data', mayReuse ? read : Buffer.from(read))
    return true
  }
  // Without noDelay each request waits for the acknowledgement of the one before: 4 MiB/s.
  const socket = connect({ host, port, noDelay: true, timeout: timeoutMs, onread: { buffer, callback } })
  socket.pause()
  batchWrites(socket)
  return {
    socket,
    reuseMemory() {
      mayReuse = true
    },
  }
}

/** Passes everything that is written in one turn of the event loop to the system in one call. */
function batchWrites(socket: Socket): void {
  // Not by a subclass: Node sets `write` when it begins to connect.
  const write = socket.write.bind(socket) as (...written: unknown[]) => boolean
  socket.write = (...written: unknown[]) => {
    if (socket.writableCorked === 0) {
      socket.cork()
      process.nextTick(() => socket.uncork())
    }
    return write(...written)
  }
}
