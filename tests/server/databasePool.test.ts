import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPool } from '../../server/db/pool.ts'
import { FEWEST_CONNECTIONS, shareConnections } from '../../server/db/pools.ts'
import { readConfig } from '../../server/env.ts'
import { unpackPgBouncer } from '../../server/scripts/setup/pgbouncer.mjs'
import { createBrowser } from '../setup/browser.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { lacksPgBouncer, type PgBouncer, startPgBouncer } from '../setup/pgbouncer.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

await unpackPgBouncer()
const missing = lacksPgBouncer()
const PERSON = { fullName: 'Ada Lovelace', email: 'ada@example.org', password: 'correct horse battery' }

describe('DATABASE_POOL', () => {
  it('is divided so that every use has a connection, and no more are used', () => {
    for (let most = FEWEST_CONNECTIONS; most <= 100; most += 1) {
      const { requests, work, refreshes } = shareConnections(most)
      expect(Math.min(requests, work, refreshes)).toBeGreaterThan(0)
      // One is the queue's.
      expect(requests + work + refreshes + 1).toBe(most)
    }
  })

  it('is 10 for a database that others may use, unless it is set', () => {
    const DATABASE_URL = 'postgres://localhost/skypool'
    expect(readConfig({}).databasePool).toBeNull()
    expect(readConfig({ WORKERS: '2' }).databasePool).toBe(10)
    expect(readConfig({ DATABASE_URL }).databasePool).toBe(10)
    expect(readConfig({ DATABASE_URL, DATABASE_POOL: '4' }).databasePool).toBe(4)
    expect(() => readConfig({ DATABASE_DIRECT_URL: DATABASE_URL })).toThrow('DATABASE_DIRECT_URL needs DATABASE_URL')
    expect(() => readConfig({ DATABASE_URL, DATABASE_POOL: '3' })).toThrow(
      /DATABASE_POOL must be a whole number from 4/,
    )
  })
})

/** What the server of a test asks of its database, apart from the test. */
const CONNECTIONS = `select application_name as name from pg_stat_activity
  where datname = current_database() and application_name like 'skypool%' and application_name <> 'skypool'`

/** Many of everything at once: requests, uploads, jobs and copies. */
async function useEverything(server: TestServer): Promise<void> {
  const browser = createBrowser(server.url)
  expect((await browser.request('POST', '/api/v1/auth/register', PERSON)).status).toBe(201)
  const folders = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      browser.request('POST', '/api/v1/files/folders', { name: `Folder ${index}`, parentId: null }),
    ),
  )
  for (const { status } of folders) expect(status).toBe(201)
  const bytes = Array.from({ length: 24 }, () => randomBytes(50_000))
  const ids = await Promise.all(
    bytes.map(async (content, index) => {
      const form = new FormData()
      form.set('file', new Blob([new Uint8Array(content)]), `File ${index}.bin`)
      const answer = await browser.request('POST', '/api/v1/files', form)
      expect(answer.status).toBe(201)
      return answer.body.id as string
    }),
  )
  const read = await Promise.all(
    ids.map((id) =>
      fetch(`${server.url}/api/v1/files/${id}/download`, {
        headers: { origin: server.url, cookie: `sid=${browser.token}` },
      }).then(async (answer) => Buffer.from(await answer.arrayBuffer())),
    ),
  )
  expect(read.every((content, index) => content.equals(bytes[index] ?? Buffer.alloc(0)))).toBe(true)
  const trashed = await Promise.all(folders.map(({ body }) => browser.request('DELETE', `/api/v1/files/${body.id}`)))
  for (const { status } of trashed) expect(status).toBeLessThan(300)
  await expect
    .poll(
      async () => (await server.database.pool.query('select from graphile_worker.jobs where run_at <= now()')).rowCount,
    )
    .toBe(0)
}

it('with the fewest connections everything goes on, and none is added', async () => {
  const server = await startTestServer({ databasePool: FEWEST_CONNECTIONS, acceptAnyType: true }, { shared: true })
  let most = 0
  let over = false
  const counting = (async () => {
    while (!over) most = Math.max(most, (await server.database.pool.query(CONNECTIONS)).rowCount ?? 0)
  })()
  await useEverything(server)
  over = true
  await counting
  // Those that listen for events and jobs, hold locks and send heartbeats.
  expect(most).toBeLessThanOrEqual(FEWEST_CONNECTIONS + 5)
  expect(server.logs).toEqual([])
  await server.close()
})

describe.skipIf(missing !== null)(`behind PgBouncer${missing === null ? '' : `: ${missing}`}`, () => {
  let database: TestDatabase
  let bouncer: PgBouncer
  beforeAll(async () => {
    database = await createTestDatabase()
    bouncer = await startPgBouncer(database, 3)
  })
  afterAll(async () => {
    await bouncer?.close()
    await database?.close()
  })

  it('a server works, and so do its jobs, events and limits', async () => {
    const bouncers: PgBouncer[] = []
    const server = await startTestServer(
      { acceptAnyType: true, databasePool: 10 },
      {
        shared: true,
        reachBy: async (own) => {
          const between = await startPgBouncer(own, 3)
          bouncers.push(between)
          return between.urlOf(own)
        },
        directly: true,
      },
    )
    await useEverything(server)
    const names = (await server.database.pool.query<{ name: string }>(CONNECTIONS)).rows.map(({ name }) =>
      name.replace(/ .*/, ''),
    )
    // Its own: PgBouncer's three have the name of the server that uses them.
    expect(names.filter((name) => name !== 'skypool').sort()).toEqual(
      expect.arrayContaining(['skypool-events', 'skypool-register', 'skypool-queue']),
    )
    expect(names.filter((name) => name === 'skypool').length).toBeLessThanOrEqual(3)
    expect(server.logs).toEqual([])
    await server.close()
    for (const between of bouncers) await between.close()
  })

  it('a statement that takes too long is ended in the database, and its connection is used on', async () => {
    const pool = createPool(bouncer.urlOf(database), { max: 1, statementMs: 300, pooled: true })
    for (let round = 0; round < 2; round += 1) {
      await expect(pool.query('select pg_sleep(600)')).rejects.toMatchObject({ code: '57014' })
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    }
    const running = `select from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`
    expect((await database.pool.query(running)).rowCount).toBe(0)
    await pool.end()
  })

  it('statements with names work in whatever session they come to', async () => {
    const pools = [0, 1].map(() => createPool(bouncer.urlOf(database), { max: 4, pooled: true }))
    const rounds = Array.from({ length: 60 }, (_, index) =>
      pools[index % 2]?.query({ name: 'the same', text: 'select $1::int as number', values: [index] }),
    )
    const numbers = (await Promise.all(rounds)).map((result) => result?.rows[0].number)
    expect(numbers).toEqual(rounds.map((_, index) => index))
    for (const pool of pools) await pool.end()
  })
})
