import type { FastifyInstance } from 'fastify'
import { TooManyRequestsError } from '../../domain/errors.ts'
import { networkOf } from '../../lib/addresses.ts'

/** Downloads under way: of one user, and of one network without a session. Each holds buffers, a file and a connection. */
export const MOST_DOWNLOADS = { user: 64, network: 32 } as const
const RETRY_AFTER_SECONDS = 10

export type DownloadSlots = {
  /** Counts a download; call the result once when it ends. @throws TooManyRequestsError */
  take(whose: { readonly kind: 'user' | 'network'; readonly id: string }): () => void
}

export function createDownloadSlots(
  most: Readonly<Record<'user' | 'network', number>> = MOST_DOWNLOADS,
): DownloadSlots {
  const running = new Map<string, number>()
  return {
    take({ kind, id }) {
      const key = `${kind} ${id}`
      const count = running.get(key) ?? 0
      if (count >= most[kind]) {
        throw new TooManyRequestsError(RETRY_AFTER_SECONDS, `${count} downloads are running already.`)
      }
      running.set(key, count + 1)
      return () => {
        const left = (running.get(key) ?? 1) - 1
        if (left === 0) running.delete(key)
        else running.set(key, left)
      }
    },
  }
}

/** Every route of the scope is a download. */
export function countDownloads(app: FastifyInstance, slots: DownloadSlots): void {
  app.addHook('onRequest', async ({ viewer, ip }, reply) => {
    const release = slots.take(viewer ? { kind: 'user', id: viewer.userId } : { kind: 'network', id: networkOf(ip) })
    reply.raw.once('close', release)
  })
}
