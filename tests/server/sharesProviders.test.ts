import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { makeProviderLink } from '../../server/domain/shares/providerLinks.ts'
import { parsePublicId } from '../../server/lib/ids.ts'
import type { Driver } from '../../server/providers/driver.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { createOwner, eventually, type Owner } from './shares/world.ts'

/** The own links of cloud drives, made with a share and taken back with it. */
const google = createGoogle()
const dropbox = createDropbox()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let people = 0

beforeAll(async () => {
  emulators = await startEmulators({ services: [google, dropbox] })
  const [g, d] = [GOOGLE_CLIENT, DROPBOX_CLIENT]
  const config = {
    providers: {
      GOOGLE_CLIENT_ID: g.id,
      GOOGLE_CLIENT_SECRET: g.secret,
      GOOGLE_SCOPE: 'drive',
      DROPBOX_CLIENT_ID: d.id,
      DROPBOX_CLIENT_SECRET: d.secret,
    },
    providerEmulatorUrl: new URL(emulators.url),
    trustProxy: true,
  }
  server = await startTestServer(config, { openProviders })
})
beforeEach(() => emulators.clearFaults())
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

const SERVICES = {
  google: { path: '/api/v1/google-accounts', commands: google.commands },
  dropbox: { path: '/api/v1/dropbox-accounts', commands: dropbox.commands },
} as const
type Kind = keyof typeof SERVICES

