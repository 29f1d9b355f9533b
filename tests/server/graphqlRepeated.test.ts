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

test('the key of another mutation is refused', async () => {
  await mutate(withKey('other'), 'createFolder', { name: 'One' }, 'file { id }')
  const reused = await mutate(withKey('other'), 'createFolder', { name: 'Two' }, 'file { id }')
  expect(reused).toEqual({ topLevel: 'IDEMPOTENCY_KEY_REUSED' })
})
