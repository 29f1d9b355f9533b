import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicId } from '../../server/lib/ids.ts'
import { blackPng, filmHead, picture } from '../factories/pictures.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'

/** Pictures of films and HEIC images, which browsers make of what they upload. */
let server: FilesServer
let ada: SignedIn
let frame: Buffer

beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
  frame = await picture(640, 360).webp().toBuffer()
})
afterAll(() => server.close())

type Uploaded = { readonly id: string; readonly size: number; readonly sha256: string }

async function upload(name: string, content: Buffer, { browser } = ada): Promise<Uploaded> {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(content)], name))
  const { status, body } = await browser.request('POST', '/api/v1/files', form)
  expect([name, status]).toEqual([name, 201])
  return body
}

const film = (owner = ada, content = filmHead('isom', randomBytes(8).toString('hex'))) =>
  upload('film.mp4', content, owner)

const offer = (
  { id, size }: Uploaded,
  body: Buffer = frame,
  { query = '', type = 'image/webp', browser = ada.browser } = {},
) =>
  browser.request('PUT', `/api/v1/files/${id}/thumbnail?size=${size}${query}`, new Uint8Array(body), {
    'content-type': type,
  })

async function thumbnail({ id }: Pick<Uploaded, 'id'>, query = '', { cookie } = ada) {
  const response = await fetch(`${server.url}/api/v1/files/${id}/thumbnail${query}`, { headers: { cookie } })
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
}

const FACTS = 'query ($id: ID!) { node(id: $id) { ... on File { durationMs thumbnailUrl(size: LARGE) } } }'
/** As GraphQL, REST and lists of REST say, all the same. */
async function factsOf({ id }: Pick<Uploaded, 'id'>) {
  const facts = (await ada.browser.request('POST', '/graphql', { query: FACTS, variables: { id } })).body.data.node
  const { items } = (await ada.browser.request('GET', '/api/v1/files?limit=200')).body
  const { body: one } = await ada.browser.request('GET', `/api/v1/files/${id}`)
  for (const { durationMs, thumbnailUrl } of [one, items.find((item: { id: string }) => item.id === id)]) {
    expect({ durationMs, thumbnailUrl: thumbnailUrl?.replace('medium', 'large') ?? null }).toEqual(facts)
  }
  return facts
}

const stored = async () => (await server.pool.query('select from browser_pictures')).rowCount

