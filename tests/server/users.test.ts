import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPasswords, createThrottle } from '../../server/domain/users/passwords.ts'
import { emailKey, isEmail, networkOf } from '../../server/lib/addresses.ts'
import { createRankedSemaphore, createSemaphore } from '../../server/lib/concurrency.ts'
import { createSessionCookie } from '../../server/rest/cookies.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

describe('addresses', () => {
  it.each(['a@b', 'ada@example.org', "o'neil+tag@mail.example.co.uk", 'почта@пример.рф'])('%s is one', (email) => {
    expect(isEmail(email)).toBe(true)
  })

  it.each([
    '',
    'ada',
    '@example.org',
    'ada@',
    'a@b@c',
    'a b@c',
    'a@b..c',
    'a@.b',
    `${'x'.repeat(250)}@b.org`,
    'a\u0000@b',
    '<a@b>',
  ])('%j is none', (email) => {
    expect(isEmail(email)).toBe(false)
  })

  it.each([
    [' Ada@Example.ORG ', 'ada@example.org'],
    ['ｅｖｅ@example.org', 'eve@example.org'],
    ['a\u0000\ud800b@c', 'ab@c'],
  ])('%j goes by %s', (email, key) => {
    expect(emailKey(email)).toBe(key)
  })
})

describe('networks', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s shares the limits of %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

describe('passwords', () => {
  const passwords = createPasswords()

  it('are argon2id with 19 MiB, two passes and one lane', async () => {
    const stored = await passwords.hash('correct horse')
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(passwords.isOutdated(stored)).toBe(false)
    expect(passwords.isOutdated(stored.replace('m=19456', 'm=8192'))).toBe(true)
    expect(await passwords.verify(stored, 'correct horse')).toBe(true)
    expect(await passwords.verify(stored, 'correct horse ')).toBe(false)
  })

  it('of nobody are never right, and take the same work to refuse', async () => {
    const stored = await passwords.hash('correct horse')
    await passwords.verify(null, 'warm up')
    const cpuOf = async (target: string | null) => {
      const before = process.cpuUsage()
      for (let round = 0; round < 20; round++) expect(await passwords.verify(target, 'a wrong guess')).toBe(false)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const ratio = (await cpuOf(null)) / (await cpuOf(stored))
    expect(ratio).toBeGreaterThan(0.4)
    expect(ratio).toBeLessThan(2.5)
  })
})

describe('throttle', () => {
  const RULE = { limit: 3, windowSeconds: 60, longestDelaySeconds: null }
  const throttle = () => createThrottle(database.pool)

  it('lets exactly the limit through, however many come at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => throttle().take('at once', RULE)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  it('opens a new window afterwards', async () => {
    for (let attempt = 0; attempt < 3; attempt++) await throttle().take('window', RULE)
    await expect(throttle().take('window', RULE)).rejects.toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      retryAfterSeconds: 60,
    })
    const past = `update login_throttles set window_start = now() - interval '61 seconds', blocked_until = now() - interval '1 second' where key = $1`
    await database.pool.query(past, ['window'])
    for (let attempt = 0; attempt < 3; attempt++) await throttle().take('window', RULE)
    await expect(throttle().take('window', RULE)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  })

  it('grows the delay up to its longest, and forgets after a quiet window', async () => {
    const growing = { limit: 2, windowSeconds: 10, longestDelaySeconds: 25 }
    const unblock = () =>
      database.pool.query(
        `update login_throttles set blocked_until = now() - interval '10 milliseconds' where key = 'grows'`,
      )
    const delays: number[] = []
    await throttle().take('grows', growing)
    for (let round = 0; round < 4; round++) {
      await throttle().take('grows', growing)
      delays.push(
        await throttle()
          .take('grows', growing)
          .catch((error) => error.retryAfterSeconds),
      )
      await unblock()
    }
    expect(delays).toEqual([10, 20, 25, 25])
    await database.pool.query(
      `update login_throttles set blocked_until = now() - interval '11 seconds' where key = 'grows'`,
    )
    await throttle().take('grows', growing)
    await throttle().take('grows', growing)
    await expect(throttle().take('grows', growing)).rejects.toMatchObject({ retryAfterSeconds: 10 })
  })

  it('sweeps what nothing looks at any more', async () => {
    await throttle().take('old', RULE)
    await database.pool.query(`update login_throttles set window_start = now() - interval '2 hours' where key = 'old'`)
    await throttle().take('new', RULE)
    const { rowCount } = await database.pool.query(`select 1 from login_throttles where key = 'old'`)
    expect(rowCount).toBe(0)
  })
})

describe('semaphore', () => {
  it('of ranks lets the first rank go first, and refuses what is beyond its bound', async () => {
    const inTurn = createRankedSemaphore(1, [2, 1], () => new Error('busy'))
    const done: string[] = []
    const task = (name: string) => async () => void done.push(name)
    const all = [
      inTurn(1, task('at work')),
      inTurn(1, task('sign-up')),
      inTurn(1, task('refused')),
      inTurn(0, task('sign-in')),
      inTurn(0, task('another')),
      inTurn(0, task('refused')),
    ]
    const outcomes = await Promise.allSettled(all)
    expect(done).toEqual(['at work', 'sign-in', 'another', 'sign-up'])
    expect(outcomes.map(({ status }) => status === 'rejected')).toEqual([false, false, true, false, false, true])
  })

  it('runs no more than its limit at once, all in the end, also after failures', async () => {
    const inTurn = createSemaphore(2)
    let running = 0
    let most = 0
    const task = async (index: number) => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      running -= 1
      if (index % 2) throw new Error('odd')
      return index
    }
    const outcomes = await Promise.allSettled(Array.from({ length: 9 }, (_, index) => inTurn(() => task(index))))
    expect(most).toBe(2)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })
})

describe('session cookie', () => {
  const token = 'a-Z_'.repeat(11).slice(0, 43)

  it.each([
    [`sid=${token}`, token],
    [`theme=dark; sid=${token}; x=1`, token],
    [`xsid=${token}`, null],
    [`sid=${token}A`, null],
    ['sid=short', null],
    ['', null],
    [undefined, null],
  ])('is read from %j', (header, expected) => {
    expect(createSessionCookie(false).read(header)).toBe(expected)
  })
})
