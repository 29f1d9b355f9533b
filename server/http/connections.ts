import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networkOf } from '../lib/addresses.ts'
import type { SlowCount } from './slowCount.ts'
import { readUnacknowledged } from './tcpQueues.ts'
import type { TrustsAddress } from './trustedProxies.ts'

export type ConnectionRules = {
  /** All connections together; Node refuses what comes beyond. */
  readonly most: number
  /** Of one address (IPv6: one /64). Those of a trusted proxy are not counted: behind it are many people. */
  readonly mostPerAddress: number
  readonly checkEveryMs: number
  /** While an answer waits for its reader, the reader has to take `minimumBytes` in each window of this length. */
  readonly windowMs: number
  readonly minimumBytes: number
}

export const CONNECTION_RULES: ConnectionRules = {
  most: 4_000,
  mostPerAddress: 100,
  checkEveryMs: 5_000,
  windowMs: 45_000,
  minimumBytes: 45 * 1024,
}

/** What TCP has taken of an answer, as seen at the start of a window. `arrived`: what the reader's own system has taken, where that is known, and when. */
type Window = { readonly since: number; readonly taken: number; arrived: Arrived | null }

type Arrived = { readonly bytes: number; readonly at: number }

type Connection = { readonly socket: Socket; readonly address: string | null; requests: number; window: Window | null }

export type ConnectionDeps = {
  readonly rules: ConnectionRules
  readonly trusts: TrustsAddress
  readonly slow: SlowCount
  /** Bytes that the other end's system has not acknowledged, by connection; null where the system does not tell. */
  readonly unacknowledged?: typeof readUnacknowledged
  readonly now?: () => number
}

/**
 * Bounds connections, in all and by address, and closes those whose reader does not take what it asked for. An address at its
 * bound loses its oldest connection without a request first, and only then a new one is refused.
 */
export function guardConnections(app: FastifyInstance, deps: ConnectionDeps): void {
  const { rules, trusts, slow } = deps
  const open = new Map<Socket, Connection>()
  const byAddress = new Map<string, Set<Connection>>()
  let refused = 0

  app.server.maxConnections = rules.most
  app.server.on('connection', (socket: Socket) => {
    const connection: Connection = { socket, address: countedAddress(socket, trusts), requests: 0, window: null }
    const others = connection.address === null ? null : setOf(byAddress, connection.address)
    if (others && others.size >= rules.mostPerAddress && !closeIdle(others)) {
      socket.destroy()
      slow.count('refusedConnections')
      if (refused++ === 0) app.log.warn({ address: connection.address }, TOO_MANY)
      return
    }
    open.set(socket, connection)
    others?.add(connection)
    socket.once('close', () => {
      open.delete(socket)
      others?.delete(connection)
      if (others?.size === 0 && connection.address !== null) byAddress.delete(connection.address)
    })
  })
  app.server.on('request', ({ socket }, response) => {
    const connection = open.get(socket)
    if (!connection) return
    connection.requests += 1
    // Node warns of more than ten; a download has about that many who want to know of its end.
    response.setMaxListeners(20)
    response.once('close', () => {
      connection.requests -= 1
    })
  })
  const timer = setInterval(() => void closeStalled([...open.values()], deps), rules.checkEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

const TOO_MANY =
  'One address has more connections than are allowed, so new ones are refused. If it is your proxy, name it in TRUST_PROXY.'

function countedAddress({ remoteAddress }: Socket, trusts: TrustsAddress): string | null {
  return remoteAddress === undefined || trusts(remoteAddress) ? null : networkOf(remoteAddress)
}

function setOf(byAddress: Map<string, Set<Connection>>, address: string): Set<Connection> {
  const known = byAddress.get(address) ?? new Set()
  byAddress.set(address, known)
  return known
}

/** Closes the oldest connection that waits for a request. @returns whether there was one */
function closeIdle(connections: Set<Connection>): boolean {
  for (const connection of connections) {
    if (connection.requests > 0) continue
    connections.delete(connection)
    connection.socket.destroy()
    return true
  }
  return false
}

async function closeStalled(connections: readonly Connection[], deps: ConnectionDeps): Promise<void> {
  const { now = Date.now, rules, slow } = deps
  const suspects = connections.filter((connection) => isSuspect(connection, rules, now()))
  if (suspects.length === 0) return
  const queues = await (deps.unacknowledged ?? readUnacknowledged)(suspects.map(({ socket }) => socket))
  for (const connection of suspects) {
    const { socket, window } = connection
    // It may have gone on, or gone, while the queues were read.
    if (!window || socket.destroyed || takenOf(socket) - window.taken >= rules.minimumBytes) continue
    const queued = queues?.get(socket)
    const arrived = queued === undefined ? null : { bytes: takenOf(socket) - queued, at: now() }
    if (now() - window.since < rules.windowMs) {
      window.arrived ??= arrived
    } else if (tookEnough(window.arrived, arrived, rules)) {
      connection.window = { since: now(), taken: takenOf(socket), arrived }
    } else {
      slow.count('stalledReaders')
      // With a reset: the system would otherwise keep what was never read.
      socket.resetAndDestroy()
    }
  }
}

/**
 * Half way through the window without enough progress. The buffers of a fast connection take megabytes at once: to see a
 * slow but honest reader, the system is asked what of them has arrived, at half time and at the end.
 */
function isSuspect(connection: Connection, { minimumBytes, windowMs }: ConnectionRules, now: number): boolean {
  const { socket, window } = connection
  if (socket.destroyed || socket.writableLength === 0) {
    connection.window = null
    return false
  }
  const taken = takenOf(socket)
  if (!window || taken - window.taken >= minimumBytes) {
    connection.window = { since: now, taken, arrived: null }
    return false
  }
  return now - window.since >= windowMs / 2
}

/** As many bytes as are asked of a whole window, for the time between the two looks. */
function tookEnough(
  before: Arrived | null,
  after: Arrived | null,
  { minimumBytes, windowMs }: ConnectionRules,
): boolean {
  if (!before || !after) return false
  return after.bytes - before.bytes >= (minimumBytes * (after.at - before.at)) / windowMs
}

/** Bytes that the system has taken of all that was written to a connection; Node's public count holds what waits, too. */
function takenOf(socket: Socket): number {
  const { _bytesDispatched: dispatched, _handle: handle } = socket as unknown as {
    readonly _bytesDispatched: number
    readonly _handle: { readonly writeQueueSize?: number } | null
  }
  return dispatched - (handle?.writeQueueSize ?? 0)
}
