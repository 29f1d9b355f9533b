import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPool } from '../../server/db/pool.ts'
import { createCredentialStore, storeCredentials } from '../../server/domain/accounts/credentials.ts'
import { createEncryption } from '../../server/lib/encryption.ts'
import { newId } from '../../server/lib/ids.ts'
import type { Credentials } from '../../server/providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../server/providers/errors.ts'
import { createOwner } from '../factories/files.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

const encryption = createEncryption(['a secret key of more than thirty-two characters'])
let database: TestDatabase
let accountId: string
const expired: string[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(async () => {
  const { viewer } = await createOwner(database.pool)
  accountId = newId()
  expired.length = 0
  await database.pool.query(
    `insert into accounts (id, user_id, provider, name, provider_account_id) values ($1, $2, 'google-drive', 'Drive', 'x')`,
    [accountId, viewer.userId],
  )
  const client = await database.pool.connect()
  await storeCredentials(client, encryption, accountId, credentials(0))
  client.release()
})
afterAll(() => database.close())

const credentials = (generation: number): Credentials => ({ expiresAt: null, token: `canary-token-${generation}` })
const storeOver = (pool: TestDatabase['pool']) =>
  createCredentialStore({ pool, leases: pool, encryption, onExpired: (id) => expired.push(id) })
const store = () => storeOver(database.pool)
const refused = (code: ProviderErrorCode) =>
  new ProviderError(code, { provider: 'google-drive', operation: 'refresh' }, { message: 'Token has been revoked.' })
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  )
const statusOf = async () =>
  (await database.pool.query('select status, status_reason from accounts where id = $1', [accountId])).rows[0]

/** Counts how often the provider is asked, and how many of those at once. */
function countingRefresh() {
  const seen = { calls: 0, atOnce: 0, most: 0 }
  return {
    seen,
    async refresh({ token }: Credentials): Promise<Credentials> {
      seen.calls += 1
      seen.atOnce += 1
      seen.most = Math.max(seen.most, seen.atOnce)
      await new Promise((resolve) => setTimeout(resolve, 30))
      seen.atOnce -= 1
      return credentials(Number(token?.split('-').at(-1)) + 1)
    },
  }
}

describe('credentials', () => {
  it('are read as they were stored, and are nowhere in clear', async () => {
    expect(await store().read(accountId)).toEqual({ credentials: credentials(0), version: 1 })
    const { rows } = await database.pool.query('select * from account_credentials')
    expect(JSON.stringify(rows)).not.toContain('canary')
  })

  it('do not open in the row of another account', async () => {
    const { rows } = await database.pool.query('select id from users limit 1')
    const other = newId()
    await database.pool.query(
      `insert into accounts (id, user_id, provider, name, provider_account_id) values ($1, $2, 'google-drive', 'Other', 'y')`,
      [other, rows[0].id],
    )
    await database.pool.query(
      `insert into account_credentials (account_id, sealed) select $2, sealed from account_credentials where account_id = $1`,
      [accountId, other],
    )
    const error = await failure(store().read(other))
    expect(error).toMatchObject({ code: 'Misconfigured' })
    expect((await statusOf())?.status).toBe('CONNECTED')
  })

  it.each([
    [`update accounts set status = 'EXPIRED' where id = $1`],
    ['update accounts set disconnected_at = now() where id = $1'],
    ['delete from account_credentials where account_id = $1'],
  ])('are not there after: %s', async (change) => {
    await database.pool.query(change, [accountId])
    expect(await failure(store().read(accountId))).toMatchObject({ code: 'ReconnectNeeded' })
  })
})

