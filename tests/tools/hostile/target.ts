import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { NODE_FLAGS, START_SETTINGS } from '../../setup/nodeFlags.ts'
import { freePort } from '../demo/processes.ts'

const READY_LIMIT_MS = 60_000

/** The built server in a separate process; its log is kept, not shown. */
export async function startTarget(dataDir: string, more: Readonly<Record<string, string>> = {}) {
  const port = await freePort(0)
  const url = `http://127.0.0.1:${port}`
  const settings = {
    ...START_SETTINGS,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: dataDir,
    DATABASE_URL: '',
    LOCAL_QUOTA: 'unlimited',
    UPLOAD_TYPES: '*',
    RATE_LIMIT: '0',
    TRUST_PROXY: 'true',
    AVATAR_URL: 'http://127.0.0.1:9/',
    LOG_LEVEL: 'error',
  }
  const child = spawn(process.execPath, [...NODE_FLAGS, 'dist/server/main.cjs'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...settings, ...more },
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)))
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
  for (const limit = Date.now() + READY_LIMIT_MS; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (hasEnded() || Date.now() > limit) throw new Error(`The server does not start: ${output.join('')}`)
    if ((await fetch(`${url}/ready`).catch(() => null))?.ok) break
  }
  return {
    url,
    pid: child.pid ?? 0,
    hasEnded,
    /** What it logged as an error. */
    failures: () =>
      output
        .join('')
        .split('\n')
        .filter((line) => line.trim() !== ''),
    async stop(): Promise<void> {
      if (hasEnded()) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}
