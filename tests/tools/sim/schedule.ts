import { createHash } from 'node:crypto'
import { DomainError } from '../../../server/domain/errors.ts'
import { finish } from './finish.ts'
import { judgeEnd } from './judge/end.ts'
import { judgeStep } from './judge/step.ts'
import * as accounts from './operations/accounts.ts'
import * as contents from './operations/contents.ts'
import * as files from './operations/files.ts'
import * as groupClouds from './operations/groupClouds.ts'
import { type Operation, SIGNAL } from './operations/operation.ts'
import * as work from './operations/work.ts'
import type { Outcome, Step as StepOf } from './outcome.ts'
import { releaseJobs } from './queue.ts'
import { type Chance, createChance } from './random.ts'
import { inVirtualTime } from './virtual.ts'
import { type Connections, createWorld, startClock, textOf, type World } from './world.ts'

const OPERATIONS = {
  upload: [contents.upload, 22],
  'upload again': [contents.uploadAgain, 5],
  'upload in parts': [contents.uploadInParts, 4],
  read: [contents.read, 10],
  'read a part': [contents.readPart, 6],
  leave: [contents.leave, 1],
  rename: [files.rename, 2],
  trash: [files.trash, 3],
  restore: [files.restore, 2],
  purge: [files.purge, 3],
  'empty trash': [files.emptyTrash, 1],
  'move to group cloud': [files.moveToGroupCloud, 4],
  copies: [groupClouds.copies, 5],
  rules: [groupClouds.rules, 2],
  members: [groupClouds.members, 3],
  drain: [groupClouds.drain, 5],
  disconnect: [accounts.disconnect, 1.5],
  connect: [accounts.connect, 3],
  'lose access': [accounts.loseAccess, 2],
  outage: [accounts.outage, 4],
  quota: [accounts.quota, 2],
  tamper: [accounts.tamper, 1],
  jobs: [work.jobs, 16],
  transfers: [work.transfers, 20],
  'work off': [work.workOff, 20],
  interrupted: [work.interrupted, 3],
  command: [work.command, 6],
  time: [work.time, 8],
  clockwork: [work.clockwork, 6],
  probe: [work.probe, 4],
} as const satisfies Readonly<Record<string, readonly [Operation, number]>>

type Name = keyof typeof OPERATIONS
type Step = StepOf<Name>
const WEIGHTS = Object.fromEntries(Object.entries(OPERATIONS).map(([name, [, weight]]) => [name, weight])) as Record<
  Name,
  number
>

/** What a seed does: 20 to 60 steps. */
function planSteps(seed: string): Step[] {
  const chance = createChance(seed, 'plan')
  return Array.from({ length: chance.between(30, 60) }, (_, index): Step => {
    const dies = chance.happens(0.12)
    const when = chance.oneOf(['before', 'after'] as const)
    // Early crashes matter more: few operations have many steps.
    const death = { at: Math.floor(Math.exp(chance.next() * Math.log(80))), when }
    return {
      number: index + 1,
      name: chance.weighted(WEIGHTS),
      death: dies ? death : null,
      faults: chance.happens(0.9),
    }
  })
}

/** Runs a schedule in virtual time, lets all work finish, and checks the result. The same seed and steps give the same hash. */
export async function runSchedule(
  on: Connections,
  seed: string,
  steps: readonly Step[] = planSteps(seed),
): Promise<Outcome<Name>> {
  const chance = createChance(seed, 'world')
  const clock = startClock(createChance(seed, 'clock'), on)
  return inVirtualTime(clock, createChance(seed, 'ids'), async () => {
    const world = await createWorld(seed, chance, clock, on)
    try {
      await guarded(world, async () => {
        await begin(world, chance)
        for (const step of steps) {
          await runStep(world, step)
          if (world.violations.length > 0) return
        }
        await finish(world, createChance(seed, 'end'))
        await judgeEnd(world)
      })
    } finally {
      await world.close()
    }
    const { violations, log, faults } = world
    const hash = createHash('sha256')
      .update(JSON.stringify([inLanes(log), violations]))
      .digest('hex')
    return { seed, violations, hash, log, faults: faults.counts, steps }
  })
}

/** Accounts are called concurrently: the calls of one account are ordered, those of different accounts between two steps are not. */
function inLanes(log: readonly string[]): [string, string[]][][] {
  const lanes: Record<string, string[]>[] = []
  let current: Record<string, string[]> = {}
  for (const line of log) {
    const account = /^ {2}(Drive \d+)/.exec(line)?.[1]
    if (account) current[account] = [...(current[account] ?? []), line]
    else if (!line.startsWith(' ')) {
      lanes.push(current)
      current = { step: [line] }
    }
  }
  return [...lanes, current].map((lane) => Object.entries(lane).sort())
}

/** An exception is a finding too. */
async function guarded(world: World, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    world.violations.push(`unexpected: ${textOf(error)}`)
  }
}

/** Most accounts are connected, and there are two or three group clouds. */
async function begin(world: World, chance: Chance): Promise<void> {
  world.faults.active = false
  for (const account of world.accounts) if (chance.happens(0.9)) await accounts.connectAccount(world, account, false)
  const connected = await world.server.accounts.list(world.viewer)
  const most = chance.between(1, 3)
  for (let number = 1; number <= most; number += 1) {
    const some = connected.filter(({ provider }) => chance.happens(provider === 'local' ? 0.25 : 0.8))
    const accountIds = (some.length > 0 ? some : connected).map(({ id }) => id)
    const copies = Math.min(accountIds.length, chance.oneOf([1, 1, 2, 2, 3]))
    const placement = chance.oneOf(['MOST_FREE', 'IN_ORDER', 'ROUND_ROBIN'] as const)
    const input = { name: `Pool ${number}`, accountIds, copies, placement, defaultUploadGroup: number === 1 }
    const { id } = await world.server.groupClouds.create(world.viewer, input)
    world.groupCloudIds.push(id)
    world.note(`${input.name}: ${copies} copies on ${some.map(({ name }) => name).join(', ')} (${placement})`)
  }
}

async function runStep(world: World, step: Step): Promise<void> {
  const { life } = world.server
  if (step.death) life.dieAt(step.death.at, step.death.when)
  world.faults.active = step.faults
  const answer = await answerOf(world, step)
  await world.server.whenIdle()
  world.note(`${step.number} ${step.name}: ${life.died ? 'the process died' : answer}`)
  if (life.died) {
    await world.restart()
    await world.server.housekeeping.uploads.sweepStaging(SIGNAL)
  } else {
    life.live()
    await releaseJobs(world.control)
  }
  await judgeStep(world)
}

async function answerOf(world: World, { name, number }: Step): Promise<string> {
  try {
    return await OPERATIONS[name][0](world, createChance(world.seed, 'step', number))
  } catch (error) {
    if (world.server.life.died) return 'died'
    if (!(error instanceof DomainError)) world.violations.push(`unexpected: ${name}: ${textOf(error)}`)
    // The operation was refused.
    for (const file of world.model.files) file.uncertain = false
    return error instanceof DomainError ? `${error.code}: ${error.message}` : 'an error'
  }
}
