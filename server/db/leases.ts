import type { Pool, PoolClient } from 'pg'
import { createSemaphore } from '../lib/semaphore.ts'

/** The right to work on one thing, alone among all servers. `signal` aborts when it is lost. */
export type Lease = {
  readonly signal: AbortSignal
  /** Asks the database whether it is held still: a server that was frozen may have lost it without knowing. */
  held(): Promise<boolean>
  /** Gives it back. @returns whether it was held until now. Idempotent */
  release(): Promise<boolean>
}

export type Leases = {
  /** Null when somebody else, of this process or another one, has it. */
  take(id: string): Promise<Lease | null>
  /** Gives all back. */
  close(): Promise<void>
}

/** First half of the advisory locks of each kind of thing. */
export const LEASE_KINDS = { transfer: 0x5b2f, upload: 0x5b30, feed: 0x5b31 } as const

type Session = {
  readonly client: PoolClient
  readonly lost: AbortController
  /** It broke, or may not be trusted any more: closed, and with it its locks are gone. */
  lose(): void
  /** Nobody needs it: the connection goes back to the pool. */
  end(): void
}

/**
 * Leases as advisory locks of one connection that is kept while there are any: they end with the process, however it ends, at
 * once, and with the connections of a server that is declared dead (servers.ts).
 */
export function createLeases(pool: Pool, kind: keyof typeof LEASE_KINDS): Leases {
  const lock = LEASE_KINDS[kind]
  const taken = new Set<string>()
  /** One connection answers one question at a time. */
  const inTurn = createSemaphore(1)
  let opening: Promise<Session> | undefined
  let users = 0

  async function open(): Promise<Session> {
    const client = await pool.connect()
    const lost = new AbortController()
    const leave = () => {
      opening = undefined
      client.removeListener('error', lose)
      client.removeListener('end', lose)
    }
    const lose = () => {
      if (lost.signal.aborted) return
      lost.abort(new Error('The connection that held the leases broke.'))
      taken.clear()
      leave()
      client.release(true)
    }
    client.once('error', lose)
    client.once('end', lose)
    const end = () => {
      leave()
      client.release()
    }
    return { client, lost, lose, end }
  }

  function session(): Promise<Session> {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  /** The connection goes back to the pool when nobody holds or wants anything. */
  async function leave(): Promise<void> {
    users -= 1
    const last = opening
    const current = users === 0 ? await last?.catch(() => undefined) : undefined
    // Meanwhile others may have come, or have left after us and given it back.
    if (current && users === 0 && opening === last) current.end()
  }

  async function tryTake(id: string): Promise<Lease | null> {
    const { client, lost, lose } = await session()
    const locking = inTurn(() => ask(client, 'select pg_try_advisory_lock($1, hashtext($2)) as yes', [lock, id]))
    const locked = await locking.catch((error: unknown) => {
      lose()
      throw error
    })
    if (!locked) return null
    let released: Promise<boolean> | undefined
    const unlock = async () => {
      if (lost.signal.aborted) return false
      try {
        const unlocked = await inTurn(() =>
          ask(client, 'select pg_advisory_unlock($1, hashtext($2)) as yes', [lock, id]),
        )
        taken.delete(id)
        return unlocked
      } catch {
        // Whether it is held is not known: with the connection it is not.
        lose()
        return false
      }
    }
    return {
      signal: lost.signal,
      async held() {
        if (lost.signal.aborted) return false
        return inTurn(() => ask(client, 'select true as yes', [])).catch(() => false)
      },
      release() {
        released ??= unlock().finally(leave)
        return released
      },
    }
  }

  return {
    async take(id) {
      if (taken.has(id)) return null
      taken.add(id)
      users += 1
      let lease: Lease | null = null
      try {
        lease = await tryTake(id)
        return lease
      } finally {
        if (!lease) {
          taken.delete(id)
          await leave()
        }
      }
    },
    async close() {
      const current = await opening?.catch(() => undefined)
      current?.lose()
    },
  }
}

async function ask(client: PoolClient, text: string, values: readonly unknown[]): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>(text, [...values])
  return rows[0]?.yes === true
}
