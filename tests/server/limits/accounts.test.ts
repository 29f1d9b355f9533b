import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLogger } from '../../../server/lib/logger.ts'
import type { Driver } from '../../../server/providers/driver.ts'
import { limit } from '../../../server/providers/layers/limit.ts'
import { createProviders } from '../../../server/providers/registry.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { createUser } from '../../factories/user.ts'
import type { TestDatabase } from '../../setup/database.ts'
import { startTestServer, type TestServer } from '../../setup/server.ts'
import { call, credentialStore, outcomeOf, putBytes, rateLimited, setUp } from '../providers/layersSetup.ts'
import { type LimitsOfServer, startLimits } from './world.ts'

/** Calls of one account by three servers: how many at once, and none while the service has asked for a pause. */
let server: TestServer
let database: TestDatabase
let servers: [LimitsOfServer, LimitsOfServer, LimitsOfServer]

beforeAll(async () => {
  server = await startTestServer()
  database = server.database
  servers = await Promise.all([startLimits(database), startLimits(database), startLimits(database)])
})
afterAll(async () => {
  for (const one of servers ?? []) await one.close()
  await server?.close()
})

async function newAccount(): Promise<string> {
  const { viewer } = await createUser(server.services.users)
  const { rows } = await database.pool.query<{ id: string }>('select id from accounts where user_id = $1', [
    viewer.userId,
  ])
  return rows[0]?.id ?? ''
}

/** The account's driver on each server; all reach the same service. */
async function openEverywhere(capabilities: { maxConcurrency: number; maxConcurrentWrites: number }) {
  const setup = setUp({ capabilities })
  const { clock } = setup
  const accountId = await newAccount()
  const open = ({ accounts }: LimitsOfServer) => limit(setup.driver, { clock, shared: { ...accounts, accountId } })
  const drivers = servers.map(open) as [Driver, Driver, Driver]
  return { ...setup, accountId, drivers, open }
}

const pausesOf = async (accountId: string) =>
  (await database.pool.query('select kind from account_pauses where account_id = $1', [accountId])).rows.map(
    ({ kind }) => kind,
  )

describe('the calls of one account at once', () => {
  it('are as many as the service allows, on all servers together', async () => {
    const { cloud, drivers } = await openEverywhere({ maxConcurrency: 10, maxConcurrentWrites: 4 })
    let running = 0
    let most = 0
    const inner = cloud.fault
    cloud.fault = (operation, ref, account) => {
      running += 1
      most = Math.max(most, running)
      return inner?.(operation, ref, account) ?? null
    }
    const puts = drivers.flatMap((driver) =>
      Array.from({ length: 20 }, async () => {
        await putBytes(driver, randomBytes(10))
        running -= 1
      }),
    )
    await Promise.all(puts)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(4)
  })
})

