import { createHash, randomBytes } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { publicId } from '../../server/lib/ids.ts'
import { connectAccount, createRemoteFile, dealt, type RemotePiece } from '../factories/remoteFiles.ts'
import { createUser } from '../factories/user.ts'
import { createMemoryCloud } from '../fakes/memory/cloud.ts'
import type { Fault } from '../fakes/memory/faults.ts'
import { createBrowser } from '../setup/browser.ts'
import { createMemoryProviders } from '../setup/memoryProviders.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { createThrottle } from '../setup/throttledDriver.ts'

const MIB = 2 ** 20
const cloud = createMemoryCloud()
const throttle = createThrottle(1000 * MIB)

let server: TestServer
let ada: Awaited<ReturnType<typeof createUser>>
let scope: { userId: string; groupCloudId: string }
let accounts: string[]

beforeAll(async () => {
  server = await startTestServer({}, { openProviders: () => createMemoryProviders(cloud, throttle.wrap) })
})
beforeEach(async () => {
  cloud.fault = null
  ada = await createUser(server.services.users)
  const [group] = await server.services.groupClouds.list(ada.viewer)
  scope = { userId: ada.viewer.userId, groupCloudId: group?.id ?? '' }
  accounts = []
  for (const name of ['Drive 1', 'Drive 2', 'Dropbox']) {
    accounts.push(await connectAccount({ pool: server.pool, cloud }, { ...scope, name }))
  }
})
afterAll(() => server.close())

const at = (index: number) => accounts[index] ?? ''
const make = (content: Buffer, copies: RemotePiece[][], name?: string) =>
  createRemoteFile({ pool: server.pool, cloud }, { ...scope, content, copies, ...(name ? { name } : {}) })
const whole = (index: number, size: number): RemotePiece[] => [{ accountId: at(index), size }]
const cookie = () => `sid=${ada.token}`
const url = (id: string) => `${server.url}/api/v1/files/${publicId('File', id)}/download`
const get = (id: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url(id), { method, headers: { cookie: cookie(), ...headers } })
const bodyOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

function faultOf(index: number, fault: Fault | null): { calls: number } {
  const seen = { calls: 0 }
  cloud.fault = (operation, _ref, account) => {
    if (operation !== 'get' || account !== at(index)) return null
    seen.calls += 1
    return fault
  }
  return seen
}

