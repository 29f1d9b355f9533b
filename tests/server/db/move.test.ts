import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrate, readMigrations } from '../../../server/db/migrate.ts'
import { MoveError, moveDatabase } from '../../../server/db/move.ts'
import { createPool, type DatabaseAddress } from '../../../server/db/pool.ts'
import { attemptsOf } from '../../../server/jobs/allTasks.ts'
import { createEnqueue, migrateQueue } from '../../../server/queue/enqueue.ts'
import { createBrowser } from '../../setup/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { startTestServer } from '../../setup/server.ts'

const PERSON = { fullName: 'Ada “Größe” 数\\\t', email: 'ada@example.org', password: 'correct horse battery' }
const MIGRATIONS = readMigrations('prisma/migrations')

/** Of a server that has ended. */
let source: TestDatabase
let dataDir: string
let token: string | null
const bytes = randomBytes(200_000)
let fileId: string
let target: TestDatabase

beforeAll(async () => {
  source = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'skypool-move-'))
  const server = await startTestServer({ acceptAnyType: true }, { beside: { database: source, dataDir } })
  const ada = createBrowser(server.url)
  expect((await ada.request('POST', '/api/v1/auth/register', PERSON)).status).toBe(201)
  token = ada.token
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), 'Line\nbreak \\N and “quotes”.bin')
  const stored = await ada.request('POST', '/api/v1/files', form)
  expect(stored.status).toBe(201)
  fileId = stored.body.id
  await server.close()
  // More than fits into one message of a copy, and into the buffers on both sides.
  await source.pool.query(
    `insert into changes (user_id, topic, event) select u.id, 'filesChanged', jsonb_build_object('text', repeat('x', 1000), 'n', n)
     from users u, generate_series(1, 20000) n`,
  )
  const enqueue = createEnqueue(attemptsOf)
  await enqueue(source.pool as never, 'purgeFiles', { userId: crypto.randomUUID() }, { delaySeconds: 86_400 })
  target = await createTestDatabase('template0')
})
afterAll(async () => {
  await target?.close()
  await source?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

async function prepare(address: DatabaseAddress): Promise<void> {
  await migrate(address, MIGRATIONS)
  const pool = createPool(address, { max: 2 })
  await migrateQueue(pool)
  await pool.end()
}

const move = (to: TestDatabase, from: TestDatabase = source) =>
  moveDatabase({ from: from.connection, to: to.connection, prepare })

/** Everything in a database, as text. */
async function contents({ pool }: TestDatabase): Promise<Record<string, unknown>> {
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'graphile_worker') order by 1`,
  )
  const all: Record<string, unknown> = {}
  for (const { name } of rows) {
    const found = await pool.query(
      `select count(*)::int, md5(string_agg(t::text, '|' order by t::text)) from ${name} t`,
    )
    all[name] = found.rows[0]
  }
  const sequences = `select schemaname, sequencename, last_value::text from pg_sequences order by 1, 2`
  all.sequences = (await pool.query(sequences)).rows
  const rules = `select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint order by 1, 2`
  all.constraints = (await pool.query(rules)).rows
  all.triggers = (await pool.query(`select tgname, tgenabled from pg_trigger where not tgisinternal order by 1`)).rows
  return all
}

it('a target with anything in it is refused, and nothing is written to it', async () => {
  const foreign = await createTestDatabase('template0')
  await foreign.pool.query('create table theirs (id int)')
  await expect(move(foreign)).rejects.toThrow(
    new MoveError('The target is not empty: it has public.theirs. Please name an empty database.'),
  )
  expect((await foreign.pool.query('select tablename from pg_tables where schemaname = $1', ['public'])).rows).toEqual([
    { tablename: 'theirs' },
  ])
  await expect(move(source)).rejects.toThrow('The target is not empty: it has users.')
  await expect(move(target, foreign)).rejects.toThrow('There is no Skypool in the database to move.')
  await foreign.close()
})

it('all rows, sequences and rules are in the target, and the source is as it was', async () => {
  const before = await contents(source)
  await move(target)
  const after = await contents(target)
  expect(await contents(source)).toEqual(before)
  expect(after).toEqual(before)
  await expect(move(target)).rejects.toThrow(MoveError)
})

it('a server on the target goes on where the other one was', async () => {
  const server = await startTestServer({ acceptAnyType: true }, { beside: { database: target, dataDir } })
  const answer = await fetch(`${server.url}/api/v1/files/${fileId}/download`, {
    headers: { origin: server.url, cookie: `sid=${token}` },
  })
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  const ada = createBrowser(server.url, token)
  expect((await ada.request('POST', '/api/v1/files/folders', { name: 'New', parentId: null })).status).toBe(201)
  await server.close()
})

it('what fails leaves an empty target, which can be tried again', async () => {
  const other = await createTestDatabase('template0')
  const failing = async (address: DatabaseAddress) => {
    await prepare(address)
    await other.pool.query(`alter table files add constraint impossible check (name = 'x')`)
  }
  await expect(moveDatabase({ from: source.connection, to: other.connection, prepare: failing })).rejects.toThrow(
    /impossible/,
  )
  expect((await other.pool.query('select from users')).rowCount).toBe(0)
  await other.pool.query('alter table files drop constraint impossible')
  await move(other)
  expect((await other.pool.query('select from users')).rowCount).toBe(1)
  await other.close()
})
