import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import type { UploadInput } from '../../server/domain/uploads/contract.ts'
import type { Viewer } from '../../server/domain/viewer.ts'
import { type Kind, MIB, type Providers, startProviders } from '../acceptance/support/emulators.ts'
import { expectStatus, newCredentials, type Person, register, until } from '../acceptance/support/person.ts'
import { createUser } from '../factories/user.ts'
import { DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { createBrowser } from '../setup/browser.ts'
import { mailsIn, mailTo } from '../setup/mails.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

let providers: Providers
let server: TestServer

beforeAll(async () => {
  providers = await startProviders()
  const [g, d] = [GOOGLE_CLIENT, DROPBOX_CLIENT]
  const clients = {
    providers: {
      GOOGLE_CLIENT_ID: g.id,
      GOOGLE_CLIENT_SECRET: g.secret,
      GOOGLE_SCOPE: 'drive',
      DROPBOX_CLIENT_ID: d.id,
      DROPBOX_CLIENT_SECRET: d.secret,
    },
  }
  const config = { ...clients, providerEmulatorUrl: new URL(providers.url), acceptAnyType: true }
  server = await startTestServer(config, { openProviders })
})
afterAll(async () => {
  await server?.close()
  await providers?.close()
})

// Thousands of files are made and removed, and accounts are waited for.

type Somebody = Person & { readonly userId: string; readonly email: string; readonly password: string }

async function somebody(credentials = newCredentials()): Promise<Somebody> {
  const person = await register(server.url, credentials)
  const { rows } = await server.pool.query('select id from users where email_key = $1', [credentials.email])
  return Object.assign(person, credentials, { userId: rows[0].id as string })
}
const leave = (person: Somebody, deleteRemote?: boolean) =>
  person.request('DELETE', '/api/v1/auth/me', {
    password: person.password,
    ...(deleteRemote !== undefined && { deleteRemote }),
  })

/** To this server's own storage. */
function upload(person: Somebody, name: string, bytes: Buffer) {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), name)
  return person.request('POST', '/api/v1/files', form)
}

