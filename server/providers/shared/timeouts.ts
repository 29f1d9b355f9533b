import type { ClientRequest } from 'node:http'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'

export type Timeouts = {
  readonly connectMs: number
  /** For the head of an answer, once the request is sent. */
  readonly headMs: number
  /** Without a byte going on, in either direction. */
  readonly idleMs: number
}
export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headMs: 30_000, idleMs: 60_000 }

/** The request breaks when its connection does not stand in time. */
export function limitConnecting(request: ClientRequest, where: ProviderErrorWhere, connectMs: number): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return
    const late = (): void => void request.destroy(networkError(new Error('no connection in time'), where))
    const timer = setTimeout(late, connectMs)
    const stop = (): void => clearTimeout(timer)
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', stop)
    socket.once('close', stop)
  })
}

/** What failed on the way is Transient; a ProviderError is passed on as it is. */
export function networkError(error: unknown, where: ProviderErrorWhere): ProviderError {
  if (error instanceof ProviderError) return error
  const code = (error as { code?: unknown } | null)?.code
  const reason = typeof code === 'string' ? code : error instanceof Error ? error.message : String(error)
  return new ProviderError('Transient', where, { message: `The connection failed: ${reason}.`, cause: error })
}
