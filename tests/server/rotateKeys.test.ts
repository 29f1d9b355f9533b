import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPool } from '../../server/db/pool.ts'
import { openEncryption, rotateKeys, WrongKeyError } from '../../server/domain/secrets/rotateKeys.ts'
import type { createEncryption } from '../../server/lib/encryption.ts'
import { newId } from '../../server/lib/ids.ts'
import { readSecretFile } from '../../server/storage/secretFile.ts'
import { createOwner } from '../factories/files.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

const [OLD, NEW] = ['an old key of thirty-two characters', 'a new key of thirty-two characters']
let database: TestDatabase
let folder: string
let file: string

beforeAll(async () => {
  database = await createTestDatabase()
  folder = mkdtempSync(join(tmpdir(), 'skypool-key-'))
})
beforeEach(async () => {
  file = join(folder, newId())
  await database.pool.query('delete from sealing_check')
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

const open = (keys: readonly [string, ...string[]] | null) => openEncryption({ pool: database.pool, keys, file })
const failure = (keys: readonly [string, ...string[]] | null) => open(keys).then(String, (error: Error) => error)

describe('the key of a server', () => {
  it('is made at the first start, for this user alone, and found again at the next', async () => {
    const sealed = (await open(null)).encrypt('text', 'place')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await open(null)).decrypt(sealed, 'place')).toBe('text')
  })

  it('is one, however many make it at once', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => open(null)))
    expect(new Set(all.map(({ prefix }) => prefix)).size).toBe(1)
  })

  it('is not made anew when it was lost: the start is refused', async () => {
    await open([OLD])
    const error = await failure(null)
    expect(error).toBeInstanceOf(WrongKeyError)
    expect(String(error)).toContain(file)
    expect(await readSecretFile(file)).toBeNull()
  })

  it('must be the right one, and the refusal repeats no key', async () => {
    await open([OLD])
    const error = await failure([NEW])
    expect(error).toBeInstanceOf(WrongKeyError)
    expect(String(error)).toMatch(/SECRET_KEY does not match this database/)
    expect(String(error)).not.toContain(NEW)
    writeFileSync(file, NEW)
    expect(await failure(null)).toBeInstanceOf(WrongKeyError)
  })
})

