import { ProviderError } from '../../../../server/providers/errors.ts'
import { type JobRun, runJob } from '../queue.ts'
import type { Chance } from '../random.ts'
import type { World } from '../world.ts'
import { NOTHING, type Operation, SIGNAL } from './operation.ts'

const DUE = `select id from transfers where state in ('WAITING', 'RUNNING') and copy_id is not null
  and (next_try_at is null or next_try_at <= $1) order by created_at, id`

/** Some of the jobs that wait, in any order. */
export const jobs: Operation = async (world, chance) => {
  const done: string[] = []
  for (let left = chance.between(1, 6); left > 0 && !world.server.life.died; left -= 1) {
    const name = await oneJob(world, chance)
    if (name === null) break
    done.push(name)
  }
  return done.length === 0 ? NOTHING : done.join(', ')
}

/** @returns null when none is due */
export async function oneJob(world: World, chance: Chance): Promise<string | null> {
  const { housekeeping, life } = world.server
  const run = await runJob(world.control, { housekeeping, signal: SIGNAL }, chance)
  if (run?.outcome === 'given up' && !life.died)
    world.violations.push(`I7: the job ${run.name} was given up: ${run.error}`)
  if (run?.outcome === 'failed' && !life.died && !isPromisedRetry(run))
    world.violations.push(`unexpected: ${run.name} threw ${run.error}`)
  return run && `${run.name} ${run.outcome}`
}

/** Renaming throws what a provider refuses for now, so that the queue tries again; other jobs plan their retries themselves. */
function isPromisedRetry({ name, error }: JobRun): boolean {
  return name === 'renameObjects' && error instanceof ProviderError
}

/** Some of the transfers that are due. */
export const transfers: Operation = async (world, chance) => {
  const ids = await dueTransfers(world)
  const chosen = ids.filter(() => chance.happens(0.6))
  for (const id of chosen) await runTransfer(world, id)
  return chosen.length === 0 ? NOTHING : `${chosen.length} of ${ids.length}`
}

export async function dueTransfers({ control, clock }: World): Promise<string[]> {
  const { rows } = await control.query<{ id: string }>(DUE, [new Date(clock.now())])
  return rows.map(({ id }) => id)
}

export async function runTransfer({ server }: World, id: string): Promise<void> {
  await server.engine.run(id, SIGNAL)
}

/** Minutes in which the server does what there is to do. */
export const workOff: Operation = async (world, chance) => {
  const minutes = chance.between(1, 5)
  let done = 0
  for (let minute = 0; minute < minutes && !world.server.life.died; minute += 1) {
    while (!world.server.life.died && (await oneJob(world, chance)) !== null) done += 1
    for (const id of await dueTransfers(world)) {
      await runTransfer(world, id)
      done += 1
    }
    await world.server.whenIdle()
    await world.clock.advance(60_000)
  }
  return `${done} things in ${minutes} min`
}

/** A runner is stopped in the middle, as when its transfer is paused or the server ends. */
export const interrupted: Operation = async (world, chance) => {
  const id = chance.pick(await dueTransfers(world))
  if (!id) return NOTHING
  const ending = new AbortController()
  let calls = chance.between(1, 12)
  world.faults.onNext(() => {
    calls -= 1
    if (calls === 0) ending.abort(new Error('The server is shutting down.'))
  })
  try {
    await world.server.engine.run(id, ending.signal)
  } finally {
    world.faults.onNext(null)
  }
  return ending.signal.aborted ? 'in the middle' : 'after its end'
}

const COMMANDS = ['pause', 'resume', 'cancel', 'retry'] as const

export const command: Operation = async (world, chance) => {
  const name = chance.oneOf(COMMANDS)
  const transfer = chance.pick(await world.server.transfers.list(world.viewer))
  if (!transfer) return NOTHING
  const { state } = await world.server.transfers[name](world.viewer, transfer.id)
  return `${name} ${transfer.fileName}: ${transfer.state} is ${state}`
}

export const time: Operation = async (world, chance) => {
  const seconds = chance.oneOf([10, 60, 600, 3_600, 86_400])
  await world.clock.advance(chance.between(1, seconds) * 1000)
  return `up to ${seconds} s`
}

/** What runs by the clock. */
export const clockwork: Operation = async (world, chance) => {
  const { transfers: sending, uploads, files } = world.server.housekeeping
  const name = chance.oneOf(['wake', 'sweep', 'expire uploads', 'forget', 'expire trash'])
  if (name === 'wake') await sending.resumeStopped(SIGNAL)
  else if (name === 'sweep') await uploads.sweepStaging(SIGNAL)
  else if (name === 'expire uploads') await uploads.expire(SIGNAL)
  else if (name === 'expire trash') await files.expireTrash(SIGNAL)
  else await world.server.housekeeping.forgetAuthorizations()
  return name
}

export const probe: Operation = async (world, chance) => {
  const ticks = chance.between(1, 4)
  for (let tick = 0; tick < ticks; tick += 1) {
    await world.clock.advance(10_000)
    await world.server.probe.tick()
    await world.server.whenIdle()
  }
  return `${ticks} times`
}
