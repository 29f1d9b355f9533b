import { spawn } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type Connection, startEmbeddedPostgres } from '../../server/db/embedded/embeddedPostgres.ts'
import { migrate, readMigrations } from '../../server/db/migrate.ts'
import { createPool } from '../../server/db/pool.ts'
import { migrateQueue } from '../../server/queue/enqueue.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: { connection: Connection; template: string }
  }
}

const TEMPLATE = 'template_skypool'
const SHARED = Symbol.for('skypool.tests.postgres')
/** Linux keeps what is in it in memory. */
const IN_MEMORY = '/dev/shm'
/** More than the databases of all workers take at the same time. */
const NEEDED_BYTES = 3 * 1024 ** 3
/** The tests' data is thrown away: waiting for the disk would only cost time. Log and cache stay small, for all of it may be in memory. */
const FAST = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '300',
  max_wal_size: '256MB',
  shared_buffers: '128MB',
}

type Started = { readonly connection: Connection; stop(): Promise<void> }
type Shared = { users: number; readonly started: Promise<Started> }

/** Vitest loads this file once for each project, in the same process. */
const PROJECTS = globalThis as { [SHARED]?: Shared | undefined }

/**
 * Once per run, for all projects: a real PostgreSQL with a migrated database that each test file copies. In memory where there is room: a
 * database is 700 files, and a file system on a disk takes a third of a second of processor time to make and delete them.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  PROJECTS[SHARED] ??= { users: 0, started: start() }
  const shared = PROJECTS[SHARED]
  shared.users += 1
  const { connection, stop } = await shared.started
  project.provide('postgres', { connection, template: TEMPLATE })
  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    PROJECTS[SHARED] = undefined
    await stop()
  }
}

async function start(): Promise<Started> {
  const dataDir = mkdtempSync(join(databaseFolder(), 'skypool-test-'))
  chmodSync(dataDir, 0o755)
  removeAtEnd(dataDir)
  const server = await startEmbeddedPostgres({ dataDir, database: TEMPLATE, settings: FAST })
  await migrate(server.connection, readMigrations('prisma/migrations'))
  await addQueue(server.connection)
  return {
    connection: server.connection,
    async stop() {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function addQueue(connection: Connection): Promise<void> {
  const pool = createPool(connection)
  await migrateQueue(pool)
  await pool.end() // a database with connections cannot be copied
}

/** In memory where that has room to spare, otherwise the temp folder. */
function databaseFolder(): string {
  try {
    accessSync(IN_MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    if (Math.min(bavail * bsize, process.availableMemory()) >= NEEDED_BYTES) return IN_MEMORY
  } catch {
    // Other systems have no such folder.
  }
  return tmpdir()
}

/** Removes the folder however this process ends: what is left in memory would stay there. Its PostgreSQL ends by itself first. */
function removeAtEnd(dataDir: string): void {
  const script =
    'cat >/dev/null; for each in $(seq 300); do test -e "$0"/postgres/cluster/postmaster.pid || break; sleep 0.2; done; rm -rf "$0"'
  const child = spawn('/bin/sh', ['-c', script, dataDir], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  child.unref()
  if (child.stdin instanceof Socket) child.stdin.unref()
}