describe('a change of the key', () => {
  const none = new AbortController().signal
  const broken: unknown[] = []
  const lost: string[] = []
  const run = (encryption: ReturnType<typeof createEncryption>, signal = none, pool = database.pool) =>
    rotateKeys({
      pool,
      encryption,
      signal,
      onError: (error) => broken.push(error),
      onLost: async (id) => void lost.push(id),
    })

  /** Accounts with sealed credentials. */
  async function seed(count: number, encryption: ReturnType<typeof createEncryption>): Promise<string[]> {
    const { viewer } = await createOwner(database.pool)
    const ids = Array.from({ length: count }, () => newId())
    await database.pool.query(
      `insert into accounts (id, user_id, provider, name, provider_account_id)
       select id, $2, 'google-drive', 'Drive', id::text from unnest($1::uuid[]) id`,
      [ids, viewer.userId],
    )
    await database.pool.query(
      'insert into account_credentials (account_id, sealed) select * from unnest($1::uuid[], $2::text[])',
      [ids, ids.map((id) => encryption.encrypt(`token of ${id}`, `account_credentials:${id}`))],
    )
    return ids
  }

  it('seals everything anew, also what is kept with its context; then the old key can go', async () => {
    const old = await open([OLD])
    const ids = await seed(10_000, old)
    const [first = ''] = ids
    const removal = newId()
    await database.pool.query('insert into object_removals (id, account_id, session) values ($1, $2, $3)', [
      removal,
      first,
      `pieces:${first} ${old.encrypt('session', `pieces:${first}`)}`,
    ])
    expect(await failure([NEW])).toBeInstanceOf(WrongKeyError)
    const both = await open([NEW, OLD])
    expect(await run(both)).toBe(10_001)
    expect(await run(both)).toBe(0)

    const alone = await open([NEW])
    const { rows } = await database.pool.query('select account_id as id, sealed from account_credentials')
    for (const { id, sealed } of rows) {
      expect(alone.decrypt(sealed, `account_credentials:${id}`)).toBe(`token of ${id}`)
    }
    const kept = await database.pool.query('select session from object_removals where id = $1', [removal])
    const [context, sealed] = kept.rows[0].session.split(' ')
    expect([context, alone.decrypt(sealed, context)]).toEqual([`pieces:${first}`, 'session'])
    expect(await failure([OLD])).toBeInstanceOf(WrongKeyError)
  })

  it('waits for rows that others hold without holding them up, and leaves what no key opens', async () => {
    await database.pool.query('delete from account_credentials')
    const [held = '', hopeless = ''] = await seed(2, await open([OLD]))
    await database.pool.query(`update account_credentials set sealed = 'v1.00000000.AAAA' where account_id = $1`, [
      hopeless,
    ])
    const client = await database.pool.connect()
    await client.query('begin')
    await client.query('select from account_credentials where account_id = $1 for update', [held])
    const both = await open([NEW, OLD])
    const done = run(both)
    await client.query('update account_credentials set version = 2 where account_id = $1', [held])
    await client.query('commit')
    client.release()
    expect(await done).toBe(1)
    expect(broken.length).toBeGreaterThan(0)
    expect(lost).toEqual([hopeless])
    expect((await open([NEW])).prefix).toBe(both.prefix)
  })

  it('stops when the server stops, and the old key stays necessary', async () => {
    await database.pool.query('delete from account_credentials')
    await seed(3, await open([OLD]))
    await run(await open([NEW, OLD]), AbortSignal.abort())
    expect(await failure([NEW])).toBeInstanceOf(WrongKeyError)
  })

  /** A server whose process is killed before its statement number `at`: the rest of its connections are closed, too. */
  async function runKilled(encryption: ReturnType<typeof createEncryption>, at: number): Promise<'killed' | 'done'> {
    const pool = createPool(database.connection)
    const clients: pg.PoolClient[] = []
    let statements = 0
    pool.on('error', () => {})
    pool.on('connect', (client) => {
      clients.push(client)
      client.on('error', () => {})
      const query = client.query.bind(client) as (...given: unknown[]) => unknown
      client.query = ((...given: unknown[]) => {
        statements += 1
        if (statements === at) {
          for (const each of clients) (each as unknown as pg.Client).connection.stream.destroy()
        }
        return query(...given)
      }) as typeof client.query
    })
    try {
      return await run(encryption, none, pool).then(
        () => 'done' as const,
        () => 'killed' as const,
      )
    } finally {
      await pool.end()
    }
  }

  it('is finished by another server, whenever the first one is killed', async () => {
    await database.pool.query('delete from account_credentials')
    const old = await open([OLD])
    const ids = await seed(250, old)
    const both = await open([NEW, OLD])
    const texts = ids.map((id) => old.encrypt(`token of ${id}`, `account_credentials:${id}`))
    let kills = 0
    for (let at = 1; ; at += 1) {
      await database.pool.query(
        'update account_credentials c set sealed = n.text from unnest($1::uuid[], $2::text[]) n(id, text) where account_id = n.id',
        [ids, texts],
      )
      await database.pool.query('update sealing_check set sealed = $1', [old.encrypt('Skypool', 'sealing_check')])
      // The other one runs at the same time in every second round, and begins afterwards in the others.
      const beside = at % 2 === 0 ? run(both) : null
      const ended = await runKilled(both, at)
      await (beside ?? run(both))
      const { rows } = await database.pool.query('select account_id as id, sealed from account_credentials')
      const alone = await open([NEW])
      const read = rows.map(({ id, sealed }) => alone.decrypt(sealed, `account_credentials:${id}`))
      expect([at, read]).toEqual([at, rows.map(({ id }) => `token of ${id}`)])
      if (ended === 'done' && at % 2 === 1) break
      if (ended === 'killed') kills += 1
    }
    // Two batches with their beginnings and commits, the counts, and the check text.
    expect(kills).toBeGreaterThan(12)
  })
})
