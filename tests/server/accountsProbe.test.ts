import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createProbe } from '../../server/domain/accounts/quotas.ts'
import { createAccountsService } from '../../server/domain/accounts/service.ts'
import type { EventMap, Events } from '../../server/domain/events.ts'
import type { JobName } from '../../server/domain/jobs.ts'
import { ProviderError, type ProviderErrorCode } from '../../server/providers/errors.ts'
import { createOwner } from '../factories/files.ts'
import { accountsDeps } from '../setup/accountsDeps.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { createLoginProvider, type Login } from '../setup/loginProvider.ts'

const ORIGIN = 'https://files.example.org'
const google = createLoginProvider()
const told: EventMap['accountsChanged'][] = []
const jobs: JobName[] = []
const errors: unknown[] = []
let database: TestDatabase
let clock = 0
let world: ReturnType<typeof startWorld>
let owner: Awaited<ReturnType<typeof createOwner>>

function startWorld() {
  const { pool, db } = database
  const events = {
    publish: (topic, _userId, event) => {
      if (topic === 'accountsChanged') told.push(event as EventMap['accountsChanged'])
    },
  } as Events
  const enqueue = async (_tx: unknown, name: JobName) => void jobs.push(name)
  const onError = (error: unknown) => errors.push(error)
  const deps = accountsDeps({ pool, db, events, enqueue, modules: [google.module], onError, now: () => clock })
  const service = createAccountsService(deps)
  return { ...deps, service, probe: createProbe(deps) }
}

beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(async () => {
  await database.pool.query(`update accounts set disconnected_at = now() where provider <> 'local'`)
  google.failWith(null)
  google.calls.length = 0
  owner = await createOwner(database.pool)
  await database.pool.query(
    `insert into sessions (id, user_id, token_hash, expires_at) values ($1, $2, sha256($3::bytea), now() + interval '1 day')`,
    [owner.viewer.sessionId, owner.viewer.userId, owner.viewer.sessionId],
  )
  world = startWorld()
  told.length = 0
  jobs.length = 0
  errors.length = 0
})
afterAll(() => database.close())

/** A connected account that is a member of the default group cloud, unless it is `idle`. */
async function connect(login: Login, idle = false): Promise<string> {
  const { viewer } = owner
  const { url } = await world.service.authorize(viewer, 'google-drive', ORIGIN)
  const grant = google.consent(url, login)
  const { id } = await world.service.connect(viewer, 'google-drive', { ...grant, name: login.email }, ORIGIN)
  if (!idle) await join(id)
  google.calls.length = 0
  told.length = 0
  return id
}
const join = (id: string) =>
  database.pool.query('insert into group_cloud_members (group_cloud_id, account_id, position) values ($1, $2, 1)', [
    owner.groupCloudId,
    id,
  ])
const login = (email: string, totalBytes: number | null = 100) => google.addLogin({ email, totalBytes })
const account = async (id: string) => {
  await world.health.whenIdle()
  return (await world.service.getMany(owner.viewer, [id]))[0]
}
const tick = async (afterMs = 10_000) => {
  clock += afterMs
  await world.probe.tick()
  await world.health.whenIdle()
}

