import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Balancer, hasNginx, startBalancer } from '../../setup/balancer.ts'
import { addressOf, createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { type ServerProcess, startProcess } from './process.ts'

/** Two built servers, each a process of its own, on one database and one data folder. */
export type Cluster = {
  readonly database: TestDatabase
  readonly servers: readonly [ServerProcess, ServerProcess]
  /** Of nginx, which asks them in turn; of the first server where there is no nginx. */
  readonly url: string
  /** The process of the server whose database connection that is, by its name in pg_stat_activity. */
  serverOf(applicationName: string): ServerProcess
  close(): Promise<void>
}

export async function startCluster(emulator: string): Promise<Cluster> {
  const database = await createTestDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-cluster-'))
  chmodSync(dataDir, 0o755)
  const env = { DATABASE_URL: addressOf(database), LOCAL_QUOTA: '1TB', LOG_LEVEL: 'info' }
  // At once, on an empty database and an empty folder.
  const servers = await Promise.all([
    startProcess(emulator, env, { dataDir }),
    startProcess(emulator, env, { dataDir }),
  ])
  const balancer: Balancer | null = hasNginx ? await startBalancer(servers.map(({ url }) => url)) : null

  return {
    database,
    servers,
    url: balancer?.url ?? servers[0].url,
    serverOf(applicationName) {
      const found = servers.find((server) => server.id() === applicationName.slice(-36))
      if (!found) throw new Error(`No server has the connection ${applicationName}.`)
      return found
    },
    async close() {
      await balancer?.close()
      for (const server of servers) await server.close()
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
