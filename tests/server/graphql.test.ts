import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, publicId } from '../../server/lib/ids.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { FLEET } from '../setup/fleet.ts'
import { type Answer, createGraphqlClient, ERROR, type GraphqlClient, mutate } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
let ada: TestUser
let asAda: GraphqlClient
let asBob: GraphqlClient
let anonymous: GraphqlClient

beforeAll(async () => {
  server = await startTestServer()
  ada = await createUser(server.services.users)
  asAda = createGraphqlClient(server.url, ada.token)
  asBob = createGraphqlClient(server.url, (await createUser(server.services.users)).token)
  anonymous = createGraphqlClient(server.url, null)
})

afterAll(() => server?.close())

const folder = async (client: GraphqlClient, name: string, parentId: string | null = null): Promise<string> =>
  (await mutate(client, 'createFolder', { name, parentId }, 'file { id }')).file.id

describe('viewer', () => {
  test('is the signed-in user, and null for nobody', async () => {
    const query = '{ viewer { id fullName email avatarUrl createdAt quota { usedBytes totalBytes reservedBytes } } }'
    const id = publicId('User', ada.user.id)
    expect((await asAda(query)).data.viewer).toMatchObject({
      id,
      fullName: 'Ada Lovelace',
      email: ada.email,
      avatarUrl: `/avatars/${id}`,
      createdAt: ada.user.createdAt.toISOString(),
      quota: { usedBytes: 0, totalBytes: 15 * 1024 ** 3, reservedBytes: 0 },
    })
    expect(await anonymous(query)).toEqual({ data: { viewer: null } })
  })

  test('has group clouds with their members, the default one first', async () => {
    await mutate(asAda, 'createGroupCloud', { name: 'Archive' }, 'groupCloud { id }')
    const { data } = await asAda(`{ viewer { groupClouds { name defaultUploadGroup
      placementPreview(size: 1) { placed why copies { pieces { size account { name } } } }
      health { files bytes atRiskFiles storingFiles summary } quota { totalBytes }
      members { position keepFreeBytes draining account { provider name hue status quota { totalBytes } } } } } }`)
    expect(data.viewer.groupClouds.map(({ name }: { name: string }) => name)).toEqual(['My Cloud', 'Archive'])
    expect(data.viewer.groupClouds[0]).toMatchObject({
      defaultUploadGroup: true,
      placementPreview: {
        placed: true,
        why: 'This server (the only account of this group cloud).',
        copies: [{ pieces: [{ size: 1, account: { name: 'This server' } }] }],
      },
      health: { files: 0, bytes: 0, atRiskFiles: 0, storingFiles: 0, summary: 'No files yet.' },
      quota: { totalBytes: 15 * 1024 ** 3 },
      members: [
        { position: 0, keepFreeBytes: 0, draining: false, account: { provider: 'local', hue: 0, status: 'CONNECTED' } },
      ],
    })
  })

  test('the server tells its version and what it takes', async () => {
    const { data } = await anonymous('{ server { version uploadTypes { mimeType extensions } } }')
    expect(data.server.version).toBe('test')
    // Null: everything, which is what people store.
    expect(data.server.uploadTypes).toBeNull()
  })
})

