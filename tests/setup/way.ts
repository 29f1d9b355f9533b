import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'
import type { Connection } from '../../server/db/embedded/embeddedPostgres.ts'

/** A TCP way on loopback to something that listens elsewhere, always at the same port. */
export type Way = {
  readonly port: number
  /** Breaks all connections. Until `mend`, new ones are refused. */
  cut(): void
  mend(): Promise<void>
  /** From now on nothing gets through on the connections that are open, and neither side learns of it. New ones work. */
  silence(): void
  close(): void
}

export type WayOptions = {
  /** Asked for each connection. */
  readonly to: () => NetConnectOpts
  /** Told of each connection, whose sockets are piped into each other already. */
  readonly onConnection?: (near: Socket) => void
}

/** Opens a way that tests can cut. Close it after what uses it. */
export async function openWay({ to, onConnection }: WayOptions): Promise<Way> {
  const open = new Set<Socket>()
  const listen = async (at: number): Promise<Server> => {
    const server = createServer((near) => {
      const far = connect(to())
      join(near, far)
      onConnection?.(near)
    })
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  const join = (near: Socket, far: Socket) => {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
  let server = await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  return {
    port,
    cut,
    close: cut,
    silence() {
      for (const socket of open) socket.unpipe()
    },
    async mend() {
      server = await listen(port)
    },
  }
}

/** A way to the PostgreSQL, or PgBouncer, at an address with a port on loopback. */
export async function openAddressWay(address: string) {
  const url = new URL(address)
  const port = Number(url.port)
  const way = await openWay({ to: () => ({ host: '127.0.0.1', port }) })
  url.port = String(way.port)
  return { ...way, address: url.href }
}

/** A way to a PostgreSQL that listens on a Unix socket. */
export async function openDatabaseWay({ host, port, user, database }: Connection) {
  const way = await openWay({ to: () => ({ path: `${host}/.s.PGSQL.${port}` }) })
  return { ...way, address: { host: '127.0.0.1', port: way.port, user, database } satisfies Connection }
}