describe('PUT /files/{id}/thumbnail', () => {
  it('gives a film its picture in three sizes, and its length', async () => {
    const uploaded = await film()
    expect(await factsOf(uploaded)).toEqual({ durationMs: null, thumbnailUrl: null })
    expect((await thumbnail(uploaded)).status).toBe(404)
    expect((await offer(uploaded, frame, { query: '&durationMs=168000' })).status).toBe(204)
    for (const [size, width] of [
      ['small', 96],
      ['medium', 320],
      ['large', 640],
    ] as const) {
      const { headers, body } = await thumbnail(uploaded, `?size=${size}`)
      expect(headers.get('content-type')).toBe('image/webp')
      expect(await sharp(body).metadata()).toMatchObject({ format: 'webp', width })
    }
    const { durationMs, thumbnailUrl } = await factsOf(uploaded)
    expect(durationMs).toBe(168_000)
    const { searchParams } = new URL(thumbnailUrl, server.url)
    const cached = await thumbnail(uploaded, `?size=large&content=${searchParams.get('content')}`)
    expect(cached.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
  })

  it('replaces an earlier picture, which gets another address', async () => {
    const uploaded = await film()
    await offer(uploaded)
    const first = await factsOf(uploaded)
    expect((await offer(uploaded, blackPng(100, 50), { type: 'image/png' })).status).toBe(204)
    const second = await factsOf(uploaded)
    expect(second.thumbnailUrl).not.toBe(first.thumbnailUrl)
    expect(await sharp((await thumbnail(uploaded)).body).metadata()).toMatchObject({ width: 100, height: 50 })
  })

  it('encodes it again, without what is said about its place', async () => {
    const uploaded = await film()
    const exif = { IFD0: { Make: 'Kamera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 8/1 0/1' } }
    await offer(uploaded, await picture(200, 100).withExif(exif).jpeg().toBuffer(), { type: 'image/jpeg' })
    const { exif: found, width } = await sharp((await thumbnail(uploaded)).body).metadata()
    expect([width, found]).toEqual([200, undefined])
  })

  it('is for HEIC images too', async () => {
    const uploaded = await upload('IMG_1.heic', filmHead('heic', 'one'))
    expect((await offer(uploaded)).status).toBe(204)
    expect((await thumbnail(uploaded)).status).toBe(200)
  })

  it('refuses what is no picture, what is too large when decoded, and other types', async () => {
    const uploaded = await film()
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    for (const body of [Buffer.from('no picture'), svg, blackPng(30_000, 30_000), frame.subarray(0, 300)]) {
      const { status, body: problem } = await offer(uploaded, body)
      expect([status, problem.code]).toEqual([400, 'INVALID_INPUT'])
    }
    expect((await offer(uploaded, frame, { type: 'image/svg+xml' })).status).toBe(415)
    expect((await offer(uploaded, Buffer.alloc(3 * 1024 * 1024))).status).toBe(413)
    expect((await offer(uploaded, frame, { query: '&durationMs=-1' })).status).toBe(400)
    expect((await thumbnail(uploaded)).status).toBe(404)
  })

  it('refuses files that are drawn here, folders, and a file that has another size by now', async () => {
    const photo = await upload('photo.jpg', await picture(30, 30).jpeg().toBuffer())
    const note = await upload('note.txt', Buffer.from('text'))
    for (const uploaded of [photo, note]) {
      expect((await offer(uploaded)).body.code).toBe('INVALID_INPUT')
    }
    const uploaded = await film()
    expect((await offer({ ...uploaded, size: uploaded.size + 1 })).body.code).toBe('PRECONDITION_FAILED')
  })

  it('is for the owner, with a key that may write', async () => {
    const content = filmHead('isom', 'shared content')
    const uploaded = await film(ada, content)
    const bob = await server.signIn()
    const own = await film(bob, content)
    expect((await offer(uploaded, frame, { browser: bob.browser })).status).toBe(404)
    expect((await offer(own, frame, { browser: bob.browser })).status).toBe(204)
    // Another user's picture of the same content says nothing about this one.
    expect((await thumbnail(uploaded)).status).toBe(404)
    expect((await thumbnail(own, '', bob)).status).toBe(200)
  })
})

describe('a picture of a browser', () => {
  it('is that of all files with this content, and goes with the last one', async () => {
    const before = (await stored()) ?? 0
    const content = filmHead('isom', 'twice')
    const first = await film(ada, content)
    await offer(first)
    const second = await film(ada, content)
    expect((await thumbnail(second)).status).toBe(200)
    await ada.browser.request('DELETE', `/api/v1/files/${first.id}?permanent=true`)
    await expect
      .poll(() => server.pool.query('select from files where purged_at is not null').then((r) => r.rowCount))
      .toBe(0)
    expect((await thumbnail(second)).status).toBe(200)
    await ada.browser.request('DELETE', `/api/v1/files/${second.id}?permanent=true`)
    await expect.poll(stored).toBe(before)
  })

  it('is on the tile of its folder, and films without one are not', async () => {
    const folder = publicId('File', await ada.make({ kind: 'FOLDER' }))
    const query =
      'query ($id: ID!) { node(id: $id) { ... on File { folderThumbnailUrls folderThumbnails { url category } } } }'
    const pictures = async () => {
      const { body } = await ada.browser.request('POST', '/graphql', { query, variables: { id: folder } })
      const { folderThumbnailUrls: urls, folderThumbnails: shown } = body.data.node
      expect(shown).toEqual(urls.map((url: string) => ({ url, category: 'VIDEO' })))
      return urls.length
    }
    const form = new FormData()
    form.set('parentId', folder)
    form.set('file', new File([new Uint8Array(filmHead('isom', 'in folder'))], 'film.mp4'))
    const uploaded = (await ada.browser.request('POST', '/api/v1/files', form)).body
    expect(await pictures()).toBe(0)
    await offer(uploaded)
    expect(await pictures()).toBe(1)
  })
})