describe('a download of what providers hold', () => {
  it('is byte-identical, whole and by ranges, under the same ETag as anywhere', async () => {
    const size = 30 * MIB + 7
    const content = randomBytes(size)
    const id = await make(content, [dealt(accounts, size, 8 * MIB)])
    const response = await get(id)
    expect(response.headers.get('etag')).toBe(`"${createHash('sha256').update(content).digest('hex')}"`)
    expect(response.headers.get('content-length')).toBe(String(size))
    expect((await bodyOf(response)).equals(content)).toBe(true)
    for (const [start, end] of [
      [0, 0],
      [8 * MIB - 3, 8 * MIB + 3],
      [5 * MIB + 1, 26 * MIB],
      [size - 5, size - 1],
    ] as const) {
      const part = await get(id, { range: `bytes=${start}-${end}` })
      expect(part.status).toBe(206)
      expect((await bodyOf(part)).equals(content.subarray(start, end + 1))).toBe(true)
    }
  })

  it('asks no provider for HEAD, nor for what the client has', async () => {
    const id = await make(Buffer.from('known'), [whole(0, 5)])
    const asked = faultOf(0, { kind: 'refused', code: 'Permanent' })
    const head = await get(id, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '5'])
    expect((await get(id, { 'if-none-match': head.headers.get('etag') ?? '' })).status).toBe(304)
    expect(asked.calls).toBe(0)
  })

  it('goes on from another copy when the account fails in the middle', async () => {
    const size = 20 * MIB
    const content = randomBytes(size)
    const id = await make(content, [whole(0, size), whole(1, size)])
    faultOf(0, { kind: 'refused', code: 'Transient', afterBytes: 9 * MIB + 1 })
    const response = await get(id)
    expect(response.status).toBe(200)
    expect((await bodyOf(response)).equals(content)).toBe(true)
  })

  it('that cannot begin is a 503 that names the account', async () => {
    const id = await make(randomBytes(MIB), [whole(0, MIB)])
    faultOf(0, { kind: 'flipped', at: 3 })
    const response = await get(id)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await response.json()).toMatchObject({
      code: 'CONTENT_UNAVAILABLE',
      detail: 'This file cannot be read now: “Drive 1” sends other bytes than were stored.',
    })
    const { state, stateReason } = await server.services.files.get(ada.viewer, id)
    expect([state, stateReason]).toEqual(['STORED', null])
    faultOf(0, null)
    expect((await get(id)).status).toBe(200)
  })

  it('of an account that asks to wait is a 503 that says until when', async () => {
    const id = await make(randomBytes(MIB), [whole(0, MIB)])
    faultOf(0, { kind: 'refused', code: 'RateLimited', status: 429, retryAfterMs: 120_000 })
    const response = await get(id)
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(100)
    expect((await response.json()).detail).toMatch(
      /^This file cannot be read now: “Drive 1” asks to wait until \d\d:\d\d UTC\.$/,
    )
    faultOf(0, null)
  })

  it('of an expired account is a 503 that says what to do', async () => {
    const id = await make(randomBytes(10), [whole(0, 10)])
    await server.pool.query("update accounts set status = 'EXPIRED' where id = $1", [at(0)])
    const answer = await (await get(id)).json()
    expect(answer.detail).toBe('This file cannot be read now: “Drive 1” needs to be connected again.')
  })

  /** 20 MiB, with one wrong byte after 13 MiB. */
  async function makeDamaged(): Promise<{ id: string; content: Buffer }> {
    const content = randomBytes(20 * MIB)
    const before = new Set(cloud.objects(at(0)).map(({ ref }) => ref))
    const id = await make(content, [whole(0, content.length)])
    const object = cloud.objects(at(0)).find(({ ref }) => !before.has(ref))
    const damaged = Buffer.from(content)
    damaged.writeUInt8(damaged.readUInt8(13 * MIB) ^ 1, 13 * MIB)
    if (object) cloud.overwrite(at(0), object.ref, damaged)
    return { id, content }
  }

  it('that turns wrong in the middle is read up to there', async () => {
    const { id, content } = await makeDamaged()
    const { source } = await server.services.files.open(ada.viewer, id)
    const read: Buffer[] = []
    const reading = async () => {
      for await (const chunk of source.read(0, content.length - 1)) read.push(chunk as Buffer)
    }
    await expect(reading()).rejects.toThrow()
    expect(Buffer.concat(read).equals(content.subarray(0, 13 * MIB))).toBe(true)
  })

  it('that turns wrong in the middle is cut off, and nothing wrong was sent', async () => {
    const { id, content } = await makeDamaged()
    const response = await get(id)
    expect(response.status).toBe(200)
    const got: Buffer[] = []
    const reading = async () => {
      for await (const chunk of response.body ?? []) got.push(Buffer.from(chunk))
    }
    await expect(reading()).rejects.toThrow()
    const bytes = Buffer.concat(got)
    // Bytes in transit when the connection was cut may be lost.
    expect(bytes.length).toBeGreaterThan(0)
    expect(bytes.length).toBeLessThanOrEqual(13 * MIB)
    expect(bytes.equals(content.subarray(0, bytes.length))).toBe(true)
  })

  it('that the client leaves is given up at its accounts', async () => {
    const size = 48 * MIB
    const id = await make(randomBytes(size), [dealt(accounts, size, 8 * MIB)])
    const logged = server.logs.length
    const response = await new Promise<IncomingMessage>((resolve) =>
      httpRequest(url(id), { headers: { cookie: cookie() } }, resolve).end(),
    )
    response.pause()
    await sleep(100)
    expect(throttle.openBodies()).toBeGreaterThan(0)
    response.destroy()
    for (let turn = 0; turn < 100 && throttle.openBodies() > 0; turn += 1) await sleep(20)
    expect(throttle.openBodies()).toBe(0)
    expect(server.logs.slice(logged)).toEqual([])
  })

  it('that the client leaves while the provider is silent is given up too', async () => {
    const id = await make(randomBytes(MIB), [whole(0, MIB)])
    const asked = faultOf(0, { kind: 'silent' })
    const logged = server.logs.length
    const leaving = new AbortController()
    const response = fetch(url(id), { headers: { cookie: cookie() }, signal: leaving.signal })
    response.catch(() => undefined)
    for (let turn = 0; turn < 100 && asked.calls === 0; turn += 1) await sleep(10)
    leaving.abort()
    await expect(response).rejects.toThrow()
    await sleep(50)
    expect(asked.calls).toBe(1)
    expect(server.logs.slice(logged)).toEqual([])
  })

  it('in an archive: what cannot be read is left out and named, the rest is whole', async () => {
    const [good, bad] = [
      await make(Buffer.from('good'), [whole(1, 4)], 'good.txt'),
      await make(Buffer.from('bad'), [whole(0, 3)], 'bad.txt'),
    ]
    await server.pool.query("update accounts set status = 'EXPIRED' where id = $1", [at(0)])
    const ids = [bad, good].map((id) => publicId('File', id)).join(',')
    const zip = await bodyOf(
      await fetch(`${server.url}/api/v1/files/archive?ids=${ids}`, { headers: { cookie: cookie() } }),
    )
    const text = zip.toString('latin1')
    expect(text).toContain('good.txt')
    const reason = 'bad.txt: is missing here. This file cannot be read now: “Drive 1” needs to be connected again.'
    expect(zip.includes(Buffer.from(reason))).toBe(true)
    // Only the report names it; no entry looks like a file without content.
    expect(text.split('bad.txt').length - 1).toBe(1)
  })
})

