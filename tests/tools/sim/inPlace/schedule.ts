import { createHash } from 'node:crypto'
import type { Driver, EntryRef } from '../../../../server/providers/driver.ts'
import type { Fault, Operation } from '../../../fakes/memory/faults.ts'
import { NOTHING } from '../../../fakes/memory/paths.ts'
import type { Outcome, Step as StepOf } from '../outcome.ts'
import { type Chance, createChance } from '../random.ts'
import { createActions } from './actions.ts'
import { createJudge, type Judge } from './judge.ts'
import { distortPages, type PageFaults } from './pages.ts'
import {
  createInPlaceWorld,
  type InPlaceConnections,
  type InPlaceServer,
  type InPlaceWorld,
  inTimeOf,
  type Shape,
  type Spoil,
} from './world.ts'

const WEIGHTS = {
  outside: 10,
  inside: 6,
  poll: 5,
  together: 5,
  'own changes': 0.5,
  restart: 0.7,
  refresh: 1,
  sweep: 0.7,
  clock: 1,
  'reset changes': 0.7,
  'reset listings': 0.5,
  'other pages': 1,
  open: 3,
} as const
export type Name = keyof typeof WEIGHTS
type Step = StepOf<Name>

/** Virtual time between two polls: longer than the interval, and than most pauses. */
const POLL_MS = 60_000
/** Polls in which the index has to become equal to the account once nothing goes wrong any more. */
const MOST_POLLS = 15

function planSteps(seed: string): Step[] {
  const chance = createChance(seed, 'plan')
  return Array.from({ length: chance.between(40, 80) }, (_, index): Step => {
    const name = chance.weighted(WEIGHTS)
    const isMortal = ['poll', 'inside', 'together', 'refresh', 'open'].includes(name) && chance.happens(0.12)
    // Early crashes matter more: few steps are long.
    const when = chance.oneOf(['before', 'after'] as const)
    const death = { at: Math.floor(Math.exp(chance.next() * Math.log(90))), when }
    return { number: index + 1, name, death: isMortal ? death : null, faults: chance.happens(0.75) }
  })
}

/** The world of a schedule, and what its actions need. */
export type Stage = {
  readonly world: InPlaceWorld
  readonly judge: Judge
  readonly note: (line: string) => void
  readonly violate: (text: string) => void
  /** What the account may be asked to delete, or to move to its trash. */
  readonly asked: Set<EntryRef>
  readonly pageFaults: PageFaults
  server(number: number): InPlaceServer
  /** Time passes, and a server reads what is due. */
  poll(number: number): Promise<void>
  /** Resolves when everything has ended. */
  whenIdle(): Promise<void>
  /** Reads until nothing is left, without faults. @returns how the index still differs */
  finish(): Promise<string[]>
}

/**
 * One schedule: an account is changed at random, from outside and by its user on two servers, while they keep its index, under
 * faults, crashes and jumps of the clock. No row may ever be deleted and made again, nothing may be hidden that was never gone, and
 * the account is never asked to delete anything that no user wanted to delete. In the end the index is equal to the account.
 */
