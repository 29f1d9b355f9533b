import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { MISTAKES, WALK_MISTAKES } from '../tools/sim/inPlace/mistakes.ts'
import { runInPlaceSchedule } from '../tools/sim/inPlace/schedule.ts'
import { type InPlaceConnections, openInPlace } from '../tools/sim/inPlace/world.ts'

const SEEDS = Array.from({ length: Number(process.env.SCHEDULES ?? 8) }, (_, index) =>
  String(Number(process.env.SEED ?? 1) + index),
)
/** Schedules in which a mistake has to be found. */
const PATIENCE = 40

let database: TestDatabase
let on: InPlaceConnections

beforeAll(async () => {
  database = await createTestDatabase()
  on = await openInPlace(database.connection)
})
afterAll(async () => {
  await on?.close()
  await database?.close()
})

it('a schedule goes the same way each time', async () => {
  for (const seed of ['7', '8']) {
    const first = await runInPlaceSchedule(on, seed)
    const second = await runInPlaceSchedule(on, seed)
    expect(second.log).toEqual(first.log)
    expect(second.hash).toBe(first.hash)
  }
})

it('the index of an account is equal to it after every schedule of changes, faults and crashes on two servers', {
  timeout: 300_000 + SEEDS.length * 60_000,
}, async () => {
  let injected = 0
  for (const seed of SEEDS) {
    const { violations, faults } = await runInPlaceSchedule(on, seed)
    expect(violations, `npm run sim -- --in-place --seed ${seed} --schedules 1`).toEqual([])
    injected += [...faults.values()].reduce((sum, count) => sum + count, 0)
  }
  expect(injected).toBeGreaterThan(SEEDS.length * 5)
})

it('so is that of an account of which everything is listed again and again', {
  timeout: 300_000 + SEEDS.length * 60_000,
}, async () => {
  for (const seed of SEEDS) {
    const { violations } = await runInPlaceSchedule(on, seed, { shape: 'WALK' })
    expect(violations, `npm run sim -- --in-place --walk --seed ${seed} --schedules 1`).toEqual([])
  }
})

describe.each([
  ['FEED', MISTAKES],
  ['WALK', WALK_MISTAKES],
] as const)('a mistake is found: %s', (shape, mistakes) => {
  it.each(mistakes.map(({ name, from, spoil }) => [name, from, spoil] as const))(
    '%s',
    { timeout: 600_000 },
    async (name, from, spoil) => {
      const found: string[] = []
      for (let tries = 0; tries < PATIENCE && found.length === 0; tries += 1) {
        const seed = (from + tries) % PATIENCE
        found.push(...(await runInPlaceSchedule(on, `${name} ${seed}`, { spoil: spoil(), shape })).violations)
      }
      expect(found.length).toBeGreaterThan(0)
    },
  )
})
