import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { openConnections } from '../tools/sim/connections.ts'
import { runSchedule } from '../tools/sim/schedule.ts'

const SEEDS = Array.from({ length: 25 }, (_, index) => String(index + 1))

let database: TestDatabase
let on: Awaited<ReturnType<typeof openConnections>>

beforeAll(async () => {
  database = await createTestDatabase()
  on = await openConnections(database.connection)
})
afterAll(async () => {
  await on?.close()
  await database?.close()
})

it('a schedule goes the same way each time', async () => {
  const first = await runSchedule(on, '7')
  const second = await runSchedule(on, '7')
  expect(second.hash).toBe(first.hash)
  expect((await runSchedule(on, '8')).hash).not.toBe(first.hash)
})

it('what was acknowledged survives every schedule of operations, faults and crashes', {
  timeout: 600_000,
}, async () => {
  let injected = 0
  for (const seed of SEEDS) {
    const { violations, faults } = await runSchedule(on, seed)
    expect(violations, `npm run sim -- --seed ${seed} --schedules 1`).toEqual([])
    injected += [...faults.values()].reduce((sum, count) => sum + count, 0)
  }
  expect(injected).toBeGreaterThan(SEEDS.length)
})
