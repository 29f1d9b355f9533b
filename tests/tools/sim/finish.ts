import { DomainError } from '../../../server/domain/errors.ts'
import { readWhole } from './judge/end.ts'
import { connectAccount } from './operations/accounts.ts'
import { SIGNAL } from './operations/operation.ts'
import { dueTransfers, oneJob, runTransfer } from './operations/work.ts'
import { countJobs, releaseJobs } from './queue.ts'
import type { Chance } from './random.ts'
import type { World } from './world.ts'

const MOST_ROUNDS = 60
const QUARTER_MS = 900_000
const DAY_MS = 86_400_000

/** Ends all faults: providers respond, accounts are reconnected, the user retries what can be retried, and time passes. */
export async function finish(world: World, chance: Chance): Promise<void> {
  world.faults.active = false
  world.faults.outages.clear()
  await world.restart()
  await world.server.housekeeping.uploads.sweepStaging(SIGNAL)
  await bringBack(world)
  await untilQuiet(world, chance)
  // Reading detects damage; then it is repaired.
  for (const file of world.model.live()) await readWhole(world, file)
  await untilQuiet(world, chance)
  await world.clock.advance(DAY_MS + QUARTER_MS)
  await world.server.housekeeping.uploads.expire(SIGNAL)
  await world.server.housekeeping.uploads.sweepStaging(SIGNAL)
  await untilQuiet(world, chance)
  await probeAll(world)
}

async function bringBack(world: World): Promise<void> {
  for (const account of world.accounts) {
    if (account.id === null) continue
    const [shown] = await world.server.accounts.getMany(world.viewer, [account.id])
    // The stored access may have been revoked without a call that noticed it.
    await connectAccount(world, account, Boolean(shown))
  }
}

async function untilQuiet(world: World, chance: Chance): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    await probeAll(world)
    if (round < 3) await pressAll(world)
    await passTime(world)
    await workOff(world, chance)
    const jobs = await countJobs(world.control)
    if (round > 3 && jobs === 0 && (await countGoing(world)) === 0) return
  }
}

const HALF_AN_HOUR_MS = 1_800_000
/** Half an hour, with the jobs of every minute and every hour once. */
async function passTime({ server, clock }: World): Promise<void> {
  await clock.advance(HALF_AN_HOUR_MS)
  await server.housekeeping.transfers.resumeStopped(SIGNAL)
  await server.housekeeping.transfers.reconcileAll(SIGNAL)
}

async function probeAll({ server, clock }: World): Promise<void> {
  for (let tick = 0; tick < 3; tick += 1) {
    await clock.advance(10_000)
    await server.probe.tick()
    await server.whenIdle()
  }
}

const STOPPED = `select id, state from transfers where user_id = $1 and (state in ('PAUSED', 'FAILED', 'PARKED')
  or state = 'CANCELLED' and error is null) order by created_at, id`

/** Resumes paused transfers and retries stopped ones, including those that are too old to be listed. */
async function pressAll({ server, control, viewer }: World): Promise<void> {
  const { rows } = await control.query<{ id: string; state: string }>(STOPPED, [viewer.userId])
  for (const { id, state } of rows) {
    await server.transfers[state === 'PAUSED' ? 'resume' : 'retry'](viewer, id).catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error
    })
  }
}

async function workOff(world: World, chance: Chance): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    const job = await oneJob(world, chance)
    await releaseJobs(world.control)
    const due = await dueTransfers(world)
    for (const id of due) await runTransfer(world, id)
    await world.server.whenIdle()
    if (job === null && due.length === 0) return
  }
}

async function countGoing({ control }: World): Promise<number> {
  const { rows } = await control.query<{ count: number }>(
    `select count(*)::int as count from transfers where state in ('WAITING', 'RUNNING')`,
  )
  return rows[0]?.count ?? 0
}
