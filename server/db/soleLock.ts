import type pg from 'pg'

/** Held by one process of all that share the database. */
export type SoleLock = {
  /** Takes it when nobody has it. */
  held(): Promise<boolean>
  release(): void
}

/** An advisory lock on a connection of its own: whoever has it keeps it until it closes, or dies. */
export function createSoleLock(leases: pg.Pool, key: number): SoleLock {
  let holder: pg.PoolClient | null = null

  return {
    async held() {
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
      client.once('error', () => {
        holder = null
        client.release(true)
      })
      return true
    },
    /** With the connection goes the lock. */
    release() {
      holder?.release(true)
      holder = null
    },
  }
}

async function tryLock(client: pg.PoolClient, key: number): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [key])
  return rows[0]?.locked === true
}
