import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser, type TestUser } from '../factories/user.ts'
import { createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

const KB = 1024
const TOTAL = 100 * KB

let server: TestServer
let users: TestUser[]
beforeAll(async () => {
  server = await startTestServer({ totalQuotaBytes: TOTAL })
  users = await Promise.all(Array.from({ length: 4 }, () => createUser(server.services.users)))
})
afterAll(() => server.close())

let count = 0
function upload(user: TestUser, bytes: number) {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(bytes).fill(120)], `file-${++count}.txt`))
  return createBrowser(server.url, user.token).request('POST', '/api/v1/files', form)
}
function begin(user: TestUser, bytes: number) {
  const name = Buffer.from(`big-${++count}.txt`).toString('base64')
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(bytes), 'upload-metadata': `filename ${name}` }
  return createBrowser(server.url, user.token).request('POST', '/api/v1/uploads', undefined, headers)
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
    const answers = await Promise.all(users.map((user) => begin(user, KB)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 507, 507, 507])
    expect(await held()).toBe(TOTAL)
    const made = answers.find(({ status }) => status === 201)
    const owner = users[answers.findIndex(({ status }) => status === 201)] as TestUser
    const headers = {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    }
    const path = made?.headers.get('location') ?? ''
    const done = await createBrowser(server.url, owner.token).request('PATCH', path, Buffer.alloc(KB, 120), headers)
    expect(done.status, 'what was reserved fits').toBe(204)
  })

  it('gives room back to everybody when something is deleted for good', async () => {
    const [ada, , cleo] = users as [TestUser, TestUser, TestUser]
    const { items } = (await createBrowser(server.url, cleo.token).request('GET', '/api/v1/files?view=all')).body
    expect((await upload(ada, 9 * KB)).status).toBe(507)
    await createBrowser(server.url, cleo.token).request('DELETE', `/api/v1/files/${items[0].id}?permanent=true`)
    await expect.poll(held).toBeLessThan(TOTAL)
    expect((await upload(ada, items[0].size)).status).toBe(201)
  })

  it('is shown to the administrator', async () => {
    const administrator = users.find(({ user }) => user.role === 'ADMINISTRATOR') as TestUser
    const seen = await createBrowser(server.url, administrator.token).request('GET', '/api/v1/administration')
    expect(seen.body).toEqual({ registration: 'OPEN', users: 4, usedBytes: TOTAL, totalBytes: TOTAL })
  })
})
