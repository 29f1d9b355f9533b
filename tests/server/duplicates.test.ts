import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createContentHash } from '../../server/lib/contentHash.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { connect } from '../tools/demo/skypool.ts'

/** Equal files in the pool and in emulated accounts, as programs see them by REST. */
const google = createGoogle()
const dropbox = createDropbox()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let browser: Browser

const patient = { timeout: 120_000, interval: 100 }

beforeAll(async () => {
  emulators = await startEmulators({ services: [google, dropbox] })
  const providers = {
    GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
    GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
    GOOGLE_SCOPE: 'drive',
    DROPBOX_CLIENT_ID: DROPBOX_CLIENT.id,
    DROPBOX_CLIENT_SECRET: DROPBOX_CLIENT.secret,
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

const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body
const post = (path: string, body: unknown = {}) => browser.request('POST', `/api/v1${path}`, body)

type Listed = { id: string; certainty: string; match: string; fileCount: number; files: { id: string; home: string }[] }

async function person(service: 'google' | 'dropbox', email: string): Promise<string> {
  const { commands } = service === 'google' ? google : dropbox
  commands.addUser({ email, name: 'Holder', quotaBytes: 10 ** 9 })
  const json = async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never
  return connect({ json }, service, service, email)
}

it('content that was sent to one provider is found at another one, and Undo of the trash brings it back', async () => {
  const bytes = randomBytes(300_000)
  const base64 = bytes.toString('base64')
  const drive = await person('google', 'keeper@example.com')
  const box = await person('dropbox', 'box@example.com')
  const cloud = (await post('/group-clouds', { name: 'Pool', accountIds: [drive] })).body
  const form = new FormData()
  form.append('groupCloudId', cloud.id)
  form.append('file', new File([bytes], 'stored.bin'))
  const stored = (await post('/files', form)).body
  await vi.waitFor(async () => expect((await get(`/files/${stored.id}`)).state).toBe('STORED'), patient)

  await dropbox.commands.plant({ user: 'box@example.com', path: '/Camera/kept.bin', base64 })
  await google.commands.plant({ user: 'keeper@example.com', name: 'twin.bin', base64 })
  for (const _ of [1, 2]) {
    const mimeType = 'application/vnd.google-apps.document'
    await google.commands.plant({ user: 'keeper@example.com', name: 'Notes', mimeType })
    await google.commands.plant({ user: 'keeper@example.com', name: 'empty.txt', text: '' })
  }
  for (const id of [drive, box]) await browser.request('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' })
  const groups = (): Promise<Listed[]> => get('/duplicates').then(({ items }) => items)
  await vi.waitFor(async () => {
    expect((await groups()).map(({ certainty, fileCount }) => [certainty, fileCount])).toEqual([['CERTAIN', 3]])
  }, patient)
  const [group] = await groups()
  expect(group).toMatchObject({ size: 300_000, reclaimableBytes: 600_000, compareBytes: 0 })
  expect(group?.files.map(({ home }) => home).sort()).toEqual(['ACCOUNT', 'ACCOUNT', 'POOL'])

  const inPlace = group?.files.filter(({ home }) => home === 'ACCOUNT').map(({ id }) => id) ?? []
  expect((await post('/files/trash', { ids: inPlace })).status).toBe(200)
  expect(await groups()).toEqual([])
  expect((await post('/files/restore', { ids: inPlace })).status).toBe(200)
  await vi.waitFor(async () => expect((await groups())[0]?.fileCount).toBe(3), patient)
  expect((await groups())[0]?.files.map(({ id }) => id).sort()).toEqual(group?.files.map(({ id }) => id).sort())

  const summary = await get('/duplicates/summary?keep=oldest')
  expect(summary).toMatchObject({ certainGroups: 1, certainBytes: 600_000, likelyGroups: 0, isComplete: true })
  expect((await get(`/duplicates/summary?keep=account&keepIn=${box}`)).reclaimable).toHaveLength(2)
  expect((await get('/duplicates/summary?keep=account')).errors).toEqual([
    { path: 'keepIn', message: 'Please name the account of which one file stays.' },
  ])
  expect((await post('/duplicates/compare', { ids: [(await groups())[0]?.id] })).body.detail).toMatch(
    /are known to be equal/,
  )
})

/** More by DUPLICATES=all. */
const GROUPS = process.env.DUPLICATES === 'all' ? 300 : 30

it('all but one of each group in three accounts and the pool go to the trash, and Undo brings every one back', {
  timeout: 300_000 + GROUPS * 1_000,
}, async () => {
  const owner = createBrowser(server.url, (await createUser(server.services.users)).token)
  browser = owner
  const people = ['first@example.com', 'second@example.com'] as const
  const [drive, other] = [await person('google', people[0]), await person('google', people[1])]
  const box = await person('dropbox', 'third@example.com')
  const cloud = (await post('/group-clouds', { name: 'Pool', accountIds: [drive] })).body
  const stored: string[] = []
  for (let index = 0; index < GROUPS; index += 1) {
    const base64 = Buffer.from(`content of group ${index}`.padEnd(64)).toString('base64')
    // As long, and of the same name, but something else.
    const miss = Buffer.from(`another content ${index}`.padEnd(64)).toString('base64')
    const name = `Report ${index}.txt`
    for (const user of people) await google.commands.plant({ user, name, base64 })
    await google.commands.plant({ user: people[1], name, base64: miss })
    await dropbox.commands.plant({ user: 'third@example.com', path: `/Reports/${name}`, base64 })
    const form = new FormData()
    form.append('groupCloudId', cloud.id)
    form.append('file', new File([Buffer.from(base64, 'base64')], name))
    stored.push((await post('/files', form)).body.id)
  }
  await vi.waitFor(async () => {
    for (const id of stored) expect((await get(`/files/${id}`)).state).toBe('STORED')
  }, patient)
  for (const id of [drive, other, box])
    await browser.request('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' })

  const groups = async () => {
    const all: Listed[] = []
    for (let path: string | null = '/duplicates?certainty=certain&limit=100'; path !== null; ) {
      const { items, nextCursor } = await get(path)
      all.push(...items)
      path = nextCursor ? `/duplicates?certainty=certain&limit=100&cursor=${encodeURIComponent(nextCursor)}` : null
    }
    return all.map(({ files }) => files.map(({ id }) => id))
  }
  const inOrder = (listed: readonly (readonly string[])[]) => listed.map((ids) => [...ids].sort().join()).sort()
  const live = async () => {
    const drives = await Promise.all(people.map((user) => google.commands.objects({ user })))
    const boxes = await dropbox.commands.objects({ user: 'third@example.com' })
    const held = [...drives.flat().filter(({ trashed }) => !trashed), ...boxes].filter(({ isFolder }) => !isFolder)
    return held.map(({ id, path, sha256 }) => `${id} ${path} ${sha256}`).sort()
  }
  await vi.waitFor(async () => {
    expect((await groups()).map((ids) => ids.length)).toEqual(new Array(GROUPS).fill(4))
  }, patient)
  const [before, liveBefore] = [await groups(), await live()]
  const surplus = before.flatMap((ids) => ids.slice(1))
  // Nothing was chosen or changed by looking.
  for (const id of before.flat()) expect((await get(`/files/${id}`)).trashedAt).toBeNull()

  for (const [action, left] of [
    ['trash', GROUPS],
    ['restore', GROUPS * 4],
  ] as const) {
    for (let at = 0; at < surplus.length; at += 500) {
      const { status, body } = await post(`/files/${action}`, { ids: surplus.slice(at, at + 500) })
      expect(status).toBe(202)
      const ended = await vi.waitFor(
        async () => {
          const job = await get(`/jobs/${body.id}`)
          expect(job.endedAt).not.toBeNull()
          return job
        },
        { timeout: 120_000 + GROUPS * 1_000, interval: 200 },
      )
      expect(ended).toMatchObject({ state: 'DONE', failed: 0 })
    }
    const shown = []
    for (const id of before.flat()) if ((await get(`/files/${id}`)).trashedAt === null) shown.push(id)
    expect(shown).toHaveLength(left)
    if (action === 'trash') await vi.waitFor(async () => expect(await groups()).toEqual([]), patient)
  }
  await vi.waitFor(async () => expect(inOrder(await groups())).toEqual(inOrder(before)), patient)
  expect(await live()).toEqual(liveBefore)
})

it('likely duplicates are read, and only equal ones are certain afterwards', async () => {
  const user = 'reader@example.com'
  await person('google', user)
  const box = await person('dropbox', 'reader-box@example.com')
  const plant = async (name: string, one: string, other: string) => {
    await google.commands.plant({ user, name, text: one })
    await dropbox.commands.plant({
      user: 'reader-box@example.com',
      path: `/${name}`,
      base64: Buffer.from(other).toString('base64'),
    })
  }
  await plant('same.txt', 'the same words', 'the same words')
  await plant('other.txt', 'one kind of words', 'another of words.')
  const accounts = (await get('/accounts')).items as { id: string; scope: string }[]
  for (const { id, scope } of accounts) {
    if (scope === 'OWN') await browser.request('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' })
  }
  const likely = async (): Promise<Listed[]> => (await get(`/duplicates?certainty=likely&accountId=${box}`)).items
  await vi.waitFor(async () => expect(await likely()).toHaveLength(2), patient)
  const answer = await post('/duplicates/compare', { ids: (await likely()).map(({ id }) => id) })
  expect([answer.status, answer.body.items.length]).toEqual([202, 2])
  await vi.waitFor(async () => {
    const { items } = await get('/duplicates/comparisons')
    expect(items.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`).sort()).toEqual([
      'other.txt DIFFERENT',
      'same.txt EQUAL',
    ])
  }, patient)
  expect(await likely()).toEqual([])
  const { items } = await get(`/duplicates?certainty=certain&accountId=${box}`)
  expect(items.map(({ files }: Listed) => files.length)).toEqual([2])
})

it.each([
  ['Sg==', 'SgAAAAAAAAAAAAAAAQAAAAAAAAA='],
  ['tbQ=', 'taAFAAAAAAAAAAAAAgAAAAAAAAA='],
  ['0pZP', '0rDEEwAAAAAAAAAAAwAAAAAAAAA='],
])('the QuickXorHash of %s is %s', (content, digest) => {
  const hash = createContentHash('quickxor')
  hash.update(Buffer.from(content, 'base64'))
  expect(Buffer.from(hash.digest(), 'hex').toString('base64')).toBe(digest)
})

it('the QuickXorHash of many bytes is that of the definition, bit by bit, in parts of any length', () => {
  for (let round = 0; round < 20; round += 1) {
    const bytes = randomBytes(round * 97)
    const hash = createContentHash('quickxor')
    for (let at = 0; at < bytes.length; at += 1 + round * 13) hash.update(bytes.subarray(at, at + 1 + round * 13))
    expect(hash.digest()).toBe(quickXorByDefinition(bytes))
  }
})

function quickXorByDefinition(bytes: Buffer): string {
  const bits = new Array<number>(160).fill(0)
  for (const [index, byte] of bytes.entries()) {
    for (let bit = 0; bit < 8; bit += 1) {
      const at = (index * 11 + bit) % 160
      bits[at] = (bits[at] ?? 0) ^ ((byte >> bit) & 1)
    }
  }
  const digest = Buffer.alloc(20)
  for (const [index, bit] of bits.entries()) digest[index >> 3] = (digest[index >> 3] ?? 0) | (bit << (index % 8))
  const length = Buffer.alloc(20)
  length.writeBigUInt64LE(BigInt(bytes.length), 12)
  return Buffer.from(digest.map((byte, index) => byte ^ (length[index] ?? 0))).toString('hex')
}