describe('files', () => {
  test('folders are made, renamed, moved, starred, trashed, restored and deleted', async () => {
    const top = await folder(asAda, 'Top')
    const inner = await folder(asAda, 'Inner', top)
    expect(await mutate(asAda, 'renameFile', { id: inner, name: 'Renamed' }, 'file { name }')).toMatchObject({
      file: { name: 'Renamed' },
    })
    expect(await mutate(asAda, 'moveFiles', { ids: [top], parentId: inner }, 'files { id }')).toMatchObject({
      __typename: 'FolderCycleError',
    })
    const moved = await mutate(
      asAda,
      'moveFiles',
      { ids: [inner], parentId: null },
      'files { parent { id } path { id } }',
    )
    expect(moved.files).toEqual([{ parent: null, path: [] }])
    const starred = await mutate(asAda, 'starFiles', { ids: [inner, top], starred: true }, 'files { id starred }')
    expect(starred.files).toEqual([
      { id: inner, starred: true },
      { id: top, starred: true },
    ])
    const trashed = await mutate(asAda, 'trashFiles', { ids: [inner] }, 'files { trashedAt }')
    expect(trashed.files[0].trashedAt).toMatch(/^\d{4}-\d\d-\d\dT/)
    const restored = await mutate(asAda, 'restoreFiles', { ids: [inner] }, 'files { trashedAt }')
    expect(restored.files).toEqual([{ trashedAt: null }])
    const deleted = await mutate(asAda, 'deleteFiles', { ids: [inner] }, 'deletedIds')
    expect(deleted.deletedIds).toEqual([inner])
    await mutate(asAda, 'trashFiles', { ids: [top] }, 'files { id }')
    const { data } = await asAda(
      'mutation { emptyTrash(input: { clientMutationId: "m1" }) { deletedCount clientMutationId } }',
    )
    expect(data.emptyTrash).toEqual({ deletedCount: 1, clientMutationId: 'm1' })
  })

  test('a taken name and a bad one are typed errors', async () => {
    await folder(asAda, 'Taken')
    const query = `mutation($input: CreateFolderInput!) { createFolder(input: $input) { __typename ... on NameTakenError { name message } ${ERROR} } }`
    expect((await asAda(query, { input: { name: 'taken' } })).data.createFolder).toMatchObject({
      __typename: 'NameTakenError',
      name: 'taken',
    })
    expect((await asAda(query, { input: { name: 'a/b' } })).data.createFolder).toMatchObject({
      __typename: 'InvalidInputError',
      fields: [{ path: 'name' }],
    })
  })

  test('variables that do not fit their types are errors with a code', async () => {
    const query = 'query($first: Int!) { viewer { files(first: $first) { pageInfo { hasNextPage } } } }'
    for (const variables of [{ first: 'ten' }, {}]) {
      const response = await asAda.raw({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      })
      const { errors } = (await response.json()) as Answer
      expect([response.status, errors?.map(({ extensions }) => extensions)]).toEqual([200, [{ code: 'INVALID_INPUT' }]])
    }
  })

  test('a page is read with everything that hangs on its rows', async () => {
    const parent = await folder(asAda, 'Page')
    await folder(asAda, 'Sub', parent)
    const input = { file: null, parentId: parent }
    const uploaded = await asAda.upload(UPLOAD, { input }, new File(['hello'], 'note.txt', { type: 'text/plain' }))
    const { id } = uploaded.data.uploadFile.file
    const { data } = await asAda(
      `query($parentId: ID) { viewer { files(parentId: $parentId, first: 10) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        edges { cursor node { id name kind category mimeType size sha256 state childCount contentSize downloadUrl inlineUrl
        parent { name } path { name } groupCloud { name } storedIn { provider } copies { id state why pieces { index offset size account { name } } } } } } } }`,
      { parentId: parent },
    )
    const [sub, note] = data.viewer.files.edges
    expect(sub.node).toMatchObject({
      name: 'Sub',
      kind: 'FOLDER',
      childCount: 0,
      contentSize: 0,
      storedIn: [],
      copies: [],
    })
    expect(note.node).toMatchObject({
      name: 'note.txt',
      category: 'TEXT',
      size: 5,
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      state: 'STORED',
      childCount: null,
      contentSize: null,
      downloadUrl: `/api/v1/files/${id}/download`,
      parent: { name: 'Page' },
      path: [{ name: 'Page' }],
      groupCloud: { name: 'My Cloud' },
      storedIn: [{ provider: 'local' }],
      copies: [{ state: 'STORED', pieces: [{ index: 0, offset: 0, size: 5, account: { name: 'This server' } }] }],
    })
    expect(data.viewer.files.pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: sub.cursor,
      endCursor: note.cursor,
    })
  })

  test('pages go on after a cursor and can be read again up to one', async () => {
    const parentId = await folder(asAda, 'Pages')
    for (const name of ['a', 'b', 'c']) await folder(asAda, name, parentId)
    const page = async (args: object) => {
      const { data } = await asAda(
        `query($parentId: ID, $first: Int, $after: String, $until: String) { viewer { files(parentId: $parentId, first: $first, after: $after, until: $until) {
          edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage } } } }`,
        { parentId, ...args },
      )
      const { edges, pageInfo } = data.viewer.files
      return { names: edges.map((edge: { node: { name: string } }) => edge.node.name), edges, pageInfo }
    }
    const first = await page({ first: 2 })
    expect(first).toMatchObject({ names: ['a', 'b'], pageInfo: { hasNextPage: true, hasPreviousPage: false } })
    const second = await page({ first: 2, after: first.edges[1].cursor })
    expect(second).toMatchObject({ names: ['c'], pageInfo: { hasNextPage: false, hasPreviousPage: true } })
    const again = await page({ first: 200, until: first.edges[1].cursor })
    expect(again.names).toEqual(['a', 'b'])
  })

  test.each([
    [{ first: 201 }, 'INVALID_INPUT'],
    [{ first: 0 }, 'INVALID_INPUT'],
    [{ after: 'nonsense' }, 'INVALID_INPUT'],
    [{ parentId: 'nonsense' }, 'NOT_FOUND'],
    [{ parentId: publicId('File', newId()) }, 'NOT_FOUND'],
    [{ groupCloudId: publicId('User', newId()) }, 'NOT_FOUND'],
  ])('a page of %j is refused as %s', async (args, code) => {
    const { errors } = await asAda(
      'query($first: Int, $after: String, $parentId: ID, $groupCloudId: ID) { viewer { files(first: $first, after: $after, parentId: $parentId, groupCloudId: $groupCloudId) { edges { cursor } } } }',
      args,
    )
    expect(errors?.[0]?.extensions?.code).toBe(code)
  })

  test('lists of ids have an end', async () => {
    const ids = Array.from({ length: 10_001 }, () => publicId('File', newId()))
    expect(await mutate(asAda, 'starFiles', { ids, starred: true }, 'files { id }')).toMatchObject({
      __typename: 'InvalidInputError',
      fields: [{ path: 'ids' }],
    })
  })
})

