import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { networkOf } from '../lib/addresses.ts'
import type { TrustsAddress } from './proxies.ts'

export type ConnectionRules = {
  /** Total connections; Node refuses more. */
  readonly most: number
  /** Connections per address (IPv6: per /64). Those of trusted proxies are not counted: many people share them. */
  readonly mostPerAddress: number
  readonly checkEveryMs: number
  /** While a response waits, its reader must take `minimumBytes` per window of this length (ms). */
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

type SlowEvent = 'stalledReaders' | 'stalledBodies' | 'refusedConnections'

/** Counts connections closed because the client stalled. They are common, so they are logged as one line per interval. */
export type SlowCount = { count(event: SlowEvent): void }

/**
 * Progress of a response at the start of a window: `taken` bytes were accepted by our TCP stack. `arrived`: acknowledged by the
 * reader's system, and when, where that is known.
 */
type Window = { readonly since: number; readonly taken: number; arrived: Arrived | null }

type Arrived = { readonly bytes: number; readonly at: number }

type Connection = {
  readonly socket: Socket
  readonly address: string | null
  /** Those that have not ended. */
  readonly responses: Set<ServerResponse>
  window: Window | null
}

export type ConnectionDeps = {
  readonly rules: ConnectionRules
  readonly trusts: TrustsAddress
  readonly slow: SlowCount
  /** Unacknowledged bytes by connection; null where the system does not report them. */
  readonly unacknowledged?: typeof readUnacknowledged
  readonly now?: () => number
}

const TOO_MANY =
  'One address has more connections than are allowed, so new ones are refused. If it is your proxy, name it in TRUST_PROXY.'

/** Linux's connection tables: local and remote address and the bytes of both queues, in hexadecimal. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']
const ROW = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]*([0-9A-F]{8}):([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/

/**
 * Limits connections in total and per address, closes those whose reader does not take its response, and ends all responses with them. An address at its
 * limit first loses its oldest idle connection; when it has none, the new one is refused.
 */
export function guardConnections(app: FastifyInstance, deps: ConnectionDeps): void {
  const { rules, trusts, slow } = deps
  const open = new Map<Socket, Connection>()
  const byAddress = new Map<string, Set<Connection>>()
  let refusedCount = 0

  app.server.maxConnections = rules.most
  app.server.on('connection', (socket: Socket) => {
    const address = countedAddress(socket, trusts)
    const connection: Connection = { socket, address, responses: new Set(), window: null }
    const others = connection.address === null ? null : setOf(byAddress, connection.address)
    if (others && others.size >= rules.mostPerAddress && !closeIdle(others)) {
      socket.destroy()
      slow.count('refusedConnections')
      if (refusedCount++ === 0) app.log.warn({ address: connection.address }, TOO_MANY)
      return
    }
    open.set(socket, connection)
    others?.add(connection)
    socket.once('close', () => {
      process.nextTick(endWaiting, connection)
      open.delete(socket)
      others?.delete(connection)
      if (others?.size === 0 && connection.address !== null) byAddress.delete(connection.address)
    })
  })
  app.server.on('request', ({ socket }, response) => {
    const connection = open.get(socket)
    if (!connection) return
    connection.responses.add(response)
    // Node warns above ten; a download has about that many listeners for its end.
    response.setMaxListeners(20)
    response.once('close', () => connection.responses.delete(response))
  })
  const timer = setInterval(() => void closeStalled([...open.values()], deps), rules.checkEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/**
 * Of a closed connection, Node tells only the response that was being sent. One that waited behind it (pipelining) would wait for ever, with
 * all that ends with it: a place among the downloads, a download that a link allows, what it reads from a provider.
 */
function endWaiting({ responses }: Connection): void {
  for (const response of responses) {
    response.destroyed = true
    response.emit('close')
  }
}

function countedAddress({ remoteAddress }: Socket, trusts: TrustsAddress): string | null {
  return remoteAddress === undefined || trusts(remoteAddress) ? null : networkOf(remoteAddress)
}

function setOf(byAddress: Map<string, Set<Connection>>, address: string): Set<Connection> {
  const known = byAddress.get(address) ?? new Set()
  byAddress.set(address, known)
  return known
}

/** Closes the oldest idle connection. @returns whether there was one */
function closeIdle(connections: Set<Connection>): boolean {
  for (const connection of connections) {
    if (connection.responses.size > 0) continue
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
    // It may have progressed or closed while the queues were read.
    if (!window || socket.destroyed || takenOf(socket) - window.taken >= rules.minimumBytes) continue
    const queued = queues?.get(socket)
    const arrived = queued === undefined ? null : { bytes: takenOf(socket) - queued, at: now() }
    if (now() - window.since < rules.windowMs) {
      window.arrived ??= arrived
    } else if (tookEnough(window.arrived, arrived, rules)) {
      connection.window = { since: now(), taken: takenOf(socket), arrived }
    } else {
      slow.count('stalledReaders')
      // With a reset: otherwise the system would keep the unread bytes.
      socket.resetAndDestroy()
    }
  }
}

/**
 * Whether half a window passed without enough progress. The buffers of a fast connection take megabytes at once: to recognise
 * a reader that is slow but does read, the acknowledged bytes are compared at half time and at the end.
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

/** Whether the rate between two measurements is at least that required of a whole window. */
function tookEnough(
  before: Arrived | null,
  after: Arrived | null,
  { minimumBytes, windowMs }: ConnectionRules,
): boolean {
  if (!before || !after) return false
  return after.bytes - before.bytes >= (minimumBytes * (after.at - before.at)) / windowMs
}

/** Bytes written to a connection that the system has accepted; Node's public `bytesWritten` also counts what is still queued. */
function takenOf(socket: Socket): number {
  const { _bytesDispatched: dispatched, _handle: handle } = socket as unknown as {
    readonly _bytesDispatched: number
    readonly _handle: { readonly writeQueueSize?: number } | null
  }
  return dispatched - (handle?.writeQueueSize ?? 0)
}

/** Logs non-zero counts every `everyMs` and on close. */
export function createSlowCount(app: FastifyInstance, everyMs: number, logger: FastifyBaseLogger = app.log): SlowCount {
  let counts: Partial<Record<SlowEvent, number>> = {}
  const report = () => {
    if (Object.keys(counts).length > 0) logger.info(counts, 'Closed stalled connections')
    counts = {}
  }
  const timer = setInterval(report, everyMs).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    report()
  })
  return {
    count(event) {
      counts[event] = (counts[event] ?? 0) + 1
    },
  }
}

/** Bytes sent but not acknowledged, by connection. Null: this system has no such tables. */
export async function readUnacknowledged(sockets: readonly Socket[]): Promise<ReadonlyMap<Socket, number> | null> {
  const wanted = new Map(sockets.map((socket) => [keyOf(socket), socket]))
  const found = new Map<Socket, number>()
  const tables = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => null)))
  if (tables.every((table) => table === null)) return null
  for (const line of tables.flatMap((table) => table?.split('\n') ?? [])) {
    const [, localPort, remote, remotePort, queued] = ROW.exec(line) ?? []
    const socket = wanted.get(`${localPort} ${remote} ${remotePort}`)
    if (socket && queued) found.set(socket, Number.parseInt(queued, 16))
  }
  return found
}

/** Ports and the last 32 bits of the remote address, as in the tables: in host byte order. */
function keyOf({ localPort = 0, remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${hex(localPort, 4)} ${tailOf(remoteAddress)
    .toReversed()
    .map((byte) => hex(byte, 2))
    .join('')} ${hex(remotePort, 4)}`
}

function tailOf(address: string): number[] {
  const ipv4 = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  if (ipv4) return ipv4.slice(1).map(Number)
  if (!isIPv6(address)) return [0, 0, 0, 0]
  const groups = (address.split('%')[0] ?? '').split('::').at(-1)?.split(':') ?? []
  return ['0', '0', ...groups].slice(-2).flatMap((group) => {
    const value = Number.parseInt(group || '0', 16)
    return [value >> 8, value & 0xff]
  })
}

function hex(value: number, length: number): string {
  return value.toString(16).toUpperCase().padStart(length, '0')
}
