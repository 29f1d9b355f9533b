import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openProviders, type ProvidersDeps } from '../../../server/compose.ts'
import { newKeyText } from '../../../server/domain/keys/contract.ts'
import { MOST_GUESSES } from '../../../server/domain/keys/service.ts'
import { GUESSES_PER_SHARE } from '../../../server/domain/shares/service.ts'
import { MOST_REQUESTS } from '../../../server/domain/shares/visits.ts'
import { GUESSES_PER_ACCOUNT } from '../../../server/domain/users/service.ts'
import { MAX_STREAMS_PER_USER } from '../../../server/graphql/limits.ts'
import { parsePublicId } from '../../../server/lib/ids.ts'
import { createUser, type TestUser } from '../../factories/user.ts'
import { createGraphqlClient } from '../../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../../setup/server.ts'
import { createOwner, createVisitor, newAddress, type Owner } from '../shares/world.ts'
import { spread } from './world.ts'

/** Three servers on one database, asked over HTTP in turn: each limit is that of one server. */
const MIB = 1024 * 1024
const QUOTA = 6 * MIB
const RATE = 60
const times = { beat: 100, silence: 3_000, steady: 300 }

let servers: [TestServer, TestServer, TestServer]
let owner: Owner

beforeAll(async () => {
  const config = { trustProxy: true, acceptAnyType: true, rateLimit: RATE, localQuotaBytes: QUOTA }
  const first = await startTestServer(config, { shared: true, registerTimes: times })
  const beside = { beside: first, registerTimes: times }
  servers = [first, await startTestServer(config, beside), await startTestServer(config, beside)]
  owner = await createOwner(first)
})
afterAll(async () => {
  for (const server of servers?.toReversed() ?? []) await server.close()
})

const statusAt =
  (path: string, headers: Record<string, string> = {}) =>
  async ({ url }: TestServer): Promise<number> => {
    const answer = await fetch(url + path, { headers })
    await answer.arrayBuffer()
    return answer.status
  }
const amount = (statuses: readonly number[], status: number) => statuses.filter((one) => one === status).length

/** How many `limit` per minute can be at most in the time that `work` takes: load makes it longer, and never too short. */
async function minutesOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 60_000
}

describe('calls a minute', () => {
  it('of one key are as many as RATE_LIMIT says, and the answers say so', async () => {
    const person = await createUser(servers[0].services.users)
    const { key } = await servers[0].services.keys.create(person.viewer, { name: 'CI' })
    let statuses: number[] = []
    const minutes = await minutesOf(async () => {
      statuses = await spread(servers, RATE, statusAt('/api/v1/files', { authorization: `Bearer ${key}` }))
    })
    expect(amount(statuses, 200)).toBeGreaterThanOrEqual(RATE)
    expect(amount(statuses, 200)).toBeLessThanOrEqual(RATE + Math.ceil(minutes * RATE))
    expect(amount(statuses, 200) + amount(statuses, 429)).toBe(statuses.length)
  })

  it('with unknown keys are limited per network', async () => {
    const headers = { 'x-forwarded-for': newAddress() }
    let statuses: number[] = []
    const minutes = await minutesOf(async () => {
      statuses = await spread(servers, MOST_GUESSES, (server) =>
        statusAt('/api/v1/files', { ...headers, authorization: `Bearer ${newKeyText()}` })(server),
      )
    })
    expect(amount(statuses, 401)).toBeGreaterThanOrEqual(MOST_GUESSES)
    expect(amount(statuses, 401)).toBeLessThanOrEqual(MOST_GUESSES * (1 + Math.floor(minutes)))
  })

  it('of links are limited per network', async () => {
    const shareId = await owner.share(await owner.upload(`${randomUUID()}.txt`, 'text'))
    const headers = { 'x-forwarded-for': newAddress() }
    let statuses: number[] = []
    const minutes = await minutesOf(async () => {
      statuses = await spread(servers, MOST_REQUESTS, statusAt(`/api/v1/shares/${shareId}`, headers))
    })
    expect(amount(statuses, 200)).toBeGreaterThanOrEqual(MOST_REQUESTS)
    expect(amount(statuses, 200)).toBeLessThanOrEqual(MOST_REQUESTS * (1 + Math.floor(minutes)))
  })
})

