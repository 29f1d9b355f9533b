import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { HostGuard } from './hostGuard.ts'

export type Connections = {
  readonly http: HttpAgent
  readonly https: HttpsAgent
  readonly guard?: HostGuard | undefined
}

/** Pools of connections, to hosts that the guard allows. */
export function createConnections(guard?: HostGuard): Connections {
  const options = { keepAlive: true, ...(guard && { lookup: guard.lookup }) }
  return { http: new ReadingHttpAgent(options), https: new ReadingHttpsAgent(options), guard }
}

class ReadingHttpAgent extends HttpAgent {
  override createConnection(...[options, ...others]: Parameters<HttpAgent['createConnection']>) {
    return readingAtOnce((reading) => super.createConnection({ ...options, ...reading }, ...others))
  }
}

class ReadingHttpsAgent extends HttpsAgent {
  override createConnection(...[options, ...others]: Parameters<HttpsAgent['createConnection']>) {
    return readingAtOnce((reading) => super.createConnection({ ...options, ...reading }, ...others))
  }
}

/**
 * For what has just arrived at any connection: it is used again as soon as the parser of responses has had it. Node's own buffers are of
 * 64 KiB, one for each read: a download then wakes the process twice as often, and leaves twice the garbage. The copies that the parser
 * makes of more than 128 KiB cost more than they save: the memory for each is fetched from the system and returned to it.
 */
const ARRIVED = Buffer.allocUnsafeSlow(120 * 1024)

/** `onread` of net.connect and tls.connect. */
type Reading = { readonly onread: { readonly buffer: Buffer; callback(length: number): boolean } }

/** `connect`: nothing arrives before it returns. */
function readingAtOnce<Connection>(connect: (reading: Reading) => Connection): Connection {
  const callback = (length: number): boolean => {
    const socket = connection as Socket
    const bytes = ARRIVED.subarray(0, length)
    const isRead = socket.readableFlowing === true && socket.readableLength === 0 && socket.listenerCount('data') > 0
    // What waits for a reader needs its own bytes.
    return isRead ? socket.emit('data', bytes) : socket.push(Buffer.from(bytes))
  }
  const connection = connect({ onread: { buffer: ARRIVED, callback } })
  return connection
}

/** The chunk of a response, to keep. The parser copies it, which is not documented. */
export function kept(chunk: Buffer): Buffer {
  return chunk.buffer === ARRIVED.buffer ? Buffer.from(chunk) : chunk
}