async function connect({ browser }: Owner, kind: Kind): Promise<string> {
  people += 1
  const email = `person-${people}@example.com`
  SERVICES[kind].commands.addUser({ email, name: `Person ${people}`, quotaBytes: 10_000_000 })
  const { path } = SERVICES[kind]
  const { authorizationUrl } = (await browser.request('GET', `${path}/init`)).body
  const page = await (await fetch(authorizationUrl)).text()
  const form = new URLSearchParams({ account: email, decision: 'allow' })
  for (const [, scope = ''] of page.matchAll(/name="scope" value="([^"]+)"/g)) form.append('scope', scope)
  const answer = await fetch(authorizationUrl, { method: 'POST', body: form, redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? '').searchParams
  const grant = { code: back.get('code'), state: back.get('state'), name: `${kind} drive` }
  return (await browser.request('POST', `${path}/auth`, grant)).body.id
}

/** A file whose one copy lies on an account of the provider. */
async function storedAt(kind: Kind) {
  const owner = await createOwner(server)
  const accountId = await connect(owner, kind)
  const cloud = await owner.browser.request('POST', '/api/v1/group-clouds', { name: kind, accountIds: [accountId] })
  const form = new FormData()
  form.set('groupCloudId', cloud.body.id)
  form.set('file', new File(['what lies in the cloud'], 'cloud.txt', { type: 'text/plain' }))
  const { id } = (await owner.browser.request('POST', '/api/v1/files', form)).body
  const file = await eventually(
    () => owner.look(id),
    (found) => found.state === 'STORED' && found.copies[0]?.accountId === accountId,
  )
  expect(file.copies).toHaveLength(1)
  return { owner, id, copyId: file.copies[0].id as string, at: `/api/v1/files/${id}/share/${file.copies[0].id}` }
}

/** Opens the provider's link as anybody would. */
async function open(url: string): Promise<number> {
  const { host, pathname, search } = new URL(url)
  const answer = await fetch(`${emulators.url}/@${host}${pathname}${search}`)
  await answer.text()
  return answer.status
}
const isOpen = async (url: string) => (await open(url)) === 200
const closed = (url: string) =>
  eventually(
    () => isOpen(url),
    (opens) => !opens,
  )
const run = () => server.housekeeping.endShares(new AbortController().signal)

describe.each<Kind>(['google', 'dropbox'])('%s', (kind) => {
  it('makes its own link with a share of its copy, and takes it back with it', async () => {
    const { owner, at, id, copyId } = await storedAt(kind)
    const made = await owner.browser.request('POST', at)
    expect([made.status, made.body]).toMatchObject([
      201,
      { fileId: id, uploadFileId: copyId, providerNote: null, state: 'LIVE' },
    ])
    expect(await isOpen(made.body.providerUrl)).toBe(true)
    const name = { google: 'Google Drive', dropbox: 'Dropbox' }[kind]
    expect(server.services.accounts.providerOfLink(made.body.providerUrl)).toBe(name)
    expect((await owner.browser.request('DELETE', at)).status).toBe(204)
    expect(await closed(made.body.providerUrl)).toBe(false)
    const { items } = (
      await eventually(
        () => owner.browser.request('GET', '/api/v1/shares'),
        ({ body }) => body.items[0].providerUrl === null,
      )
    ).body
    expect(items).toMatchObject([{ state: 'REVOKED', providerUrl: null }])
    expect((await owner.browser.request('DELETE', at)).status).toBe(404)
  })

  it('makes none where it could not keep what the share promises', async () => {
    const { owner, at } = await storedAt(kind)
    for (const settings of [{ password: 'p' }, { maxDownloads: 2 }]) {
      expect((await owner.browser.request('POST', at, settings)).body).toMatchObject({ providerUrl: null })
    }
  })

  it('keeps a link for as long as one share lives by it', async () => {
    const { owner, at } = await storedAt(kind)
    const [one, two] = [(await owner.browser.request('POST', at)).body, (await owner.browser.request('POST', at)).body]
    expect(one.providerUrl).toBe(two.providerUrl)
    await owner.browser.request('DELETE', `/api/v1/shares/${one.id}`)
    await run()
    expect(await isOpen(two.providerUrl)).toBe(true)
    await owner.browser.request('DELETE', `/api/v1/shares/${two.id}`)
    expect(await closed(two.providerUrl)).toBe(false)
  })

  it.each([
    [
      'gets a password',
      ({ owner }: Shared, id: string) => owner.browser.request('PATCH', `/api/v1/shares/${id}`, { password: 'p' }),
    ],
    [
      'expires',
      (_: Shared, id: string) =>
        server.pool.query(`update shares set expires_at = now() where replace(id::text, '-', '') = $1`, [id.slice(6)]),
    ],
    ['has its file in the trash', ({ owner, id }: Shared) => owner.browser.request('DELETE', `/api/v1/files/${id}`)],
    [
      'has its file deleted',
      ({ owner, id }: Shared) => owner.browser.request('DELETE', `/api/v1/files/${id}?permanent=true`),
    ],
  ])('ends its link when the share %s', async (_when, change) => {
    const shared = await storedAt(kind)
    const { body } = await shared.owner.browser.request('POST', shared.at)
    expect(await isOpen(body.providerUrl)).toBe(true)
    await change(shared, body.id)
    await run()
    expect(await closed(body.providerUrl)).toBe(false)
  })

  it('that does not answer leaves the share without its link, and says so', async () => {
    const { owner, at } = await storedAt(kind)
    emulators.plan({ service: kind, kind: 'serverError', count: 100 })
    const { status, body } = await owner.browser.request('POST', at)
    expect([status, body.state, body.providerUrl]).toEqual([201, 'LIVE', null])
    expect(body.providerNote).toContain(`“${kind} drive”`)
  })

  it('takes back a link that was made while the server died', async () => {
    const { owner, at } = await storedAt(kind)
    const { body } = await owner.browser.request('POST', at)
    await server.pool.query(
      `update shares set provider_url = null, created_at = created_at - interval '6 minutes' where replace(id::text, '-', '') = $1`,
      [body.id.slice(6)],
    )
    await run()
    expect(await closed(body.providerUrl)).toBe(false)
    expect((await owner.browser.request('GET', '/api/v1/shares')).body.items).toMatchObject([{ state: 'LIVE' }])
  })
})
type Shared = Awaited<ReturnType<typeof storedAt>>

it('the end of a link that ends by itself moves with the last of its shares', async () => {
  const { owner, at } = await storedAt('dropbox')
  const now = Math.floor(Date.now() / 1000) * 1000
  const day = (days: number) => new Date(now + days * 86_400_000).toISOString()
  const linkOf = (url: string) => {
    const [, key] = /\/f[io]\/([^/?]+)/.exec(url) ?? []
    return dropbox.commands.linkEnd({ key: key ?? '' })
  }
  const made = (await owner.browser.request('POST', at, { expiresAt: day(1) })).body
  const change = (id: string, expiresAt: string | null) =>
    owner.browser.request('PATCH', `/api/v1/shares/${id}`, { expiresAt })
  expect(linkOf(made.providerUrl)).toBe(seconds(day(1)))
  expect((await change(made.id, day(9))).body.providerUrl).toBe(made.providerUrl)
  expect(linkOf(made.providerUrl)).toBe(seconds(day(9)))

  const shorter = (await owner.browser.request('POST', at, { expiresAt: day(2) })).body
  expect(shorter.providerUrl).toBe(made.providerUrl)
  expect(linkOf(made.providerUrl)).toBe(seconds(day(9)))
  await change(shorter.id, null)
  expect(linkOf(made.providerUrl)).toBeNull()
  expect(await isOpen(made.providerUrl)).toBe(true)
})
const seconds = (time: string) => time.replace('.000Z', 'Z')

it('a link that comes after its share has ended is taken back nevertheless', async () => {
  const { owner, id, at } = await storedAt('google')
  const made = (await owner.browser.request('POST', at)).body
  const shareId = parsePublicId(made.id)?.id ?? ''
  const share = async () => {
    await owner.browser.request('DELETE', `/api/v1/shares/${made.id}`)
    await run()
    expect(await closed(made.providerUrl)).toBe(false)
    return { url: 'https://drive.google.com/late', expiresAt: null }
  }
  const openDriver = async () => ({ share }) as unknown as Driver
  const report = { failed: () => undefined, worked: () => undefined }
  const fileId = parsePublicId(id)?.id ?? ''
  // What each update left, read in the update itself: the server's own job may take the link back at any moment after it.
  const written: object[] = []
  const query = async (sql: string, values: unknown[]) => {
    const isUpdate = sql.startsWith('update shares')
    const result = await server.pool.query(isUpdate ? `${sql} returning provider_ref, provider_url` : sql, values)
    if (isUpdate) written.push(result.rows[0])
    return result
  }
  const pool = { query } as unknown as Pool
  expect(await makeProviderLink({ pool, openDriver, report }, shareId, { fileId })).toBeNull()
  // Known, so that it is looked at again.
  expect(written.at(-1)).toEqual({ provider_ref: expect.any(String), provider_url: 'https://drive.google.com/late' })
  await run()
  const { rows } = await server.pool.query('select provider_ref, provider_url from shares where id = $1', [shareId])
  expect(rows).toEqual([{ provider_ref: null, provider_url: null }])
})

it('a copy of this server has no link of a provider, and that is said', async () => {
  const owner = await createOwner(server)
  const id = await owner.upload('here.txt', 'here')
  const { copies } = await owner.look(id)
  const { status, body } = await owner.browser.request('POST', `/api/v1/files/${id}/share/${copies[0].id}`)
  expect([status, body.providerUrl, body.providerNote]).toEqual([201, null, expect.stringContaining('No copy')])
})
