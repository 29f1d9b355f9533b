import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { prepareDirectories } from '../../../server/db/embedded/directories.ts'
import { NODE_FLAGS } from '../../setup/nodeFlags.ts'
import { freePort } from '../bench/references.ts'

const SERVER = fileURLToPath(new URL('../../../dist/server/main.cjs', import.meta.url))
const START_LIMIT_MS = 300_000

/** It ended by itself. */
export class ServerEnded extends Error {
  override readonly name = 'ServerEnded'
}

/** The built server in a separate process, on the same port after each restart. */
export type Victim = {
  readonly url: string
  /** Resolves when it can serve. @throws ServerEnded; or when it takes longer than five minutes */
  start(): Promise<void>
  /** Resolves when it answers again. */
  ready(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** SIGTERM. */
  stop(): Promise<void>
  /** Makes its PostgreSQL quit at once, as in a crash (SIGQUIT to the postmaster). */
  crashDatabase(): void
}

/** `env`: other settings, such as DATABASE_URL of a database that is not its own. */
export async function createVictim(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Victim> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined

  const end = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  const ready = async () => {
    for (const until = Date.now() + START_LIMIT_MS; Date.now() < until; await sleep(25)) {
      if (child?.exitCode !== null) throw new ServerEnded(`The server ended with code ${child?.exitCode}.`)
      if (await isReady(url)) return
    }
    throw new Error('The server did not get ready in time.')
  }
  return {
    url,
    ready,
    async start() {
      const settings = {
        HOST: '127.0.0.1',
        PORT: String(port),
        DATA_DIR: dataDir,
        UPLOAD_TYPES: '*',
        LOCAL_QUOTA: '1TB',
      }
      child = spawn(process.execPath, [...NODE_FLAGS, SERVER], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DATABASE_URL: '', LOG_LEVEL: 'error', ...settings, ...env },
      })
      await ready()
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    crashDatabase: () => crashPostgres(dataDir),
  }
}

/** The embedded PostgreSQL of the folder quits at once, as in a crash, and is started again by what started it. */
export function crashPostgres(dataDir: string): void {
  const { cluster } = prepareDirectories(dataDir)
  const pidFile = join(cluster, 'postmaster.pid')
  // It has not come back yet from the crash before.
  if (!existsSync(pidFile)) return
  const [pid] = readFileSync(pidFile, 'utf8').split('\n')
  process.kill(Number(pid), 'SIGQUIT')
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    // Refused or cut: not ready, which is all that is asked.
    return false
  }
}
