import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parsePublicId } from '../../server/lib/ids.ts'
import { filmHead, picture } from '../factories/pictures.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { createOwner, createVisitor, type Owner, PASSWORD, unknownShare } from './shares/world.ts'

/** Thumbnails behind public links: under the checks of a download, and never counted as one. */
let server: TestServer
let owner: Owner
let photo: Uint8Array<ArrayBuffer>

beforeAll(async () => {
  server = await startTestServer({ trustProxy: true, localQuotaBytes: null })
  owner = await createOwner(server)
  photo = new Uint8Array(await picture(800, 600).jpeg().toBuffer())
})
afterAll(() => server?.close())

const see = async (path: string, visitor = createVisitor(server), headers: Record<string, string> = {}) => {
  const response = await visitor.send('GET', `/api/v1/shares/${path}`, headers)
  const body = Buffer.from(await response.arrayBuffer())
  const isProblem = response.headers.get('content-type')?.includes('problem+json')
  return {
    status: response.status,
    headers: response.headers,
    body,
    code: isProblem ? JSON.parse(String(body)).code : null,
  }
}
const uploadPhoto = (parentId?: string) => owner.upload('photo.jpg', photo, parentId, 'image/jpeg')

describe('GET /shares/{id}/thumbnail', () => {
  it('is a picture that no cache keeps longer than the link works', async () => {
    const id = await owner.share(await uploadPhoto())
    const { status, headers, body } = await see(`${id}/thumbnail?size=small`)
    expect([status, headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('x-robots-tag')).toContain('noindex')
    expect(await sharp(body).metadata()).toMatchObject({ format: 'webp', width: 96, height: 72 })
    const etag = headers.get('etag') ?? ''
    expect((await see(`${id}/thumbnail?size=small`, undefined, { 'if-none-match': etag })).status).toBe(304)
    await owner.browser.request('DELETE', `/api/v1/shares/${id}`)
    expect((await see(`${id}/thumbnail`, undefined, { 'if-none-match': etag })).code).toBe('NOT_FOUND')
  })

  it('does not reveal by its tag that another link has the same content', async () => {
    const file = await uploadPhoto()
    const [one, other] = [await owner.share(file), await owner.share(file)]
    const [first, second] = [await see(`${one}/thumbnail`), await see(`${other}/thumbnail`)]
    expect(first.headers.get('etag')).not.toBe(second.headers.get('etag'))
  })

  it('needs the password', async () => {
    const folder = await owner.folder('Protected pictures')
    const inner = await uploadPhoto(folder)
    const id = await owner.share(folder, { password: PASSWORD })
    const visitor = createVisitor(server)
    expect((await see(`${id}/files/${inner}/thumbnail`, visitor)).code).toBe('PASSWORD_REQUIRED')
    await visitor.unlock(id)
    expect((await see(`${id}/files/${inner}/thumbnail`, visitor)).status).toBe(200)
  })

  it('is never counted, and links with a limit have none', async () => {
    const file = await uploadPhoto()
    const [free, limited] = [await owner.share(file), await owner.share(file, { maxDownloads: 1 })]
    await see(`${free}/thumbnail`)
    expect((await see(`${limited}/thumbnail`)).code).toBe('NO_THUMBNAIL')
    const { rows } = await server.pool.query('select downloads from shares where id = any($1::uuid[])', [
      [free, limited].map((id) => parsePublicId(id)?.id),
    ])
    expect(rows.map(({ downloads }) => downloads)).toEqual([0, 0])
    const visited = await createVisitor(server).ask('GET', `/api/v1/shares/${limited}`)
    expect(visited.body).toMatchObject({ hasThumbnail: false })
  })

  it('shows nothing that is not behind the link', async () => {
    const folder = await owner.folder('Some pictures')
    const [inside, outside] = [await uploadPhoto(folder), await uploadPhoto()]
    const id = await owner.share(folder)
    expect((await see(`${id}/files/${inside}/thumbnail`)).status).toBe(200)
    expect((await see(`${id}/files/${outside}/thumbnail`)).code).toBe('NOT_FOUND')
    expect((await see(`${id}/thumbnail`)).code).toBe('NO_THUMBNAIL')
    expect((await see(`${unknownShare()}/thumbnail`)).code).toBe('NOT_FOUND')
    expect((await see(`${id}/files/${inside}/thumbnail?size=huge`)).code).toBe('INVALID_INPUT')
  })

  it('is named by the list of a folder and by GraphQL, for what can be drawn', async () => {
    const folder = await owner.folder('Mixed')
    const inner = await uploadPhoto(folder)
    await owner.upload('letter.rtf', '{\\rtf1 text}', folder)
    const id = await owner.share(folder)
    const { body } = await createVisitor(server).ask('GET', `/api/v1/shares/${id}/files`)
    expect(body.items.map((item: { hasThumbnail: boolean }) => item.hasThumbnail)).toEqual([false, true])
    const query = `{ share(id: "${id}") { thumbnailUrl files { edges { node { name thumbnailPath(size: MEDIUM) } } } } }`
    const answer = await createVisitor(server).ask('POST', '/graphql', {}, { query })
    expect(answer.body.data.share).toMatchObject({
      thumbnailUrl: null,
      files: {
        edges: [
          { node: { name: 'letter.rtf', thumbnailPath: null } },
          { node: { name: 'photo.jpg', thumbnailPath: `files/${inner}/thumbnail?size=medium` } },
        ],
      },
    })
    const path = answer.body.data.share.files.edges[1].node.thumbnailPath
    expect((await see(`${id}/${path}`)).status).toBe(200)
  })
})

describe('the lengths of videos in a shared folder', () => {
  const lengthsOf = async (id: string, { folderId, ...arguments_ }: { folderId?: string; first?: number } = {}) => {
    const within = [folderId && `folderId: "${folderId}"`, `first: ${arguments_.first ?? 100}`]
      .filter(Boolean)
      .join(' ')
    const query = `{ share(id: "${id}") { files(${within}) { edges { node { name durationMs } } } } }`
    const { body } = await createVisitor(server).ask('POST', '/graphql', {}, { query })
    const edges: { node: { name: string; durationMs: number | null } }[] = body.data?.share?.files?.edges ?? []
    return Object.fromEntries(edges.map(({ node }) => [node.name, node.durationMs]))
  }

  /** A video, of which the browser of its owner has reported the length. */
  async function film(name: string, durationMs: number | null, folderId?: string, by = owner) {
    const content = new Uint8Array(filmHead('isom', name))
    const id = await by.upload(name, content, folderId, 'video/mp4')
    const query = durationMs === null ? '' : `&durationMs=${durationMs}`
    const path = `/api/v1/files/${id}/thumbnail?size=${content.length}${query}`
    const { status } = await by.browser.request('PUT', path, photo, { 'content-type': 'image/jpeg' })
    expect(status).toBe(204)
    return { id, content }
  }

  it('are those that the browser of its owner reported', async () => {
    const folder = await owner.folder('Films')
    const below = await owner.folder('More films', folder)
    await film('walk.mp4', 168_000, folder)
    await film('unknown.mp4', null, folder)
    await film('below.mp4', 4_000, below)
    await owner.upload('notes.txt', 'text', folder)
    const id = await owner.share(folder)
    expect(await lengthsOf(id)).toEqual({
      'More films': null,
      'notes.txt': null,
      'unknown.mp4': null,
      'walk.mp4': 168_000,
    })
    expect(await lengthsOf(id, { folderId: below })).toEqual({ 'below.mp4': 4_000 })
  })

  it('say nothing about files outside of the share, before the password, and of what others reported', async () => {
    const folder = await owner.folder('Protected films')
    const outside = await owner.folder('Private films')
    await film('inside.mp4', 2_000, folder)
    await film('private.mp4', 3_000, outside)
    const [open, locked] = [await owner.share(folder), await owner.share(folder, { password: PASSWORD })]
    expect(await lengthsOf(open, { folderId: outside })).toEqual({})
    expect(await lengthsOf(locked)).toEqual({})
    // The same content of another user has a length, and this one has none.
    const other = await createOwner(server)
    const { content } = await film('same.mp4', 5_000, undefined, other)
    await owner.upload('same.mp4', content, folder, 'video/mp4')
    expect(await lengthsOf(open)).toEqual({ 'inside.mp4': 2_000, 'same.mp4': null })
  })

  it('of a page are read in one statement, and in none without a video', async () => {
    const folder = await owner.folder('Many films')
    const id = await owner.share(folder)
    await owner.upload('notes.txt', 'text', folder)
    const asked = vi.spyOn(server.pool, 'query')
    const statements = () => asked.mock.calls.filter(([sql]) => String(sql).includes('browser_pictures')).length
    try {
      await lengthsOf(id)
      expect(statements()).toBe(0)
      for (const name of ['one.mp4', 'two.mp4', 'three.mp4']) await film(name, 1_000, folder)
      asked.mockClear()
      expect(Object.keys(await lengthsOf(id))).toHaveLength(4)
      expect(statements()).toBe(1)
    } finally {
      asked.mockRestore()
    }
  })
})