export async function runInPlaceSchedule(
  on: InPlaceConnections,
  seed: string,
  {
    spoil = (driver) => driver,
    steps = planSteps(seed),
    shape = 'FEED',
  }: { spoil?: Spoil; steps?: readonly Step[]; shape?: Shape } = {},
): Promise<Outcome<Name>> {
  const log: string[] = []
  const violations: string[] = []
  const faults = new Map<string, number>()
  const note = (line: string) => void log.push(line)
  const violate = (text: string) => {
    note(`VIOLATED ${text}`)
    violations.push(text)
  }
  const count = (name: string) => void faults.set(name, (faults.get(name) ?? 0) + 1)
  const countPages = (name: string) => {
    note(`    ${name}`)
    count(name)
  }
  const pageFaults: PageFaults = { chance: null, truncated: false, count: countPages }
  const asked = new Set<EntryRef>()
  let current: Step | null = null
  let calls = 0

  const distort = (driver: Driver, { cloud }: Pick<InPlaceWorld, 'cloud'>): Driver => {
    cloud.fault = (operation) => {
      calls += 1
      const chance = current?.faults ? createChance(seed, 'call', current.number, calls) : null
      pageFaults.chance = chance
      const fault = chance?.happens(0.12) ? faultOf(operation, chance) : null
      note(`  ${operation}${fault ? ` !${nameOf(fault)}` : ''}`)
      if (fault) count(nameOf(fault))
      return fault
    }
    return wanted(distortPages(driver, cloud, pageFaults))
  }
  /** Only what a user wants to be gone may be deleted. */
  function wanted(driver: Driver): Driver {
    const check = (ref: EntryRef, verb: string) => {
      // Between the question and the deletion, by its path, an entry can be moved away: nothing is deleted then.
      if (!asked.has(ref) && ref !== NOTHING) violate(`${ref} was ${verb}, which no user wanted`)
    }
    return {
      ...driver,
      async delete(call, ref) {
        check(ref, 'deleted')
        return driver.delete(call, ref)
      },
      async trash(call, ref) {
        check(ref, 'moved to the trash')
        return driver.trash?.(call, ref)
      },
    }
  }

  return inTimeOf(seed, on, async (clock) => {
    const chance = createChance(seed, 'world')
    const onError = (error: unknown) => violate(`unexpected: ${error instanceof Error ? error.stack : error}`)
    const world = await createInPlaceWorld({ on, chance, clock, distort, spoil, shape, onError })
    const judge = createJudge(world, { note, violate })
    const stage: Stage = {
      world,
      judge,
      note,
      violate,
      asked,
      pageFaults,
      server: (number) => world.servers[number] as InPlaceServer,
      async poll(number) {
        await clock.advance(POLL_MS)
        await stage.server(number).feed.tick()
        await stage.whenIdle()
      },
      async whenIdle() {
        await world.turns.whenIdle()
        for (const server of world.servers) await server.whenIdle()
      },
      finish,
    }
    const actions = createActions(stage)

    /** The user has connected the account again, if it was lost. */
    async function finish(): Promise<string[]> {
      current = null
      const { control, accountId, viewer } = world
      if (pageFaults.truncated || shape === 'WALK') {
        // Nothing tells that a listing ended too early; the next one corrects it.
        await readOn()
        await stage.server(0).service.refresh(viewer, accountId)
        pageFaults.truncated = false
      }
      return readOn()

      async function readOn(): Promise<string[]> {
        let problems = ['it was never read']
        for (let polls = 0; polls < MOST_POLLS && (problems.length > 0 || (await isListing())); polls += 1) {
          await control.query(CONNECTED, [accountId])
          await stage.poll(polls % 2)
          problems = await judge.differences()
        }
        return problems
      }
      async function isListing(): Promise<boolean> {
        const { rowCount } = await control.query(
          'select from account_indexes where account_id = $1 and (pass_started_at is not null or passed_at is null)',
          [accountId],
        )
        return rowCount === 1
      }
    }

    async function runStep(step: Step): Promise<void> {
      current = step
      const own = createChance(seed, 'step', step.number)
      const number = own.between(0, 1)
      const { life } = stage.server(number)
      note(`${step.number} ${step.name} (server ${number})`)
      if (step.death) life.dieAt(step.death.at, step.death.when)
      await actions[step.name](number, own)
      await stage.whenIdle()
      life.live()
      if (life.died && step.name !== 'restart') {
        note('  the server crashed')
        count('crash')
        await world.restart(number)
      }
      if (step.name === 'clock') count('clock jump')
      await judge.observe(step.name === 'sweep')
    }

    try {
      await actions.outside(0, createChance(seed, 'before'), chance.between(0, 25))
      await world.servers[0]?.service.setScope(world.viewer, world.accountId, 'EVERYTHING')
      for (const step of steps) {
        await runStep(step)
        if (violations.length > 0) break
      }
      if (violations.length === 0) {
        for (const problem of await finish()) violate(problem)
        await judge.observe(false)
      }
    } catch (error) {
      onError(error)
    } finally {
      current = null
      await world.close()
    }
    const hash = createHash('sha256')
      .update(JSON.stringify([log, violations]))
      .digest('hex')
    const outsideChanges = log.filter((line) => line.startsWith('  outside: ')).length
    return { seed, violations, hash, log, faults, outsideChanges, steps }
  })
}

const CONNECTED = `update accounts set unreachable_since = null, paused_until = null, status = 'CONNECTED', status_reason = null
  where id = $1`

/** What can go wrong with one call. */
function faultOf(operation: Operation, chance: Chance): Fault {
  const isPaged = operation === 'changes' || operation === 'listAll'
  const weights = {
    down: 4,
    lost: 4,
    rate: 2,
    reset: isPaged ? 1 : 0,
    forbidden: 0.7,
    silent: 0.5,
    late: 1,
    expired: 0.2,
  }
  const name = chance.weighted(weights)
  if (name === 'lost') return { kind: 'lostReply' }
  if (name === 'silent') return { kind: 'silent' }
  if (name === 'late') return { kind: 'delayed', ms: chance.between(1, 30) * 1000 }
  if (name === 'rate') {
    return { kind: 'refused', code: 'RateLimited', status: 429, retryAfterMs: chance.between(1, 120) * 1000 }
  }
  if (name === 'reset') return { kind: 'refused', code: 'CursorReset', status: 410 }
  if (name === 'forbidden') return { kind: 'refused', code: 'Forbidden', status: 403 }
  if (name === 'expired') return { kind: 'refused', code: 'ReconnectNeeded', status: 401 }
  return { kind: 'refused', code: 'Transient', status: 503 }
}

const nameOf = (fault: Fault): string => (fault.kind === 'refused' ? fault.code : fault.kind)
