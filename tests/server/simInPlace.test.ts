import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Driver } from '../../server/providers/driver.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'
import { runInPlaceSchedule, type Spoil } from '../tools/sim/inPlace.ts'

const SEEDS = Array.from({ length: Number(process.env.SCHEDULES ?? 12) }, (_, index) =>
  String(Number(process.env.SEED ?? 1) + index),
)

let world: TransfersWorld

beforeAll(async () => {
  world = await startTransfersWorld({ pageSize: 5 })
})
afterAll(() => world?.close())

it('the index of an account is equal to it after every schedule of changes, faults and restarts', {
  timeout: 60_000 + SEEDS.length * 20_000,
}, async () => {
  let [changes, faults] = [0, 0]
  for (const seed of SEEDS) {
    const outcome = await runInPlaceSchedule(world, seed)
    expect(outcome.violations, `SEED=${seed} SCHEDULES=1 npm test -- tests/server/simInPlace.test.ts`).toEqual([])
    changes += outcome.changes
    faults += outcome.faults
  }
  expect(changes).toBeGreaterThan(SEEDS.length * 10)
  expect(faults).toBeGreaterThanOrEqual(SEEDS.length / 2)
})

describe('a mistake of a driver is found', () => {
  it.each<[string, Spoil]>([
    ['changes that lose every third entry', (driver) => losing(driver)],
    ['a moved entry that is reported where it was', (driver) => stale(driver)],
    ['a listing without its last page', (driver) => withoutLastPage(driver)],
    ['a position in the feed from after the listing', (driver) => late(driver)],
  ])('%s', { timeout: 120_000 }, async (name, spoil) => {
    const found: string[] = []
    for (let seed = 0; seed < 30 && found.length === 0; seed += 1) {
      found.push(...(await runInPlaceSchedule(world, `${name} ${seed}`, spoil)).violations)
    }
    expect(found.length).toBeGreaterThan(0)
  })
})

function losing(driver: Driver): Driver {
  let count = 0
  return {
    ...driver,
    changes: async (call, cursor) => {
      const page = (await driver.changes?.(call, cursor)) as Awaited<ReturnType<NonNullable<Driver['changes']>>>
      const changes = page.changes.filter((_change, index) => (count + index) % 3 !== 0)
      count += page.changes.length
      return { ...page, changes }
    },
  }
}

function withoutLastPage(driver: Driver): Driver {
  return {
    ...driver,
    listAll: async (call, cursor) => {
      const page = (await driver.listAll?.(call, cursor)) as Awaited<ReturnType<NonNullable<Driver['listAll']>>>
      return cursor !== null && page.cursor === null ? { items: [], cursor: null } : page
    },
  }
}

/** What changed before the feed is read for the first time is not reported. */
function late(driver: Driver): Driver {
  let isFirst = true
  return {
    ...driver,
    changes: async (call, cursor) => {
      const from = isFirst && cursor !== null ? null : cursor
      isFirst = from !== null ? false : cursor === null
      return (await driver.changes?.(call, from)) as Awaited<ReturnType<NonNullable<Driver['changes']>>>
    },
  }
}

function stale(driver: Driver): Driver {
  const first = new Map<string, unknown>()
  return {
    ...driver,
    changes: async (call, cursor) => {
      const page = (await driver.changes?.(call, cursor)) as Awaited<ReturnType<NonNullable<Driver['changes']>>>
      const changes = page.changes.map((change) => {
        if (!change.entry?.details) return change
        const parent = (first.get(change.ref) ?? change.entry.details.parent) as typeof change.entry.details.parent
        first.set(change.ref, parent)
        return { ...change, entry: { ...change.entry, details: { ...change.entry.details, parent } } }
      })
      return { ...page, changes }
    },
  }
}
