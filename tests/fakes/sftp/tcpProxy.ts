import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Passes connections on to a port of this machine, and cuts them when it is told to. */
export type TcpProxy = {
  readonly port: number
  /** Connections so far. */
  readonly count: number
  /** Cuts all connections after so many more bytes from the client or the server; 0: with the next one. */
  cutAfter(from: 'client' | 'server', bytes: number): void
  /** Ends all connections in an orderly way, and resolves when the clients know. */
  end(): Promise<void>
  close(): Promise<void>
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  const left = { client: Number.POSITIVE_INFINITY, server: Number.POSITIVE_INFINITY }

  function cut(): void {
    left.client = Number.POSITIVE_INFINITY
    left.server = Number.POSITIVE_INFINITY
    for (const [client, server] of pairs) {
      client.resetAndDestroy()
      server.destroy()
    }
  }

  function pump(from: Socket, to: Socket, side: 'client' | 'server'): void {
    from.on('data', (chunk: Buffer) => {
      if (chunk.length > left[side]) return cut()
      left[side] -= chunk.length
      if (!to.write(chunk)) from.pause()
    })
    to.on('drain', () => from.resume())
  }

  let count = 0
  const listener = createServer({ noDelay: true }, (client) => {
    count += 1
    const server = connect({ host: '127.0.0.1', port: target, noDelay: true })
    const pair = [client, server] as const
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    pump(client, server, 'client')
    pump(server, client, 'server')
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))

  return {
    port: (listener.address() as AddressInfo).port,
    get count() {
      return count
    },
    async end() {
      await Promise.all([...pairs].map(([client]) => new Promise((resolve) => client.end().once('close', resolve))))
    },
    cutAfter(from, bytes) {
      left[from] = bytes
    },
    async close() {
      cut()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}
