import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser } from '../factories/user.ts'
import { createGraphqlClient, type GraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

const CALLS_A_MINUTE = 30
const TERABYTES = 5_000_000_000_123
let server: TestServer
let ada: Awaited<ReturnType<typeof createUser>>
let asAda: GraphqlClient

beforeAll(async () => {
  server = await startTestServer({ rateLimit: CALLS_A_MINUTE })
  ada = await createUser(server.services.users)
  asAda = createGraphqlClient(server.url, ada.token)
})
afterAll(() => server?.close())

/** What an operation with `input` answers; fails unless it worked. */
async function mutate(name: string, input: object, fields: string) {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const text = `mutation ($input: ${type}Input!) { result: ${name}(input: $input) {
    ... on Error { message } ... on ${type}Payload { ${fields} } } }`
  const { data, errors } = await asAda(text, { input })
  expect(errors).toBeUndefined()
  return data.result
}

describe('numbers of bytes', () => {
  test('are JSON numbers, also beyond 32 bits', async () => {
    const { file } = await mutate('createFolder', { name: 'Large' }, 'file { id }')
    await server.pool.query('update files set size = $2 where user_id = $1', [ada.viewer.userId, TERABYTES])
    const { data } = await asAda('{ viewer { files { edges { node { id size } } } quota { totalBytes freeBytes } } }')
    expect(data.viewer.files.edges).toEqual([{ node: { id: file.id, size: TERABYTES } }])
    expect(data.viewer.quota.totalBytes).toBe(15 * 1024 ** 3)
  })

  const PREVIEW = (argument: string, type: string) =>
    `query ($value: ${type}) { viewer { groupClouds { placementPreview(${argument}: $value) { placed copies { pieces { size } } } } } }`

  test('are taken as numbers, as variables and in the text', async () => {
    const value = 2 ** 33
    const { data } = await asAda(PREVIEW('bytes', 'BigInt!'), { value })
    expect(data.viewer.groupClouds[0].placementPreview).toEqual({
      placed: true,
      copies: [{ pieces: [{ size: value }] }],
    })
    const text = `{ viewer { groupClouds { placementPreview(bytes: ${TERABYTES}) { placed } } } }`
    expect((await asAda(text)).data.viewer.groupClouds[0].placementPreview.placed).toBe(false)
  })

  test.each([['1000'], [1.5], [2 ** 60], [true]])('%j is none', async (value) => {
    const { errors } = await asAda(PREVIEW('bytes', 'BigInt!'), { value })
    expect(errors?.[0]?.message).toContain('A number of bytes must be a whole number.')
  })

  test('go by their older names as well, for one version, and have to be there', async () => {
    const { data } = await asAda(PREVIEW('size', 'Float!'), { value: 7 })
    expect(data.viewer.groupClouds[0].placementPreview.copies).toEqual([{ pieces: [{ size: 7 }] }])
    const { errors } = await asAda('{ viewer { groupClouds { placementPreview { placed } } } }')
    expect(errors?.[0]).toMatchObject({ message: 'Please give bytes.', extensions: { code: 'INVALID_INPUT' } })
    const { id, members } = (await asAda('{ viewer { groupClouds { id members { account { id } } } } }')).data.viewer
      .groupClouds[0]
    const accountId = members[0].account.id
    const kept = async (given: object) =>
      mutate(
        'updateGroupCloud',
        { id, keepFreeBytes: [{ accountId, ...given }] },
        'groupCloud { members { keepFreeBytes } }',
      )
    expect(await kept({ keepFreeBytes: 2 ** 33 })).toEqual({ groupCloud: { members: [{ keepFreeBytes: 2 ** 33 }] } })
    expect(await kept({ bytes: 5 })).toEqual({ groupCloud: { members: [{ keepFreeBytes: 5 }] } })
    expect(await kept({})).toEqual({ message: 'Please give keepFreeBytes.' })
  })
})

describe('rateLimit', () => {
  const FIELDS = 'cost maxCost limit remaining resetAt'
  const ask = (client: GraphqlClient, first: number) =>
    client(
      `query ($first: Int) { rateLimit { ${FIELDS} } viewer { ...some } }
       fragment some on User { files(first: $first) { edges { node { name size } } } }`,
      { first },
    )

  test('tells a session what its operation costs: nobody counts its requests', async () => {
    const few = (await ask(asAda, 10)).data.rateLimit
    const many = (await ask(asAda, 200)).data.rateLimit
    expect(few).toMatchObject({ maxCost: 6000, limit: null, remaining: null, resetAt: null })
    expect(many.cost).toBeGreaterThan(few.cost)
    expect(many.cost - few.cost).toBe(190)
    expect((await asAda(`{ rateLimit { ${FIELDS} } }`)).data.rateLimit.cost).toBe(3)
    const { errors } = await createGraphqlClient(server.url, null)(`{ rateLimit { ${FIELDS} } }`)
    expect(errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED')
  })

  test('is what the refusal of a costly operation says', async () => {
    const deep = (first: number) =>
      `{ rateLimit { cost } viewer { files(first: ${first}) { edges { node { contentSize } } } } }`
    const { cost } = (await asAda(deep(90))).data.rateLimit
    const refused = (await asAda(deep(180))).errors?.[0]?.message ?? ''
    expect(Number(/costs (\d+) points/.exec(refused)?.[1])).toBe((cost - 2) * 2 + 2)
  })

  test('tells a key what is left, of REST and GraphQL together', async () => {
    const { key } = await server.services.keys.create(ada.viewer, { name: 'Counted' })
    const authorization = `Bearer ${key}`
    const asKey = createGraphqlClient(server.url, null, { authorization })
    const first = (await ask(asKey, 10)).data.rateLimit
    expect(first).toMatchObject({ limit: CALLS_A_MINUTE, resetAt: expect.stringMatching(/Z$/) })
    const response = await fetch(`${server.url}/api/v1/files`, { headers: { authorization } })
    const left = Number(response.headers.get('ratelimit-remaining'))
    const { remaining } = (await ask(asKey, 10)).data.rateLimit
    expect(first.remaining).toBeGreaterThanOrEqual(left)
    // What a slow machine gives back meanwhile counts.
    expect(remaining).toBeLessThanOrEqual(first.remaining)
    expect(remaining).toBeGreaterThan(0)
  })
})

describe('an entry', () => {
  test('is a file or a folder, by its id too', async () => {
    const { file } = await mutate('createFolder', { name: 'Folder' }, 'file { id }')
    const { data } = await asAda(
      `query ($id: ID!) { node(id: $id) { __typename ... on Entry { id name kind starred path { name } } } }`,
      { id: file.id },
    )
    expect(data.node).toEqual({
      __typename: 'File',
      id: file.id,
      name: 'Folder',
      kind: 'FOLDER',
      starred: false,
      path: [],
    })
  })
})

test('what was done says what kind of thing it was done to', async () => {
  await mutate('createFolder', { name: 'Told' }, 'file { id }')
  await expect
    .poll(async () => {
      const text =
        '{ viewer { activities(first: 1, actions: [FOLDER_CREATED]) { edges { node { subjectKind subjectType } } } } }'
      return (await asAda(text)).data.viewer.activities.edges[0]?.node
    })
    .toEqual({ subjectKind: 'FILE', subjectType: 'File' })
})
