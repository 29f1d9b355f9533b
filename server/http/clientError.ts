import type { Socket } from 'node:net'
import { problemOf } from '../rest/errors.ts'

const REASONS: Readonly<Record<string, { readonly status: string; readonly detail: string }>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', detail: 'The headers are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', detail: 'The request did not come in time.' },
}
const MALFORMED = { status: '400 Bad Request', detail: 'This is not a valid HTTP request.' }

/** Answers what Node could not parse as HTTP, with the headers of every other answer, and closes the connection. */
export function createClientErrorHandler(headers: readonly (readonly [string, string])[]) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const { status, detail } = REASONS[error.code ?? ''] ?? MALFORMED
    const body = JSON.stringify({ ...problemOf('MALFORMED_BODY', detail), status: Number.parseInt(status, 10) })
    const lines = [
      `HTTP/1.1 ${status}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
      'content-type: application/problem+json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ]
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  }
}
