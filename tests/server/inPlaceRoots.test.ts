import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { publicId } from '../../server/lib/ids.ts'
import type { Driver } from '../../server/providers/driver.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { connect } from '../tools/demo/skypool.ts'

/** What a Google account has beside its own files: what others share with it, and shared drives. */
const google = createGoogle()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let browser: Browser
let account = ''
let user = ''
let other = ''
let drive = ''
let sharedFolder = ''
let people = 0
/** What the account answers instead at this moment; the rest as it is. */
let answers: ((driver: Driver) => Partial<Driver>) | null = null

const patient = { timeout: 120_000, interval: 100 }
const FOLDER = 'application/vnd.google-apps.folder'

const open: typeof openProviders = (deps) => {
  const real = openProviders(deps)
  const withAnswers = (driver: Driver, id: string): Driver =>
    new Proxy(driver, {
      get: (object, key) =>
        (publicId('Account', id) === account && answers?.(driver)[key as keyof Driver]) ||
        Reflect.get(object, key, object),
    })
  return { ...real, open: (one) => withAnswers(real.open(one), one.id) }
}

beforeAll(async () => {
  emulators = await startEmulators({ services: [google] })
  const providers = {
    GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
    GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
    GOOGLE_SCOPE: 'drive',
  }
  server = await startTestServer(
    { providers, providerEmulatorUrl: new URL(emulators.url) },
    { openProviders: open, feedEveryMs: 200 },
  )
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body
const patch = (path: string, body: object) => browser.request('PATCH', `/api/v1${path}`, body)
const post = (path: string, body: unknown = {}) => browser.request('POST', `/api/v1${path}`, body)
const plant = async (name: string, parent: string | undefined, owner = user) =>
  (
    await google.commands.plant({
      user: owner,
      name,
      ...(name.includes('.') ? { text: name } : { mimeType: FOLDER }),
      ...(parent && { parent }),
    })
  ).id ?? ''

/** An account with a file of its own, a folder and a file that someone shares, and a drive with a folder in a folder. */
beforeEach(async () => {
  emulators.clearFaults()
  answers = null
  browser = createBrowser(server.url, (await createUser(server.services.users)).token)
  people += 1
  user = `member-${people}@example.com`
  other = `colleague-${people}@example.com`
  for (const email of [user, other]) google.commands.addUser({ email, quotaBytes: 10 ** 9 })
  drive = google.commands.addDrive({ name: 'Team', members: { [user]: 'writer', [other]: 'owner' } }).id
  await plant('own.txt', undefined)
  const plans = await plant('Plans', drive)
  await plant('deep.txt', await plant('Inner', plans))
  sharedFolder = await plant('Trip', undefined, other)
  await plant('photo.txt', sharedFolder, other)
  google.commands.share({ user: other, id: sharedFolder, with: user, role: 'reader' })
  google.commands.share({ user: other, id: await plant('letter.txt', undefined, other), with: user, role: 'reader' })
  const json = async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never
  account = await connect({ json }, 'google', 'Attic', user)
})

async function root(): Promise<string> {
  const { status, body } = await patch(`/accounts/${account}`, { scope: 'EVERYTHING' })
  expect(status).toBe(200)
  return body.rootFileId
}

type Item = { readonly id: string; readonly name: string; readonly rights: Record<string, boolean> }

/** Until the folder has exactly these entries. @returns them by their names */
async function listed(parentId: string, names: readonly string[]) {
  return vi.waitFor(async () => {
    const { items } = await get(`/files?parentId=${parentId}`)
    expect(items.map(({ name }: Item) => name).sort()).toEqual([...names].sort())
    return new Map<string, Item>(items.map((item: Item) => [item.name, item]))
  }, patient)
}

const folderIn = async (parentId: string, names: readonly string[], name: string) =>
  (await listed(parentId, names)).get(name)?.id ?? ''

it('shows nothing of it until it is chosen, lists what there is, and refuses what there is not', async () => {
  const top = await root()
  await listed(top, ['own.txt'])
  expect(await get(`/accounts/${account}/drives`)).toEqual({
    sharedWithMe: false,
    items: [{ id: drive, name: 'Team', shown: false }],
  })
  const refused = await patch(`/accounts/${account}`, { drives: ['0Aother'] })
  expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_INPUT'])
  await patch(`/accounts/${account}`, { scope: 'OWN' })
  const early = await patch(`/accounts/${account}`, { sharedWithMe: true })
  expect([early.status, early.body.errors[0].path]).toEqual([400, 'scope'])
})

it('shows a shared drive in a folder of its own and follows it, until it is hidden', async () => {
  const top = await root()
  const chosen = await patch(`/accounts/${account}`, { drives: [drive] })
  expect([chosen.status, chosen.body.drives, chosen.body.sharedWithMe]).toEqual([200, [drive], false])
  const team = await folderIn(top, ['Team', 'own.txt'], 'Team')
  expect((await get(`/files/${team}`)).rights).toMatchObject({ write: true, rename: false, move: false, delete: false })
  const plans = await folderIn(team, ['Plans'], 'Plans')
  const inner = await folderIn(plans, ['Inner'], 'Inner')
  const deep = await folderIn(inner, ['deep.txt'], 'deep.txt')
  expect((await get('/files?q=deep')).items).toHaveLength(1)
  const bytes = await fetch(`${server.url}/api/v1/files/${deep}/download`, {
    headers: { cookie: `sid=${browser.token}` },
  })
  expect(await bytes.text()).toBe('deep.txt')
  await patch(`/files/${deep}`, { starred: true })

  // Changes of a shared drive are in a feed of its own.
  await plant('later.txt', drive, other)
  await listed(team, ['Plans', 'later.txt'])
  expect((await post('/files/folders', { name: 'Made', parentId: team })).status).toBe(201)
  await listed(team, ['Made', 'Plans', 'later.txt'])
  google.commands.alterDrive({ id: drive, name: 'Crew' })
  await listed(top, ['Crew', 'own.txt'])
  await post(`/accounts/${account}/index/refresh`)
  await vi.waitFor(async () => {
    const [{ index }] = (await get('/accounts?provider=google-drive')).items
    expect([index.phase, index.entries]).toEqual(['LIVE', 7])
  }, patient)
  expect((await get(`/files/${deep}`)).starred).toBe(true)

  const hidden = await patch(`/accounts/${account}`, { drives: [] })
  expect(hidden.body.drives).toEqual([])
  await listed(top, ['own.txt'])
  expect((await get('/files?q=deep')).items).toEqual([])
  await plant('unseen.txt', drive, other)
  await post(`/accounts/${account}/index/refresh`)
  await vi.waitFor(async () => {
    const [{ index }] = (await get('/accounts?provider=google-drive')).items
    expect([index.phase, index.entries]).toEqual(['LIVE', 1])
  }, patient)
  const sentences = async () => (await get('/activity')).items.map(({ sentence }: { sentence: string }) => sentence)
  await expect
    .poll(sentences)
    .toEqual(expect.arrayContaining(['You chose to show Team in “Attic”.', 'You chose to hide Crew in “Attic”.']))
})

it('hides a drive that the account cannot see any more, and shows it when it can', async () => {
  const top = await root()
  await patch(`/accounts/${account}`, { drives: [drive] })
  await listed(top, ['Team', 'own.txt'])
  google.commands.alterDrive({ id: drive, user, role: null })
  await listed(top, ['own.txt'])
  google.commands.alterDrive({ id: drive, user, role: 'reader' })
  const team = await folderIn(top, ['Team', 'own.txt'], 'Team')
  await listed(team, ['Plans'])
  expect((await get(`/files/${team}`)).rights.write).toBe(false)
})

describe('a drive that is hidden, but not by its feed, which reports nothing when it is there again', () => {
  /** The feed reports nothing, and continues later where it was. */
  const silent: Driver['changes'] = async (_call, cursor) => ({ changes: [], cursor: cursor ?? '', hasMore: false })
  const role = (name: 'reader' | null) => google.commands.alterDrive({ id: drive, user, role: name })

  async function phaseIs(phase: string, entries: number): Promise<void> {
    await vi.waitFor(async () => {
      const [{ index }] = (await get('/accounts?provider=google-drive')).items
      expect([index.phase, index.entries]).toEqual([phase, entries])
    }, patient)
  }

  /** @returns the folder of the account, once the drive and all of its content are listed */
  async function rootWithDrive(): Promise<string> {
    const top = await root()
    await patch(`/accounts/${account}`, { drives: [drive] })
    await listed(top, ['Team', 'own.txt'])
    await phaseIs('LIVE', 5)
    return top
  }

  async function isShownAgain(top: string): Promise<void> {
    answers = null
    const team = await folderIn(top, ['Team', 'own.txt'], 'Team')
    const inner = await folderIn(await folderIn(team, ['Plans'], 'Plans'), ['Inner'], 'Inner')
    await listed(inner, ['deep.txt'])
    await plant('later.txt', drive, other)
    await listed(team, ['Plans', 'later.txt'])
  }

  it('is shown again when a listing of the account did not contain it', async () => {
    const top = await rootWithDrive()
    answers = () => ({ changes: silent })
    role(null)
    await post(`/accounts/${account}/index/refresh`)
    await listed(top, ['own.txt'])
    await phaseIs('LIVE', 1)
    role('reader')
    await isShownAgain(top)
  })

  it('is shown again when it could not be listed after it had appeared', async () => {
    const top = await root()
    await listed(top, ['own.txt'])
    let isLost = false
    answers = (driver) => ({
      list(call, folder, cursor) {
        if (folder === drive && !isLost) role(null)
        isLost ||= folder === drive
        return driver.list(call, folder, cursor)
      },
      ...(isLost && { changes: silent }),
    })
    await patch(`/accounts/${account}`, { drives: [drive] })
    await expect.poll(() => isLost, patient).toBe(true)
    await listed(top, ['own.txt'])
    role('reader')
    await isShownAgain(top)
  })

  it('is shown again when the user hid it for a moment', async () => {
    const top = await rootWithDrive()
    answers = () => ({ changes: silent })
    await patch(`/accounts/${account}`, { drives: [] })
    await listed(top, ['own.txt'])
    await patch(`/accounts/${account}`, { drives: [drive] })
    await isShownAgain(top)
  })

  it('costs no listing of the account while it cannot be seen', async () => {
    const top = await rootWithDrive()
    let [reads, listings] = [0, 0]
    answers = (driver) => ({
      changes(...given) {
        reads += 1
        return driver.changes?.(...given) ?? Promise.reject(new Error('There is no feed.'))
      },
      listAll(...given) {
        listings += 1
        return driver.listAll?.(...given) ?? Promise.reject(new Error('There is no listing.'))
      },
    })
    /** Reads of the feed, each with what follows from it, are one after the other. */
    const moreReads = (count: number) => {
      const before = reads
      return expect.poll(() => reads - before, patient).toBeGreaterThan(count)
    }
    role(null)
    await listed(top, ['own.txt'])
    await moreReads(2)
    const before = listings
    await moreReads(6)
    expect(listings).toBe(before)
  })
})

it('shows what others share, with what is in shared folders, and what is not allowed is refused in words', async () => {
  const top = await root()
  expect((await patch(`/accounts/${account}`, { sharedWithMe: true })).body.sharedWithMe).toBe(true)
  const shared = await folderIn(top, ['Shared with me', 'own.txt'], 'Shared with me')
  const entries = await listed(shared, ['Trip', 'letter.txt'])
  await listed(entries.get('Trip')?.id ?? '', ['photo.txt'])
  expect(entries.get('letter.txt')?.rights).toMatchObject({ read: true, rename: false, delete: false })
  const renamed = await patch(`/files/${entries.get('letter.txt')?.id}`, { name: 'mine.txt' })
  expect([renamed.status, renamed.body.detail]).toEqual([
    409,
    '“letter.txt” cannot be renamed: “Attic” does not allow it.',
  ])
  const made = await post('/files/folders', { name: 'Made', parentId: shared })
  expect([made.status, made.body.code]).toEqual([409, 'CONFLICT'])

  await plant('second.txt', sharedFolder, other)
  await listed(entries.get('Trip')?.id ?? '', ['photo.txt', 'second.txt'])
  google.commands.share({ user: other, id: sharedFolder, with: user, role: null })
  await listed(shared, ['letter.txt'])
  await patch(`/accounts/${account}`, { sharedWithMe: false })
  await listed(top, ['own.txt'])
})

it('follows what moves between the account and a shared drive', async () => {
  const top = await root()
  await patch(`/accounts/${account}`, { drives: [drive] })
  const team = await folderIn(top, ['Team', 'own.txt'], 'Team')
  await listed(team, ['Plans'])
  const own = await folderIn(top, ['Team', 'own.txt'], 'own.txt')
  const moved = await patch(`/files/${own}`, { parentId: team })
  expect([moved.status, moved.body.parentId]).toEqual([200, team])
  await listed(team, ['Plans', 'own.txt'])
  await patch(`/files/${own}`, { parentId: top })
  await listed(top, ['Team', 'own.txt'])
  await post(`/accounts/${account}/index/refresh`)
  await vi.waitFor(async () => {
    const [{ index }] = (await get('/accounts?provider=google-drive')).items
    expect([index.phase, index.entries]).toEqual(['LIVE', 5])
  }, patient)
})

it('opens what shortcuts point to, and says when that is gone or not shown', async () => {
  const shortcut = (name: string, target: string) =>
    google.commands.plant({ user, name, mimeType: 'application/vnd.google-apps.shortcut', target })
  const note = await plant('note.txt', undefined)
  await shortcut('to note', note)
  await shortcut('to letter', await shareFile('hint.txt'))
  await shortcut('to nothing', 'gone-for-ever')
  const names = ['note.txt', 'own.txt', 'to letter', 'to note', 'to nothing']
  const top = await listed(await root(), names)
  const shown = top.get('note.txt')?.id
  expect(top.get('to note')).toMatchObject({ nativeKind: 'SHORTCUT', targetId: shown })
  const download = async (name: string) => {
    const headers = { cookie: `sid=${browser.token}` }
    const answer = await fetch(`${server.url}/api/v1/files/${top.get(name)?.id}/download`, { headers })
    return { status: answer.status, name: answer.headers.get('content-disposition'), text: await answer.text() }
  }
  expect(await download('to note')).toMatchObject({ status: 200, text: 'note.txt' })
  expect((await download('to note')).name).toContain('note.txt')
  const broken = await download('to nothing')
  expect([broken.status, JSON.parse(broken.text).detail]).toEqual([
    503,
    '“to nothing” points to something that was deleted, or that “Attic” cannot see any more.',
  ])
  expect(JSON.parse((await download('to letter')).text).detail).toContain(
    'points to “hint.txt”, which is not shown here',
  )

  const query = 'query ($id: ID!) { viewer { file(id: $id) { shortcut { state message target { name } } } } }'
  const states = await Promise.all(
    ['to note', 'to letter', 'to nothing', 'own.txt'].map(async (name) => {
      const { body } = await browser.request('POST', '/graphql', { query, variables: { id: top.get(name)?.id } })
      return body.data.viewer.file.shortcut
    }),
  )
  expect(states.map((one) => one && [one.state, one.target?.name ?? null])).toEqual([
    ['SHOWN', 'note.txt'],
    ['ELSEWHERE', null],
    ['BROKEN', null],
    null,
  ])
  // In the trash, it is not shown any more.
  await patch(`/files/${shown}`, { trashed: true })
  expect((await get(`/files/${top.get('to note')?.id}`)).targetId).toBe(null)
})

it('says what may not be downloaded, and what is flagged as malware', async () => {
  const restricted = await shareFile('restricted.txt')
  await google.commands.alter({ user: other, id: restricted, restricted: true })
  const flagged = await shareFile('flagged.txt')
  await google.commands.alter({ user: other, id: flagged, abusive: true })
  const top = await root()
  await patch(`/accounts/${account}`, { sharedWithMe: true })
  const shared = await folderIn(top, ['Shared with me', 'own.txt'], 'Shared with me')
  const entries = await listed(shared, ['Trip', 'flagged.txt', 'letter.txt', 'restricted.txt'])
  expect(entries.get('restricted.txt')?.rights.read).toBe(false)
  const details = await Promise.all(
    ['restricted.txt', 'flagged.txt'].map((name) => get(`/files/${entries.get(name)?.id}/download`)),
  )
  expect(details.map(({ detail }) => detail)).toEqual([
    '“Attic” does not allow downloading “restricted.txt”.',
    'This file cannot be read now: “Attic” has flagged it as malware or spam.',
  ])
})

/** A file of the other person, that the user may read. @returns its id at the provider */
async function shareFile(name: string): Promise<string> {
  const id = await plant(name, undefined, other)
  google.commands.share({ user: other, id, with: user, role: 'reader' })
  return id
}
