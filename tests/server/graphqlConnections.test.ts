import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicId } from '../../server/lib/ids.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { createGraphqlClient, type GraphqlClient, mutate } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
let ada: TestUser
let asAda: GraphqlClient

beforeAll(async () => {
  server = await startTestServer()
  ada = await createUser(server.services.users)
  asAda = createGraphqlClient(server.url, ada.token)
})
afterAll(() => server?.close())

type Page = { edges: { cursor: string; node: { id: string } }[]; pageInfo: { hasNextPage: boolean; endCursor: string } }

/** All pages of a list of the viewer's, each of so many. */
async function pagesOf(client: GraphqlClient, list: string, first: number, more = ''): Promise<Page[]> {
  const pages: Page[] = []
  for (let after: string | null = null; ; ) {
    const text = `query ($first: Int, $after: String) { viewer { list: ${list}(first: $first, after: $after ${more}) {
      edges { cursor node { id } } pageInfo { hasNextPage endCursor } } } }`
    const { data, errors } = await client(text, { first, after })
    expect(errors).toBeUndefined()
    const page: Page = data.viewer.list
    pages.push(page)
    if (!page.pageInfo.hasNextPage) return pages
    after = page.pageInfo.endCursor
  }
}
const idsOf = (pages: readonly Page[]) => pages.flatMap(({ edges }) => edges.map(({ node }) => node.id))

const PAGE = 64

describe('transfers', () => {
  /** Many of one moment, more than a list may hold; every third is over, and of those every second since long. */
  beforeAll(async () => {
    const { file } = await mutate(asAda, 'createFolder', { name: 'Stands for a file' }, 'file { id }')
    expect(file.id).toMatch(/^file_/)
    await server.pool.query(
      `insert into transfers (id, user_id, file_id, kind, state, total_bytes, created_at, ended_at)
       select gen_random_uuid(), f.user_id, f.id, 'STORE',
         case when i % 3 = 0 then 'DONE' else 'PAUSED' end::"TransferState", 1,
         date_trunc('hour', now()) - make_interval(secs => i / 100),
         case when i % 6 = 0 then now() - interval '1 hour' when i % 3 = 0 then now() - interval '25 hours' end
       from generate_series(1, 450) as i, files f where f.user_id = $1`,
      [ada.viewer.userId],
    )
  })

  const expected = async (which: string) => {
    const { rows } = await server.pool.query<{ id: string }>(
      `select id from transfers where user_id = $1 and ${which} order by created_at desc, id desc`,
      [ada.viewer.userId],
    )
    return rows.map(({ id }) => publicId('Transfer', id))
  }
  const LATELY = `(state = 'DONE' and ended_at > now() - interval '24 hours')`

  it.each([
    ['', `(state = 'PAUSED' or ${LATELY})`, 375],
    ['open: true', `state = 'PAUSED'`, 300],
    ['open: false', LATELY, 75],
  ])('are all there, each once, newest first (%s)', async (more, which, count) => {
    const ids = await expected(which)
    expect(ids).toHaveLength(count)
    const pages = await pagesOf(asAda, 'transfersConnection', PAGE, more)
    expect(pages.map(({ edges }) => edges.length)).toEqual([
      ...Array.from({ length: Math.floor(count / PAGE) }, () => PAGE),
      count % PAGE,
    ])
    expect(idsOf(pages)).toEqual(ids)
  })

  it('are nobody else’s', async () => {
    const bob = await createUser(server.services.users)
    expect(idsOf(await pagesOf(createGraphqlClient(server.url, bob.token), 'transfersConnection', PAGE))).toEqual([])
  })
})

describe('API keys', () => {
  it('are all there, each once, newest first, also those that are over', async () => {
    const { id } = await server.services.keys.create(ada.viewer, { name: 'Newest' })
    await server.pool.query(
      `insert into api_keys (id, user_id, name, key_hash, sealed_key, hint, scopes, revoked_at, created_at)
       select gen_random_uuid(), $1, 'Old', decode(md5(i::text) || md5(i::text), 'hex'), '', '', '{READ}', now(),
         now() - interval '1 hour' from generate_series(1, 520) as i`,
      [ada.viewer.userId],
    )
    const ids = idsOf(await pagesOf(asAda, 'apiKeysConnection', 150))
    expect(ids[0]).toBe(publicId('ApiKey', id))
    expect(new Set(ids).size).toBe(521)
    const older = (await asAda('{ viewer { apiKeys { id } } }')).data.viewer.apiKeys
    expect(older.map((key: { id: string }) => key.id)).toEqual(ids.slice(0, 500))
  })
})

it('a cursor of another list, and no cursor at all, is refused', async () => {
  const text = '{ viewer { transfersConnection(first: 1) { pageInfo { endCursor } } } }'
  const cursor: string = (await asAda(text)).data.viewer.transfersConnection.pageInfo.endCursor
  const refusal = async (list: string, after: string) =>
    (
      await asAda(`query ($after: String) { viewer { ${list}(after: $after) { pageInfo { hasNextPage } } } }`, {
        after,
      })
    ).errors?.[0]?.extensions
  const refused = { code: 'INVALID_INPUT', fields: [{ path: 'after', message: expect.any(String) }] }
  expect(await refusal('apiKeysConnection', cursor)).toMatchObject(refused)
  expect(await refusal('activities', cursor)).toMatchObject(refused)
  expect(await refusal('transfersConnection', 'nonsense')).toMatchObject(refused)
  expect(await refusal('transfersConnection', cursor)).toBeUndefined()
})
