import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser, type TestUser } from '../factories/user.ts'
import { createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

const KB = 1024
const TOTAL = 100 * KB
/** Two servers do not ask for the last kilobyte at the same moment each time. */
const ROUNDS = 12

/** Two, which are asked in turn: in each of them, uploads that begin at once already take turns. */
let server: TestServer
let other: TestServer
let users: TestUser[]
beforeAll(async () => {
  server = await startTestServer({ totalQuotaBytes: TOTAL }, { shared: true })
  other = await startTestServer({ totalQuotaBytes: TOTAL }, { beside: server })
  users = await Promise.all(Array.from({ length: 4 }, () => createUser(server.services.users)))
})
afterAll(async () => {
  await other?.close()
  await server?.close()
})

let count = 0
const url = () => (count % 2 === 0 ? server : other).url
function upload(user: TestUser, bytes: number) {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(bytes).fill(120)], `file-${++count}.txt`))
  return createBrowser(url(), user.token).request('POST', '/api/v1/files', form)
}
function begin(user: TestUser, bytes: number) {
  const name = Buffer.from(`big-${++count}.txt`).toString('base64')
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(bytes), 'upload-metadata': `filename ${name}` }
  return createBrowser(url(), user.token).request('POST', '/api/v1/uploads', undefined, headers)
}
async function held(): Promise<number> {
  const { rows } = await server.pool.query(
    `select sum(used_bytes + reserved_bytes)::int as bytes from accounts where provider = 'local'`,
  )
  return rows[0].bytes
}

describe('what all users together may keep', () => {
  it('bounds uploads of several users at once to the byte, each refusal with its sizes', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => upload(users[index % users.length] as TestUser, 9 * KB)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(11)
    const refused = answers.filter(({ status }) => status !== 201)
    for (const { status, body } of refused) {
      expect([status, body.code]).toEqual([507, 'STORAGE_FULL'])
      expect(body.neededBytes).toBeGreaterThanOrEqual(9 * KB)
      expect(body.freeBytes).toBeLessThan(9 * KB)
    }
    expect(await held()).toBe(99 * KB)
  })

  it('bounds what resumable uploads reserve', async () => {
    const [ada] = users as [TestUser]
    expect((await begin(ada, 2 * KB)).body).toMatchObject({ status: 507, neededBytes: 2 * KB, freeBytes: KB })
    const tus = { 'tus-resumable': '1.0.0' }
    for (let round = 1; ; round += 1) {
      const answers = await Promise.all(users.map((user) => begin(user, KB)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 507, 507, 507])
      expect(await held()).toBe(TOTAL)
      const index = answers.findIndex(({ status }) => status === 201)
      const owner = createBrowser(server.url, users[index]?.token)
      const path = answers[index]?.headers.get('location') ?? ''
      if (round < ROUNDS) await owner.request('DELETE', path, undefined, tus)
      else {
        const headers = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
        const done = await owner.request('PATCH', path, Buffer.alloc(KB, 120), headers)
        expect(done.status, 'what was reserved fits').toBe(204)
        return
      }
    }
  })

  it('gives room back to everybody when something is deleted for good', async () => {
    const [ada] = users as [TestUser]
    const browsers = users.map(({ token }) => createBrowser(server.url, token))
    const lists = await Promise.all(browsers.map((browser) => browser.request('GET', '/api/v1/files?view=all')))
    const index = lists.findIndex(({ body }) => body.items.length > 0)
    const [file] = lists[index]?.body.items ?? []
    expect((await upload(ada, 9 * KB)).status).toBe(507)
    await browsers[index]?.request('DELETE', `/api/v1/files/${file.id}?permanent=true`)
    await expect.poll(held).toBeLessThan(TOTAL)
    expect((await upload(ada, file.size)).status).toBe(201)
  })

  it('is shown to the administrator', async () => {
    const administrator = users.find(({ user }) => user.role === 'ADMINISTRATOR') as TestUser
    const seen = await createBrowser(server.url, administrator.token).request('GET', '/api/v1/administration')
    expect(seen.body).toEqual({ registration: 'OPEN', users: 4, usedBytes: TOTAL, totalBytes: TOTAL })
  })
})