describe('a refresh', () => {
  it('happens once for 50 calls at once', async () => {
    const { refresh, seen } = countingRefresh()
    const credentialStore = store()
    const stale = await credentialStore.read(accountId)
    const renewed = await Promise.all(
      Array.from({ length: 50 }, () => credentialStore.renew(accountId, stale, refresh)),
    )
    expect(seen.calls).toBe(1)
    expect(new Set(renewed.map(({ version }) => version))).toEqual(new Set([2]))
    expect(await credentialStore.read(accountId)).toEqual({ credentials: credentials(1), version: 2 })
  })

  it('happens once for calls of several processes', async () => {
    const { refresh, seen } = countingRefresh()
    const pools = Array.from({ length: 4 }, () => createPool(database.connection, { max: 4 }))
    const stores = pools.map(storeOver)
    const stale = await stores[0]?.read(accountId)
    if (!stale) throw new Error('It was stored.')
    const calls = stores.flatMap((each) => Array.from({ length: 13 }, () => each.renew(accountId, stale, refresh)))
    for (const { version } of await Promise.all(calls)) expect(version).toBe(2)
    expect(seen.calls).toBe(1)
    await Promise.all(pools.map((pool) => pool.end()))
  })

  it('is stored before it resolves, and one after the other for accounts that need several', async () => {
    const { refresh, seen } = countingRefresh()
    const [one, two] = [store(), store()]
    const first = await one.renew(accountId, await one.read(accountId), refresh)
    const second = await two.renew(accountId, first, refresh)
    expect([second.version, (await one.read(accountId)).credentials]).toEqual([3, credentials(2)])
    expect([seen.calls, seen.most]).toEqual([2, 1])
  })

  it.each<ProviderErrorCode>(['Transient', 'RateLimited', 'Misconfigured', 'Permanent'])(
    'that fails with %s keeps the account, and the next one is tried',
    async (code) => {
      const credentialStore = store()
      const stale = await credentialStore.read(accountId)
      const fail = async () => {
        throw refused(code)
      }
      expect(await failure(credentialStore.renew(accountId, stale, fail))).toMatchObject({ code })
      expect((await statusOf())?.status).toBe('CONNECTED')
      expect((await credentialStore.renew(accountId, stale, countingRefresh().refresh)).version).toBe(2)
    },
  )

  it('that the provider refuses expires the account, once, in words', async () => {
    const credentialStore = store()
    const stale = await credentialStore.read(accountId)
    let calls = 0
    const refuse = async () => {
      calls += 1
      throw refused('ReconnectNeeded')
    }
    const all = await Promise.all(
      Array.from({ length: 10 }, () => failure(credentialStore.renew(accountId, stale, refuse))),
    )
    for (const error of all) expect(error).toMatchObject({ code: 'ReconnectNeeded' })
    expect(calls).toBe(1)
    expect(expired).toEqual([accountId])
    expect(await statusOf()).toEqual({
      status: 'EXPIRED',
      status_reason: expect.stringMatching(/\(Token has been revoked\).*Please re-connect/),
    })
  })

  it('of credentials that were replaced meanwhile does not expire the new ones', async () => {
    const credentialStore = store()
    const stale = await credentialStore.read(accountId)
    const refuse = async () => {
      // As a reconnect would, were the lease not held: the version it leaves is another one.
      const outside = createPool(database.connection, { max: 1 })
      await outside.query(`set lock_timeout = '50ms'`)
      await outside
        .query('update account_credentials set version = 9 where account_id = $1', [accountId])
        .catch(() => {})
      await outside.end()
      throw refused('ReconnectNeeded')
    }
    await failure(credentialStore.renew(accountId, stale, refuse))
    expect((await statusOf())?.status).toBe('EXPIRED')
    await database.pool.query(`update accounts set status = 'CONNECTED' where id = $1`, [accountId])
    await database.pool.query('update account_credentials set version = 9 where account_id = $1', [accountId])
    expect((await credentialStore.renew(accountId, stale, refuse)).version).toBe(9)
    expect((await statusOf())?.status).toBe('CONNECTED')
  })

  it('that one caller calls off is done by the others', async () => {
    const credentialStore = store()
    const stale = await credentialStore.read(accountId)
    const { refresh } = countingRefresh()
    const calledOff = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      throw new DOMException('The client has gone.', 'AbortError')
    }
    const [gone, renewed] = await Promise.all([
      failure(credentialStore.renew(accountId, stale, calledOff)),
      credentialStore.renew(accountId, stale, refresh),
    ])
    expect([(gone as Error).name, renewed.version]).toEqual(['AbortError', 2])
  })

  it('whose process is killed before the commit frees the account for the next one', async () => {
    const program = `
      import pg from 'pg'
      const client = new pg.Client(JSON.parse(process.argv[1]))
      await client.connect()
      await client.query('begin')
      await client.query('select from account_credentials where account_id = $1 for update', [process.argv[2]])
      console.log('locked')
      setInterval(() => {}, 1000)`
    const options = ['--input-type=module', '-e', program, JSON.stringify(database.connection), accountId]
    const child = spawn(process.execPath, options)
    await once(child.stdout, 'data')
    const credentialStore = store()
    const renewal = credentialStore.renew(
      accountId,
      { credentials: credentials(0), version: 1 },
      countingRefresh().refresh,
    )
    child.kill('SIGKILL')
    expect((await renewal).version).toBe(2)
  })
})