describe('the probe', () => {
  it('asks accounts in use every 20 seconds, idle ones once a minute', async () => {
    await connect(login('idle@example.org'), true)
    await connect(login('member@example.org'))
    for (let i = 0; i < 6; i += 1) await tick()
    expect(google.calls).toEqual(['quota', 'quota', 'quota', 'quota'])
    await tick()
    expect(google.calls).toHaveLength(6)
    await world.probe.close()
  })

  it('asks an idle account every ten minutes while its feed of changes is read', async () => {
    const id = await connect(login('heard@example.org'), true)
    // In the future: however long the test takes.
    const heard = (ago: string) =>
      database.pool.query(
        `insert into account_feeds (account_id, read_at) values ($1, now() - $2::interval)
         on conflict (account_id) do update set read_at = excluded.read_at`,
        [id, ago],
      )
    const quotaKnown = (ago: string) =>
      database.pool.query('update accounts set quota_checked_at = now() - $2::interval where id = $1', [id, ago])
    await heard('-1 day')
    // With the connection.
    await tick()
    expect(google.calls).toEqual([])
    await quotaKnown('11 minutes')
    await tick()
    expect(google.calls).toEqual(['quota'])
    for (let i = 0; i < 59; i += 1) await tick()
    expect(google.calls).toEqual(['quota'])
    await tick()
    expect(google.calls).toEqual(['quota', 'quota'])
    for (let i = 0; i < 5; i += 1) await tick()
    await heard('2 minutes')
    await tick()
    expect(google.calls).toEqual(['quota', 'quota', 'quota'])
    await world.probe.close()
  })

  it('asks an idle account as one in use as soon as it is', async () => {
    const id = await connect(login('joining@example.org'), true)
    await tick()
    expect(google.calls).toHaveLength(1)
    await join(id)
    await tick()
    await tick()
    expect(google.calls).toHaveLength(2)
    await world.probe.close()
  })

  it('says why an account is lost whose host this server may not connect to, until it may', async () => {
    const id = await connect(login('private@example.org'))
    const where = { provider: 'webdav', operation: 'quota' }
    const detail = { message: 'The address 10.1.2.3 is private.', isHostRefused: true }
    const fail = async (error: ProviderError) => {
      world.health.failed(id, error)
      clock += 11_000
      return account(id)
    }
    const refusal = new ProviderError('Forbidden', where, detail)
    const reachable = { status: 'CONNECTED', unreachableSince: null, statusReason: null }
    const unreachable = { status: 'CONNECTED', unreachableSince: expect.any(Date) }
    // Once, as when a name server fails.
    expect(await fail(refusal)).toMatchObject(reachable)
    expect(await fail(refusal)).toMatchObject(reachable)
    expect(await fail(refusal)).toMatchObject({ ...unreachable, statusReason: detail.message })
    expect([told, jobs]).toEqual([[{ accountIds: [id] }], ['settleFiles']])

    // It may be connected to, and does not respond.
    const silence = new ProviderError('Transient', where, { message: 'The connection failed.' })
    expect(await fail(silence)).toMatchObject({ ...unreachable, statusReason: null })
    expect(await fail(refusal)).toMatchObject({ ...unreachable, statusReason: detail.message })

    await tick()
    expect(await account(id)).toMatchObject(reachable)
    await world.probe.close()
  })

  it('finds an account lost within a minute, and back with the next answer', async () => {
    const id = await connect(login('outage@example.org'))
    await tick()
    google.failWith('Transient')
    let lostAfterMs = 0
    for (; lostAfterMs <= 60_000 && !(await account(id))?.unreachableSince; lostAfterMs += 10_000) await tick()
    expect(lostAfterMs).toBeLessThanOrEqual(50_000)
    expect(await account(id)).toMatchObject({ status: 'CONNECTED', unreachableSince: expect.any(Date) })
    expect([told, jobs]).toEqual([[{ accountIds: [id] }], ['settleFiles']])

    google.failWith(null)
    await tick()
    expect(await account(id)).toMatchObject({ status: 'CONNECTED', unreachableSince: null })
    expect(jobs).toEqual(['settleFiles', 'settleFiles'])
    await world.probe.close()
  })

  it('finds an account whose grant was taken back at once', async () => {
    const own = login('withdrawn@example.org')
    const id = await connect(own)
    google.withdraw(own)
    await tick()
    expect(await account(id)).toMatchObject({ status: 'EXPIRED', unreachableSince: null })
    expect(google.calls).toEqual(['quota', 'refresh'])
    await tick(20_000)
    expect(google.calls).toEqual(['quota', 'refresh'])
    await world.probe.close()
  })

  it('is one for all processes, and another one’s when the first ends', async () => {
    await connect(login('two@example.org'))
    const other = startWorld()
    await tick()
    await other.probe.tick()
    expect(google.calls).toEqual(['quota'])
    await world.probe.close()
    // PostgreSQL frees the lock when it has noticed that the connection is gone.
    await expect.poll(() => other.probe.tick().then(() => google.calls)).toEqual(['quota', 'quota'])
    await other.probe.close()
  })

  it('keeps what the provider says, unless something was stored while it said so', async () => {
    const own = login('used@example.org')
    const id = await connect(own)
    own.usedBytes = 42
    await tick()
    expect((await account(id))?.quota).toMatchObject({ usedBytes: 42, totalBytes: 100 })
    expect(told).toEqual([{ accountIds: [id] }])
    await world.probe.close()
  })
})

