import { setMaxListeners } from 'node:events'
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
  /** Takes it if it is free. The database is asked each time. @returns whether this process holds it now */
  acquire(): Promise<boolean>
  /** Whether the database says that this process holds it: a process that was suspended may have lost it unnoticed. */
  held(): Promise<boolean>
  release(): Promise<void>
}

/** First key of the advisory locks, by kind of object. */
export const LEASE_KINDS = { transfer: 0x5b2f, upload: 0x5b30, feed: 0x5b31, fileJob: 0x5b32 } as const

/** One connection that holds advisory locks, for as long as there are any. All locks of a server can share it. */
export type LockSession = {
  /** Opens the connection unless it is open; each call needs one `leave`. @throws Error when the database does not answer */
  enter(): Promise<LockConnection>
  /** Returns the connection to the pool when no one uses it any more. */
  leave(): Promise<void>
}

type LockConnection = {
  /** Aborts when the connection breaks, and all its locks with it. */
  readonly lost: AbortSignal
  /** Runs a query for one column `yes`, after those before it. */
  ask(text: string, values: readonly unknown[]): Promise<boolean>
  /** Closes a connection that is broken or in an unknown state, which releases its locks. */
  lose(): void
}

export function createLockSession(pool: Pool): LockSession {
  type Opened = LockConnection & { readonly end: () => void }
  let opening: Promise<Opened> | undefined
  let users = 0

  async function open(): Promise<Opened> {
    const client = await pool.connect()
    const lost = new AbortController()
    /** A connection runs one statement at a time. */
    const inTurn = createSemaphore(1)
    const forget = () => {
      opening = undefined
      client.removeListener('error', lose)
      client.removeListener('end', lose)
    }
    const lose = () => {
      if (lost.signal.aborted) return
      lost.abort(new Error('The connection that held the locks broke.'))
      forget()
      client.release(true)
    }
    // Each lease may listen for it.
    setMaxListeners(0, lost.signal)
    client.once('error', lose)
    client.once('end', lose)
    return {
      lost: lost.signal,
      ask: (text, values) => inTurn(() => ask(client, text, values)),
      lose,
      end() {
        forget()
        client.release()
      },
    }
  }

  return {
    enter() {
      users += 1
      opening ??= open().catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    },
    async leave() {
      users -= 1
      const last = opening
      const current = users === 0 ? await last?.catch(() => undefined) : undefined
      // During that wait others may have entered, or returned the connection.
      if (current && users === 0 && opening === last) current.end()
    },
  }
}

/**
 * Leases are advisory locks of one connection, which is kept while there are any. They end immediately with the process, however it
 * ends, and with the connections of a server that is declared dead (servers.ts). `from`: a pool of which they take one connection, or
 * the session that they share with others.
 */
export function createLeases(from: Pool | LockSession, kind: keyof typeof LEASE_KINDS): Leases {
  const lock = LEASE_KINDS[kind]
  const session = sessionOf(from)
  /** Ids that are held or being taken, with the connection once it is known. */
  const taken = new Map<string, { connection: LockConnection | null }>()
  const held = new Set<Lease>()

  async function tryTake(id: string, entry: { connection: LockConnection | null }): Promise<Lease | null> {
    const connection = await session.enter()
    entry.connection = connection
    const { lost, lose } = connection
    const locking = connection.ask('select pg_try_advisory_lock($1, hashtext($2)) as yes', [lock, id])
    const locked = await locking.catch((error: unknown) => {
      lose()
      throw error
    })
    if (!locked) return null
    let released: Promise<boolean> | undefined
    const unlock = async () => {
      if (lost.aborted) return false
      try {
        const unlocked = await connection.ask('select pg_advisory_unlock($1, hashtext($2)) as yes', [lock, id])
        if (taken.get(id) === entry) taken.delete(id)
        return unlocked
      } catch {
        // Its state is unknown; closing the connection releases it.
        lose()
        return false
      }
    }
    const lease: Lease = {
      signal: lost,
      async held() {
        if (lost.aborted) return false
        return connection.ask('select true as yes', []).catch(() => false)
      },
      release() {
        released ??= unlock().finally(() => {
          held.delete(lease)
          return session.leave()
        })
        return released
      },
    }
    held.add(lease)
    return lease
  }

  return {
    async take(id) {
      const other = taken.get(id)
      // With its connection, a lease is lost.
      if (other && !other.connection?.lost.aborted) return null
      const entry = { connection: null }
      taken.set(id, entry)
      let lease: Lease | null = null
      try {
        lease = await tryTake(id, entry)
        return lease
      } finally {
        if (!lease) {
          if (taken.get(id) === entry) taken.delete(id)
          await session.leave()
        }
      }
    },
    async close() {
      await Promise.all([...held].map((lease) => lease.release()))
    },
  }
}

async function ask(client: PoolClient, text: string, values: readonly unknown[]): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>(text, [...values])
  return rows[0]?.yes === true
}

function sessionOf(from: Pool | LockSession): LockSession {
  return 'enter' in from ? from : createLockSession(from)
}

/** An advisory lock that its holder keeps until it releases it or its process ends. `from`: as for leases. */
export function createLeaderLock(from: Pool | LockSession, key: number): LeaderLock {
  const session = sessionOf(from)
  let holding: LockConnection | null = null

  async function held(): Promise<boolean> {
    const connection = holding
    if (!connection) return false
    const isHeld = !connection.lost.aborted && (await connection.ask('select true as yes', []).catch(() => false))
    if (isHeld || holding !== connection) return holding === connection
    holding = null
    connection.lose()
    await session.leave()
    return false
  }

  return {
    held,
    async acquire() {
      if (await held()) return true
      try {
        const connection = await session.enter()
        const locking = connection.ask('select pg_try_advisory_lock($1) as yes', [key])
        const locked = await locking.catch((error: unknown) => {
          connection.lose()
          throw error
        })
        if (locked) holding = connection
      } finally {
        if (!holding) await session.leave()
      }
      return holding !== null
    },
    async release() {
      const connection = holding
      holding = null
      if (!connection) return
      // A connection in an unknown state is closed, which releases it too.
      if (!connection.lost.aborted)
        await connection.ask('select pg_advisory_unlock($1) as yes', [key]).catch(() => connection.lose())
      await session.leave()
    },
  }
}
