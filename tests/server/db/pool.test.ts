import { fastify } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPool } from '../../../server/db/pool.ts'
import { serveHealth } from '../../../server/http/lifecycle.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

describe('a pool with time limits', () => {
  it('ends a statement that takes too long, and is used on', async () => {
    const pool = createPool(database.connection, { max: 1, statementMs: 100 })
    await expect(pool.query('select pg_sleep(600)')).rejects.toMatchObject({ code: '57014' })
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  it('does not wait for a database that stands still, and takes another connection afterwards', async () => {
    const pool = createPool(database.connection, { max: 1, statementMs: 100 })
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
    const pid = rows[0]?.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    try {
      await expect(pool.query('select 1')).rejects.toThrow('PostgreSQL did not answer in time')
      const again = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
      expect(again.rows[0]?.pid).not.toBe(pid)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await pool.end()
  })

  it('leaves work in the background alone', async () => {
    const pool = createPool(database.connection, { max: 1 })
    expect((await pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
    await pool.end()
  })
})

describe('/ready', () => {
  it('answers although a check never does, which is not begun again meanwhile', async () => {
    let begun = 0
    let end = () => {}
    const hanging = () => {
      begun += 1
      return new Promise<void>((resolve) => (end = resolve))
    }
    const app = fastify()
    await serveHealth(app, { database: hanging, staging: async () => {} }, 20)
    for (let round = 0; round < 3; round += 1) {
      const answer = await app.inject('/ready')
      expect([answer.statusCode, answer.json().detail]).toEqual([503, 'Not ready: database.'])
    }
    expect(begun).toBe(1)
    end()
    await app.close()
  })
})