describe('the health of an account', () => {
  const error = (code: ProviderErrorCode) =>
    new ProviderError(code, { provider: 'google-drive', operation: 'get' }, { message: 'It failed.' })

  it('suffers from three failures to reach it over more than 20 seconds, not from fewer or faster ones', async () => {
    const id = await connect(login('burst@example.org'))
    for (let i = 0; i < 50; i += 1) world.health.failed(id, error('Transient'))
    clock += 19_000
    world.health.failed(id, error('Transient'))
    expect((await account(id))?.unreachableSince).toBeNull()
    clock += 2_000
    world.health.failed(id, error('Transient'))
    expect((await account(id))?.unreachableSince).toEqual(expect.any(Date))
  })

  it('is well again by any answer, also a refusal, and starts to count anew', async () => {
    const id = await connect(login('answers@example.org'))
    const fail = () => world.health.failed(id, error('Transient'))
    for (const code of ['NotFound', 'QuotaExceeded', 'RateLimited'] as const) {
      fail()
      clock += 15_000
      fail()
      world.health.failed(id, error(code))
      clock += 15_000
      fail()
      expect((await account(id))?.unreachableSince, code).toBeNull()
      world.health.worked(id)
    }
  })

  it('is shown as paused for as long as it asked, for writes alone where a write was asked to wait', async () => {
    const id = await connect(login('paused@example.org'))
    const asks = (operation: string, detail: object) =>
      world.health.failed(
        id,
        new ProviderError('RateLimited', { provider: 'google-drive', operation }, { message: 'Wait.', ...detail }),
      )
    const pauses = async () => {
      await world.health.whenIdle()
      const { rows } = await database.pool.query(
        `select round(extract(epoch from paused_until - now()) / 10) as all,
           round(extract(epoch from writes_paused_until - now()) / 10) as writes from accounts where id = $1`,
        [id],
      )
      return [rows[0]?.all, rows[0]?.writes].map((tens) => (tens === null ? null : Number(tens) * 10))
    }
    asks('put', { retryAfterMs: 1_000, attempts: 1 })
    asks('put', { retryAfterMs: 500_000, attempts: 0 })
    expect(await pauses()).toEqual([null, null])
    told.length = 0
    asks('put', { retryAfterMs: 120_000, attempts: 1 })
    expect(await pauses()).toEqual([null, 120])
    expect(told).toEqual([{ accountIds: [id] }])
    asks('get', { retryAfterMs: 600_000, attempts: 1 })
    expect(await pauses()).toEqual([600, 120])
    expect((await account(id))?.unreachableSince).toBeNull()
  })

  it('is not touched by mistakes of our own', async () => {
    const id = await connect(login('innocent@example.org'))
    for (const code of ['Misconfigured', 'Permanent', 'Corrupt', 'Forbidden'] as const) {
      for (let i = 0; i < 5; i += 1) {
        clock += 10_000
        world.health.failed(id, error(code))
      }
    }
    expect(await account(id)).toMatchObject({ status: 'CONNECTED', unreachableSince: null })
    expect(jobs).toEqual([])
  })

  it('does not believe that fresh credentials are dead because an old call says so', async () => {
    const id = await connect(login('fresh@example.org'))
    world.health.failed(id, error('ReconnectNeeded'))
    expect((await account(id))?.status).toBe('CONNECTED')
    await database.pool.query(`update account_credentials set updated_at = now() - interval '1 minute'`)
    world.health.failed(id, error('ReconnectNeeded'))
    expect((await account(id))?.status).toBe('EXPIRED')
  })
})

describe('quotas', () => {
  it('are asked for at most once a minute per account, one call for all who ask at once', async () => {
    const own = login('quota@example.org')
    const id = await connect(own)
    const ask = () => world.service.readQuotas(owner.viewer, [id])
    await ask()
    expect(google.calls).toEqual([])
    await database.pool.query('update accounts set quota_checked_at = null')
    own.usedBytes = 9
    const readings = await Promise.all(Array.from({ length: 10 }, ask))
    for (const [reading] of readings) expect(reading).toMatchObject({ error: null, quota: { usedBytes: 9 } })
    expect(google.calls).toEqual(['quota'])
  })

  it('that cannot be read are the last known ones, with a reason', async () => {
    const id = await connect(login('fails@example.org', 77))
    for (const [code, words] of [
      ['Transient', /could not be checked/],
      ['Misconfigured', /tell its administrator/],
    ] as const) {
      await database.pool.query('update accounts set quota_checked_at = null')
      google.failWith(code)
      const [reading] = await world.service.readQuotas(owner.viewer, [id])
      expect(reading).toMatchObject({ error: expect.stringMatching(words), quota: { totalBytes: 77 } })
      expect(await world.service.readQuotas(owner.viewer, [id])).toEqual([reading])
      expect(google.calls.splice(0)).toEqual(['quota'])
    }
  })

  it('of all accounts have no total as soon as one has none', async () => {
    await connect(login('first@example.org'))
    expect(await world.service.quota(owner.viewer)).toMatchObject({ state: 'KNOWN', totalBytes: 15 * 1024 ** 3 + 100 })
    await connect(login('second@example.org', null))
    expect(await world.service.quota(owner.viewer)).toMatchObject({ state: 'UNLIMITED', totalBytes: null })
  })
})
