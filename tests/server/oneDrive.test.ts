import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createOneDrive, ONEDRIVE_CLIENT } from '../fakes/onedrive/onedrive.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { connect } from '../tools/demo/skypool.ts'

/** An emulated OneDrive as people use it: connected through its consent page, pooled, and shown with everything that it holds. */
const oneDrive = createOneDrive()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let browser: Browser
let token: string
let account: string
let user: string
let people = 0

const patient = { timeout: 120_000, interval: 100 }

beforeAll(async () => {
  emulators = await startEmulators({ services: [oneDrive] })
  const providers = {
    ONEDRIVE_CLIENT_ID: ONEDRIVE_CLIENT.id,
    ONEDRIVE_CLIENT_SECRET: ONEDRIVE_CLIENT.secret,
    ONEDRIVE_TENANT: 'common',
  }
  server = await startTestServer(
    { providers, providerEmulatorUrl: new URL(emulators.url) },
    { openProviders, feedEveryMs: 200 },
  )
})
beforeEach(async () => {
  token = (await createUser(server.services.users)).token
  browser = createBrowser(server.url, token)
  emulators.clearFaults()
  people += 1
  user = `person-${people}@example.com`
  oneDrive.commands.addUser({ email: user, name: 'Ada', quotaBytes: 1_000_000_000 })
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body
const patch = (path: string, body: object) => browser.request('PATCH', `/api/v1${path}`, body)
const post = (path: string, body: unknown = {}) => browser.request('POST', `/api/v1${path}`, body)
const paths = async () => (await oneDrive.commands.objects({ user })).map(({ path }) => path).sort()
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const client = {
  json: async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never,
}

async function connected(): Promise<void> {
  account = await connect(client, 'onedrive', 'Attic', user)
}

/** Until the folder has these entries. @returns them by their names */
async function listed(parentId: string, names: readonly string[]) {
  return vi.waitFor(async () => {
    const { items } = await get(`/files?parentId=${parentId}`)
    expect(items.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort())
    return new Map<string, { readonly id: string }>(items.map((item: { name: string }) => [item.name, item]))
  }, patient)
}

/** Until changes up to now were read, and none of them waits for its folder. The first reading may have begun before. */
async function caughtUp(): Promise<void> {
  for (const _reading of ['first', 'second']) {
    const since = new Date()
    await vi.waitFor(async () => {
      const { rows } = await server.pool.query(
        `select (select count(*)::int from unplaced_entries) as waiting, as_of > $1 as read from account_indexes i
           join accounts a on a.id = i.account_id where 'acct_' || replace(a.id::text, '-', '') = $2`,
        [since, account],
      )
      expect(rows).toEqual([{ waiting: 0, read: true }])
    }, patient)
  }
}

async function download(id: string, range?: string): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  const headers = { cookie: `sid=${browser.token}`, ...(range && { range }) }
  const response = await fetch(`${server.url}/api/v1/files/${id}/download`, { headers })
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

describe('the connection', () => {
  const quota = async () => (await post('/quotas/by-ids-and-types', [{ id: account, type: 'onedrive' }])).body[0]
  const forgetQuotas = () => server.pool.query('update accounts set quota_checked_at = null')

  it('has a name, an address and a quota, by REST and GraphQL, and refreshes its access by itself', async () => {
    await connected()
    const [found] = (await get('/onedrive-accounts')).items
    expect(found).toMatchObject({ id: account, email: user, status: 'CONNECTED', quota: { totalBytes: 1_000_000_000 } })
    const graphql = createGraphqlClient(server.url, token)
    const { data } = await graphql('{ viewer { accounts { provider providerName name email status } } }')
    expect(data.viewer.accounts).toContainEqual(
      expect.objectContaining({ provider: 'onedrive', providerName: 'OneDrive', name: 'Attic', email: user }),
    )
    for (let round = 0; round < 3; round += 1) {
      oneDrive.commands.expireAccessTokens({ user })
      // The answer is lost; the earlier refresh token is still valid.
      if (round === 1) emulators.plan({ kind: 'lostReply', operation: 'oauth.token' })
      await forgetQuotas()
      expect(await quota()).toEqual({ id: account, quota: { usedBytes: 0, totalBytes: 1_000_000_000 } })
    }
    expect(oneDrive.commands.tokens({ user })).toEqual({ grants: 1, refresh: 5 })
  })

  it('does not expire by an outage', async () => {
    await connected()
    oneDrive.commands.expireAccessTokens({ user })
    emulators.plan({ service: 'onedrive', kind: 'serverError', count: 100 })
    await forgetQuotas()
    expect((await quota()).error).toMatch(/could not be checked/)
    emulators.clearFaults()
    expect((await get('/onedrive-accounts')).items[0].status).toBe('CONNECTED')
  })

  it('expires when its owner ends it, and the same login reconnects it', async () => {
    await connected()
    oneDrive.commands.revokeUser({ user })
    await forgetQuotas()
    // The answer to the request that finds out says why.
    await expect.poll(async () => (await quota()).error).toMatch(/needs to be connected again/)
    expect((await get('/onedrive-accounts')).items[0].status).toBe('EXPIRED')
    const { state, authorizationUrl } = await get('/onedrive-accounts/init')
    const answer = await fetch(authorizationUrl, {
      method: 'POST',
      body: new URLSearchParams({ account: user, decision: 'allow' }),
      redirect: 'manual',
    })
    const back = new URL(answer.headers.get('location') ?? '')
    expect(back.href).toContain(`${server.url}/oauth/onedrive/callback`)
    const grant = { code: back.searchParams.get('code'), state }
    const again = await browser.request('PUT', `/api/v1/onedrive-accounts/${account}`, grant)
    expect([again.status, again.body]).toEqual([200, expect.objectContaining({ id: account, status: 'CONNECTED' })])
    // There is nothing to revoke at Microsoft.
    expect((await browser.request('DELETE', `/api/v1/onedrive-accounts/${account}`)).status).toBe(204)
  })
})

it('a pooled file is stored there, read, renamed and deleted', async () => {
  await connected()
  const cloud = (await post('/group-clouds', { name: 'Pool', accountIds: [account] })).body
  const bytes = randomBytes(700_000)
  const form = new FormData()
  form.set('groupCloudId', cloud.id)
  form.set('file', new Blob([new Uint8Array(bytes)]), 'plan.bin')
  const { id } = (await post('/files', form)).body
  await vi.waitFor(async () => expect((await get(`/files/${id}`)).state).toBe('STORED'), patient)
  await vi.waitFor(async () => expect(await paths()).toEqual(['/Skypool', '/Skypool/plan.bin']), patient)
  expect(sha256((await download(id)).bytes)).toBe(sha256(bytes))
  const part = await download(id, 'bytes=1000-1999')
  expect([part.status, sha256(part.bytes)]).toEqual([206, sha256(bytes.subarray(1000, 2000))])
  expect((await patch(`/files/${id}`, { name: 'site.bin' })).status).toBe(200)
  await vi.waitFor(async () => expect(await paths()).toEqual(['/Skypool', '/Skypool/site.bin']), patient)
  expect((await browser.request('DELETE', `/api/v1/files/${id}?permanent=true`)).status).toBe(204)
  await vi.waitFor(async () => expect(await paths()).toEqual(['/Skypool']), patient)
})

it('a pooled Office document keeps its bytes where the service changes such files: it has another name there', async () => {
  oneDrive.commands.addUser({ email: user, name: 'Ada', quotaBytes: 1_000_000_000, driveType: 'business' })
  oneDrive.commands.changeUser({ user, rewritesOffice: true })
  await connected()
  const cloud = (await post('/group-clouds', { name: 'Pool', accountIds: [account] })).body
  const bytes = randomBytes(30_000)
  const form = new FormData()
  form.set('groupCloudId', cloud.id)
  form.set('file', new Blob([new Uint8Array(bytes)]), 'plan.docx')
  const { id } = (await post('/files', form)).body
  const stored = () =>
    vi.waitFor(async () => {
      expect((await get(`/files/${id}`)).state).toBe('STORED')
      const objects = await oneDrive.commands.objects({ user })
      expect(objects.flatMap((item) => item.sha256 ?? [])).toEqual([sha256(bytes)])
    }, patient)
  await stored()
  expect((await patch(`/files/${id}`, { name: 'site.docx' })).status).toBe(200)
  await stored()
  expect(sha256((await download(id)).bytes)).toBe(sha256(bytes))
  expect((await paths()).filter((path) => path.endsWith('.docx'))).toEqual([])
})

describe('what the account holds', () => {
  let root = ''
  const there = async () => (await paths()).filter((path) => !path.startsWith('/Skypool'))

  beforeEach(async () => {
    await oneDrive.commands.plant({ user, path: '/Papers/deed.txt', text: 'deed' })
    await oneDrive.commands.plant({ user, path: '/note.txt', text: 'note' })
    await oneDrive.commands.plant({ user, path: '/Notebook', kind: 'package' })
    await connected()
    const { status, body } = await patch(`/accounts/${account}`, { scope: 'EVERYTHING' })
    expect([status, body.scope]).toEqual([200, 'EVERYTHING'])
    root = body.rootFileId
    await listed(root, ['Papers', 'note.txt', 'Notebook'])
  })

  it('is followed when it changes outside, also after OneDrive asks for a new start', async () => {
    oneDrive.commands.repeatItems({ on: true })
    try {
      await oneDrive.commands.plant({ user, path: '/Papers/new.txt', text: 'new' })
      await oneDrive.commands.alter({ user, path: '/note.txt', to: '/Papers/letter.txt' })
      const papers = (await listed(root, ['Papers', 'Notebook'])).get('Papers')?.id ?? ''
      const letter = (await listed(papers, ['deed.txt', 'letter.txt', 'new.txt'])).get('letter.txt')?.id ?? ''
      const other = randomBytes(5_000)
      await oneDrive.commands.alter({ user, path: '/Papers/letter.txt', base64: other.toString('base64') })
      await vi.waitFor(async () => expect((await get(`/files/${letter}`)).size).toBe(5_000), patient)
      expect(sha256((await download(letter)).bytes)).toBe(sha256(other))
      oneDrive.commands.resetDelta()
      oneDrive.commands.trash({ user, path: '/Papers/new.txt' })
      await oneDrive.commands.plant({ user, path: '/Papers/later.txt', text: 'later' })
      const after = await listed(papers, ['deed.txt', 'letter.txt', 'later.txt'])
      expect(after.get('letter.txt')?.id).toBe(letter)
    } finally {
      oneDrive.commands.repeatItems({ on: false })
    }
  })

  it('is renamed, moved, trashed, restored and deleted there', async () => {
    const top = await listed(root, ['Papers', 'note.txt', 'Notebook'])
    const [papers, note] = [top.get('Papers')?.id ?? '', top.get('note.txt')?.id ?? '']
    expect((await patch(`/files/${note}`, { name: 'letter.txt' })).body.name).toBe('letter.txt')
    expect((await patch(`/files/${note}`, { parentId: papers })).status).toBe(200)
    expect(await there()).toEqual(['/Notebook', '/Papers', '/Papers/deed.txt', '/Papers/letter.txt'])
    const taken = await patch(`/files/${note}`, { name: 'DEED.txt' })
    expect([taken.status, taken.body.code]).toEqual([409, 'NAME_TAKEN'])
    expect((await post('/files/trash', { ids: [papers] })).body.items[0].status).toBe(200)
    expect(await there()).toEqual(['/Notebook'])
    expect(await paths()).toContain('/Skypool/Trash')
    await caughtUp()
    expect((await patch(`/files/${papers}`, { trashed: false })).status).toBe(200)
    expect(await there()).toEqual(['/Notebook', '/Papers', '/Papers/deed.txt', '/Papers/letter.txt'])
    await caughtUp()
    await listed(papers, ['deed.txt', 'letter.txt'])
    await post('/files/trash', { ids: [papers] })
    await caughtUp()
    expect((await browser.request('DELETE', `/api/v1/files/${papers}`)).status).toBe(204)
    expect(await there()).toEqual(['/Notebook'])
  })

  it('takes uploads under their own names, and refuses names that OneDrive does not accept', async () => {
    const papers = (await listed(root, ['Papers', 'note.txt', 'Notebook'])).get('Papers')?.id ?? ''
    const upload = async (name: string) => {
      const form = new FormData()
      form.set('parentId', papers)
      form.set('file', new Blob(['content']), name)
      return post('/files', form)
    }
    expect((await upload('plan.txt')).status).toBe(201)
    await vi.waitFor(async () => expect(await there()).toContain('/Papers/plan.txt'), patient)
    const refused = await upload('CON')
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_INPUT'])
  })
})