const UPLOAD = `mutation($input: UploadFileInput!) { uploadFile(input: $input) { __typename ... on UploadFilePayload { file { id name } } ${ERROR} } }`

describe('group clouds', () => {
  test('are made, changed and removed', async () => {
    const made = await mutate(
      asAda,
      'createGroupCloud',
      { name: 'Films', copies: 1 },
      'groupCloud { id name members { position } }',
    )
    expect(made.groupCloud).toMatchObject({ name: 'Films', members: [{ position: 0 }] })
    const { id } = made.groupCloud
    const changed = await mutate(
      asAda,
      'updateGroupCloud',
      { id, name: 'Movies', placement: 'IN_ORDER' },
      'groupCloud { name placement copies }',
    )
    expect(changed.groupCloud).toEqual({ name: 'Movies', placement: 'IN_ORDER', copies: 1 })
    expect(await mutate(asBob, 'updateGroupCloud', { id, name: 'Mine' }, 'groupCloud { id }')).toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await mutate(asAda, 'deleteGroupCloud', { id }, 'deletedId')).toMatchObject({ deletedId: id })
    expect(await mutate(asAda, 'deleteGroupCloud', { id }, 'deletedId')).toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('node', () => {
  test('answers for each type of one’s own, by the ids that everything carries', async () => {
    const uploaded = await asAda.upload(UPLOAD, { input: { file: null } }, new File(['x'], 'node.txt'))
    const { data } = await asAda(
      `{ viewer { id accounts { id } groupClouds { id } file(id: "${uploaded.data.uploadFile.file.id}") { id copies { id } } } }`,
    )
    const { id, accounts, groupClouds, file } = data.viewer
    const ids = [id, accounts[0].id, groupClouds[0].id, file.id, file.copies[0].id]
    const query =
      'query($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on User { email } ... on Copy { state } } }'
    const types = ['User', 'Account', 'GroupCloud', 'File', 'Copy']
    const { nodes } = (await asAda(query, { ids })).data
    expect(nodes.map((node: { __typename: string }) => node.__typename)).toEqual(types)
    expect(nodes.map((node: { id: string }) => node.id)).toEqual(ids)
    expect(nodes[0].email).toBe(ada.email)
    expect((await asBob(query, { ids })).data.nodes).toEqual(ids.map(() => null))
    expect((await anonymous(query, { ids })).data.nodes).toEqual(ids.map(() => null))
    for (const one of ids)
      expect((await asBob('query($id: ID!) { node(id: $id) { id } }', { id: one })).data.node).toBeNull()
  })

  test.each([
    '',
    'file_',
    'nonsense',
    'VXNlcjox',
    `upl_${'0'.repeat(32)}`,
    '__proto___00000000000000000000000000000000',
  ])('is null for %j', async (id) =>
    expect(await asAda('query($id: ID!) { node(id: $id) { id } }', { id })).toEqual({ data: { node: null } }),
  )

  test('not too many at once', async () => {
    const ids = Array.from({ length: 201 }, () => publicId('File', newId()))
    const { errors } = await asAda('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })
    expect(errors?.[0]?.extensions?.code).toBe('INVALID_INPUT')
  })
})

// Counted in one server.
test.skipIf(FLEET.servers > 1)('the number of statements of a page does not depend on its length', async () => {
  const parentId = await folder(asBob, 'Many')
  for (let i = 0; i < 12; i += 1) {
    await asBob.upload(UPLOAD, { input: { file: null, parentId } }, new File([`${i}`], `${i}.txt`))
  }
  const query = `query($parentId: ID, $first: Int) { viewer { files(parentId: $parentId, first: $first) { edges { node { name
    parent { name } path { name } groupCloud { name } storedIn { name } copies { pieces { account { name } } } } } } } }`
  const count = async (first: number) => {
    let statements = 0
    const onAcquire = () => {
      statements += 1
    }
    server.pool.on('acquire', onAcquire)
    const { data } = await asBob(query, { parentId, first })
    server.pool.off('acquire', onAcquire)
    expect(data.viewer.files.edges).toHaveLength(first)
    return statements
  }
  // The least of some runs: jobs and events use the same pool now and then.
  const least = async (first: number) => Math.min(...(await inTurn(Array.from({ length: 20 }), () => count(first))))
  expect(await least(12)).toBe(await least(2))
})

async function inTurn<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await work(item))
  return results
}
