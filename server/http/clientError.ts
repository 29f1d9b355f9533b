import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type Problem, type ProblemCode, problemOf } from '../rest/errors.ts'

type Reason = { readonly code: ProblemCode; readonly detail: string }

const REASONS: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: { code: 'HEADERS_TOO_LARGE', detail: 'The headers of the request are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'REQUEST_TIMEOUT', detail: 'The request did not come in time. Please try again.' },
}
const MALFORMED: Reason = { code: 'MALFORMED_BODY', detail: 'This is not a valid HTTP request.' }

/** How long a refused connection may take to read its answer. */
const LINGER_MS = 1_000

type Headers = readonly (readonly [string, string])[]

/** Answers what Node could not parse as HTTP, with the headers of every other answer, and closes the connection. */
export function createClientErrorHandler(headers: Headers) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const { code, detail } = REASONS[error.code ?? ''] ?? MALFORMED
    refuseConnection(socket, headers, problemOf(code, detail))
  }
}

/** Writes an answer past Fastify, where no response was begun, and closes the connection, whatever the other side does. */
export function refuseConnection(socket: Socket, headers: Headers, problem: Problem): void {
  const body = JSON.stringify(problem)
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'content-type: application/problem+json',
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  // At once, a reset could overtake the answer.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
