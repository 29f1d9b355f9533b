import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate, readMigrations } from '../../../server/db/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'

const ours = readMigrations('prisma/migrations')
const migration = (name: string, sql: string) => ({ name, sql, checksum: `checksum of ${sql}` })

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

  it('refuses a database that is newer than the program', async () => {
    await expect(migrate(database.connection, [])).rejects.toThrow(/database is newer/)
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
