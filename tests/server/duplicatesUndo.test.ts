import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { connect } from '../tools/demo/skypool.ts'

/**
 * All copies but one of many groups, in three accounts and the pool: in one job, that Undo reverses, over restarts of the server.
 * DUPLICATES: as many groups, or `all` for as many as a large user has.
 */
const GROUPS = process.env.DUPLICATES === 'all' ? 10_000 : Number(process.env.DUPLICATES ?? 500)
/** Of those, the ones with a file in the pool. */
const STORED = Math.floor(GROUPS / 20)

const google = createGoogle()
const dropbox = createDropbox()
const PEOPLE = ['first@example.com', 'second@example.com'] as const
const BOX = 'third@example.com'
let emulators: Awaited<ReturnType<typeof startEmulators>>
let database: TestDatabase
const dataDir = mkdtempSync(join(tmpdir(), 'skypool-data-'))
let server: TestServer
let browser: Browser
let token: string

const patient = { timeout: 120_000 + GROUPS * 200, interval: 200 }

beforeAll(async () => {
  emulators = await startEmulators({ services: [google, dropbox] })
  database = await createTestDatabase()
  await start()
  token = (await createUser(server.services.users)).token
  browser = createBrowser(server.url, token)
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
  await database?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(): Promise<void> {
  const providers = {
    GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
    GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
    GOOGLE_SCOPE: 'drive',
    DROPBOX_CLIENT_ID: DROPBOX_CLIENT.id,
    DROPBOX_CLIENT_SECRET: DROPBOX_CLIENT.secret,
  }
  server = await startTestServer(
    { providers, providerEmulatorUrl: new URL(emulators.url) },
    { openProviders, feedEveryMs: 200, beside: { database, dataDir } },
  )
}

/** So that a job is seen, and can be stopped, before its end. */
function slowDown(): void {
  emulators.plan({ kind: 'delay', service: 'google', operation: 'drive.files.update', count: 0, ms: 200 })
}

async function restart(): Promise<void> {
  emulators.clearFaults()
  await server.close()
  await start()
  browser = createBrowser(server.url, token)
}

const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body
const post = (path: string, body: unknown = {}) => browser.request('POST', `/api/v1${path}`, body)

async function person(service: 'google' | 'dropbox', email: string): Promise<string> {
  const { commands } = service === 'google' ? google : dropbox
  commands.addUser({ email, name: 'Holder', quotaBytes: 10 ** 9 })
  const json = async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never
  return connect({ json }, service, service, email)
}

/** Waits for the end of a job. `halfway`: called once, when some but not all items are done. */
async function ended(id: string, halfway?: () => Promise<void>) {
  let called = halfway === undefined
  return vi.waitFor(
    async () => {
      const job = await get(`/jobs/${id}`)
      if (!called && job.done > 0 && job.endedAt === null) {
        called = true
        await halfway?.()
      }
      expect(job.endedAt).not.toBeNull()
      return { ...job, interrupted: called }
    },
    { ...patient, interval: 20 },
  )
}

/** What lies in the accounts and in the pool, outside of every trash. */
async function live(): Promise<string[]> {
  const drives = await Promise.all(PEOPLE.map((user) => google.commands.objects({ user })))
  const boxes = await dropbox.commands.objects({ user: BOX })
  const held = [...drives.flat().filter(({ trashed }) => !trashed), ...boxes].filter(({ isFolder }) => !isFolder)
  const { rows } = await server.pool.query<{ id: string; name: string }>(
    `select id, name from files where kind = 'FILE' and trash_root_id is null and purged_at is null`,
  )
  return [...held.map(({ id, path }) => `${id} ${path}`), ...rows.map(({ id, name }) => `${id} ${name}`)].sort()
}

/** A poll that was in progress while an entry was restored can show it a poll later. */
async function isBack(before: readonly string[]): Promise<void> {
  await vi.waitFor(async () => expect(await live()).toEqual(before), patient)
}

it('go to the trash in one job, and Undo brings every one back', { timeout: 300_000 + GROUPS * 500 }, async () => {
  const [drive, other] = [await person('google', PEOPLE[0]), await person('google', PEOPLE[1])]
  const box = await person('dropbox', BOX)
  const cloud = (await post('/group-clouds', { name: 'Pool', accountIds: [drive] })).body
  const stored: string[] = []
  for (let index = 0; index < GROUPS; index += 1) {
    const base64 = Buffer.from(`content of group ${index}`.padEnd(64)).toString('base64')
    const miss = Buffer.from(`another content ${index}`.padEnd(64)).toString('base64')
    const name = `Report ${index}.txt`
    await google.commands.plant({ user: PEOPLE[0], name, base64 })
    // Every third group has its second file at Dropbox.
    if (index < STORED || index % 3 > 0) await google.commands.plant({ user: PEOPLE[1], name, base64 })
    else await google.commands.plant({ user: PEOPLE[0], name: `Copy of ${name}`, base64 })
    if (index % 10 === 0) await google.commands.plant({ user: PEOPLE[1], name, base64: miss })
    if (index >= STORED) continue
    await dropbox.commands.plant({ user: BOX, path: `/Reports/${name}`, base64 })
    const form = new FormData()
    form.append('groupCloudId', cloud.id)
    form.append('file', new File([Buffer.from(base64, 'base64')], name))
    stored.push((await post('/files', form)).body.id)
  }
  await vi.waitFor(async () => {
    for (const id of stored) expect((await get(`/files/${id}`)).state).toBe('STORED')
  }, patient)
  for (const id of [drive, other, box]) {
    await browser.request('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' })
  }
  const summary = () => get('/duplicates/summary?keep=oldest')
  const surplus = GROUPS + STORED * 2
  await vi.waitFor(async () => {
    const { certainGroups, reclaimable } = await summary()
    const files = reclaimable.reduce((sum: number, one: { files: number }) => sum + one.files, 0)
    expect([certainGroups, files]).toEqual([GROUPS, surplus])
  }, patient)
  const before = await live()
  const groupsBefore = await groups()

  const started = performance.now()
  slowDown()
  const trashing = await post('/duplicates/trash', { keep: 'oldest' })
  expect(trashing.status).toBe(202)
  const trashed = await ended(trashing.body.id, restart)
  expect(trashed).toMatchObject({
    kind: 'TRASH',
    state: 'DONE',
    total: surplus,
    done: surplus,
    failed: 0,
    interrupted: true,
  })
  tell(`${surplus} files to the trash`, started)
  // A row for each file; those in accounts have gone there too.
  const { rows } = await server.pool.query<{ inPlace: number }>(
    `select count(account_id)::int as "inPlace" from files where trash_root_id = id`,
  )
  expect(await live()).toHaveLength(before.length - surplus - (rows[0]?.inPlace ?? 0))
  await vi.waitFor(async () => expect(await groups()).toEqual([]), patient)
  expect((await post('/duplicates/trash', { keep: 'oldest' })).status).toBe(409)

  const undoing = performance.now()
  slowDown()
  const undo = await post(`/jobs/${trashing.body.id}/undo`)
  expect(undo.status).toBe(200)
  const restored = await ended(undo.body.id, restart)
  expect(restored).toMatchObject({ kind: 'RESTORE', state: 'DONE', total: surplus, failed: 0, interrupted: true })
  tell(`${surplus} files back`, undoing)
  await isBack(before)
  await vi.waitFor(async () => expect(await groups()).toEqual(groupsBefore), patient)

  // Undone before it has ended.
  slowDown()
  const again = await post('/duplicates/trash', { keep: 'newest' })
  await vi.waitFor(async () => expect((await get(`/jobs/${again.body.id}`)).done).toBeGreaterThan(0), {
    ...patient,
    interval: 20,
  })
  const back = await post(`/jobs/${again.body.id}/undo`)
  expect(back.status).toBe(200)
  expect((await get(`/jobs/${again.body.id}`)).state).toBe('CANCELLED')
  emulators.clearFaults()
  expect(await ended(back.body.id)).toMatchObject({ state: 'DONE', failed: 0 })
  await isBack(before)
})

function tell(what: string, started: number): void {
  if (process.env.DUPLICATES) console.log(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

/** The files of all certain groups. */
async function groups(): Promise<string[]> {
  await get('/duplicates?limit=1')
  const { rows } = await server.pool.query<{ ids: string }>(
    `select (select string_agg(file_id::text, ' ' order by file_id) from duplicate_files d where d.group_id = g.id) as ids
     from duplicate_groups g where g.certain order by ids`,
  )
  return rows.map(({ ids }) => ids)
}
