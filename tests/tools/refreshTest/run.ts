import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Pool } from 'pg'
import type { Connection } from '../../../server/db/embedded/embeddedPostgres.ts'
import { storeCredentials } from '../../../server/domain/accounts/credentials.ts'
import { createEncryption } from '../../../server/lib/encryption.ts'
import type { Credentials } from '../../../server/providers/driver.ts'
import type { ProviderSettings } from '../../../server/providers/providers.ts'
import type { Emulators } from '../../fakes/core/server.ts'

export type RefreshJob = {
  readonly connection: Connection
  readonly accountId: string
  readonly emulatorUrl: string
  readonly secretKey: string
  readonly provider: string
  readonly settings: ProviderSettings
}

/** A provider whose refresh tokens are valid once, as it is emulated. */
export type Rotating = {
  /** Id in the catalogue. */
  readonly provider: string
  readonly settings: ProviderSettings
  /** What the emulator calls a request for tokens. */
  readonly operation: string
  /** As when a user connects the account. */
  mint(): Credentials
}

export type RefreshRun = {
  readonly pool: Pool
  readonly connection: Connection
  readonly accountId: string
  readonly emulators: Emulators
  readonly rotating: Rotating
  readonly refreshes: number
  readonly processes: number
  readonly seed: number
}

export type RefreshReport = {
  /** Refreshes that the service answered with 200. */
  readonly refreshes: number
  readonly lostReplies: number
  readonly kills: number
  /** Outages that say nothing about the account. */
  readonly outages: number
  /** Times that the account expired; each time it was connected again. */
  readonly expired: number
  /** Of these, without a lost response or a kill since it was connected. */
  readonly withoutReason: number
  /** Reasons shown with the account. */
  readonly reasons: readonly string[]
  /** Attempts by result. */
  readonly results: Readonly<Record<string, number>>
}

const SECRET_KEY = 'a secret key of more than thirty-two characters'
/** One in so many refreshes has this. */
const ODDS = { lostReply: 12, outage: 10, kill: 40 } as const

/**
 * Several processes renew the credentials of one account, whose refresh tokens are valid once, while responses are lost and
 * processes are killed. An expired account is connected again, as its user would.
 */
export async function runRefreshes(run: RefreshRun): Promise<RefreshReport> {
  const { pool, emulators, accountId } = run
  const { operation: token } = run.rotating
  const roll = dice(run.seed)
  const results: Record<string, number> = {}
  const count = { lostReplies: 0, kills: 0, outages: 0, expired: 0, withoutReason: 0 }
  const reasons = new Set<string>()
  let troubles = 0
  await connect(run)
  const workers = Array.from({ length: run.processes }, () => startWorker(run, results))
  let done = 0
  let seen = 0
  while (done < run.refreshes) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    const calls = emulators.log().filter(({ operation }) => operation === token)
    for (const { status, faults } of calls.slice(seen)) {
      if (status === 200 || faults.includes('lostReply')) done += 1
      if (faults.includes('lostReply')) count.lostReplies += 1
      if (faults.includes('lostReply')) troubles += 1
      if (roll(ODDS.lostReply) === 0) emulators.plan({ kind: 'lostReply', operation: token })
      if (roll(ODDS.outage) === 0) {
        count.outages += 1
        emulators.plan({ kind: roll(2) === 0 ? 'serverError' : 'reset', operation: token })
      }
      if (roll(ODDS.kill) === 0) {
        const index = roll(workers.length)
        await kill(workers[index])
        workers[index] = startWorker(run, results)
        count.kills += 1
        troubles += 1
      }
    }
    seen = calls.length
    const { rows } = await pool.query('select status, status_reason as reason from accounts where id = $1', [accountId])
    if (rows[0].status !== 'EXPIRED') continue
    count.expired += 1
    reasons.add(rows[0].reason)
    // The log is read later than the state of the account.
    const last = emulators.log().filter(({ operation }) => operation === token)
    const unread = last.slice(seen).some(({ faults }) => faults.includes('lostReply'))
    if (troubles === 0 && !unread) count.withoutReason += 1
    troubles = 0
    await connect(run)
  }
  await Promise.all(workers.map(kill))
  emulators.clearFaults()
  return { refreshes: done, ...count, reasons: [...reasons], results }
}

/** As when its user connects the account again. */
async function connect({ pool, accountId, rotating }: RefreshRun): Promise<void> {
  const credentials = rotating.mint()
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('select from account_credentials where account_id = $1 for update', [accountId])
    await storeCredentials(client, createEncryption([SECRET_KEY]), accountId, credentials)
    await client.query(`update accounts set status = 'CONNECTED', status_reason = null where id = $1`, [accountId])
    await client.query('commit')
  } finally {
    client.release()
  }
}

function startWorker(run: RefreshRun, results: Record<string, number>): ChildProcess {
  const { connection, accountId, emulators, rotating } = run
  const job: RefreshJob = {
    connection,
    accountId,
    emulatorUrl: emulators.url,
    secretKey: SECRET_KEY,
    provider: rotating.provider,
    settings: rotating.settings,
  }
  const file = `${import.meta.dirname}/worker.ts`
  const options = ['--import', 'tsx', file, JSON.stringify(job)]
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { used, failed } = JSON.parse(line) as { used?: string; failed?: string }
    const name = failed === undefined ? `used: ${used}` : `renew: ${failed}`
    results[name] = (results[name] ?? 0) + 1
  })
  return child
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** The same numbers for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = (seed * 2_654_435_761) >>> 0
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}
