import { readFile } from 'node:fs/promises'
import { isIPv6, type Socket } from 'node:net'

/** Linux's tables of connections: local and remote address, and the bytes of either queue, in hexadecimal. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']
const ROW = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]*([0-9A-F]{8}):([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/

/** Bytes that were sent on each connection and that the other end has not acknowledged. Null: this system has no such tables. */
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

/** Ports and the last 32 bits of the remote address, as the tables write them: the bytes in the order of the processor. */
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