describe('a pause', () => {
  const capabilities = { maxConcurrency: 8, maxConcurrentWrites: 4 }

  it('that one server is asked for holds on all of them', async () => {
    const { drivers, faults, calls, accountId, clock } = await openEverywhere(capabilities)
    const [first, second, third] = drivers
    faults.push(rateLimited(600_000))
    await expect(first.stat(call(), 'x' as never)).rejects.toMatchObject({ code: 'RateLimited' })
    await expect.poll(() => pausesOf(accountId)).toEqual(['ALL'])
    for (const driver of [second, third]) {
      // A call that began before the message came may still be made.
      await expect.poll(() => driver.stat(call(), 'x' as never).catch((error) => error.code)).toBe('RateLimited')
    }
    const before = calls.length
    for (const driver of drivers) {
      await expect(driver.stat(call(), 'x' as never)).rejects.toMatchObject({ code: 'RateLimited' })
    }
    expect(calls).toHaveLength(before)
    await clock.advance(600_000)
    faults.length = 0
    await expect(second.stat(call(), 'x' as never)).rejects.toMatchObject({ code: 'NotFound' })
    expect(calls.length).toBeGreaterThan(before)
  })

  it('of uploads leaves downloads and other calls alone', async () => {
    const { drivers, faults, accountId } = await openEverywhere(capabilities)
    const [first, second] = drivers
    faults.push(rateLimited(600_000))
    await expect(putBytes(first, randomBytes(10))).rejects.toMatchObject({ code: 'RateLimited' })
    await expect.poll(() => pausesOf(accountId)).toEqual(['WRITES'])
    await expect.poll(() => putBytes(second, randomBytes(10)).catch((error) => error.code)).toBe('RateLimited')
    await expect(second.stat(call(), 'x' as never)).rejects.toMatchObject({ code: 'NotFound' })
  })

  it('is known to a server that starts later, and to one that had not listened', async () => {
    const { drivers, faults, accountId, open, calls } = await openEverywhere(capabilities)
    const [first, second] = drivers
    await database.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1`, [
      `skypool-limits ${servers[1].id}`,
    ])
    faults.push(rateLimited(600_000))
    await expect(first.stat(call(), 'x' as never)).rejects.toMatchObject({ code: 'RateLimited' })
    await expect.poll(() => pausesOf(accountId)).toEqual(['ALL'])
    const late = await startLimits(database)
    const before = calls.length
    await expect(open(late).stat(call(), 'x' as never)).rejects.toMatchObject({ code: 'RateLimited' })
    expect(calls).toHaveLength(before)
    await late.close()
    await expect
      .poll(() => second.stat(call(), 'x' as never).catch((error) => error.code), { timeout: 60_000 })
      .toBe('RateLimited')
  })

  it('ends everywhere when the account is connected again', async () => {
    const { drivers, faults, accountId } = await openEverywhere(capabilities)
    const [first, second] = drivers
    faults.push(rateLimited(600_000))
    await expect(first.stat(call(), 'x' as never)).rejects.toMatchObject({ code: 'RateLimited' })
    await expect.poll(() => second.stat(call(), 'x' as never).catch((error) => error.code)).toBe('RateLimited')
    servers[0].accounts.pauses.forget(accountId)
    await expect.poll(() => pausesOf(accountId)).toEqual([])
    await expect.poll(() => second.stat(call(), 'x' as never).catch((error) => error.code)).toBe('NotFound')
  })

  it('reaches the drivers that servers open, and ends with the login', async () => {
    const { module, credentials, clock, faults, accountId, calls } = await openEverywhere(capabilities)
    const [first, second] = servers.map(({ accounts: limits }) =>
      createProviders({
        settings: {},
        store: credentialStore(credentials).store,
        http: createHttp({ emulatorUrl: null }),
        guard: createHostGuard([]),
        localDriver: module.open(credentials),
        logger: createLogger('silent', { write: () => undefined }),
        modules: [module],
        clock,
        limits,
      }),
    )
    if (!first || !second) throw new Error('There are three servers.')
    const account = { id: accountId, provider: 'memory' }
    const codeAt = (providers: typeof first) =>
      providers
        .open(account)
        .stat({ ...call(), patienceMs: 0 }, 'x' as never)
        .catch((error) => error.code)
    faults.push(rateLimited(600_000))
    expect(await codeAt(first)).toBe('RateLimited')
    await expect.poll(() => codeAt(second)).toBe('RateLimited')
    const before = calls.length
    expect(await codeAt(second)).toBe('RateLimited')
    expect(calls).toHaveLength(before)
    first.close(accountId)
    await expect.poll(() => codeAt(second)).toBe('NotFound')
    expect(await codeAt(first)).toBe('NotFound')
  })

  it('wakes a call that waits for it, and is not shortened by a shorter one', async () => {
    const { drivers, faults, accountId, clock } = await openEverywhere(capabilities)
    const [first, second] = drivers
    faults.push(rateLimited(30_000))
    await expect(first.stat(call(), 'x' as never)).rejects.toMatchObject({ code: 'RateLimited' })
    await expect.poll(() => servers[1].accounts.pauses.latest(accountId, 'ALL')).not.toBeNull()
    const waiting = outcomeOf(second.stat(call(), 'x' as never))
    await clock.settle()
    expect(waiting.now).toBe('pending')
    servers[2].accounts.pauses.begin(accountId, 'ALL', 1_000)
    await expect
      .poll(async () => {
        const { rows } = await database.pool.query(
          `select until > now() + interval '10 seconds' as long from account_pauses where account_id = $1`,
          [accountId],
        )
        return rows[0]?.long
      })
      .toBe(true)
    await clock.advance(31_000)
    await expect.poll(() => waiting.now).toBe('NotFound')
    await setImmediate()
  })
})