describe('both doors', () => {
  it('list by account and state, show where the pieces are, and move between group clouds', async () => {
    const id = await make(randomBytes(100), [
      [
        { accountId: at(0), size: 60 },
        { accountId: at(1), size: 40, planned: true },
      ],
    ])
    const other = await make(randomBytes(10), [whole(2, 10)])
    await server.pool.query("update files set state = 'AT_RISK', state_reason = 'Why.' where id = $1", [id])
    const list = async (query: string) => {
      const response = await fetch(`${server.url}/api/v1/files?${query}`, { headers: { cookie: cookie() } })
      return (await response.json()).items.map((item: { id: string }) => item.id)
    }
    expect(await list('state=AT_RISK')).toEqual([publicId('File', id)])
    expect(await list('state=stored,at_risk')).toHaveLength(2)
    expect(await list(`accountId=${publicId('Account', at(2))}`)).toEqual([publicId('File', other)])

    const browser = createBrowser(server.url, ada.token)
    const graphql = async (query: string, variables: object) =>
      (await browser.request('POST', '/graphql', { query, variables })).body
    const { data } = await graphql(
      `query($account: ID) { viewer { files(view: ALL, accountId: $account, states: [AT_RISK, STORED]) { edges { node {
         state stateReason storedIn { name } copies { state pieces { state size account { name } } } } } } } }`,
      { account: publicId('Account', at(1)) },
    )
    expect(data.viewer.files.edges).toEqual([
      {
        node: {
          state: 'AT_RISK',
          stateReason: 'Why.',
          storedIn: expect.arrayContaining([{ name: 'Drive 1' }, { name: 'Drive 2' }]),
          copies: [
            {
              state: 'STORING',
              pieces: [
                { state: 'STORED', size: 60, account: { name: 'Drive 1' } },
                { state: 'PLANNED', size: 40, account: { name: 'Drive 2' } },
              ],
            },
          ],
        },
      },
    ])

    const target = await server.services.groupClouds.create(ada.viewer, { name: 'Archive' })
    const input = { ids: [publicId('File', other)], groupCloudId: publicId('GroupCloud', target.id) }
    const moved = await graphql(
      `mutation($input: MoveFilesToGroupCloudInput!) { moveFilesToGroupCloud(input: $input) {
         ... on MoveFilesToGroupCloudPayload { files { id groupCloud { name } } } } }`,
      { input },
    )
    const files = [{ id: publicId('File', other), groupCloud: { name: 'Archive' } }]
    expect(moved).toEqual({ data: { moveFilesToGroupCloud: { files } } })
  })
})
