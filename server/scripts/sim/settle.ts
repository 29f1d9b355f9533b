import { DomainError } from '../../domain/errors.ts'
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

/** Everything is well again: services answer, accounts come back, people press what they are offered, and time passes. */
export async function settleDown(world: World, chance: Chance): Promise<void> {
  world.faults.active = false
  world.faults.outages.clear()
  await world.restart()
  await world.server.housekeeping.uploads.sweepStaging(SIGNAL)
  await bringBack(world)
  await untilQuiet(world, chance)
  // Reading finds what was damaged; then it is repaired.
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
    // The access that is here may have been taken away without anybody having noticed.
    await connectAccount(world, account, Boolean(shown))
  }
}

async function untilQuiet(world: World, chance: Chance): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    await probeAll(world)
    if (round < 3) await pressAll(world)
    await world.server.housekeeping.transfers.wake(SIGNAL)
    await workOff(world, chance)
    const jobs = await countJobs(world.control)
    if (round > 3 && jobs === 0 && (await countGoing(world)) === 0) return
    await world.clock.advance(QUARTER_MS)
  }
}

async function probeAll({ server, clock }: World): Promise<void> {
  for (let tick = 0; tick < 3; tick += 1) {
    await clock.advance(10_000)
    await server.probe.tick()
    await server.settled()
  }
}

/** Resume what is paused, try again what has stopped. */
async function pressAll(world: World): Promise<void> {
  const { transfers } = world.server
  for (const { id, state } of await transfers.list(world.viewer)) {
    const isStopped = state === 'FAILED' || state === 'PARKED' || state === 'CANCELLED'
    if (state !== 'PAUSED' && !isStopped) continue
    await transfers[isStopped ? 'retry' : 'resume'](world.viewer, id).catch((error: unknown) => {
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
    await world.server.settled()
    if (job === null && due.length === 0) return
  }
}

async function countGoing({ control }: World): Promise<number> {
  const { rows } = await control.query<{ count: number }>(
    `select count(*)::int as count from transfers where state in ('WAITING', 'RUNNING')`,
  )
  return rows[0]?.count ?? 0
}