/** Every table with a row in which the user's id stands; the queue's own are not ours. */
async function traces(userId: string): Promise<string[]> {
  const { rows } = await server.pool.query(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  const held = await Promise.all(
    rows.map(async ({ name }) => {
      const { rowCount } = await server.pool.query(
        `select from "${name}" t where t::text like '%' || $1 || '%' limit 1`,
        [userId],
      )
      return rowCount ? [name as string] : []
    }),
  )
  return held.flat().sort()
}
const untilGone = ({ userId }: Somebody, seconds = 60) =>
  until(
    () => traces(userId),
    (left) => left.length === 0,
    seconds,
  )

/** Objects and staged bytes on this server's disk. */
const onDisk = () =>
  ['objects', 'staging'].flatMap((folder) =>
    readdirSync(join(server.dataDir, folder), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ),
  ).length

const tokens = (kind: Kind, email: string) => providers.command<Record<string, number>>(kind, 'tokens', { user: email })

/** A file on an account of each service. */
async function withAccounts(person: Somebody) {
  const emails = {
    google: providers.addPerson('google', 100 * MIB),
    dropbox: providers.addPerson('dropbox', 100 * MIB),
  }
  const accounts = [await person.connect('google', emails.google), await person.connect('dropbox', emails.dropbox)]
  const pool = await person.pool(accounts, { copies: 2 })
  for (const name of ['a.bin', 'b.bin']) {
    const { body } = await expectStatus(201, person.upload(name, Buffer.alloc(MIB, name), pool))
    await until(
      () => person.file(body.id),
      ({ state }) => state === 'STORED',
      60,
    )
  }
  return { emails, pool }
}

/** Google's own link to one of her files. */
async function shareAtGoogle(person: Somebody): Promise<string> {
  const [{ id }] = (await expectStatus(200, person.request('GET', '/api/v1/files?view=all'))).body.items
  const { copies } = await person.file(id)
  const copy = copies.find(({ provider }: { provider: string }) => provider === 'google-drive')
  return (await expectStatus(201, person.request('POST', `/api/v1/files/${id}/share/${copy.id}`))).body.providerUrl
}

async function opens(link: string): Promise<boolean> {
  const { host, pathname, search } = new URL(link)
  const answer = await fetch(`${providers.url}/@${host}${pathname}${search}`)
  await answer.text()
  return answer.status === 200
}

describe('deleting oneself', () => {
  it('asks for the password, and changes nothing without it', async () => {
    const ada = await somebody()
    for (const body of [{}, { password: 'not this one' }, { password: '' }]) {
      const answer = await ada.request('DELETE', '/api/v1/auth/me', body)
      expect(answer.body).toMatchObject({ code: 'INVALID_INPUT', errors: [{ path: 'password' }] })
    }
    expect((await ada.request('GET', '/api/v1/auth/me')).status).toBe(200)
  })

  it('ends every way in at once, and frees the address for somebody who sees nothing of it', async () => {
    const ada = await somebody()
    await expectStatus(201, upload(ada, 'secret.txt', Buffer.from('secret')))
    const { key } = (await expectStatus(201, ada.request('POST', '/api/v1/keys', { name: 'Program' }))).body
    await ada.request('POST', '/api/v1/auth/forgot-password', { email: ada.email })
    await mailTo(server.dataDir, ada.email)
    const stolen = createBrowser(server.url, ada.token)
    const { status, headers } = await leave(ada)
    expect([status, headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])

    // The mail to the address was a file on this server.
    expect(await mailsIn(server.dataDir)).toEqual([])
    const byKey = { headers: { authorization: `Bearer ${key}` } }
    expect((await fetch(`${server.url}/api/v1/files`, byKey)).status).toBe(401)
    expect((await stolen.request('GET', '/api/v1/files')).status).toBe(401)
    const credentials = { email: ada.email, password: ada.password }
    const login = (body: object) => createBrowser(server.url).request('POST', '/api/v1/auth/login', body)
    expect((await login(credentials)).status).toBe(401)
    expect((await login({ email: `deleted:${ada.userId}`, password: '' })).status).toBe(401)
    await server.pool.query(`delete from login_throttles where key like 'account:deleted:%'`)

    const again = await somebody(credentials)
    expect(again.userId).not.toBe(ada.userId)
    expect((await again.request('GET', '/api/v1/files')).body.items).toEqual([])
    expect((await again.request('GET', '/api/v1/keys')).body.items).toEqual([])
    await untilGone(ada)
    expect((await again.request('GET', '/api/v1/auth/me')).body.email).toBe(ada.email)
  })

  it('takes every row and every byte, of thousands of files, folders, the trash and half an upload', async () => {
    const before = onDisk()
    const ada = await somebody()
    const viewer: Viewer = { userId: ada.userId, sessionId: (await createUser(server.services.users)).viewer.sessionId }
    const { files, uploads } = server.services
    const folder = await files.createFolder(viewer, { name: 'Deep', parentId: null })
    const below = await files.createFolder(viewer, { name: 'Deeper', parentId: folder.id })
    const receive = (index: number) => {
      const input: UploadInput = { name: `${index}.txt`, size: 5, parentId: index % 2 ? below.id : null }
      return uploads.receive(viewer, input, Readable.from([Buffer.from('bytes')]))
    }
    const made = []
    for (let index = 0; index < 2_000; index += 100) {
      made.push(...(await Promise.all(Array.from({ length: 100 }, (_, at) => receive(index + at)))))
    }
    await files.trash(
      viewer,
      made.slice(0, 20).map(({ id }) => id),
    )
    const half = await uploads.create(viewer, { name: 'half.bin', size: 10 })
    await uploads.append(viewer, half.id, 0, Readable.from([Buffer.from('12345')]))
    expect(onDisk()).toBe(before + 2_001)

    expect((await leave(ada)).status).toBe(204)
    await untilGone(ada, 120)
    expect(onDisk()).toBe(before)
    const { rows } = await server.pool.query('select count(*)::int as left from files where id = any($1::uuid[])', [
      made.map(({ id }) => id),
    ])
    expect(rows).toEqual([{ left: 0 }])
  })

  it('leaves what lies on connected accounts there, and gives the access back', async () => {
    const ada = await somebody()
    const { emails } = await withAccounts(ada)
    const link = await shareAtGoogle(ada)
    expect(await opens(link)).toBe(true)
    expect((await leave(ada, false)).status).toBe(204)
    await untilGone(ada)
    for (const [kind, email] of Object.entries(emails) as [Kind, string][]) {
      expect((await providers.files(kind, email)).map(({ name }) => name).sort(), kind).toEqual(['a.bin', 'b.bin'])
      expect(
        Object.values(await tokens(kind, email)).filter((count) => count > 0),
        kind,
      ).toEqual([])
    }
    // What stays there is open to nobody by a link that was ours.
    expect(await opens(link)).toBe(false)
  })

  it('removes it there too when that was wanted, but nothing of others', async () => {
    const ada = await somebody()
    const { emails } = await withAccounts(ada)
    expect((await leave(ada, true)).status).toBe(204)
    await untilGone(ada)
    for (const [kind, email] of Object.entries(emails) as [Kind, string][]) {
      expect(await providers.files(kind, email), kind).toEqual([])
      expect(
        Object.values(await tokens(kind, email)).filter((count) => count > 0),
        kind,
      ).toEqual([])
    }
  })

  it('does not end the access of somebody else who uses the same login', async () => {
    const [ada, bob] = [await somebody(), await somebody()]
    const email = providers.addPerson('google', 100 * MIB)
    await ada.connect('google', email)
    const theirs = await bob.connect('google', email)
    await leave(ada)
    await untilGone(ada)
    const { body } = await expectStatus(201, bob.upload('kept.bin', Buffer.alloc(10, 'k'), await bob.pool([theirs])))
    await until(
      () => bob.file(body.id),
      ({ state }) => state === 'STORED',
      60,
    )
  })

  it('waits for an account that does not answer, and goes on when it does', async () => {
    const ada = await somebody()
    const { emails } = await withAccounts(ada)
    providers.plan({ kind: 'serverError', service: 'google', count: 0 })
    await leave(ada, true)
    await until(
      () => providers.files('dropbox', emails.dropbox),
      (left) => left.length === 0,
      60,
    )
    expect(await traces(ada.userId)).toContain('users')
    providers.clearFaults()
    await server.pool.query('update object_removals set next_try_at = now()')
    await untilGone(ada, 90)
    expect(await providers.files('google', emails.google)).toEqual([])
  })

  it('ends a download under way within seconds', async () => {
    const ada = await somebody()
    const size = 64 * MIB
    const { body } = await expectStatus(201, upload(ada, 'big.bin', Buffer.alloc(size)))
    const download = await ada.download(body.id)
    const reader = download.body?.getReader()
    let received = (await reader?.read())?.value?.length ?? 0
    await leave(ada)
    await sleep(6_000)
    const rest = (async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        received += part.value.length
    })()
    await rest.catch(() => undefined)
    expect(received).toBeLessThan(size)
    await untilGone(ada)
  })
})

it('is taken up again when its job was lost', async () => {
  const ada = await somebody()
  await server.pool.query(
    `update users set deleted_at = now() - interval '2 hours', email_key = 'deleted:' || id where id = $1`,
    [ada.userId],
  )
  await server.housekeeping.people.resumeRemovals()
  await vi.waitFor(async () => expect(await traces(ada.userId)).toEqual([]), { timeout: 120_000 })
})
