import type { ClientRequest } from 'node:http'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import type { HttpBody } from './http.ts'
import { networkError, type Timeouts } from './timeouts.ts'

/** Resolves when all is handed to the connection, or when the service answered before that: it wants no more. */
export async function writeBody(
  request: ClientRequest,
  body: HttpBody | undefined,
  where: ProviderErrorWhere,
  { idleMs }: Timeouts,
): Promise<void> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    request.end(body)
    return
  }
  let isOver = false
  const over = (): void => {
    isOver = true
  }
  request.once('response', over)
  request.once('close', over)
  let sent = 0
  for await (const chunk of body.bytes) {
    if (isOver) return
    sent += chunk.length
    if (!request.write(chunk)) await drained(request, where, idleMs)
    if (isOver) return
  }
  if (sent !== body.length) throw new ProviderError('Corrupt', where, { message: 'The content has another length.' })
  request.end()
}

/** Also when the request is over, by an answer or an error. */
function drained(request: ClientRequest, where: ProviderErrorWhere, idleMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stalled = (): void => void request.destroy(networkError(new Error('nothing is taken any more'), where))
    const timer = setTimeout(stalled, idleMs)
    const done = (): void => {
      clearTimeout(timer)
      for (const event of ['drain', 'response', 'close']) request.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'response', 'close']) request.on(event, done)
    if (request.destroyed) done()
  })
}