it('a download of a link that one server has begun continues on the others, beyond the limit of requests', async () => {
  const shareId = await owner.share(await owner.upload(`${randomUUID()}.txt`, 'a text in parts'))
  const headers = { 'x-forwarded-for': newAddress() }
  const path = `/api/v1/shares/${shareId}`
  expect(await statusAt(`${path}/download`, headers)(servers[0])).toBe(200)
  await spread(servers, MOST_REQUESTS, statusAt(path, headers))
  for (const server of servers) {
    await expect.poll(() => statusAt(`${path}/download`, { ...headers, range: 'bytes=0-3' })(server)).toBe(206)
  }
})

describe('guesses', () => {
  it('of a password to sign in are counted together', async () => {
    const person = await createUser(servers[0].services.users)
    const login = ({ url }: TestServer) =>
      fetch(`${url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url, 'x-forwarded-for': newAddress() },
        body: JSON.stringify({ email: person.email, password: 'wrong horse battery' }),
      }).then(({ status }) => status)
    const statuses = await spread(servers, GUESSES_PER_ACCOUNT.limit, login)
    expect(amount(statuses, 401)).toBe(GUESSES_PER_ACCOUNT.limit)
    expect(amount(statuses, 429)).toBe(2 * GUESSES_PER_ACCOUNT.limit)
  })

  it('of the password of a link are counted together', async () => {
    const shareId = await owner.share(await owner.upload(`${randomUUID()}.txt`, 'text'), { password: 'right password' })
    const unlock = async (server: TestServer) => (await createVisitor(server).unlock(shareId, 'wrong password')).status
    const statuses = await spread(servers, GUESSES_PER_SHARE.limit, unlock)
    expect(amount(statuses, 429)).toBe(2 * GUESSES_PER_SHARE.limit)
  })
})

describe('live streams of a user', () => {
  const SUBSCRIPTION = 'subscription { changes(since: "now") { position } }'

  /** Resolves with the code of the refusal, or null once it is open. */
  async function open(server: TestServer, { token }: TestUser, stop = new AbortController()) {
    const answers = createGraphqlClient(server.url, token).stream(SUBSCRIPTION, {}, stop.signal)
    const { value } = await answers.next()
    const code = value?.errors?.[0]?.extensions?.code ?? null
    const close = async () => {
      stop.abort()
      await answers.return().catch(() => undefined)
    }
    return { code, close }
  }
  const slotsOf = async ({ user }: TestUser) =>
    (await servers[0].pool.query('select from held_slots where key = $1', [`stream:${user.id}`])).rowCount

  it('are five on all servers together, and one that ends lets another begin elsewhere', async () => {
    const person = await createUser(servers[0].services.users)
    const streams = await spread(servers, MAX_STREAMS_PER_USER, (server) => open(server, person))
    const opened = streams.filter(({ code }) => code === null)
    expect(opened).toHaveLength(MAX_STREAMS_PER_USER)
    for (const { code } of streams) if (code !== null) expect(code).toBe('TOO_MANY_REQUESTS')
    for (const server of servers) expect((await open(server, person)).code).toBe('TOO_MANY_REQUESTS')
    await opened[0]?.close()
    await expect.poll(() => slotsOf(person)).toBe(MAX_STREAMS_PER_USER - 1)
    const next = await open(servers[2], person)
    expect(next.code).toBeNull()
    for (const stream of [...opened, next]) await stream.close()
    await expect.poll(() => slotsOf(person)).toBe(0)
  })

  it('of a server that died do not count once it is out of the register', async () => {
    const person = await createUser(servers[0].services.users)
    const dead = randomUUID()
    await servers[0].pool.query(`insert into servers (id) values ($1)`, [dead])
    await servers[0].pool.query(
      `insert into held_slots (key, slot, server_id) select $1, s, $2 from generate_series(1, $3::int) s`,
      [`stream:${person.user.id}`, dead, MAX_STREAMS_PER_USER],
    )
    expect((await open(servers[0], person)).code).toBe('TOO_MANY_REQUESTS')
    await servers[0].pool.query(`update servers set heartbeat_at = now() - interval '1 minute' where id = $1`, [dead])
    await expect.poll(() => slotsOf(person)).toBe(0)
    const stream = await open(servers[1], person)
    expect(stream.code).toBeNull()
    await stream.close()
  })

  it('are given up by a server that stops', async () => {
    const person = await createUser(servers[0].services.users)
    const fourth = await startTestServer({ trustProxy: true }, { beside: servers[0], registerTimes: times })
    const stream = await open(fourth, person)
    expect(stream.code).toBeNull()
    expect(await slotsOf(person)).toBe(1)
    await fourth.close()
    expect(await slotsOf(person)).toBe(0)
    await stream.close()
  })
})

describe('downloads of a link with a limit', () => {
  it('are as many as the limit says', async () => {
    const shareId = await owner.share(await owner.upload(`${randomUUID()}.txt`, 'text'), { maxDownloads: 3 })
    const download = async (server: TestServer) => {
      const answer = await createVisitor(server).send('GET', `/api/v1/shares/${shareId}/download`)
      await answer.arrayBuffer()
      return answer.status
    }
    let done = 0
    // Refused while all remaining ones are in progress: asked again until the link has ended.
    await expect
      .poll(async () => {
        const statuses = await spread(servers, 5, download)
        done += amount(statuses, 200)
        return amount(statuses, 404)
      })
      .toBe(15)
    expect(done).toBe(3)
  })

  it('that a dead server was sending are free with its row in the register', async () => {
    const shareId = await owner.share(await owner.upload(`${randomUUID()}.txt`, 'text'), { maxDownloads: 1 })
    const dead = randomUUID()
    await servers[0].pool.query(`insert into servers (id) values ($1)`, [dead])
    await servers[0].pool.query('insert into share_claims (id, share_id, server_id) values ($1, $2, $3)', [
      randomUUID(),
      parsePublicId(shareId)?.id,
      dead,
    ])
    const path = `/api/v1/shares/${shareId}/download`
    expect((await createVisitor(servers[1]).send('GET', path)).status).toBe(409)
    await servers[0].pool.query(`update servers set heartbeat_at = now() - interval '1 minute' where id = $1`, [dead])
    await expect.poll(async () => (await createVisitor(servers[1]).send('GET', path)).status).toBe(200)
  })

  it('name the server that sends them', async () => {
    const shareId = await owner.share(await owner.upload(`${randomUUID()}.bin`, Buffer.alloc(4 * MIB)), {
      maxDownloads: 1,
    })
    const stop = new AbortController()
    const headers = { 'x-forwarded-for': newAddress() }
    await fetch(`${servers[1].url}/api/v1/shares/${shareId}/download`, { headers, signal: stop.signal })
    const { rows } = await servers[0].pool.query('select server_id from share_claims where share_id = $1', [
      parsePublicId(shareId)?.id,
    ])
    expect(rows).toEqual([{ server_id: servers[1].id }])
    stop.abort()
  })
})

it('the space of a user is used by all servers together, and never exceeded', async () => {
  const person = await createUser(servers[0].services.users)
  const upload = async ({ url }: TestServer) => {
    const form = new FormData()
    form.set('file', new File([Buffer.alloc(MIB)], `${randomUUID()}.bin`))
    const headers = { origin: url, cookie: `sid=${person.token}` }
    return (await fetch(`${url}/api/v1/files`, { method: 'POST', headers, body: form })).status
  }
  const statuses = await spread(servers, 5, upload)
  expect(amount(statuses, 201)).toBe(QUOTA / MIB)
  expect(amount(statuses, 507) + amount(statuses, 413)).toBe(15 - QUOTA / MIB)
})

it('the accounts of a user are limited over all servers, unless there is one only', async () => {
  const given: ProvidersDeps['limits'][] = []
  const open = (deps: ProvidersDeps) => {
    given.push(deps.limits ?? null)
    return openProviders(deps)
  }
  const fourth = await startTestServer({}, { beside: servers[0], registerTimes: times, openProviders: open })
  await fourth.close()
  const alone = await startTestServer({}, { alone: true, openProviders: open })
  await alone.close()
  expect(given).toEqual([expect.objectContaining({ slots: expect.anything() }), null])
})

it('one server alone counts in memory', async () => {
  const alone = await startTestServer({ rateLimit: 1 }, { alone: true })
  const person = await createUser(alone.services.users)
  const { key } = await alone.services.keys.create(person.viewer, { name: 'CI' })
  const ask = statusAt('/api/v1/files', { authorization: `Bearer ${key}` })
  const statuses = [await ask(alone), await ask(alone)]
  expect(statuses).toEqual([200, 429])
  const rows = await alone.pool.query('select key from call_limits union all select key from held_slots')
  expect(rows.rows).toEqual([])
  const listening = await alone.pool.query(
    `select from pg_stat_activity where datname = current_database() and application_name like 'skypool-limits%'`,
  )
  expect(listening.rowCount).toBe(0)
  await alone.close()
})
