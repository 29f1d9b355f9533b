import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DROPBOX_CLIENT } from '../../fakes/dropbox/dropbox.ts'
import { GOOGLE_CLIENT } from '../../fakes/google/google.ts'
import { NODE_FLAGS } from '../../setup/nodeFlags.ts'
import { freePort } from '../../tools/demo/processes.ts'

const START_LIMIT_MS = 180_000

/** The built server in a process of its own, with its embedded database, on one port and one data folder through all its lives. */
export type ServerProcess = {
  readonly url: string
  readonly dataDir: string
  /** All that it wrote, through all its lives. */
  output(): string
  /** In the register of servers, as it was logged; with LOG_LEVEL=info. */
  id(): string
  pid(): number
  /** SIGTERM. @returns its exit code, once it has ended */
  terminate(): Promise<number | null>
  /** SIGKILL. */
  kill(): Promise<void>
  /** Resolves when it can serve. */
  start(): Promise<void>
  /** SIGKILL, and started again. */
  killAndStart(): Promise<void>
  /** SIGTERM, and started again. */
  restart(): Promise<void>
  /** It stands still (SIGSTOP) until `thaw`. */
  freeze(): void
  thaw(): void
  /** Ends it and removes its data. */
  close(): Promise<void>
}

/** `dataDir`: one that is shared, which is the caller's to remove. */
export async function startProcess(
  emulator: string,
  env: Record<string, string> = {},
  shared: { readonly dataDir?: string } = {},
): Promise<ServerProcess> {
  const dataDir = shared.dataDir ?? mkdtempSync(join(tmpdir(), 'skypool-acceptance-'))
  if (!shared.dataDir) chmodSync(dataDir, 0o755)
  const port = await freePort(0)
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
      ACCOUNT_POLL_SECONDS: '1',
      GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
      GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
      DROPBOX_CLIENT_ID: DROPBOX_CLIENT.id,
      DROPBOX_CLIENT_SECRET: DROPBOX_CLIENT.secret,
      PROVIDER_EMULATOR_URL: emulator,
    }
    const started = spawn(process.execPath, [...NODE_FLAGS, 'dist/server/main.cjs'], {
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

  async function start(): Promise<void> {
    child = launch()
    await ready()
  }

  async function ready(): Promise<void> {
    for (const limit = Date.now() + START_LIMIT_MS; Date.now() < limit; await sleep(25)) {
      if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}: ${output.join('')}`)
      const answer = await fetch(`${url}/ready`).catch(() => null)
      await answer?.body?.cancel()
      if (answer?.ok) return
    }
    throw new Error(`The server did not get ready: ${output.join('')}`)
  }

  await ready()
  return {
    url,
    dataDir,
    output: () => output.join(''),
    id() {
      const found = [...output.join('').matchAll(/"server":"([0-9a-f-]{36})","msg":"Skypool is ready"/g)]
      return found.at(-1)?.[1] ?? ''
    },
    pid: () => child.pid ?? 0,
    async terminate() {
      await end('SIGTERM')
      return child.exitCode
    },
    kill: () => end('SIGKILL'),
    start,
    async killAndStart() {
      await end('SIGKILL')
      await start()
    },
    async restart() {
      await end('SIGTERM')
      await start()
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async close() {
      child.kill('SIGCONT')
      await end('SIGTERM')
      if (!shared.dataDir) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
