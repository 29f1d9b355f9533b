import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLeaderLock } from '../../../server/db/locks.ts'
import { createTestDatabase } from '../../setup/database.ts'

const KEY = 4711

let database: Awaited<ReturnType<typeof createTestDatabase>>
const acquired: pg.PoolClient[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  database.pool.on('acquire', (client) => acquired.push(client))
})

afterAll(() => database.close())

describe('the lock that one process holds', () => {
  it('is given to one, and to another one after its release', async () => {
    const [one, other] = [createLeaderLock(database.pool, KEY), createLeaderLock(database.pool, KEY)]
    expect([await one.acquire(), await other.acquire(), await one.acquire()]).toEqual([true, false, true])
    await one.release()
    await expect.poll(() => other.acquire()).toBe(true)
    await other.release()
  })

  it('is taken again after its connection was ended by the database', async () => {
    const lock = createLeaderLock(database.pool, KEY + 1)
    await lock.acquire()
    const ended = new Promise((resolve) => acquired.at(-1)?.once('end', resolve))
    await database.pool.query(
      'select pg_terminate_backend(pid) from pg_locks where locktype = $1 and objid = $2 and database = (select oid from pg_database where datname = current_database())',
      ['advisory', KEY + 1],
    )
    await ended
    expect(await lock.acquire()).toBe(true)
    await lock.release()
  })

  it('survives an error of its connection that comes after its release', async () => {
    const lock = createLeaderLock(database.pool, KEY + 2)
    await lock.acquire()
    const client = acquired.at(-1)
    await lock.release()
    expect(() => client?.emit('error', new Error('terminating connection'))).not.toThrow()
  })
})
