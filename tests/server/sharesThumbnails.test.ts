import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parsePublicId } from '../../server/lib/ids.ts'
import { picture } from '../factories/pictures.ts'
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
