import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import type { HostileRequest } from './request.ts'

const PATIENCE_MS = 20_000
const MOST_BYTES = 256 * 1024

/** `status` 0: the connection ended before an answer; -1: no answer in time. */
export type Answered = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly text: string }

export type Sender = { send(request: HostileRequest): Promise<Answered>; close(): void }

/** A client of one server; responses are read completely, event streams up to their first bytes. */
export function createSender(url: string, connections: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  return {
    close: () => agent.destroy(),
    send: ({ method, path, headers, body }) =>
      new Promise((resolve) => {
        let answered = false
        const none = (status: number) => resolve({ status, headers: {}, text: '' })
        const timer = setTimeout(() => {
          none(-1)
          request.destroy()
        }, PATIENCE_MS)
        const length = body === undefined ? {} : { 'content-length': String(body.length) }
        const request = httpRequest(url + path, { method, agent, headers: { ...headers, ...length } })
        request.on('error', () => answered || none(0))
        request.once('close', () => {
          clearTimeout(timer)
          if (!answered) none(0)
        })
        request.once('response', (response) => {
          answered = true
          void read(response).then(resolve)
        })
        request.end(body)
      }),
  }
}

async function read(response: IncomingMessage): Promise<Answered> {
  const { statusCode = 0, headers } = response
  const chunks: Buffer[] = []
  let size = 0
  try {
    if (headers['content-type']?.startsWith('text/event-stream')) response.setTimeout(100, () => response.destroy())
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > MOST_BYTES) break
    }
  } catch {
    // A stream that was closed, or a response that was cut: the received part is checked.
  }
  return { status: statusCode, headers, text: Buffer.concat(chunks).toString() }
}
