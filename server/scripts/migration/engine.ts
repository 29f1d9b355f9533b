import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'
import type { Connection } from '../../db/embedded/embeddedPostgres.ts'
import { readMigrations } from '../../db/migrate.ts'

const OID_CHAR = 18
const OID_DATE = 1082

/**
 * Prisma's schema engine, as WebAssembly: `prisma migrate` itself would download a program.
 * Returns the SQL that migrates from the migrations in `dir` to `schema`; null when they agree. `database` must be a temporary
 * server: the migrations are replayed on it and nothing is cleaned up.
 */
export async function diffMigrations(database: Connection, dir: string, schema: string): Promise<string | null> {
  await loadEngine()
  const migrations = readMigrations(dir)
  const factory = bindMigrationAwareSqlAdapterFactory(adapterFactory(database))
  const engine = await glue.SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => {}, factory)
  const lockFile = join(dir, 'migration_lock.toml')
  const { exitCode, stdout } = await engine.diff({
    from: {
      tag: 'migrations',
      baseDir: resolve(dir),
      lockfile: { path: 'migration_lock.toml', content: existsSync(lockFile) ? readFileSync(lockFile, 'utf8') : null },
      shadowDbInitScript: '',
      migrationDirectories: migrations.map(({ name, sql }) => ({
        path: name,
        migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
      })),
    },
    to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content: schema }] },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  })
  return exitCode === 0 ? null : stdout
}

async function loadEngine(): Promise<void> {
  // Without this, a panic of the engine appears only as "Cannot read properties of undefined".
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: { set_message: (message: string) => console.error('Schema engine:', message) },
  })
  const require = createRequire(import.meta.url)
  const file = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm')
  const { instance } = await WebAssembly.instantiate(readFileSync(file), { './schema_engine_bg.js': { ...glue } })
  glue.__wbg_set_wasm(instance.exports)
  const begin = instance.exports.__wbindgen_start as () => void
  begin()
}

/** PrismaPg cannot read the type "char", which the system catalog uses: disguise it as a date, and convert that to Character below. */
class CatalogPool extends pg.Pool {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query cannot be named from outside
  override async query(...args: any[]): Promise<any> {
    const result = await super.query(...(args as [string]))
    // A script has one result per statement.
    const fields = [result].flat().flatMap(({ fields }) => fields ?? [])
    for (const field of fields) if (field.dataTypeID === OID_CHAR) field.dataTypeID = OID_DATE
    return result
  }
}

function adapterFactory(database: Connection): SqlMigrationAwareDriverAdapterFactory {
  const connect = async (address: Connection) => {
    const pool = new CatalogPool({ ...address, max: 1 })
    pool.on('error', () => {}) // the engine never closes its connections: they break when the server stops
    const adapter = await new PrismaPg(pool).connect()
    // As a whole: Prisma's own implementation splits a script at every semicolon, also in functions and comments.
    adapter.executeScript = async (script) => {
      await pool.query(script)
    }
    const queryRaw = adapter.queryRaw.bind(adapter)
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query)
      const columnTypes = result.columnTypes.map((type) =>
        type === ColumnTypeEnum.Date ? ColumnTypeEnum.Character : type,
      )
      return { ...result, columnTypes }
    }
    return adapter
  }
  return {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect: () => connect(database),
    connectToShadowDb: async () => connect({ ...database, database: await createShadow(database) }),
  }
}

async function createShadow(database: Connection): Promise<string> {
  const name = `shadow_${crypto.randomUUID().replaceAll('-', '')}`
  const client = new pg.Client(database)
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return name
}
