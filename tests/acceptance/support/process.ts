import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../e2e/support/server.ts'
import { DROPBOX_CLIENT } from '../../fakes/dropbox/dropbox.ts'
import { GOOGLE_CLIENT } from '../../fakes/google/google.ts'

const START_LIMIT_MS = 60_000

/** The built server in a process of its own, with its embedded database, on one port and one data folder through all its lives. */
export type ServerProcess = {
  readonly url: string
  readonly dataDir: string
  /** All that it wrote, through all its lives. */
  output(): string
  /** SIGKILL, and started again. Resolves when it can serve. */
  killAndStart(): Promise<void>
  /** Ends it and removes its data. */
  close(): Promise<void>
}

export async function startProcess(emulator: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-acceptance-'))
  chmodSync(dataDir, 0o755)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const output: string[] = []
  let child = launch()

  function launch(): ChildProcess {
    const settings = {
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: '',
      LOG_LEVEL: 'warn',
      UPLOAD_TYPES: '*',
      AVATAR_URL: 'http://127.0.0.1:9/',
      GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
      GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
      DROPBOX_CLIENT_ID: DROPBOX_CLIENT.id,
      DROPBOX_CLIENT_SECRET: DROPBOX_CLIENT.secret,
      PROVIDER_EMULATOR_URL: emulator,
    }
    const started = spawn(process.execPath, ['dist/server/main.cjs'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...settings, ...env },
    })
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => output.push(String(chunk)))
    return started
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  async function ready(): Promise<void> {
    for (const limit = Date.now() + START_LIMIT_MS; Date.now() < limit; await sleep(25)) {
      if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}: ${output.join('')}`)
      const answer = await fetch(`${url}/ready`).catch(() => null)
      await answer?.body?.cancel()
      if (answer?.ok) return
    }
    throw new Error('The server did not get ready.')
  }

  await ready()
  return {
    url,
    dataDir,
    output: () => output.join(''),
    async killAndStart() {
      await end('SIGKILL')
      child = launch()
      await ready()
    },
    async close() {
      await end('SIGTERM')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
