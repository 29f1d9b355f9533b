import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { publicId } from '../../server/lib/ids.ts'
import { connectAccount, createRemoteFile, dealt } from '../factories/remoteFiles.ts'
import { createUser } from '../factories/user.ts'
import { createMemoryCloud } from '../fakes/memory/cloud.ts'
import { createMemoryProviders } from '../setup/memoryProviders.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { createThrottle, type Throttle } from '../setup/throttledDriver.ts'

/** Copies of files at providers: read from there, stored on this server until transfers move them. */
const MIB = 2 ** 20
let cloud: ReturnType<typeof createMemoryCloud>
let throttle: Throttle
let server: TestServer
let ada: Awaited<ReturnType<typeof createUser>>
let scope: { userId: string; groupCloudId: string }
let accounts: string[]
let isClosed: boolean

beforeEach(async () => {
  cloud = createMemoryCloud()
  throttle = createThrottle(12 * MIB)
  server = await startTestServer({}, { openProviders: () => createMemoryProviders(cloud, throttle.wrap) })
  isClosed = false
  ada = await createUser(server.services.users)
  const [group] = await server.services.groupClouds.list(ada.viewer)
  scope = { userId: ada.viewer.userId, groupCloudId: group?.id ?? '' }
  accounts = []
  for (const name of ['Drive 1', 'Drive 2'])
    accounts.push(await connectAccount({ pool: server.pool, cloud }, { ...scope, name }))
})
afterEach(async () => {
  if (!isClosed) await server.close()
})

/** Spread over both accounts, 1 MiB at a time. */
const spread = (content: Buffer, name: string) =>
  createRemoteFile(
    { pool: server.pool, cloud },
    {
      ...{ ...scope, content, name },
      copies: [dealt(accounts, content.length, MIB)],
    },
  )
const copy = (id: string, signal?: AbortSignal) =>
  fetch(`${server.url}/api/v1/files/copy`, {
    method: 'POST',
    headers: { origin: server.url, cookie: `sid=${ada.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ids: [publicId('File', id)], parentId: null }),
    ...(signal && { signal }),
  })
const named = async (name: string) =>
  (await server.services.files.list(ada.viewer, { view: 'ALL', query: name, limit: 10 })).items.map(({ file }) => file)
const countOf = async () => {
  const { rows } = await server.pool.query('select count(*)::int as count from files where user_id = $1', [
    scope.userId,
  ])
  return rows[0].count as number
}

it('a file that is spread over accounts is copied byte for byte, and its copy goes where its group cloud says', async () => {
  const content = randomBytes(5 * MIB + 3)
  const id = await spread(content, 'big.bin')
  const answer = await copy(id)
  expect(answer.status).toBe(201)
  const [made] = (await answer.json()).items
  const { sha256 } = await server.services.files.get(ada.viewer, id)
  expect(made).toMatchObject({ name: 'big (2).bin', sha256, groupCloudId: publicId('GroupCloud', scope.groupCloudId) })
  const response = await fetch(`${server.url}/api/v1/files/${made.id}/download`, {
    headers: { cookie: `sid=${ada.token}` },
  })
  expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true)
})

it('an account that is gone is refused as a download of it is, before anything is made', async () => {
  const id = await spread(randomBytes(2 * MIB), 'lost.bin')
  await server.pool.query("update accounts set status = 'EXPIRED' where id = $1", [accounts[1]])
  const answer = await copy(id)
  expect(answer.status).toBe(503)
  expect((await answer.json()).detail).toBe(
    '“lost.bin” could not be copied. This file cannot be read now: “Drive 2” needs to be connected again.',
  )
  expect(await countOf()).toBe(1)
})

it('bytes that an account has changed are not copied', async () => {
  const id = await spread(randomBytes(3 * MIB), 'changed.bin')
  cloud.fault = (operation, _ref, account) => {
    return operation === 'get' && account === accounts[1] ? { kind: 'flipped', at: 3 } : null
  }
  const answer = await copy(id)
  expect(answer.status).toBe(503)
  expect((await answer.json()).detail).toMatch(
    /^“changed.bin” could not be copied\. This file cannot be read now: .*“Drive 2”/,
  )
  expect(await readdir(join(server.dataDir, 'staging'))).toEqual([])
  expect(await countOf()).toBe(1)
})

it('goes on when whoever asked is gone', async () => {
  const content = randomBytes(12 * MIB)
  const id = await spread(content, 'slow.bin')
  const leaving = new AbortController()
  const answer = copy(id, leaving.signal).catch((error: Error) => error.name)
  await expect.poll(throttle.openBodies, { interval: 10 }).toBeGreaterThan(0)
  leaving.abort()
  expect(await answer).toBe('AbortError')
  await expect.poll(async () => (await named('slow')).length).toBe(2)
  const sums = (await named('slow')).map(({ sha256 }) => sha256)
  expect(new Set(sums).size).toBe(1)
})

it('ends in words when the server closes, without being waited for', async () => {
  const id = await spread(randomBytes(40 * MIB), 'endless.bin')
  const answer = copy(id)
  await expect.poll(throttle.openBodies, { interval: 10 }).toBeGreaterThan(0)
  const begun = performance.now()
  const closing = server.close()
  isClosed = true
  const { status, body } = await answer.then(async (response) => ({
    status: response.status,
    body: await response.json(),
  }))
  expect([status, body.code]).toEqual([503, 'CONTENT_UNAVAILABLE'])
  expect(body.detail).toBe('The server is being stopped. What was copied stays; please copy the rest later.')
  await closing
  expect(performance.now() - begun).toBeLessThan(9000)
  expect(throttle.openBodies()).toBe(0)
})
