import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type MetricsServer = {
  /** Address of `/metrics`. */
  readonly url: string
  close(): Promise<void>
}

export type MetricsServerOptions = {
  readonly host: string
  readonly port: number
  readonly contentType: string
  readonly read: () => Promise<string>
  readonly onError: (error: unknown) => void
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
const TEXT = { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' }
const REQUEST_MS = 10_000
const MOST_CONNECTIONS = 16

/** Serves `/metrics`, and nothing else, on a separate port. @throws Error when the port is in use */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port, contentType, read, onError } = options
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
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
