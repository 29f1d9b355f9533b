import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { checkMigrations, migrate, readMigrations } from '../../../server/db/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'

const ours = readMigrations('prisma/migrations')
const checksumOf = (sql: string) => createHash('sha256').update(sql).digest('hex')
const migration = (name: string, sql: string) => ({ name, sql, checksum: checksumOf(sql) })

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

describe('migrate', () => {
  it('does nothing when the database is up to date', async () => {
    expect(await migrate(database.connection, ours)).toEqual([])
  })

  it('applies what is new once, whoever asks at the same time', async () => {
    const all = [...ours, migration('9001_colour', 'create table colours (name text)')]
    const applied = await Promise.all([migrate(database.connection, all), migrate(database.connection, all)])
    expect(applied.flat()).toEqual(['9001_colour'])
    await database.pool.query(`drop table colours; delete from _prisma_migrations where migration_name = '9001_colour'`)
  })

  it('keeps nothing of a migration that fails', async () => {
    const broken = migration('9002_broken', 'create table half (name text); select nonsense')
    await expect(migrate(database.connection, [...ours, broken])).rejects.toThrow(/9002_broken failed/)
    const { rows } = await database.pool.query(`select to_regclass('half') as half`)
    expect(rows).toEqual([{ half: null }])
    expect(await migrate(database.connection, ours)).toEqual([])
  })

  it('refuses a migration that was changed after it had been applied', async () => {
    const changed = ours.map((one) => ({ ...one, checksum: 'another' }))
    await expect(migrate(database.connection, changed)).rejects.toThrow(/was changed after it had been applied/)
  })
})

describe('a server of the version before', () => {
  const expansion = migration('9100_expansion', 'create table parcels (name text)')
  const contraction = migration(
    '9101_contraction',
    '-- contracts: 9100_expansion\nalter table parcels drop column name',
  )
  const forget = () =>
    database.pool.query(`drop table if exists parcels; delete from _prisma_migrations where migration_name like '91%'`)

  it('starts and is ready on a database that a newer one has expanded', async () => {
    expect(await migrate(database.connection, [...ours, expansion])).toEqual(['9100_expansion'])
    expect(await migrate(database.connection, ours)).toEqual([])
    await checkMigrations(database.pool, ours)
    await expect(checkMigrations(database.pool, [...ours, contraction])).rejects.toThrow('not applied')
    await forget()
  })

  it('refuses one that was contracted, unless it has the migration since which that is not used', async () => {
    await migrate(database.connection, [...ours, expansion, contraction])
    await expect(migrate(database.connection, ours)).rejects.toThrow(
      /too new.*9101_contraction removed what versions without 9100_expansion use/,
    )
    await expect(checkMigrations(database.pool, ours)).rejects.toThrow(/9101_contraction removed.*too old/)
    expect(await migrate(database.connection, [...ours, expansion])).toEqual([])
    await checkMigrations(database.pool, [...ours, expansion])
    await forget()
  })
})

describe('while other servers work', () => {
  it('a migration that needs a table in use lets others read it between its attempts', async () => {
    const reader = await database.pool.connect()
    await reader.query('begin')
    await reader.query('select from users limit 1')
    const applying = migrate(database.connection, [
      ...ours,
      migration('9200_hue', 'alter table users add column hue int'),
    ])
    const waiting = `select from pg_stat_activity where application_name = 'skypool-migrate' and wait_event_type = 'Lock'
      and datname = current_database()`
    await vi.waitFor(async () => expect((await database.pool.query(waiting)).rowCount).toBe(1), 20_000)
    // It is behind the migration, which is behind the reader, who does not end before this is answered.
    await database.pool.query('select from users limit 1')
    await reader.query('commit')
    reader.release()
    expect(await applying).toEqual(['9200_hue'])
    await database.pool.query(
      `alter table users drop column hue; delete from _prisma_migrations where migration_name = '9200_hue'`,
    )
  })

  it('an index is built concurrently by one of several, also after an attempt that was interrupted', async () => {
    const index = migration('9300_index', '-- Of its names\ncreate index concurrently users_names on users (full_name)')
    await database.pool.query(`create index users_names on users (full_name)`)
    await database.pool.query(`update pg_index set indisvalid = false where indexrelid = 'users_names'::regclass`)
    const all = [...ours, index]
    const applied = await Promise.all([1, 2, 3].map(() => migrate(database.connection, all)))
    expect(applied.flat()).toEqual(['9300_index'])
    const { rows } = await database.pool.query(
      `select indisvalid from pg_index where indexrelid = to_regclass('users_names')`,
    )
    expect(rows).toEqual([{ indisvalid: true }])
    await database.pool.query(
      `drop index users_names; delete from _prisma_migrations where migration_name = '9300_index'`,
    )
  })

  it('nothing is left of an index that cannot be built', async () => {
    const index = migration(
      '9400_index',
      'create index concurrently users_odd on users ((1 / (length(full_name) - 1)))',
    )
    await database.pool.query(
      `insert into users (id, full_name, email, email_key, password_hash)
       values (gen_random_uuid(), 'B', 'b@b.c', 'b@b.c', 'x')`,
    )
    await expect(migrate(database.connection, [...ours, index])).rejects.toThrow('9400_index failed')
    const { rows } = await database.pool.query(`select to_regclass('users_odd') as index`)
    expect(rows).toEqual([{ index: null }])
    expect(await migrate(database.connection, ours)).toEqual([])
  })
})

describe('the schema', () => {
  it('lets no account hold more than its quota', async () => {
    const owner = '00000000-0000-7000-8000-000000000001'
    await database.pool.query(
      `insert into users (id, full_name, email, email_key, password_hash) values ($1, 'A', 'a@b.c', 'a@b.c', 'x')`,
      [owner],
    )
    const insert = `insert into accounts (id, user_id, provider, name, quota_bytes, used_bytes, reserved_bytes)
                    values (gen_random_uuid(), $1, 'local', 'This server', 100, $2, $3)`
    await database.pool.query(insert, [owner, 60, 40])
    await expect(database.pool.query(insert, [owner, 60, 41])).rejects.toThrow(/accounts_quota_check/)
  })
})
