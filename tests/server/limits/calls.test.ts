import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createSharedRate } from '../../../server/domain/keys/service.ts'
import type { CallRule } from '../../../server/lib/limits.ts'
import { createCounts, createWindowCounts } from '../../../server/lib/windowCounts.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { type LimitsOfServer, spread, startLimits } from './world.ts'

/** Calls that three servers count together. */
let database: TestDatabase
let servers: LimitsOfServer[]

beforeAll(async () => {
  database = await createTestDatabase()
  servers = await Promise.all(Array.from({ length: 3 }, () => startLimits(database)))
})
afterEach(() => {
  for (const server of servers) server.fail(null)
})
afterAll(async () => {
  for (const server of servers ?? []) await server.close()
  await database?.close()
})

const AT_ONCE: CallRule = { most: 120, refills: false }
const EVENLY: CallRule = { most: 60, refills: true }

const count = (results: readonly boolean[]) => results.filter(Boolean).length
const isTaken = (key: string, rule: CallRule) => async (server: LimitsOfServer) =>
  (await server.calls.take(key, rule)).waitMs === 0

/** How many calls a rule allows at most in the time that `work` took: load makes it longer, and never too short. */
async function allowedDuring(rule: CallRule, work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  const minutes = (performance.now() - began) / 60_000
  return rule.most + Math.ceil(rule.refills ? minutes * rule.most : Math.floor(minutes) * rule.most)
}

/** Three times the limit, on all servers at once. */
async function admitted(rule: CallRule, take: (server: LimitsOfServer) => Promise<boolean>) {
  let taken = 0
  const most = await allowedDuring(rule, async () => {
    taken = count(await spread(servers, rule.most, take))
  })
  return { taken, most }
}

describe.each([
  ['all at once after a minute', AT_ONCE],
  ['evenly', EVENLY],
])('calls that come back %s', (name, rule) => {
  it('are as many as the rule allows, however they are spread', async () => {
    const { taken, most } = await admitted(rule, isTaken(`spread ${name}`, rule))
    expect(taken).toBeGreaterThanOrEqual(rule.most)
    expect(taken).toBeLessThanOrEqual(most)
  })

  it('are as many one after the other', async () => {
    let taken = 0
    const most = await allowedDuring(rule, async () => {
      for (let turn = 0; turn < rule.most; turn += 1) {
        for (const server of servers) if (await isTaken(`in turn ${name}`, rule)(server)) taken += 1
      }
    })
    expect(taken).toBeGreaterThanOrEqual(rule.most)
    expect(taken).toBeLessThanOrEqual(most)
  })

  it('that one server has leased and does not use can be made on another one', async () => {
    const [first, second] = servers as [LimitsOfServer, LimitsOfServer]
    const key = `leased ${name}`
    let taken = count(await spread([second], rule.most / 4, isTaken(key, rule)))
    const most = await allowedDuring(rule, () =>
      expect
        .poll(async () => (taken += count(await spread([first], 10, isTaken(key, rule)))))
        .toBeGreaterThanOrEqual(rule.most),
    )
    expect(taken).toBeLessThanOrEqual(most + 1)
  })
})

it('a count of each process is noticed', async () => {
  const counts = new Map(servers.map((server) => [server, createWindowCounts(60_000, 100, Date.now)]))
  const { taken, most } = await admitted(AT_ONCE, async (server) => counts.get(server)?.take('x', AT_ONCE.most) === 0)
  expect(taken).toBeGreaterThan(most)
})

it('that are refused say when the next one can be made', async () => {
  const [first, second] = servers as [LimitsOfServer, LimitsOfServer]
  const evenly: CallRule = { most: 2, refills: true }
  await spread([first], 2, isTaken('when evenly', evenly))
  expect((await second.calls.take('when evenly', evenly)).waitMs).toBeGreaterThan(0)
  expect((await second.calls.take('when evenly', evenly)).waitMs).toBeLessThanOrEqual(30_000)
  const atOnce: CallRule = { most: 2, refills: false }
  await spread([first], 2, isTaken('when at once', atOnce))
  await database.pool.query(`update call_limits set since = since - interval '20 seconds' where key = 'when at once'`)
  const { waitMs } = await second.calls.take('when at once', atOnce)
  expect(waitMs).toBeGreaterThan(0)
  expect(waitMs).toBeLessThanOrEqual(40_000)
})

it('begin again a minute after the first one', async () => {
  const [first, second] = servers as [LimitsOfServer, LimitsOfServer]
  const rule: CallRule = { most: 3, refills: false }
  expect(count(await spread([first], 3, isTaken('again', rule)))).toBe(3)
  await database.pool.query(`update call_limits set since = since - interval '61 seconds' where key = 'again'`)
  expect(await isTaken('again', rule)(second)).toBe(true)
})

it('that are given back can be made', async () => {
  const [first] = servers as [LimitsOfServer]
  const rule: CallRule = { most: 2, refills: false }
  expect(count(await spread([first], 3, isTaken('back', rule)))).toBe(2)
  first.calls.giveBack('back')
  expect(count(await spread([first], 2, isTaken('back', rule)))).toBe(1)
})

it('cost few statements, and hardly any once they are refused', async () => {
  const rule: CallRule = { most: 3_000, refills: false }
  const statements = () => servers.reduce((sum, server) => sum + server.statements(), 0)
  const before = statements()
  const { taken } = await admitted(rule, isTaken('cheap', rule))
  const spent = statements() - before
  expect(taken).toBeGreaterThanOrEqual(rule.most)
  expect(spent).toBeLessThan(rule.most / 10)
  const began = performance.now()
  const refusedBefore = statements()
  for (let turn = 0; turn < 50; turn += 1) await spread(servers, 20, isTaken('cheap', rule))
  const asked = Math.ceil((performance.now() - began) / 200) + 1
  // Each server asks at most five times a second, and gives back what it has not used once a second.
  expect(statements() - refusedBefore).toBeLessThanOrEqual(2 * servers.length * asked)
})

it('are refused with an error while the database does not answer, and counted again after that', async () => {
  const [first] = servers as [LimitsOfServer]
  first.fail('refused')
  await expect(first.calls.take('down', AT_ONCE)).rejects.toThrow('ECONNREFUSED')
  first.fail(null)
  expect((await first.calls.take('down', AT_ONCE)).waitMs).toBe(0)
})

it('of a key say how many are left, over all servers', async () => {
  const [first, second] = servers as [LimitsOfServer, LimitsOfServer]
  const rates = [first, second].map(({ calls }) => createSharedRate(1_200, calls))
  for (let turn = 0; turn < 50; turn += 1) for (const rate of rates) await rate.take('a')
  const left = await rates[0]?.take('a')
  expect(left?.limit).toBe(1_200)
  // As of the last lease: what the other server has leased or used since is not known.
  expect(left?.remaining).toBeLessThan(1_200)
  expect(left?.remaining).toBeGreaterThan(800)
  const empty = createSharedRate(1, first.calls)
  await empty.take('b')
  await expect(empty.take('b')).rejects.toMatchObject({ limit: 1, retryAfterSeconds: expect.any(Number) })
})

it('of one purpose are counted apart from those of another', async () => {
  const [first] = servers as [LimitsOfServer]
  const of = (name: string) => createCounts({ name, calls: first.calls, windowMs: 60_000, maxKeys: 100 })
  expect(await of('pages').take('x', 1)).toBe(0)
  expect(await of('pictures').take('x', 1)).toBe(0)
  expect(await of('pages').take('x', 1)).toBeGreaterThan(0)
  of('pages').giveBack('x')
  expect(await of('pages').take('x', 1)).toBe(0)
})
