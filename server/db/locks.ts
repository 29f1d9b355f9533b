import type pg from 'pg'
import type { Pool, PoolClient } from 'pg'
import { createSemaphore } from '../lib/concurrency.ts'

/** The exclusive right among all servers to work on one object. `signal` aborts when it is lost. */
export type Lease = {
  readonly signal: AbortSignal
  /** Asks the database whether it is still held: a server that was suspended may have lost it unnoticed. */
  held(): Promise<boolean>
  /** Releases it. @returns whether it was held until now. Idempotent */
  release(): Promise<boolean>
}

export type Leases = {
  /** Null when it is held elsewhere, in this process or another one. */
  take(id: string): Promise<Lease | null>
  /** Releases all. */
  close(): Promise<void>
}

/** A lock held by at most one of the processes that share the database. */
export type LeaderLock = {
  /** Takes it if it is free. @returns whether this process holds it now */
  acquire(): Promise<boolean>
  release(): void
}

/** First key of the advisory locks, by kind of object. */
export const LEASE_KINDS = { transfer: 0x5b2f, upload: 0x5b30, feed: 0x5b31, fileJob: 0x5b32 } as const

type Session = {
  readonly client: PoolClient
  readonly lost: AbortController
  /** Closes a connection that is broken or in an unknown state, which releases its locks. */
  lose(): void
  /** Returns the unused connection to the pool. */
  end(): void
}

/**
 * Leases are advisory locks of one connection, which is kept while there are any. They end immediately with the process, however it
 * ends, and with the connections of a server that is declared dead (servers.ts).
 */
export function createLeases(pool: Pool, kind: keyof typeof LEASE_KINDS): Leases {
  const lock = LEASE_KINDS[kind]
  const taken = new Set<string>()
  /** A connection runs one statement at a time. */
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

  /** Returns the connection to the pool when no lease is held or requested. */
  async function leave(): Promise<void> {
    users -= 1
    const last = opening
    const current = users === 0 ? await last?.catch(() => undefined) : undefined
    // Meanwhile others may have requested leases, or returned the connection.
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
        // Its state is unknown; closing the connection releases it.
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

/** An advisory lock on a dedicated connection: its holder keeps it until it releases it or its process ends. */
export function createLeaderLock(leases: pg.Pool, key: number): LeaderLock {
  let holder: pg.PoolClient | null = null

  /** Closes the connection and with it the lock. Later errors of the connection must not release it a second time. */
  function release(): void {
    const client = holder
    holder = null
    client?.off('error', release)
    client?.release(true)
  }

  return {
    async acquire() {
      if (holder) return true
      const client = await leases.connect()
      const locked = await tryLock(client, key).catch((error: unknown) => {
        client.release(true)
        throw error
      })
      if (!locked) {
        client.release()
        return false
      }
      holder = client
      client.on('error', release)
      return true
    },
    release,
  }
}

async function tryLock(client: pg.PoolClient, key: number): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [key])
  return rows[0]?.locked === true
}
