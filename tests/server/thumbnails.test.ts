import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContentUnavailableError, NoThumbnailError } from '../../server/domain/errors.ts'
import { createThumbnailsService, type MakeThumbnails } from '../../server/domain/thumbnails/service.ts'
import { publicId } from '../../server/lib/ids.ts'
import { sourceOfBytes } from '../../server/storage/byteSource.ts'
import { DiskFullError } from '../../server/storage/errors.ts'
import { createThumbnailStore, type ThumbnailStoreOptions } from '../../server/storage/thumbnailStore.ts'
import { blackPng, pdf, picture } from '../factories/pictures.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'

let server: FilesServer
let ada: SignedIn
let photo: Buffer

beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
  photo = await picture(1_200, 800).jpeg().toBuffer()
})
afterAll(() => server.close())

/** Uploaded over HTTP, so that the type is that of the content. */
async function upload(name: string, content: Buffer, { browser } = ada): Promise<string> {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(content)], name))
  return (await browser.request('POST', '/api/v1/files', form)).body.id
}

async function thumbnail(id: string, query = '', headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${server.url}/api/v1/files/${id}/thumbnail${query}`, {
    method,
    headers: { cookie: ada.cookie, ...headers },
  })
  const body = Buffer.from(await response.arrayBuffer())
  const isProblem = response.headers.get('content-type')?.includes('problem+json')
  const code = isProblem && body.length > 0 ? JSON.parse(body.toString()).code : null
  return { status: response.status, headers: response.headers, body, code }
}

describe('GET /files/{id}/thumbnail', () => {
  it.each([
    ['', 320, 214],
    ['?size=small', 96, 64],
    ['?size=medium', 320, 214],
    ['?size=large', 640, 427],
    ['?size=64', 96, 64],
    ['?size=256', 320, 214],
    ['?size=1024', 640, 427],
  ])('with "%s" is a WebP of %d by %d pixels', async (query, width, height) => {
    const id = await upload('photo.jpg', photo)
    const { status, headers, body } = await thumbnail(id, query)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('image/webp')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await sharp(body).metadata()).toMatchObject({ format: 'webp', width, height })
    const etag = headers.get('etag') ?? ''
    const again = await thumbnail(id, query, { 'if-none-match': etag })
    expect([again.status, again.body.length]).toEqual([304, 0])
    const head = await thumbnail(id, query, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(body.length)])
  })

  it('may be cached for ever under an address that names the content', async () => {
    const id = await upload('photo.jpg', photo)
    const cacheOf = async (content: string) =>
      (await thumbnail(id, `?size=small&content=${content}`)).headers.get('cache-control')
    expect(await cacheOf(keyOf(photo).slice(0, 16))).toBe('private, max-age=31536000, immutable')
    expect(await cacheOf('0000000000000000')).toBe('private, no-cache')
  })

  it('has different entity tags for different sizes, and the same for the same content', async () => {
    const [first, second] = [await upload('a.jpg', photo), await upload('b.jpg', photo)]
    const tags = await Promise.all([
      thumbnail(first, '?size=small'),
      thumbnail(first, '?size=large'),
      thumbnail(second, '?size=small'),
    ]).then((all) => all.map(({ headers }) => headers.get('etag')))
    expect(new Set(tags).size).toBe(2)
    expect(tags[0]).toBe(tags[2])
  })

  it('shows the first page of a PDF', async () => {
    const { status, body } = await thumbnail(await upload('page.pdf', pdf()))
    expect(status).toBe(200)
    expect(await sharp(body).metadata()).toMatchObject({ width: 240, height: 320 })
  })

  it('is NO_THUMBNAIL for what has none and for what cannot be drawn, each time', async () => {
    const contents: [string, Buffer][] = [
      ['blank.txt', Buffer.from(' \n\t\n')],
      ['empty.txt', Buffer.alloc(0)],
      ['marked.rtf', Buffer.from('{\\rtf1 text}')],
      ['music.mid', Buffer.from('MThd\0\0\0\x06\0\x01\0\x01\0\x60', 'latin1')],
      ['logo.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
      ['empty.png', Buffer.alloc(0)],
      ['bomb.png', blackPng(30_000, 30_000)],
      ['cut.jpg', photo.subarray(0, 5_000)],
    ]
    for (const [name, content] of contents) {
      const id = await upload(name, content)
      for (let turn = 0; turn < 2; turn += 1) {
        const { status, code, headers } = await thumbnail(id)
        expect([name, status, code]).toEqual([name, 404, 'NO_THUMBNAIL'])
        expect(headers.get('cache-control')).toBe('no-store')
      }
    }
    const folder = await ada.make({ kind: 'FOLDER' })
    expect((await thumbnail(publicId('File', folder))).code).toBe('NO_THUMBNAIL')
  })

  it('draws by the content: an SVG that was stored as a PNG is refused', async () => {
    const content = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    const id = await ada.make({ name: 'disguised.png', mimeType: 'image/png', category: 'IMAGE', content })
    expect((await thumbnail(publicId('File', id))).code).toBe('NO_THUMBNAIL')
  })

  it('is for its owner: others get what they get for a file that does not exist', async () => {
    const id = await upload('photo.jpg', photo)
    const bob = await server.signIn()
    await upload('the same.jpg', photo, bob)
    const forBob = await thumbnail(id, '', { cookie: bob.cookie })
    const unknown = await thumbnail(`file_${'0'.repeat(32)}`, '', { cookie: bob.cookie })
    expect([forBob.status, forBob.body]).toEqual([404, unknown.body])
    expect(forBob.code).toBe('NOT_FOUND')
    expect((await thumbnail(id, '', { cookie: '' })).status).toBe(401)
    expect((await thumbnail(id, '?size=huge')).code).toBe('INVALID_INPUT')
    expect((await thumbnail(id, '?size=65')).code).toBe('INVALID_INPUT')
  })

  it('is for entries in the trash too, as downloads are, and ends when they are deleted', async () => {
    const content = await picture(50, 51).png().toBuffer()
    const id = await upload('deleted.png', content)
    const stored = join(server.dataDir, 'thumbnails', fileOf(content))
    expect((await thumbnail(id)).status).toBe(200)
    expect(existsSync(stored)).toBe(true)
    await ada.browser.request('DELETE', `/api/v1/files/${id}`)
    expect((await thumbnail(id)).status).toBe(200)
    await ada.browser.request('DELETE', `/api/v1/files/${id}?permanent=true`)
    expect((await thumbnail(id)).code).toBe('NOT_FOUND')
    await expect.poll(() => existsSync(stored)).toBe(false)
  })

  it('answers many at once, for the same content and for others', async () => {
    const others = await Promise.all(
      Array.from({ length: 12 }, async (_, index) =>
        upload(
          'other.png',
          await picture(40, 40 + index)
            .png()
            .toBuffer(),
        ),
      ),
    )
    const same = await upload('same.png', await picture(41, 90).png().toBuffer())
    const all = [...others, ...others.map(() => same)]
    const statuses = await Promise.all(all.map(async (id) => (await thumbnail(id)).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('has its address in GraphQL and REST, only for what may have one', async () => {
    const id = await upload('photo.jpg', photo)
    const other = await upload('rich.rtf', Buffer.from('{\\rtf1 text}'))
    const query = `query ($id: ID!) { node(id: $id) { ... on File { thumbnailUrl large: thumbnailUrl(size: LARGE) } } }`
    const ask = async (of: string) =>
      (await ada.browser.request('POST', '/graphql', { query, variables: { id: of } })).body.data.node
    expect(await ask(id)).toEqual({
      thumbnailUrl: `/api/v1/files/${id}/thumbnail?size=small&content=${keyOf(photo).slice(0, 16)}`,
      large: `/api/v1/files/${id}/thumbnail?size=large&content=${keyOf(photo).slice(0, 16)}`,
    })
    expect(await ask(other)).toEqual({ thumbnailUrl: null, large: null })
    const urlOf = async (of: string) => (await ada.browser.request('GET', `/api/v1/files/${of}`)).body.thumbnailUrl
    const url = `/api/v1/files/${id}/thumbnail?size=medium&content=${keyOf(photo).slice(0, 16)}`
    expect([await urlOf(id), await urlOf(other)]).toEqual([url, null])
    expect((await ada.browser.request('GET', url.replace('medium', '64'))).headers.get('cache-control')).toContain(
      'immutable',
    )
  })
})

function keyOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function fileOf(content: Buffer): string {
  return join(keyOf(content).slice(0, 2), keyOf(content))
}

const dataDirs: string[] = []
afterAll(() => {
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true })
})

function createStore(options: Partial<ThumbnailStoreOptions> = {}) {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'skypool-thumbnails-'))
  dataDirs.push(dataDir)
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const store = createThumbnailStore({ dataDir, limitBytes: null, space: { take() {} }, onError, ...options })
  return { ...store, dataDir, errors }
}

const randomKey = () => createHash('sha256').update(randomUUID()).digest('hex')
const pictures = (size: number) => [Buffer.alloc(size, 1), Buffer.alloc(20, 2), Buffer.alloc(10, 3)]

describe('the store', () => {
  it('returns each size as it was written, and knows what has none', async () => {
    const store = createStore()
    const [key, none] = [randomKey(), randomKey()]
    expect(await store.read(key, 0)).toBeNull()
    await store.write(key, pictures(30))
    await store.write(none, null)
    const read = await Promise.all([0, 1, 2].map((index) => store.read(key, index)))
    expect(read).toEqual(pictures(30))
    expect(await store.read(none, 1)).toBe('NONE')
    await store.remove([key, none, randomKey()])
    expect(await store.read(key, 0)).toBeNull()
    await expect(store.read('../../etc/passwd', 0)).rejects.toThrow('Not a key')
  })

  it('forgets after a day what may have failed because of the server', async () => {
    let now = Date.now()
    const store = createStore({ now: () => now })
    const key = randomKey()
    await store.writeStopped(key)
    expect(await store.read(key, 0)).toBe('NONE')
    now += 23 * 3_600_000
    expect(await store.read(key, 0)).toBe('NONE')
    now += 2 * 3_600_000
    expect(await store.read(key, 0)).toBeNull()
  })

  it('takes nothing for a thumbnail that a crash or another version has left', async () => {
    const store = createStore()
    const key = randomKey()
    await store.write(key, pictures(30))
    const path = join(store.dataDir, 'thumbnails', key.slice(0, 2), key)
    for (const content of ['', 'SKT1', `SKT0${'\0'.repeat(12)}`, `SKT1${'\x05\0\0\0'.repeat(3)}abc`]) {
      writeFileSync(path, content)
      expect(await store.read(key, 0)).toBeNull()
    }
  })

  it('removes what was used least recently when the limit is exceeded', async () => {
    let now = Date.now()
    const store = createStore({ limitBytes: 40 * 4096, now: () => now })
    const keys = Array.from({ length: 40 }, randomKey)
    for (const key of keys) {
      await store.write(key, pictures(4_000))
      now += 60_000
    }
    now += 2 * 3_600_000
    // The oldest one is used again.
    expect(await store.read(keys[0] as string, 0)).toBeInstanceOf(Buffer)
    now += 60_000
    for (let count = 0; count < 4; count += 1) await store.write(randomKey(), pictures(4_000))
    await store.trim()
    const found = await Promise.all(keys.map((key) => store.read(key, 2)))
    expect(found[0]).toBeInstanceOf(Buffer)
    expect(found.slice(1, 5)).toEqual([null, null, null, null])
    expect(found.at(-1)).toBeInstanceOf(Buffer)
    expect(countFiles(store.dataDir)).toBeLessThanOrEqual(40)
    expect(store.errors).toEqual([])
  })

  it('trims what an earlier process left, including files that were never finished', async () => {
    const { dataDir, ...first } = createStore()
    const keys = Array.from({ length: 10 }, randomKey)
    for (const key of keys) await first.write(key, pictures(4_000))
    const folder = join(dataDir, 'thumbnails', (keys[0] as string).slice(0, 2))
    writeFileSync(join(folder, `${keys[0]}.${randomUUID()}`), Buffer.alloc(4_096))
    utimesSync(folder, 0, 0)
    const second = createStore({ dataDir, limitBytes: 4096 })
    const key = randomKey()
    await second.write(key, pictures(3_000))
    await expect.poll(() => countFiles(dataDir)).toBeLessThanOrEqual(1)
  })

  it('does without, when the disk is full', async () => {
    const store = createStore({
      space: {
        take() {
          throw new DiskFullError(null)
        },
      },
    })
    const key = randomKey()
    await store.write(key, pictures(30))
    expect(await store.read(key, 0)).toBeNull()
    expect(countFiles(store.dataDir)).toBe(0)
  })
})

function countFiles(dataDir: string): number {
  const root = join(dataDir, 'thumbnails')
  if (!existsSync(root)) return 0
  return readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
}

type Made = Awaited<ReturnType<MakeThumbnails['make']>>

describe('the service', () => {
  /** Over a maker that the test controls. */
  function createService(make: MakeThumbnails['make'], store = createStore()) {
    const opened: string[] = []
    const contents = {
      async open(_viewer: unknown, id: string) {
        opened.push(id)
        return { file: await server.services.files.get(ada.viewer, id), source: sourceOfBytes(photo) }
      },
    }
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const unused = () => {
      throw new Error('Nothing here is in an account.')
    }
    const service = createThumbnailsService({
      ...{ pool: server.pool, store, maker: { limit: 1, make }, onError },
      contents: { ...contents, openVersion: unused },
      openDriver: unused,
      report: { failed: unused, worked: unused },
      events: { publish: unused },
      hasThumbnails: () => false,
    })
    const get = (id: string, signal = new AbortController().signal) => service.get(ada.viewer, id, 'SMALL', signal)
    return { get, opened, errors, store }
  }

  const makePhoto = (content: Buffer | string = `${randomUUID()}`) =>
    ada.make({ mimeType: 'image/png', category: 'IMAGE', content })

  it('reads a content once, for all sizes and for all who wait', async () => {
    const id = await makePhoto()
    let finish: (made: Made) => void = () => undefined
    const made = new Promise<Made>((resolve) => {
      finish = resolve
    })
    const { get, opened } = createService(() => made)
    const waiting = Promise.all([get(id), get(id), get(id)])
    await expect.poll(() => opened.length).toBe(1)
    finish({ pictures: pictures(30) })
    expect((await waiting).map(({ bytes }) => bytes)).toEqual(Array(3).fill(pictures(30)[2]))
    await get(id)
    expect(opened).toEqual([id])
  })

  it('remembers that a process was stopped, and asks again when the content could not be read', async () => {
    const id = await makePhoto()
    const results: Made[] = [
      { failure: 'UNREAD', reason: 'The content arrives too slowly.' },
      { failure: 'STOPPED', reason: 'The process ended.' },
    ]
    const { get, opened } = createService(async () => results.shift() as Made)
    await expect(get(id)).rejects.toThrow(ContentUnavailableError)
    await expect(get(id)).rejects.toThrow(NoThumbnailError)
    await expect(get(id)).rejects.toThrow(NoThumbnailError)
    expect(opened).toEqual([id, id])
  })

  it('does not start a thumbnail after all of its clients have disconnected', async () => {
    const [first, second] = [await makePhoto(), await makePhoto()]
    let finish: (made: Made) => void = () => undefined
    const { get, opened } = createService(
      () =>
        new Promise((resolve) => {
          finish = resolve
        }),
    )
    const running = get(first)
    await expect.poll(() => opened).toEqual([first])
    const left = new AbortController()
    const abandoned = get(second, left.signal)
    const refused = expect(abandoned).rejects.toThrow()
    // It waits for its turn behind the first one.
    await server.services.files.get(ada.viewer, second)
    left.abort()
    await refused
    finish({ pictures: pictures(30) })
    await running
    expect(opened).toEqual([first])
  })

  it('sends thumbnails although they cannot be stored', async () => {
    const id = await makePhoto()
    const broken = async () => {
      throw new Error('The disk is broken.')
    }
    const store = { ...createStore(), read: broken, write: broken }
    const { get, errors } = createService(async () => ({ pictures: pictures(30) }), store)
    expect((await get(id)).bytes).toEqual(pictures(30)[2])
    expect(errors).toHaveLength(2)
  })

  it('stores none for a file that was deleted while it was made', async () => {
    const content = randomUUID()
    const id = await makePhoto(content)
    const { get, store } = createService(async () => {
      await server.services.files.remove(ada.viewer, [id])
      return { pictures: pictures(30) }
    })
    await expect(get(id)).rejects.toThrow('does not exist')
    expect(await store.read(keyOf(Buffer.from(content)), 0)).toBeNull()
  })
})
