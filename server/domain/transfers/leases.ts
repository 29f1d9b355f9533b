import type { Pool, PoolClient } from 'pg'
import { createSemaphore } from '../../lib/semaphore.ts'

/** The right to run one transfer, or what else has such an id. `signal` aborts when it is lost. */
export type Lease = { readonly signal: AbortSignal; release(): Promise<void> }

export type Leases = {
  /** Null when another runner, of this process or another one, has it. */
  take(transferId: string): Promise<Lease | null>
  /** Gives all back. */
  close(): Promise<void>
}

/** First half of the advisory locks of transfers; others have one of their own. */
const LOCK = 0x5b2f

type Session = { readonly client: PoolClient; readonly lost: AbortController }

/**
 * Leases as advisory locks of one connection that is kept for them: they end with the process, however it ends, at once. What
 * two runners would do to each other after a lost connection is harmless, as every step is conditional on the rows.
 */
export function createLeases(pool: Pool, lock = LOCK): Leases {
  const held = new Set<string>()
  /** One connection answers one question at a time. */
  const inTurn = createSemaphore(1)
  let opening: Promise<Session> | undefined

  async function open(): Promise<Session> {
    const client = await pool.connect()
    const lost = new AbortController()
    const lose = () => {
      if (lost.signal.aborted) return
      lost.abort(new Error('The connection that held the leases of transfers broke.'))
      held.clear()
      opening = undefined
      client.release(true)
    }
    client.once('error', lose)
    client.once('end', lose)
    return { client, lost }
  }
  function session(): Promise<Session> {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  return {
    async take(transferId) {
      if (held.has(transferId)) return null
      held.add(transferId)
      try {
        const { client, lost } = await session()
        if (!(await inTurn(() => tryLock(client, lock, transferId)))) {
          held.delete(transferId)
          return null
        }
        return {
          signal: lost.signal,
          async release() {
            if (lost.signal.aborted) return
            // A connection that breaks now has let go of the lock by itself.
            await inTurn(() => unlock(client, lock, transferId)).catch(() => undefined)
            held.delete(transferId)
          },
        }
      } catch (error) {
        held.delete(transferId)
        throw error
      }
    },
    async close() {
      const current = await opening?.catch(() => undefined)
      opening = undefined
      if (!current || current.lost.signal.aborted) return
      current.lost.abort(new Error('The server is shutting down.'))
      current.client.release(true)
    },
  }
}

async function tryLock(client: PoolClient, lock: number, transferId: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as taken', [
    lock,
    transferId,
  ])
  return rows[0]?.taken === true
}

async function unlock(client: PoolClient, lock: number, transferId: string): Promise<void> {
  await client.query('select pg_advisory_unlock($1, hashtext($2))', [lock, transferId])
}
