import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createInPlaceHousekeeping } from '../../server/domain/inPlace/indexer.ts'
import { parsePublicId } from '../../server/lib/ids.ts'
import { picture } from '../factories/pictures.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { connect } from '../tools/demo/skypool.ts'

/** Small pictures of files that stay in emulated accounts. */
const google = createGoogle()
const dropbox = createDropbox()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let browser: Browser
let token = ''
let user = ''
let account = ''
let root = ''
let people = 0
let photo: Buffer

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
  photo = await picture(1_200, 800).jpeg().toBuffer()
})
beforeEach(async () => {
  token = (await createUser(server.services.users)).token
  browser = createBrowser(server.url, token)
  emulators.clearFaults()
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

const base64 = (bytes: Buffer) => bytes.toString('base64')

async function connectPerson(service: 'google' | 'dropbox', plant: () => Promise<unknown>): Promise<void> {
  people += 1
  user = `photographer-${people}@example.com`
  const { commands } = service === 'google' ? google : dropbox
  commands.addUser({ email: user, name: 'Photographer', quotaBytes: 10 ** 9 })
  await plant()
  const json = async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never
  account = await connect({ json }, service, 'Attic', user)
  root = (await browser.request('PATCH', `/api/v1/accounts/${account}`, { scope: 'EVERYTHING' })).body.rootFileId
}

type Item = { readonly id: string; readonly name: string }

/** Until the root has these entries. @returns their ids by their names */
async function listed(...names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return vi.waitFor(async () => {
    const items: Item[] = (await browser.request('GET', `/api/v1/files?parentId=${root}`)).body.items
    expect(items.map(({ name }) => name).sort()).toEqual([...names].sort())
    return new Map(items.map(({ name, id }) => [name, id]))
  }, patient)
}

async function fetchPicture(path: string) {
  const response = await fetch(`${server.url}${path}`, { headers: { cookie: `sid=${token}` } })
  const bytes = Buffer.from(await response.arrayBuffer())
  const code = response.status >= 400 ? JSON.parse(bytes.toString()).code : null
  return { status: response.status, headers: response.headers, bytes, code }
}

const thumbnail = (id: string | undefined, size = 'medium') =>
  fetchPicture(`/api/v1/files/${id}/thumbnail?size=${size}`)

/** As lists of the web get them. In REST they do not name the content. */
async function urlsOf(parentId: string): Promise<Map<string, string | null>> {
  const query = `query ($parentId: ID!) { viewer { files(parentId: $parentId, first: 50) { edges { node { name thumbnailUrl } } } } }`
  const { body } = await browser.request('POST', '/graphql', { query, variables: { parentId } })
  const edges: { node: { name: string; thumbnailUrl: string | null } }[] = body.data.viewer.files.edges
  const { items } = (await browser.request('GET', `/api/v1/files?parentId=${parentId}`)).body
  const urls = new Map(items.map(({ name, thumbnailUrl }: (typeof edges)[number]['node']) => [name, thumbnailUrl]))
  for (const { node } of edges) {
    if (node.thumbnailUrl) expect(urls.get(node.name)).toBe(node.thumbnailUrl.replace(/small&.*$/, 'medium'))
  }
  return new Map(edges.map(({ node }) => [node.name, node.thumbnailUrl]))
}

const askedFor = (operation: string) => emulators.log().filter((call) => call.operation === operation).length

describe('Google Drive', () => {
  const { plant, alter } = google.commands
  const names = ['Photo.jpg', 'Film.mp4', 'Note.txt', 'Broken.png', 'Archive.zip']

  async function connectDrive(): Promise<ReadonlyMap<string, string>> {
    await connectPerson('google', async () => {
      await plant({ user, name: 'Photo.jpg', mimeType: 'image/jpeg', base64: base64(photo) })
      await plant({ user, name: 'Film.mp4', mimeType: 'video/mp4', size: 9_000_000 })
      await plant({ user, name: 'Note.txt', mimeType: 'text/plain', text: 'note' })
      await plant({ user, name: 'Archive.zip', mimeType: 'application/zip', text: 'PK' })
      await plant({ user, name: 'Broken.png', mimeType: 'image/png', size: 1_000 })
    })
    return listed(...names)
  }

  it('shows the pictures that Drive makes, without reading the files, and asks once for all sizes', async () => {
    const ids = await connectDrive()
    const before = { made: askedFor('drive.thumbnail'), read: askedFor('drive.files.download') }
    const sizes = [
      ['small', 96, 64],
      ['medium', 320, 213],
      ['large', 640, 427],
    ] as const
    for (const [size, width, height] of sizes) {
      const { status, headers, bytes } = await thumbnail(ids.get('Photo.jpg'), size)
      expect([status, headers.get('content-type')]).toEqual([200, 'image/webp'])
      const made = await sharp(bytes).metadata()
      expect([made.format, made.width]).toEqual(['webp', width])
      expect(Math.abs((made.height ?? 0) - height)).toBeLessThanOrEqual(1)
    }
    expect((await thumbnail(ids.get('Film.mp4'))).status).toBe(200)
    expect(askedFor('drive.thumbnail') - before.made).toBe(2)
    expect(askedFor('drive.files.download') - before.read).toBe(0)
  })

  it('draws the beginning of a text, which it reads, without asking Drive for a picture', async () => {
    const ids = await connectDrive()
    const asked = askedFor('drive.thumbnail')
    const { status, headers, bytes } = await thumbnail(ids.get('Note.txt'))
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(bytes.toString()).toContain('>note</text>')
    expect(askedFor('drive.thumbnail')).toBe(asked)
  })

  it('has none of other files, and of what cannot be drawn', async () => {
    const ids = await connectDrive()
    for (const name of ['Archive.zip', 'Broken.png']) {
      const { status, code } = await thumbnail(ids.get(name))
      expect([name, status, code]).toEqual([name, 404, 'NO_THUMBNAIL'])
    }
    const asked = askedFor('drive.thumbnail')
    expect((await thumbnail(ids.get('Broken.png'))).code).toBe('NO_THUMBNAIL')
    expect(askedFor('drive.thumbnail')).toBe(asked)
  })

  it('has addresses that name the content, and another one for another content', async () => {
    const ids = await connectDrive()
    const urls = await urlsOf(root)
    expect(urls.get('Archive.zip')).toBeNull()
    const first = urls.get('Photo.jpg') ?? ''
    const cached = 'private, max-age=31536000, immutable'
    const before = await fetchPicture(first)
    expect([before.status, before.headers.get('cache-control')]).toEqual([200, cached])
    const { rows } = await server.pool.query<{ ref: string }>('select ref from account_entries where file_id = $1', [
      parsePublicId(ids.get('Photo.jpg') ?? '')?.id,
    ])
    await alter({ user, id: rows[0]?.ref ?? '', base64: base64(await picture(400, 400).png().toBuffer()) })
    const second = await vi.waitFor(async () => {
      const url = (await urlsOf(root)).get('Photo.jpg') ?? ''
      expect(url).not.toBe(first)
      return url
    }, patient)
    const after = await fetchPicture(second)
    expect(after.headers.get('cache-control')).toBe(cached)
    expect(await sharp(after.bytes).metadata()).toMatchObject({ width: 96, height: 96 })
    expect((await fetchPicture(first)).headers.get('cache-control')).toBe('private, no-cache')
  })

  it('asks to come back while Drive asks to wait, and shows what is known', async () => {
    const ids = await connectDrive()
    expect((await thumbnail(ids.get('Photo.jpg'))).status).toBe(200)
    emulators.plan({ kind: 'rateLimit', operation: 'drive.files.get', user, retryAfter: 600 })
    const limited = await thumbnail(ids.get('Film.mp4'))
    expect([limited.status, limited.code]).toEqual([503, 'CONTENT_UNAVAILABLE'])
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(500)
    const asked = emulators.log().length
    expect((await thumbnail(ids.get('Film.mp4'))).status).toBe(503)
    expect((await thumbnail(ids.get('Photo.jpg'))).status).toBe(200)
    const since = emulators.log().slice(asked)
    expect(
      since.filter((call) => call.operation === 'drive.files.get' || call.operation === 'drive.thumbnail'),
    ).toEqual([])
  })

  it('is for the owner of the account alone', async () => {
    const ids = await connectDrive()
    const other = await createUser(server.services.users)
    token = other.token
    const { status, code } = await thumbnail(ids.get('Photo.jpg'))
    expect([status, code]).toEqual([404, 'NOT_FOUND'])
  })

  it('removes the pictures with the account', async () => {
    const ids = await connectDrive()
    await thumbnail(ids.get('Photo.jpg'))
    const removed: string[] = []
    const thumbnails = { remove: async (keys: readonly string[]) => void removed.push(...keys) }
    const id = parsePublicId(account)?.id ?? ''
    const content = (await urlsOf(root)).get('Photo.jpg')?.split('content=')[1] ?? ''
    await server.pool.query('delete from account_indexes where account_id = $1', [id])
    const unused = () => Promise.reject(new Error('It is not called.'))
    const housekeeping = createInPlaceHousekeeping({
      ...{ pool: server.pool, enqueue: unused, openDriver: unused, thumbnails },
      changeInPlace: {} as never,
    })
    await housekeeping.forgetEntries(id, new AbortController().signal)
    expect(removed.some((key) => key.startsWith(content) && key.length === 64)).toBe(true)
  })
})

describe('Dropbox', () => {
  const { plant } = dropbox.commands

  it('shows the pictures that Dropbox makes, and reads small ones that it does not take', async () => {
    const avif = await picture(300, 200).avif().toBuffer()
    await connectPerson('dropbox', async () => {
      await plant({ user, path: '/Photo.jpg', base64: base64(photo) })
      await plant({ user, path: '/Modern.avif', base64: base64(avif) })
      await plant({ user, path: '/Large.avif', size: 9_000_000 })
    })
    const ids = await listed('Photo.jpg', 'Modern.avif', 'Large.avif')
    const read = askedFor('files/download')
    const { status, bytes } = await thumbnail(ids.get('Photo.jpg'), 'large')
    expect(status).toBe(200)
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 640 })
    expect(askedFor('files/download')).toBe(read)
    const small = await thumbnail(ids.get('Modern.avif'))
    expect(await sharp(small.bytes).metadata()).toMatchObject({ format: 'webp', width: 300, height: 200 })
    expect(askedFor('files/download')).toBe(read + 1)
    expect((await thumbnail(ids.get('Large.avif'))).code).toBe('NO_THUMBNAIL')
    expect(askedFor('files/download')).toBe(read + 1)
  })
})
