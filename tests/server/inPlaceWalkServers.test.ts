import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createProviders } from '../../server/providers/registry.ts'
import { createHostGuard } from '../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import { unpackSwift } from '../../server/scripts/setup/swift.mjs'
import { makeBucket, openDriver, storeText } from '../conformance/amazonS3Harness.ts'
import { call, listEverything } from '../conformance/kit.ts'
import { createUser } from '../factories/user.ts'
import { DAV_LOGIN, DAV_SERVERS, lacksServer } from '../fakes/dav/servers.ts'
import { startSwift, whyNoSwift } from '../fakes/s3/swift.ts'
import { PASSWORD, startSshd, USER, whyNoSshd } from '../fakes/sftp/sshd.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

// Everything in accounts of real servers that report no changes: OpenSSH, Apache, and Swift with its S3 API.

await unpackSwift()
const patient = { timeout: 120_000, interval: 100 }

/** A new folder of the service, and what others do in it. */
type Outside = {
  readonly fields: Readonly<Record<string, string>>
  /** Makes the folders above too. */
  write(path: string, text: string): Promise<void>
  remove(path: string): Promise<void>
  /** Paths of all files, and of all folders with a slash at the end. */
  paths(): Promise<string[]>
}
type Service = { open(): Promise<Outside>; close(): Promise<void> }

const SERVICES = [
  { name: 'OpenSSH', provider: 'sftp', missing: whyNoSshd(), start: startSftp },
  { name: 'Apache', provider: 'webdav', missing: lacksServer('apache'), start: startDav },
  { name: 'Swift', provider: 'amazon-s3', missing: whyNoSwift(), start: startS3 },
] as const

async function startSftp(): Promise<Service> {
  const sshd = await startSshd()
  const { port, fingerprint } = sshd
  return {
    async open() {
      const home = join(sshd.home, 'attic')
      await sshd.run(`mkdir '${home}'`)
      return {
        fields: { host: '127.0.0.1', port: String(port), user: USER, password: PASSWORD, folder: 'attic', fingerprint },
        write: async (path, text) =>
          void (await sshd.run(`mkdir -p "$(dirname '${home}/${path}')" && printf '${text}' > '${home}/${path}'`)),
        remove: async (path) => void (await sshd.run(`rm -r '${home}/${path}'`)),
        async paths() {
          const found = await sshd.run(
            `cd '${home}' && find . -mindepth 1 -type d -printf '%P/\\n' -o -type f -printf '%P\\n'`,
          )
          return found.split('\n').filter((line) => line !== '')
        },
      }
    },
    close: () => sshd.close(),
  }
}

async function startDav(): Promise<Service> {
  const dav = await DAV_SERVERS.apache()
  return {
    async open() {
      const { disk, path } = dav.newFolder()
      return {
        fields: { address: `http://127.0.0.1:${dav.port}${encodeURI(path)}`, ...DAV_LOGIN },
        async write(name, text) {
          const folders = name.split('/').slice(0, -1)
          for (let depth = 1; depth <= folders.length; depth += 1) {
            const folder = join(disk, ...folders.slice(0, depth))
            mkdirSync(folder, { recursive: true })
            // Apache runs as another user.
            chmodSync(folder, 0o777)
          }
          writeFileSync(join(disk, name), text)
          chmodSync(join(disk, name), 0o666)
        },
        remove: async (name) => rmSync(join(disk, name), { recursive: true }),
        paths: async () =>
          readdirSync(disk, { recursive: true })
            .map(String)
            .filter((name) => !name.split('/').includes('.DAV'))
            .map((name) => (statSync(join(disk, name)).isDirectory() ? `${name}/` : name)),
      }
    },
    close: () => dav.close(),
  }
}

async function startS3(): Promise<Service> {
  const swift = await startSwift()
  return {
    async open() {
      const bucket = await makeBucket(swift)
      const driver = openDriver(bucket.credentials)
      const { endpoint, accessKey, secretKey } = swift
      return {
        fields: { service: 'other', endpoint, bucket: bucket.name, accessKey, secretKey },
        write: (path, text) => storeText(bucket, path, text),
        remove: async (path) => {
          for (const { ref } of await listEverything(driver)) {
            if (`${ref}/`.startsWith(`/${path}/`)) await driver.delete(call(), ref)
          }
        },
        paths: async () => (await listEverything(driver)).map(({ ref }) => ref.slice(1)),
      }
    },
    close: () => swift.close(),
  }
}

let server: TestServer

beforeAll(async () => {
  server = await startTestServer(
    {},
    {
      openProviders: ({ config, credentials, local, logger }) =>
        createProviders({
          settings: config.providers,
          store: credentials,
          http: createHttp({ emulatorUrl: null }),
          guard: createHostGuard(true),
          localDriver: local,
          logger,
        }),
      feedEveryMs: 200,
    },
  )
})
afterAll(() => server?.close())

