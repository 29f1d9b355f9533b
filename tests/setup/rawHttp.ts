import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request written by hand on a socket of its own, for what no HTTP client would send; without its `end` it never ends. */
export function openRaw(port: number, head: readonly string[], end = '\r\n\r\n'): Socket {
  const socket = connect(port, '127.0.0.1')
  // The server may reset a connection that we are still writing to.
  socket.on('error', () => undefined)
  socket.write(`${head.join('\r\n')}${end}`)
  return socket
}

/** Sends a part of what was announced and cuts the connection. */
export async function cutAfter(port: number, head: readonly string[], body: Buffer): Promise<void> {
  const socket = openRaw(port, head)
  await new Promise((resolve) => socket.write(body, resolve))
  await sleep(50)
  socket.destroy()
}
