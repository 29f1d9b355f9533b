import { once } from 'node:events'
import { createServer, type IncomingMessage, request as open } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Exchange = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly requestHeaders: IncomingMessage['headers']
  readonly requestText: string
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** Beginnings of bodies: contents of files are not what is looked at. */
const KEPT_BYTES = 512 * 1024

/** A server on loopback that passes all on to another one, and keeps what went through in both directions. */
export async function startProxy(target: string, onExchange: (exchange: Exchange) => void) {
  const server = createServer((request, response) => {
    const requestText = keep(request)
    const { method = 'GET', url = '/', headers } = request
    const plain = { ...headers, 'accept-encoding': 'identity' }
    const onward = open(new URL(url, target), { method, headers: plain }, (answer) => {
      const text = keep(answer)
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(response)
      answer.on('error', () => response.destroy())
      answer.once('close', () => {
        const { statusCode: status = 0, headers: answered } = answer
        const asked = { method, path: url, requestHeaders: headers, requestText: requestText() }
        onExchange({ ...asked, status, headers: answered, text: text() })
      })
    })
    onward.on('error', () => response.destroy())
    response.once('close', () => onward.destroy())
    request.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function keep(message: IncomingMessage): () => string {
  const chunks: Buffer[] = []
  let size = 0
  message.on('data', (chunk: Buffer) => {
    if (size < KEPT_BYTES) chunks.push(chunk)
    size += chunk.length
  })
  return () => Buffer.concat(chunks).toString('latin1')
}
