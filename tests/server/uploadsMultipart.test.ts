import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publicId } from '../../server/lib/ids.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { cutAfter } from '../setup/rawHttp.ts'
import { startUploadsHttp } from '../setup/uploads.ts'

let http: Awaited<ReturnType<typeof startUploadsHttp>>
let ada: TestUser
beforeAll(async () => {
  http = await startUploadsHttp({ localQuotaBytes: 8 * 1024 * 1024 })
  ada = await createUser(http.services.users)
})
afterAll(() => http.close())

const signedIn = (user: TestUser) => ({ cookie: `sid=${user.token}`, origin: http.url })

type Fields = Record<string, string>

async function send(
  bytes: Buffer,
  name: string,
  { fields = {}, headers = {}, user = ada }: { fields?: Fields; headers?: Fields; user?: TestUser } = {},
) {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append('file', new Blob([new Uint8Array(bytes)]), name)
  const response = await fetch(`${http.url}/api/v1/files`, {
    method: 'POST',
    body: form,
    headers: { ...signedIn(user), ...headers },
  })
  return { status: response.status, body: await response.json() }
}

it.each([0, 1, 70_000, 3_000_000])('answers 201 with the file of %i bytes', async (size) => {
  const bytes = Buffer.alloc(size, 'abc\n')
  const { status, body } = await send(bytes, `${size} ünï.txt`)
  expect(status).toBe(201)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(body).toMatchObject({
    name: `${size} ünï.txt`,
    kind: 'FILE',
    size,
    sha256,
    parentId: null,
    mimeType: 'text/plain',
    state: 'STORED',
  })
  expect(body.copies).toMatchObject([
    { provider: 'local', state: 'STORED', why: 'This server (the only account of this group cloud)' },
  ])
  expect(body.copies[0].pieces).toMatchObject([{ index: 0, offset: 0, size }])
})

it('puts it where the fields before the file say', async () => {
  const folder = await http.services.files.createFolder(ada.viewer, { name: 'Reports', parentId: null })
  const [groupCloud] = await http.services.groupClouds.list(ada.viewer)
  const parentId = publicId('File', folder.id)
  const groupCloudId = publicId('GroupCloud', groupCloud?.id ?? '')
  const fields = { parentId, groupCloudId, onConflict: 'fail' }
  expect((await send(Buffer.from('1'), 'a.md', { fields })).body).toMatchObject({
    parentId,
    groupCloudId,
    mimeType: 'text/markdown',
  })
  const again = await send(Buffer.from('2'), 'a.md', { fields })
  expect(again).toMatchObject({ status: 409, body: { code: 'NAME_TAKEN' } })
})

it('refuses a path that is too long, and more fields than it reads: the folder could be among them', async () => {
  const long = await send(Buffer.from('1'), 'cut.txt', { fields: { path: `${'folder/'.repeat(1500)}cut.txt` } })
  const tooLong = 'The field “path” is too long: at most 10240 bytes are accepted.'
  expect(long).toMatchObject({ status: 400, body: { errors: [{ path: 'path', message: tooLong }] } })
  const others = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`other${index}`, 'x']))
  const many = await send(Buffer.from('1'), 'cut.txt', { fields: { ...others, parentId: 'file_1' } })
  const tooMany = 'At most 10 fields are accepted in addition to the file.'
  expect(many).toMatchObject({ status: 400, body: { errors: [{ path: 'fields', message: tooMany }] } })
  const found = await http.services.files.list(ada.viewer, { view: 'ALL', query: 'cut', limit: 1 })
  expect(found.items).toEqual([])
  expect((await send(Buffer.from('1'), 'enough.txt', { fields: others })).status).toBe(201)
})

/** In small forms, all of it is parsed before the file is read; of large ones, what follows the file comes long after that. */
it.each(
  [20, 3_000_000].flatMap((size) => [
    { size, field: 'onConflict', value: 'fail', message: 'Please send the field “onConflict” before the file.' },
    { size, field: 'parentId', value: 'file_1', message: 'Please send the field “parentId” before the file.' },
    { size, field: 'file', value: new Blob(['second']), message: 'Only one file per request is accepted.' },
  ]),
)('refuses $field after a file of $size bytes, and keeps nothing', async ({ size, field, value, message }) => {
  const form = new FormData()
  form.append('file', new Blob([Buffer.alloc(size, 'x')]), 'late.txt')
  form.append(field, value)
  const response = await fetch(`${http.url}/api/v1/files`, { method: 'POST', body: form, headers: signedIn(ada) })
  expect([response.status, await response.json()]).toMatchObject([400, { errors: [{ path: field, message }] }])
  const found = await http.services.files.list(ada.viewer, { view: 'ALL', query: 'late', limit: 1 })
  expect(found.items).toEqual([])
  expect(await http.store.listStaged()).toEqual([])
})

