import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Pool } from 'pg'
import type { Connection } from '../../../server/db/embedded/embeddedPostgres.ts'
import { storeCredentials } from '../../../server/domain/accounts/credentials.ts'
import { createEncryption } from '../../../server/lib/encryption.ts'
import { BOX_CLIENT, type createBox } from '../../fakes/box/box.ts'
import type { Emulators } from '../../fakes/core/server.ts'

export type RefreshJob = {
  readonly connection: Connection
  readonly accountId: string
  readonly emulatorUrl: string
  readonly secretKey: string
  readonly clientId: string
  readonly clientSecret: string
}

export type RefreshRun = {
  readonly pool: Pool
  readonly connection: Connection
  readonly accountId: string
  readonly emulators: Emulators
  readonly box: ReturnType<typeof createBox>['commands']
  readonly user: string
  readonly refreshes: number
  readonly processes: number
  readonly seed: number
}

export type RefreshReport = {
  /** Refreshes that the service carried out. */
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
const TOKEN = 'oauth2.token'
/** One in so many refreshes has this. */
const ODDS = { lostReply: 12, outage: 10, kill: 40 } as const

/**
 * Several processes renew the credentials of one account of Box, whose refresh tokens are valid once, while responses are lost and
 * processes are killed. An expired account is connected again, as its user would.
 */
export async function runRefreshes(run: RefreshRun): Promise<RefreshReport> {
  const { pool, emulators, accountId } = run
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
    const calls = emulators.log().filter(({ operation }) => operation === TOKEN)
    for (const { status, faults } of calls.slice(seen)) {
      if (status === 200 || faults.includes('lostReply')) done += 1
      if (faults.includes('lostReply')) count.lostReplies += 1
      if (faults.includes('lostReply')) troubles += 1
      if (roll(ODDS.lostReply) === 0) emulators.plan({ kind: 'lostReply', operation: TOKEN })
      if (roll(ODDS.outage) === 0) {
        count.outages += 1
        emulators.plan({ kind: roll(2) === 0 ? 'serverError' : 'reset', operation: TOKEN })
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
    const last = emulators.log().filter(({ operation }) => operation === TOKEN)
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
async function connect({ pool, accountId, box, user }: RefreshRun): Promise<void> {
  const { access_token, refresh_token } = box.mintToken({ user })
  const credentials = { accessToken: access_token, refreshToken: refresh_token, expiresAt: null }
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

function startWorker({ connection, accountId, emulators }: RefreshRun, results: Record<string, number>): ChildProcess {
  const job: RefreshJob = {
    connection,
    accountId,
    emulatorUrl: emulators.url,
    secretKey: SECRET_KEY,
    clientId: BOX_CLIENT.id,
    clientSecret: BOX_CLIENT.secret,
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