describe.each(SERVICES)('$name', ({ provider, missing, start }) => {
  let service: Service
  let outside: Outside
  let browser: Browser
  let account: string
  let root: string

  beforeAll(async () => {
    if (missing === null) service = await start()
  })
  afterAll(() => service?.close())

  const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body
  const patch = (id: string | undefined, body: object) => browser.request('PATCH', `/api/v1/files/${id}`, body)
  const post = (path: string, body: unknown = {}) => browser.request('POST', `/api/v1${path}`, body)
  const own = (path: string) => path.startsWith('Skypool/')

  /** Until the folder has these entries. @returns their ids by name */
  async function listed(parentId: string | undefined, names: readonly string[]): Promise<Map<string, string>> {
    return vi.waitFor(async () => {
      const { items } = await get(`/files?parentId=${parentId}`)
      expect(items.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort())
      return new Map<string, string>(items.map(({ name, id }: { name: string; id: string }) => [name, id]))
    }, patient)
  }
  const index = async () => (await get(`/accounts/${account}`)).index
  const there = async () => (await outside.paths()).filter((path) => !own(path)).sort()

  it.skipIf(missing !== null)(
    `shows what it holds, follows it, and changes it${missing === null ? '' : `: ${missing}`}`,
    { timeout: 600_000 },
    async () => {
      browser = createBrowser(server.url, (await createUser(server.services.users)).token)
      outside = await service.open()
      await outside.write('Photos/Trip/north wall.txt', 'the north wall')
      await outside.write('Photos/b.txt', 'b')
      await outside.write('note ü & more.txt', 'note')
      const connected = await post(`/${provider}-accounts/auth`, { name: 'Attic', fields: outside.fields })
      expect([connected.status, connected.body.scope]).toEqual([201, 'EVERYTHING'])
      account = connected.body.id
      root = connected.body.rootFileId
      await vi.waitFor(async () => expect(await index()).toMatchObject({ phase: 'WALK', entries: 5 }), patient)
      const top = await listed(root, ['Photos', 'note ü & more.txt'])
      const photos = top.get('Photos')
      const trip = (await listed(photos, ['Trip', 'b.txt'])).get('Trip')
      const [wall] = (await get('/files?view=all&q=north')).items
      expect(wall).toMatchObject({ name: 'north wall.txt', home: 'ACCOUNT', accountId: account, parentId: trip })
      expect((await browser.request('GET', `/api/v1/files/${wall.id}/download`)).body).toBe('the north wall')
      expect((await get(`/files/${photos}`)).asOf).toEqual(expect.any(String))

      // From outside: seen when the folder is opened.
      await server.pool.query('update account_entries set looked_at = null')
      await outside.write('Photos/new.txt', 'new')
      await outside.remove('Photos/b.txt')
      await listed(photos, ['Trip', 'new.txt'])

      // From here: at the server, and nothing is another entry afterwards.
      const renamed = await patch(photos, { name: 'Pictures' })
      expect([renamed.status, renamed.body]).toMatchObject([200, { id: photos, name: 'Pictures' }])
      const made = await post('/files/folders', { name: 'Old', parentId: root })
      expect([made.status, made.body.home]).toEqual([201, 'ACCOUNT'])
      const moved = await patch(trip, { parentId: made.body.id })
      expect([moved.status, moved.body]).toMatchObject([200, { id: trip, parentId: made.body.id }])
      const form = new FormData()
      form.set('parentId', made.body.id)
      form.set('file', new File(['fresh'], 'fresh.txt', { type: 'text/plain' }))
      const uploaded = (await browser.request('POST', '/api/v1/files', form)).body
      const all = ['Old/', 'Old/Trip/', 'Old/Trip/north wall.txt', 'Old/fresh.txt', 'Pictures/', 'Pictures/new.txt']
      await vi.waitFor(async () => expect(await there()).toEqual([...all, 'note ü & more.txt']), patient)
      await vi.waitFor(async () => expect((await get(`/files/${uploaded.id}`)).home).toBe('ACCOUNT'), patient)
      expect((await browser.request('GET', `/api/v1/files/${wall.id}/download`)).body).toBe('the north wall')

      expect((await patch(made.body.id, { trashed: true })).status).toBe(200)
      expect(await there()).toEqual(['Pictures/', 'Pictures/new.txt', 'note ü & more.txt'])
      await listed(root, ['Pictures', 'note ü & more.txt'])
      const back = await patch(made.body.id, { trashed: false })
      expect([back.status, back.body.trashedAt]).toEqual([200, null])
      await listed(made.body.id, ['Trip', 'fresh.txt'])
      expect(await there()).toEqual([...all, 'note ü & more.txt'])
      const note = top.get('note ü & more.txt')
      expect((await browser.request('DELETE', `/api/v1/files/${note}?permanent=true`)).status).toBe(204)
      expect(await there()).toEqual(all)

      // A complete listing finds nothing else.
      const { rows: before } = await server.pool.query('select passed_at from account_indexes order by passed_at desc')
      expect((await post(`/accounts/${account}/index/refresh`)).status).toBe(202)
      await vi.waitFor(async () => {
        const { rows } = await server.pool.query('select passed_at from account_indexes order by passed_at desc')
        expect(rows[0].passed_at > before[0].passed_at).toBe(true)
        expect(await index()).toMatchObject({ phase: 'WALK', entries: 6 })
      }, patient)
      expect((await get(`/files/${wall.id}`)).path).toEqual(['Attic', 'Old', 'Trip'])
    },
  )
})