it('ignores other fields, before and after the file', async () => {
  const form = new FormData()
  form.append('comment', 'before')
  form.append('file', new Blob(['text']), 'noted.txt')
  form.append('submit', 'Upload')
  const response = await fetch(`${http.url}/api/v1/files`, { method: 'POST', body: form, headers: signedIn(ada) })
  expect([response.status, await response.json()]).toMatchObject([201, { name: 'noted.txt', size: 4 }])
})

it('answers a repeated request as the first time', async () => {
  const headers = { 'idempotency-key': 'photo-1' }
  const first = await send(Buffer.from('hello'), 'k.txt', { headers })
  expect(await send(Buffer.from('hello'), 'k.txt', { headers })).toEqual(first)
  const other = await send(Buffer.from('other'), 'k.txt', { headers })
  expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
})

it.each([
  [415, 'TYPE_REFUSED', 'virus.exe', Buffer.from('MZ'), {}],
  [415, 'TYPE_REFUSED', 'noise.png', Buffer.alloc(2000, 1), {}],
  [400, 'INVALID_INPUT', 'a.txt', Buffer.from('1'), { onConflict: 'maybe' }],
  [404, 'NOT_FOUND', 'a.txt', Buffer.from('1'), { parentId: 'file_0' }],
  [404, 'NOT_FOUND', 'a.txt', Buffer.from('1'), { groupCloudId: publicId('GroupCloud', crypto.randomUUID()) }],
  [507, 'STORAGE_FULL', 'big.txt', Buffer.alloc(9 * 1024 * 1024, 'a'), {}],
] as const)('refuses with %i %s', async (status, code, name, bytes, fields) => {
  expect(await send(bytes, name, { fields })).toMatchObject({ status, body: { code, status } })
  expect(await http.store.listStaged()).toEqual([])
})

it('says how much does not fit, and how much would', async () => {
  const { body } = await send(Buffer.alloc(9 * 1024 * 1024, 'a'), 'big.txt')
  expect(body.freeBytes).toBeLessThan(body.neededBytes)
  expect(body.neededBytes).toBeLessThanOrEqual(9 * 1024 * 1024)
})

it('never speaks of room for 0 Bytes when every account is full', async () => {
  await http.database.pool.query('update group_cloud_members set keep_free_bytes = 1e9')
  try {
    const answer = await send(Buffer.from('hello'), 'small.txt')
    expect(answer).toMatchObject({
      status: 507,
      body: { detail: expect.stringMatching(/^There is no room for (5 Bytes|this file): This server is full\.$/) },
    })
    expect(answer.body.neededBytes).toBeGreaterThanOrEqual(5)
  } finally {
    await http.database.pool.query('update group_cloud_members set keep_free_bytes = 0')
  }
})

it('refuses other bodies, a missing file, strangers and other people’s folders', async () => {
  const post = async (body: string | FormData, headers: Fields) => {
    const response = await fetch(`${http.url}/api/v1/files`, { method: 'POST', body, headers })
    return { status: response.status, code: (await response.json()).code }
  }
  const empty = new FormData()
  empty.append('note', 'no file')
  expect(await post('{}', { ...signedIn(ada), 'content-type': 'application/json' })).toEqual({
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  })
  expect(await post('x', { ...signedIn(ada), 'content-type': 'multipart/form-data' })).toEqual({
    status: 400,
    code: 'MALFORMED_BODY',
  })
  expect(await post(empty, signedIn(ada))).toEqual({ status: 400, code: 'INVALID_INPUT' })
  expect(await post(empty, {})).toEqual({ status: 401, code: 'UNAUTHENTICATED' })
  const eve = await createUser(http.services.users)
  const folder = await http.services.files.createFolder(ada.viewer, { name: 'Private', parentId: null })
  const fields = { parentId: publicId('File', folder.id) }
  expect(await send(Buffer.from('1'), 'a.txt', { user: eve, fields })).toMatchObject({ status: 404 })
})

it('makes no file of a body that was cut', async () => {
  const user = await createUser(http.services.users)
  const head = [
    'POST /api/v1/files HTTP/1.1',
    'Host: 127.0.0.1',
    'Origin: http://127.0.0.1',
    `Cookie: sid=${user.token}`,
    'Content-Type: multipart/form-data; boundary=b',
    'Content-Length: 100000',
  ]
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => cutAfter(http.port, head, Buffer.from(part + 'x'.repeat(index * 500)))),
  )
  await expect.poll(() => http.store.listStaged()).toEqual([])
  expect((await http.services.files.list(user.viewer, { view: 'ALL', limit: 10 })).items).toEqual([])
})
