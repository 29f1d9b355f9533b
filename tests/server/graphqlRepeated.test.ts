import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser } from '../factories/user.ts'
import { createGraphqlClient, mutate } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** A mutation that is sent again with its Idempotency-Key, because the answer was lost, creates nothing twice. */
let server: TestServer
let ada: Awaited<ReturnType<typeof createUser>>
let fileId: string
let folderId: string

const withKey = (key: string) => createGraphqlClient(server.url, ada.token, { 'idempotency-key': key })

beforeAll(async () => {
  server = await startTestServer()
  ada = await createUser(server.services.users)
  fileId = (await upload('first', 'Plan.txt')).file.id
  folderId = (await mutate(withKey('inbox'), 'createFolder', { name: 'Inbox' }, 'file { id }')).file.id
})
afterAll(() => server?.close())

async function upload(key: string, name: string) {
  const query = `mutation ($input: UploadFileInput!) { uploadFile(input: $input) {
    __typename ... on UploadFilePayload { file { id } } ... on Error { code } } }`
  const { data } = await withKey(key).upload(query, { input: { file: null } }, new File(['bytes'], name))
  return data.uploadFile
}

const TABLES = ['files', 'shares', 'upload_links', 'tags', 'group_clouds', 'api_keys'] as const

async function counts(): Promise<number[]> {
  return Promise.all(
    TABLES.map(async (table) => {
      const { rows } = await server.pool.query(`select count(*)::int as rows from ${table}`)
      return rows[0].rows
    }),
  )
}

describe('sent twice with one key', () => {
  test.each<[name: string, input: () => Record<string, unknown>, payload: string]>([
    ['createFolder', () => ({ name: 'Plans' }), 'file { id }'],
    ['copyFiles', () => ({ ids: [fileId] }), 'files { id }'],
    ['createShare', () => ({ fileId }), 'share { id url }'],
    ['createUploadLink', () => ({ folderId, title: 'Send me' }), 'uploadLink { id url }'],
    ['createTag', () => ({ name: 'Urgent', color: 'RED' }), 'tag { id }'],
    ['createGroupCloud', () => ({ name: 'Safe' }), 'groupCloud { id }'],
    ['createApiKey', () => ({ name: 'Backup' }), 'apiKey { id }'],
  ])('%s creates one, and both answers name it', async (name, input, payload) => {
    const first = await mutate(withKey(name), name, input(), payload)
    expect(first).toMatchObject({ __typename: expect.stringMatching(/Payload$/) })
    const after = await counts()
    expect(await mutate(withKey(name), name, input(), payload)).toEqual(first)
    expect(await counts()).toEqual(after)
    expect(await mutate(withKey(`${name} again`), name, input(), payload)).not.toEqual(first)
  })

  test('an upload is stored once', async () => {
    const first = await upload('upload', 'Letter.txt')
    const after = await counts()
    expect(await upload('upload', 'Letter.txt')).toEqual(first)
    expect(await counts()).toEqual(after)
  })
})

describe('sent again after the answer was lost', () => {
  const again = async (key: string, name: string, input: Record<string, unknown>, payload: string) => {
    await mutate(withKey(key), name, input, payload)
    return mutate(withKey(key), name, input, payload)
  }
  const idOf = async (name: string) => (await upload(name, name)).file.id
  const stateOf = async (id: string) => {
    const { data } = await withKey('read')(`query ($id: ID!) { node(id: $id) { ... on File { trashedAt } } }`, { id })
    return data.node && (data.node.trashedAt ? 'TRASHED' : 'LIVE')
  }

  test('emptyTrash keeps what was trashed since', async () => {
    const [old, young] = [await idOf('Old.txt'), await idOf('Young.txt')]
    await mutate(withKey('t1'), 'trashFiles', { ids: [old] }, 'files { id }')
    const empty = () => withKey('empty')('mutation { emptyTrash(input: {}) { deletedCount } }')
    expect((await empty()).data).toEqual({ emptyTrash: { deletedCount: 1 } })
    await mutate(withKey('t2'), 'trashFiles', { ids: [young] }, 'files { id }')
    expect((await empty()).data).toEqual({ emptyTrash: { deletedCount: 0 } })
    expect([await stateOf(old), await stateOf(young)]).toEqual([null, 'TRASHED'])
  })

  test('changeFiles says when it began, so that all of it can be undone', async () => {
    const folder = (await mutate(withKey('f'), 'createFolder', { name: 'Mine' }, 'file { id }')).file.id
    const inside = await idOf('Inside.txt')
    await mutate(withKey('m'), 'moveFiles', { ids: [inside], parentId: folder }, 'files { id }')
    const trashing = { action: 'TRASH', selection: { view: 'DRIVE', parentId: folder } }
    const { from, until } = await again('change', 'changeFiles', trashing, 'changedCount from until')
    expect(await stateOf(inside)).toBe('TRASHED')
    const selection = { view: 'TRASH', trashedFrom: from, trashedUntil: until }
    await mutate(withKey('back'), 'changeFiles', { action: 'RESTORE', selection }, 'changedCount')
    expect(await stateOf(inside)).toBe('LIVE')
  })

  test('undoJob starts one job', async () => {
    const state = async (id: string) => {
      const { data } = await withKey('read')('{ viewer { jobs { id state } } }')
      return data.viewer.jobs.find((job: { id: string }) => job.id === id)?.state
    }
    await Promise.all([upload('twin 1', 'Twin 1.txt'), upload('twin 2', 'Twin 2.txt')])
    const { job } = await mutate(withKey('twins'), 'trashDuplicates', { keep: 'OLDEST' }, 'job { id }')
    await expect.poll(() => state(job.id), { timeout: 20_000 }).toBe('DONE')
    const first = await mutate(withKey('undo'), 'undoJob', { id: job.id }, 'job { id }')
    expect(first.job.id).not.toBe(job.id)
    await expect.poll(() => state(first.job.id), { timeout: 20_000 }).toBe('DONE')
    expect(await mutate(withKey('undo'), 'undoJob', { id: job.id }, 'job { id }')).toEqual(first)
  })

  test('deleteGroupCloud says that it is deleted', async () => {
    const made = await mutate(withKey('spare'), 'createGroupCloud', { name: 'Spare' }, 'groupCloud { id }')
    const { id } = made.groupCloud
    const payload = 'deletedId viewer { groupClouds { id } }'
    const answer = await again('delete', 'deleteGroupCloud', { id, trash: true }, payload)
    expect(answer).toMatchObject({ __typename: 'DeleteGroupCloudPayload', deletedId: id })
    const other = await mutate(withKey('delete 2'), 'deleteGroupCloud', { id, trash: true }, payload)
    expect(other).toMatchObject({ code: 'NOT_FOUND' })
  })
})

test('the key of another mutation is refused', async () => {
  await mutate(withKey('other'), 'createFolder', { name: 'One' }, 'file { id }')
  const reused = await mutate(withKey('other'), 'createFolder', { name: 'Two' }, 'file { id }')
  expect(reused).toEqual({ topLevel: 'IDEMPOTENCY_KEY_REUSED' })
})
