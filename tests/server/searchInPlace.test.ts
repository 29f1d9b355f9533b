import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { parsePublicId } from '../../server/lib/ids.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { connect } from '../tools/demo/skypool.ts'

/** Search inside files that stay in an emulated account: only where the user has turned it on. */
const google = createGoogle()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let browser: Browser

const USER = 'reader@example.com'
const patient = { timeout: 45_000, interval: 100 }

beforeAll(async () => {
  emulators = await startEmulators({ services: [google] })
  const providers = {
    GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
    GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
    GOOGLE_SCOPE: 'drive',
  }
  server = await startTestServer(
    { providers, providerEmulatorUrl: new URL(emulators.url) },
    { openProviders, feedEveryMs: 200 },
  )
  browser = createBrowser(server.url, (await createUser(server.services.users)).token)
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

const downloads = () => emulators.log().filter(({ operation }) => operation === 'drive.files.download').length

async function names(query: string): Promise<string[]> {
  const { status, body } = await browser.request('GET', `/api/v1/files/content-matches?q=${query}`)
  expect(status).toBe(200)
  return body.items.map(({ file }: { file: { name: string } }) => file.name).sort()
}

async function texts(): Promise<number> {
  const { rows } = await server.pool.query<{ count: number }>('select count(*)::int as count from content_texts')
  return rows[0]?.count ?? 0
}

const readNow = async () => {
  const { rows } = await server.pool.query<{ id: string }>('select id from users')
  for (const { id } of rows)
    await server.pool.query(`select graphile_worker.add_job('readTexts', json_build_object('userId', $1::text))`, [id])
}

it('is off by default, reads each document once when it is turned on, and follows the account', async () => {
  const { addUser, plant, alter } = google.commands
  addUser({ email: USER, name: 'Reader', quotaBytes: 10 ** 9 })
  const docx = readFileSync('tests/factories/documents/quay.docx')
  const note = (await plant({ user: USER, name: 'Note.txt', mimeType: 'text/plain', text: 'an albatross' })) as {
    id: string
  }
  const copy = (await plant({ user: USER, name: 'Copy.txt', mimeType: 'text/plain', text: 'an albatross' })) as {
    id: string
  }
  const mimeType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  await plant({ user: USER, name: 'Plan.docx', mimeType, base64: docx.toString('base64') })
  await plant({ user: USER, name: 'Film.mp4', mimeType: 'video/mp4', size: 9_000_000 })

  const json = async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never
  const account: string = await connect({ json }, 'google', 'Attic', USER)
  const address = `/api/v1/accounts/${account}`
  const root = (await browser.request('PATCH', address, { scope: 'EVERYTHING' })).body.rootFileId
  await vi.waitFor(async () => {
    const { body } = await browser.request('GET', `/api/v1/files?parentId=${root}`)
    expect(body.items).toHaveLength(4)
  }, patient)
  expect((await browser.request('GET', address)).body).toMatchObject({ searchContents: false })
  await readNow()
  expect([await names('albatross'), await texts(), downloads()]).toEqual([[], 0, 0])

  await browser.request('PATCH', address, { searchContents: true })
  await vi.waitFor(async () => expect(await names('mooring')).toEqual(['Plan.docx']), patient)
  await vi.waitFor(async () => expect(await names('albatross')).toEqual(['Copy.txt', 'Note.txt']), patient)
  // The same hash is the same text: two downloads for three documents.
  expect([await texts(), downloads()]).toEqual([2, 2])

  await alter({ user: USER, id: note.id, text: 'a fulmar' })
  await vi.waitFor(async () => expect(await names('albatross')).toEqual(['Copy.txt']), patient)
  await vi.waitFor(async () => {
    await readNow()
    expect(await names('fulmar')).toEqual(['Note.txt'])
  }, patient)

  await alter({ user: USER, id: copy.id, trashed: true })
  await vi.waitFor(async () => expect(await names('albatross')).toEqual([]), patient)

  await browser.request('PATCH', address, { searchContents: false })
  expect(await names('mooring')).toEqual([])
  await vi.waitFor(async () => expect(await texts()).toBe(0), patient)

  // Another user's account cannot be changed.
  const stranger = createBrowser(server.url, (await createUser(server.services.users)).token)
  expect((await stranger.request('PATCH', address, { searchContents: true })).status).toBe(404)
  expect(parsePublicId(account)?.type).toBe('Account')
})
