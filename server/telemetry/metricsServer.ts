import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type MetricsServer = {
  /** Address of `/metrics`. */
  readonly url: string
  close(): Promise<void>
}

export type MetricsServerOptions = {
  readonly host: string
  readonly port: number
  /** How many ports from `port` on may be tried: the processes of one machine share them. */
  readonly ports: number
  readonly contentType: string
  readonly read: () => Promise<string>
  readonly onError: (error: unknown) => void
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
const TEXT = { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' }
const REQUEST_MS = 10_000
const MOST_CONNECTIONS = 16

/** Processes of one machine find their ports themselves, so that one that is started again gets the port of the one that ended. */
async function listen(server: Server, { host, port, ports }: MetricsServerOptions): Promise<void> {
  for (let tried = 0; ; tried += 1) {
    // Exclusive: the processes of a cluster would answer in turn at one port.
    server.listen({ host, port: port === 0 ? 0 : port + tried, exclusive: true })
    const error = await once(server, 'listening').then(
      () => null,
      (reason: NodeJS.ErrnoException) => reason,
    )
    if (error === null) return
    if (error.code !== 'EADDRINUSE' || tried + 1 >= ports) throw error
  }
}

/** Serves `/metrics`, and nothing else, on a separate port. @throws Error when all its ports are in use */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { contentType, read, onError } = options
  /** Requests that arrive together share one reading. */
  let reading: Promise<string> | null = null

  async function answer(response: ServerResponse): Promise<void> {
    reading ??= read().finally(() => {
      reading = null
    })
    const text = await reading
    response.writeHead(200, { ...HEADERS, 'content-type': contentType, 'content-length': Buffer.byteLength(text) })
    response.end(text)
  }

  const server = createServer({ requestTimeout: REQUEST_MS }, ({ method, url = '' }, response) => {
    if (url.split('?', 1)[0] !== '/metrics') return void response.writeHead(404, TEXT).end('Only /metrics is here.\n')
    if (method !== 'GET' && method !== 'HEAD') {
      return void response.writeHead(405, { ...TEXT, allow: 'GET, HEAD' }).end('Only GET is possible.\n')
    }
    answer(response).catch((error: unknown) => {
      onError(error)
      response.writeHead(500, TEXT).end('The metrics could not be read.\n')
    })
  })
  server.maxConnections = MOST_CONNECTIONS
  await listen(server, options)
  server.on('error', onError)
  const { family, address, port: listening } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${listening}/metrics`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
