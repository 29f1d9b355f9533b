import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Connection,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../server/db/embedded/embeddedPostgres.ts'

let dataDir: string
let server: EmbeddedPostgres | null = null

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'skypool-embedded-'))
  chmodSync(dataDir, 0o711)
})
afterEach(async () => {
  await server?.stop()
  server = null
  rmSync(dataDir, { recursive: true, force: true })
})

async function ask(connection: Connection, sql: string): Promise<unknown[]> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

const postmaster = () => Number(readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0])

function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '' // empty for a zombie
  } catch {
    return false
  }
}

describe('the embedded PostgreSQL', () => {
  it('keeps what it was given, and offers what the schema needs', async () => {
    server = await startEmbeddedPostgres({ dataDir })
    await ask(server.connection, 'create table kept (word text)')
    await ask(server.connection, `insert into kept values ('a')`)
    await server.stop()
    server = await startEmbeddedPostgres({ dataDir })
    expect(await ask(server.connection, 'select word from kept')).toEqual(['a'])
    expect(await ask(server.connection, 'show fsync')).toEqual(['on'])
    await ask(server.connection, 'create extension pg_trgm')
    await ask(server.connection, 'create extension btree_gin')
  })

  it('is reached through its socket alone', async () => {
    server = await startEmbeddedPostgres({ dataDir })
    expect(await ask(server.connection, 'show listen_addresses')).toEqual([''])
    expect(await ask(server.connection, 'show unix_socket_permissions')).toEqual(['0700'])
  })

  it('comes back after it was killed', async () => {
    server = await startEmbeddedPostgres({ dataDir })
    const { connection } = server
    await ask(connection, `create table kept as select 'b' as word`)
    process.kill(postmaster(), 'SIGKILL')
    await expect.poll(() => ask(connection, 'select word from kept').catch(() => null)).toEqual(['b'])
  })

  it('ends when its server is killed, and the next one starts', async () => {
    const script = `
      import { startEmbeddedPostgres } from './server/db/embedded/embeddedPostgres.ts'
      await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} })
      console.log('started')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const pid = postmaster()
    child.kill('SIGKILL')
    await expect.poll(() => isAlive(pid)).toBe(false)
    server = await startEmbeddedPostgres({ dataDir })
    expect(await ask(server.connection, 'select 1')).toEqual([1])
  })

  it('is not taken from a server that runs', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    server = await startEmbeddedPostgres({ dataDir })
    writeFileSync(join(dataDir, 'postgres/holder.pid'), String(child.pid))
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(/Another Skypool .* is using/)
    child.kill()
  })
})
