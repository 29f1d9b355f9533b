import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { connect } from '../tools/demo/skypool.ts'

/** Everything in emulated accounts of Google and Dropbox, as programs see it by REST. */
const google = createGoogle()
const dropbox = createDropbox()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let browser: Browser
let account: string
let people = 0

const patient = { timeout: 120_000, interval: 100 }
const FOLDER = 'application/vnd.google-apps.folder'
const DOCUMENT = 'application/vnd.google-apps.document'

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
})
beforeEach(async () => {
  browser = createBrowser(server.url, (await createUser(server.services.users)).token)
  emulators.clearFaults()
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body
const patch = (path: string, body: object) => browser.request('PATCH', `/api/v1${path}`, body)
const post = (path: string, body: unknown = {}) => browser.request('POST', `/api/v1${path}`, body)

/** Connects a new person of the service. @returns their address */
async function person(service: 'google' | 'dropbox'): Promise<string> {
  people += 1
  const email = `holder-${people}@example.com`
  const { commands } = service === 'google' ? google : dropbox
  commands.addUser({ email, name: 'Holder', quotaBytes: 10 ** 9 })
  const json = async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never
  account = await connect({ json }, service, 'Attic', email)
  return email
}

async function showEverything(): Promise<string> {
  const { status, body } = await patch(`/accounts/${account}`, { scope: 'EVERYTHING' })
  expect([status, body.scope]).toEqual([200, 'EVERYTHING'])
  return body.rootFileId
}

/** Until the folder has these entries. @returns them by their names */
async function listed(parentId: string, names: readonly string[]) {
  return vi.waitFor(async () => {
    const { items } = await get(`/files?parentId=${parentId}`)
    expect(items.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort())
    return new Map<string, { readonly id: string }>(items.map((item: { name: string }) => [item.name, item]))
  }, patient)
}

describe.each(['google', 'dropbox'] as const)('%s', (service) => {
  it('is listed with its folders, found, read, and followed', async () => {
    const user = await person(service)
    const bytes = randomBytes(300_000)
    const base64 = bytes.toString('base64')
    let id = ''
    if (service === 'google') {
      const parent = (await google.commands.plant({ user, name: 'Travel', mimeType: FOLDER })).id
      id = (await google.commands.plant({ user, name: 'ticket.bin', base64, ...(parent && { parent }) })).id ?? ''
    } else {
      await dropbox.commands.plant({ user, path: '/Travel/ticket.bin', base64 })
    }
    const root = await showEverything()
    const top = await listed(root, ['Travel'])
    const travel = top.get('Travel')
    expect(travel).toMatchObject({ kind: 'FOLDER', home: 'ACCOUNT', accountId: account, rights: { read: true } })
    const ticket = (await listed(travel?.id ?? '', ['ticket.bin'])).get('ticket.bin')
    expect(ticket).toMatchObject({ size: 300_000, home: 'ACCOUNT', groupCloudId: null, sha256: null, nativeKind: null })
    expect((await get('/files?q=ticket')).items).toHaveLength(1)
    expect((await get(`/files?q=ticket&accountId=${account}`)).items).toHaveLength(1)
    expect((await get('/files/by-path?path=Attic/Travel/ticket.bin')).id).toBe(ticket?.id)

    // What Skypool stores there is neither shown a second time nor kept waiting.
    const cloud = (await post('/group-clouds', { name: 'Pool', accountIds: [account] })).body
    const stored = (await post('/files', formOf({ groupCloudId: cloud.id }))).body
    await vi.waitFor(async () => expect((await get(`/files/${stored.id}`)).state).toBe('STORED'), patient)
    const storedAt = new Date()
    await vi.waitFor(async () => {
      const { rows } = await server.pool.query(
        `select (select count(*)::int from unplaced_entries) as waiting, (select as_of > $1 from account_indexes i
           join accounts a on a.id = i.account_id where 'acct_' || replace(a.id::text, '-', '') = $2) as read`,
        [storedAt, account],
      )
      expect(rows).toEqual([{ waiting: 0, read: true }])
    }, patient)
    await listed(root, ['Travel'])

    const path = `${server.url}/api/v1/files/${ticket?.id}/download`
    const headers = { cookie: `sid=${browser.token}` }
    const whole = await fetch(path, { headers })
    expect(hashOf(Buffer.from(await whole.arrayBuffer()))).toBe(hashOf(bytes))
    const part = await fetch(path, { headers: { ...headers, range: 'bytes=1000-1999' } })
    expect([part.status, hashOf(Buffer.from(await part.arrayBuffer()))]).toEqual([
      206,
      hashOf(bytes.subarray(1000, 2000)),
    ])

    const other = randomBytes(200_000)
    const changed = { user, base64: other.toString('base64') }
    if (service === 'google') await google.commands.alter({ ...changed, id })
    else await dropbox.commands.plant({ ...changed, path: '/Travel/ticket.bin' })
    const again = await fetch(path, { headers })
    expect(hashOf(Buffer.from(await again.arrayBuffer()))).toBe(hashOf(other))
    expect(again.headers.get('etag')).not.toBe(whole.headers.get('etag'))
    await vi.waitFor(async () => expect((await get(`/files/${ticket?.id}`)).size).toBe(200_000), patient)
  })
})

it('says what fills the account, and what counts in the trash of Google', async () => {
  const user = await person('google')
  await google.commands.plant({ user, name: 'kept.bin', base64: randomBytes(3_000).toString('base64') })
  const { id = '' } = await google.commands.plant({
    user,
    name: 'old.bin',
    base64: randomBytes(500).toString('base64'),
  })
  await google.commands.alter({ user, id, trashed: true })
  await listed(await showEverything(), ['kept.bin'])
  await server.pool.query('update accounts set quota_checked_at = null')
  expect((await post('/quotas/by-ids-and-types', [{ id: account, type: 'google' }])).status).toBe(200)
  const { content, parts } = await get(`/room?accountId=${account}`)
  expect(content).toMatchObject({ bytes: 3_000, files: 1, children: [{ name: 'kept.bin', bytes: 3_000 }] })
  expect(parts).toEqual({
    usedBytes: 3_500,
    inPlaceBytes: 3_000,
    pooledBytes: 0,
    pooledTrashBytes: 0,
    trashBytes: 500,
    otherBytes: 0,
  })
})

const outside = {
  google: {
    plantFolder: async (user: string, name: string) =>
      (await google.commands.plant({ user, name, mimeType: FOLDER })).id ?? '',
    plant: async (user: string, folder: string, name: string) =>
      (await google.commands.plant({ user, name, text: name, ...(folder && { parent: folder }) })).id ?? '',
    /** Paths of what is not in the trash. */
    paths: async (user: string) =>
      (await google.commands.objects({ user })).filter(({ trashed }) => !trashed).map(({ path }) => path),
  },
  dropbox: {
    plantFolder: async (user: string, name: string) => {
      await dropbox.commands.plant({ user, path: `/${name}`, folder: true })
      return name
    },
    plant: async (user: string, folder: string, name: string) =>
      (await dropbox.commands.plant({ user, path: `${folder && `/${folder}`}/${name}`, text: name })).id ?? '',
    paths: async (user: string) => (await dropbox.commands.objects({ user })).map(({ path }) => path),
  },
} as const

describe.each(['google', 'dropbox'] as const)('changes in place: %s', (service) => {
  let user = ''
  let root = ''
  const { plantFolder, plant, paths } = outside[service]
  /** Without Skypool's own folder. */
  const there = async () => (await paths(user)).filter((path) => !path.startsWith('/Skypool')).sort()
  const remove = (id: string, query = '') => browser.request('DELETE', `/api/v1/files/${id}${query}`)

  beforeEach(async () => {
    user = await person(service)
    const papers = await plantFolder(user, 'Papers')
    await plantFolder(user, 'Old')
    await plant(user, '', 'note.txt')
    await plant(user, papers, 'deed.txt')
    root = await showEverything()
    await listed(root, ['Papers', 'Old', 'note.txt'])
  })

  async function entries() {
    const top = await listed(root, ['Papers', 'Old', 'note.txt'])
    const idOf = (name: string) => top.get(name)?.id ?? ''
    return { papers: idOf('Papers'), old: idOf('Old'), note: idOf('note.txt') }
  }

  /** Folders count what they show. */
  async function expectCounts(): Promise<void> {
    const { rows } = await server.pool.query(
      `select p.name, p.child_count as count from files p where p.kind = 'FOLDER' and p.purged_at is null and p.child_count <>
         (select count(*) from files c where c.parent_id = p.id and c.trashed_at is null and c.purged_at is null)`,
    )
    expect(rows).toEqual([])
  }

  it('renames, moves and makes folders at the provider, and shows it at once', async () => {
    const { papers, old, note } = await entries()
    const renamed = await patch(`/files/${note}`, { name: 'letter.txt' })
    expect([renamed.status, renamed.body.name, renamed.body.home]).toEqual([200, 'letter.txt', 'ACCOUNT'])
    const made = await post('/files/folders', { name: 'New', parentId: papers })
    expect([made.status, made.body.name, made.body.home]).toEqual([201, 'New', 'ACCOUNT'])
    const moved = await patch(`/files/${note}`, { parentId: made.body.id })
    expect([moved.status, moved.body.parentId]).toEqual([200, made.body.id])
    const folder = await patch(`/files/${papers}`, { parentId: old })
    expect([folder.status, folder.body.parentId]).toEqual([200, old])
    const all = ['/Old', '/Old/Papers', '/Old/Papers/New', '/Old/Papers/New/letter.txt', '/Old/Papers/deed.txt']
    expect(await there()).toEqual(all)
    const byPath = await get('/files/by-path?path=Attic/Old/Papers/New/letter.txt')
    expect(byPath.id).toBe(note)
    const cycle = await patch(`/files/${old}`, { parentId: made.body.id })
    expect([cycle.status, cycle.body.code]).toEqual([409, 'FOLDER_CYCLE'])
    const twice = await post('/files/folders', { name: 'new', parentId: papers })
    expect([twice.status, twice.body.code]).toEqual([409, 'NAME_TAKEN'])
    await expectCounts()
  })

  it('moves to the trash, restores with everything, and deletes permanently', async () => {
    const { papers, note } = await entries()
    await patch(`/files/${papers}`, { starred: true })
    const trashed = await post('/files/trash', { ids: [papers, note] })
    expect(trashed.body.items.map(({ status }: { status: number }) => status)).toEqual([200, 200])
    expect(await there()).toEqual(['/Old'])
    await listed(root, ['Old'])
    const inTrash = (await get('/files?view=trash')).items
    expect(inTrash.map(({ name }: { name: string }) => name).sort()).toEqual(['Papers', 'note.txt'])
    // The provider reports the same a moment later, which changes nothing.
    await post(`/accounts/${account}/index/refresh`)
    await vi.waitFor(async () => {
      const [{ index }] = (await get(`/accounts?provider=${service.replace('google', 'google-drive')}`)).items
      expect([index.phase, index.entries]).toEqual(['LIVE', 1])
    }, patient)

    const back = await patch(`/files/${papers}`, { trashed: false })
    expect([back.status, back.body.starred, back.body.trashedAt]).toEqual([200, true, null])
    expect(await there()).toEqual(['/Old', '/Papers', '/Papers/deed.txt'])
    await listed(root, ['Old', 'Papers'])
    await listed(papers, ['deed.txt'])
    await expectCounts()

    expect((await remove(note)).status).toBe(204)
    expect((await get('/files?view=trash')).items).toEqual([])
    expect((await remove(papers, '?permanent=true')).status).toBe(204)
    expect(await there()).toEqual(['/Old'])
    expect((await paths(user)).filter((path) => path.includes('note'))).toEqual([])
    expect((await get(`/files/${papers}`)).code).toBe('NOT_FOUND')
  })

  it('empties the trash at the provider', async () => {
    const { papers, note } = await entries()
    await post('/files/trash', { ids: [papers, note] })
    expect((await post('/files/trash/empty')).body).toEqual({ deletedCount: 2 })
    expect((await get('/files?view=trash')).items).toEqual([])
    expect(await there()).toEqual(['/Old'])
  })

  it('asks what became of a change whose response was lost', async () => {
    const { note } = await entries()
    const operation = service === 'google' ? 'drive.files.update' : 'files/move_v2'
    emulators.plan({ kind: 'lostReply', operation })
    const answer = await patch(`/files/${note}`, { name: 'other.txt' })
    expect([answer.status, answer.body.name]).toEqual([200, 'other.txt'])
    expect(await there()).toContain('/other.txt')
  })

  it('refuses a group cloud before anything is changed', async () => {
    const { note, papers } = await entries()
    const [pool] = (await get('/group-clouds')).items
    const answer = await patch(`/files/${note}`, { name: 'other.txt', parentId: papers, groupCloudId: pool.id })
    expect([answer.status, answer.body.code]).toEqual([409, 'CONFLICT'])
    expect(answer.body.detail).toContain('“note.txt” is in a connected account')
    expect(await there()).toContain('/note.txt')
    expect((await get(`/files/${note}`)).name).toBe('note.txt')
  })

  it('says when the provider cannot be reached, and nothing has changed', async () => {
    const { note } = await entries()
    const operation = service === 'google' ? 'drive.files.update' : 'files/move_v2'
    emulators.plan({ kind: 'serverError', operation, count: 0 })
    const answer = await patch(`/files/${note}`, { name: 'other.txt' })
    emulators.clearFaults()
    expect([answer.status, answer.body.code]).toEqual([502, 'PROVIDER_FAILED'])
    expect(answer.body.detail).toContain('“note.txt” was not changed')
    expect((await get(`/files/${note}`)).name).toBe('note.txt')
  })
})

describe('what an account holds', () => {
  let root = ''
  let note: { id: string }
  let folder: { id: string }
  let user = ''

  beforeEach(async () => {
    user = await person('google')
    const parent = (await google.commands.plant({ user, name: 'Papers', mimeType: FOLDER })).id ?? ''
    await google.commands.plant({ user, name: 'note.txt', text: 'the north wall', mimeType: 'text/plain' })
    await google.commands.plant({ user, name: 'deed.txt', text: 'the deed', mimeType: 'text/plain', parent })
    await google.commands.plant({ user, name: 'Diary', mimeType: DOCUMENT })
    root = await showEverything()
    const entries = await listed(root, ['Papers', 'note.txt', 'Diary'])
    note = entries.get('note.txt') ?? { id: '' }
    folder = entries.get('Papers') ?? { id: '' }
  })

  it('does not leave its account, nor does anything enter it, and a refusal says so', async () => {
    const own = (await post('/files/folders', { name: 'Own' })).body
    const cloud = (await get('/group-clouds')).items[0]?.id ?? (await post('/group-clouds', { name: 'Pool' })).body.id
    const refused = [
      await patch(`/files/${note.id}`, { parentId: own.id }),
      await patch(`/files/${note.id}`, { groupCloudId: cloud }),
      await patch(`/files/${own.id}`, { parentId: folder.id }),
      await patch(`/files/${root}`, { name: 'Other' }),
      await patch(`/files/${root}`, { trashed: true }),
      await browser.request('DELETE', `/api/v1/files/${root}?permanent=true`),
    ]
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [409, 'CONFLICT']))
    expect(refused[0]?.body.detail).toContain('can be copied to other places')
    await listed(root, ['Papers', 'note.txt', 'Diary'])
    const objects = (await google.commands.objects({ user })) as unknown as { name: string }[]
    expect(objects.map(({ name }) => name).sort()).toEqual(['Diary', 'Papers', 'deed.txt', 'note.txt'])
  })

  it('can be starred, shared, copied and downloaded as a ZIP', async () => {
    expect((await patch(`/files/${note.id}`, { starred: true })).body.starred).toBe(true)
    const shared = await post('/shares', { fileId: note.id })
    expect(shared.status).toBe(201)
    const visited = await createBrowser(server.url).request('GET', `/api/v1/shares/${shared.body.id}/download`)
    expect([visited.status, visited.body]).toEqual([200, 'the north wall'])

    const copied = await post('/files/copy', { ids: [folder.id], parentId: null })
    expect([copied.status, copied.body]).toEqual([202, expect.objectContaining({ kind: 'COPY', name: 'Papers' })])
    await vi.waitFor(
      async () => expect(await get(`/jobs/${copied.body.id}`)).toMatchObject({ state: 'DONE', done: 2 }),
      patient,
    )
    const { items } = await get('/files?view=drive')
    const copy = items.find((item: { name: string; home: string }) => item.home === 'POOL' && item.name === 'Papers')
    expect(copy).toMatchObject({ name: 'Papers', home: 'POOL' })
    const [deed] = (await get(`/files?parentId=${copy.id}`)).items
    expect(deed).toMatchObject({
      name: 'deed.txt',
      home: 'POOL',
      sha256: createHash('sha256').update('the deed').digest('hex'),
    })

    const zip = await browser.request('GET', `/api/v1/files/${folder.id}/download`)
    expect([zip.status, zip.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect(zip.body).toContain('the deed')
  })

  it('says why a document of the provider cannot be downloaded', async () => {
    const diary = (await listed(root, ['Papers', 'note.txt', 'Diary'])).get('Diary')
    expect(diary).toMatchObject({ nativeKind: 'DOCUMENT', size: null, category: 'DOCUMENT' })
    const answer = await browser.request('GET', `/api/v1/files/${diary?.id}/download`)
    expect([answer.status, answer.body.code]).toEqual([503, 'CONTENT_UNAVAILABLE'])
    expect(answer.body.detail).toContain('is a document of its provider')
  })

  it('goes with its account, and has its name', async () => {
    await patch(`/accounts/${account}`, { name: 'Cellar' })
    expect((await get(`/files/${root}`)).name).toBe('Cellar')
    expect((await browser.request('DELETE', `/api/v1/google-accounts/${account}`)).status).toBe(204)
    expect((await get('/files?view=drive')).items).toEqual([])
    await vi.waitFor(async () => {
      const { rows } = await server.pool.query(
        'select from files f join accounts a on a.id = f.account_id where a.name = $1',
        ['Cellar'],
      )
      expect(rows).toEqual([])
    }, patient)
  })

  it('is only for its owner', async () => {
    const stranger = createBrowser(server.url, (await createUser(server.services.users)).token)
    expect((await stranger.request('GET', `/api/v1/files/${note.id}`)).status).toBe(404)
    expect((await stranger.request('GET', `/api/v1/files/${note.id}/download`)).status).toBe(404)
    expect((await stranger.request('PATCH', `/api/v1/accounts/${account}`, { scope: 'OWN' })).status).toBe(404)
  })
})

it('refuses everything for the storage of this server', async () => {
  const [local] = (await get('/accounts?provider=local')).items
  const answer = await patch(`/accounts/${local.id}`, { scope: 'EVERYTHING' })
  expect([answer.status, answer.body.errors?.[0].path]).toEqual([400, 'scope'])
})

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new File(['hello'], 'hello.txt'))
  return form
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
