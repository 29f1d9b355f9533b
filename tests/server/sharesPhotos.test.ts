import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parsePublicId } from '../../server/lib/ids.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { createOwner, createVisitor, type Owner, PASSWORD } from './shares/world.ts'

/** Photos and videos of a shared folder by the time they were taken, for visitors. */
let server: TestServer
let owner: Owner

beforeAll(async () => {
  server = await startTestServer({ trustProxy: true })
})
beforeEach(async () => {
  owner = await createOwner(server)
})
afterAll(() => server?.close())

const sql = (text: string, values: unknown[]) => server.pool.query(text, values)
const rowOf = (id: string) => parsePublicId(id)?.id

/** A file that is taken for a picture or a video of that time. */
async function photo(name: string, takenAt: string | null, folderId?: string, category = 'IMAGE'): Promise<string> {
  const id = await owner.upload(name, `content of ${name}`, folderId)
  const [width, height] = takenAt ? [400, 300] : [null, null]
  await sql(
    `update files set taken_at = $2, picture_width = $3, picture_height = $4, category = $5::"FileCategory" where id = $1`,
    [rowOf(id), takenAt, width, height, category],
  )
  return id
}

type Asked = { readonly folderId?: string; readonly after?: string; readonly first?: number }

const QUERY = `query($id: ID!, $folderId: ID, $after: String, $first: Int) {
  share(id: $id) {
    photoMonths(folderId: $folderId) { month count }
    files(order: TAKEN, folderId: $folderId, after: $after, first: $first) {
      path { name }
      edges { node { name updatedAt picture { width height takenAt } } }
      pageInfo { endCursor hasNextPage }
    }
  }
}`

async function ask(id: string, asked: Asked = {}, visitor = createVisitor(server)) {
  const { body } = await visitor.ask('POST', '/graphql', {}, { query: QUERY, variables: { id, ...asked } })
  const files = body.data?.share?.files
  const nodes: { name: string; picture: unknown }[] | undefined = files?.edges.map(({ node }: { node: object }) => node)
  return {
    names: nodes?.map(({ name }) => name),
    nodes,
    path: files?.path,
    pageInfo: files?.pageInfo,
    months: body.data?.share?.photoMonths,
    code: body.errors?.[0]?.extensions?.code ?? body.code,
  }
}

async function trip() {
  const folder = await owner.folder('Trip')
  const below = await owner.folder('Harbour', folder)
  for (const year of ['2012', '2015', '2011', '2014', '2013']) {
    await photo(`${year}.jpg`, `${year}-05-05T12:00:00Z`, folder)
  }
  await photo('walk.mp4', '2014-05-01T08:00:00Z', folder, 'VIDEO')
  await photo('new.jpg', null, folder)
  await owner.upload('notes.txt', 'north wall', folder)
  await photo('below.jpg', '2020-01-01T00:00:00Z', below)
  return { folder, below }
}

describe('photos of a shared folder', () => {
  it('are its pictures and videos by the time they were taken, else changed, page by page', async () => {
    const { folder } = await trip()
    const id = await owner.share(folder)
    const first = await ask(id, { first: 4 })
    expect(first.names).toEqual(['new.jpg', '2015.jpg', '2014.jpg', 'walk.mp4'])
    expect(first.pageInfo.hasNextPage).toBe(true)
    expect(first.nodes?.[1]?.picture).toEqual({ width: 400, height: 300, takenAt: '2015-05-05T12:00:00.000Z' })
    expect(first.nodes?.[0]).toMatchObject({ picture: null, updatedAt: expect.stringMatching(/^20.*Z$/) })
    const second = await ask(id, { first: 4, after: first.pageInfo.endCursor })
    expect([second.names, second.pageInfo.hasNextPage]).toEqual([['2013.jpg', '2012.jpg', '2011.jpg'], false])
    expect(first.months).toEqual([
      { month: new Date().toISOString().slice(0, 7), count: 1 },
      { month: '2015-05', count: 1 },
      { month: '2014-05', count: 2 },
      { month: '2013-05', count: 1 },
      { month: '2012-05', count: 1 },
      { month: '2011-05', count: 1 },
    ])
  })

  it('are those of the folder that is open, without those below it', async () => {
    const { folder, below } = await trip()
    const id = await owner.share(folder)
    expect(await ask(id, { folderId: below })).toMatchObject({
      names: ['below.jpg'],
      path: [{ name: 'Harbour' }],
      months: [{ month: '2020-01', count: 1 }],
    })
  })

  it('need the password', async () => {
    const { folder } = await trip()
    const id = await owner.share(folder, { password: PASSWORD })
    const visitor = createVisitor(server)
    expect(await ask(id, {}, visitor)).toMatchObject({ names: undefined, months: null })
    await visitor.unlock(id)
    expect((await ask(id, {}, visitor)).names).toHaveLength(7)
  })

  it('are none of what is outside of the share, in the trash, or below a file', async () => {
    const { folder, below } = await trip()
    const outside = await owner.folder('Private')
    await photo('private.jpg', '2019-01-01T00:00:00Z', outside)
    const id = await owner.share(folder)
    for (const folderId of [outside, 'nonsense', await photo('alone.jpg', null)]) {
      expect(await ask(id, { folderId })).toMatchObject({ names: undefined, code: 'NOT_FOUND' })
    }
    const inside = await photo('inside.jpg', '2018-08-08T00:00:00Z', folder)
    expect((await ask(id)).months).toContainEqual({ month: '2018-08', count: 1 })
    await sql('update files set parent_id = $2 where name = $1', ['private.jpg', rowOf(inside)])
    expect((await ask(id, { folderId: inside })).months ?? []).toEqual([])
    await owner.browser.request('DELETE', `/api/v1/files/${inside}`)
    const left = await ask(id)
    expect(left.names).not.toContain('inside.jpg')
    expect(left.months).not.toContainEqual({ month: '2018-08', count: 1 })
    await owner.browser.request('DELETE', `/api/v1/files/${below}`)
    expect(await ask(id, { folderId: below })).toMatchObject({ names: undefined, code: 'NOT_FOUND' })
  })

  it('end with the link', async () => {
    const { folder } = await trip()
    const [revoked, expired] = [await owner.share(folder), await owner.share(folder)]
    await owner.browser.request('DELETE', `/api/v1/shares/${revoked}`)
    await sql("update shares set expires_at = now() - interval '1 second' where id = $1", [rowOf(expired)])
    for (const id of [revoked, expired]) {
      expect(await ask(id)).toMatchObject({ names: undefined, months: undefined, code: undefined })
    }
  })

  it('have cursors of their own, which the list by name refuses', async () => {
    const { folder } = await trip()
    const id = await owner.share(folder)
    const { pageInfo } = await ask(id, { first: 2 })
    const query = 'query($id: ID!, $after: String) { share(id: $id) { files(after: $after) { edges { cursor } } } }'
    const variables = { id, after: pageInfo.endCursor }
    const { body } = await createVisitor(server).ask('POST', '/graphql', {}, { query, variables })
    expect(body.errors[0].extensions.code).toBe('INVALID_INPUT')
  })
})
