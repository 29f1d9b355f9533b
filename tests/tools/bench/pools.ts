import { join } from 'node:path'
import { freePort, startProcess } from '../demo/processes.ts'
import { CLIENTS } from '../demo/scenario.ts'
import { connect } from '../demo/skypool.ts'
import { Client, type Skypool, startSkypool } from './skypool.ts'

export type PoolSettings = {
  /** A folder for everything that is written. */
  readonly dir: string
  readonly rounds: number
  /** Per account, both directions together. */
  readonly bytesPerSecond: number
  /** Of the file that is pooled. */
  readonly size: number
  /** Of the row of small files. */
  readonly files: number
  /** Latency of every call to the providers (ms). */
  readonly latencyMs: number
}

export type Pool = { readonly id: string; readonly emails: readonly string[] }

/** Skypool on emulated accounts, each side in separate processes. */
export type PoolBench = PoolSettings & {
  readonly skypool: Skypool
  readonly client: Client
  /** A group cloud of this many new accounts with this much space each. */
  makePool(accounts: number, quotaBytes: number): Promise<Pool>
  /** Null: no limit. */
  throttle(pool: Pool, bytesPerSecond: number | null): Promise<void>
}

export async function withPools<Result>(
  settings: PoolSettings,
  use: (bench: PoolBench) => Promise<Result>,
): Promise<Result> {
  const port = await freePort(0)
  const emulator = `http://127.0.0.1:${port}`
  const emulators = startProcess([join('node_modules', '.bin', 'tsx'), 'tests/fakes/main.ts'], { PORT: String(port) })
  try {
    await emulators.answers(`${emulator}/`)
    const skypool = await startSkypool({
      ...CLIENTS,
      UPLOAD_TYPES: '*',
      LOCAL_QUOTA: '1TB',
      DATA_DIR: join(settings.dir, 'data'),
      PROVIDER_EMULATOR_URL: emulator,
    })
    try {
      return await use(await createPools(settings, skypool, emulator))
    } finally {
      await skypool.stop()
    }
  } finally {
    await emulators.stop()
  }
}

async function createPools(settings: PoolSettings, skypool: Skypool, emulator: string): Promise<PoolBench> {
  const client = await Client.signUp(skypool.url)
  const post = (path: string, body: object) => client.json<{ id: string }>(path, json('POST', body))
  const google = { id: CLIENTS.GOOGLE_CLIENT_ID, secret: CLIENTS.GOOGLE_CLIENT_SECRET }
  await command(emulator, '__control/google/addClient', google)
  if (settings.latencyMs > 0) {
    await command(emulator, '__fault', { kind: 'delay', operation: 'drive.*', ms: settings.latencyMs, count: 0 })
  }
  let accounts = 0

  async function addAccount(quotaBytes: number): Promise<{ id: string; email: string }> {
    accounts += 1
    const name = `Account ${accounts}`
    const email = `account-${accounts}@bench.example`
    await command(emulator, '__control/google/addUser', { email, name, quotaBytes })
    const api = <Answer>(method: string, path: string, body?: object) => client.json<Answer>(path, json(method, body))
    return { id: await connect({ json: api }, 'google', name, email), email }
  }

  return {
    ...settings,
    skypool,
    client,
    async makePool(count, quotaBytes) {
      const members: { id: string; email: string }[] = []
      for (let index = 0; index < count; index++) members.push(await addAccount(quotaBytes))
      const accountIds = members.map(({ id }) => id)
      const name = `Pool ${crypto.randomUUID()}`
      const { id } = await post('/api/v1/group-clouds', { name, accountIds, copies: 1, spanning: true })
      return { id, emails: members.map(({ email }) => email) }
    },
    async throttle({ emails }, bytesPerSecond) {
      for (const user of emails) await command(emulator, '__control/google/throttle', { user, bytesPerSecond })
    },
  }
}

function json(method: string, body?: object): RequestInit {
  if (!body) return { method }
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** @throws Error with the emulator's message */
async function command(emulator: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${emulator}/${path}`, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
}
