import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicId } from '../../server/lib/ids.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'

const FILES = '/api/v1/files'
const MISSING = `file_${'0'.repeat(32)}`

let server: FilesServer
let ada: SignedIn

beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
})
afterAll(() => server.close())

const post = (path: string, body?: object) => ada.browser.request('POST', `${FILES}${path}`, body)
const get = (path: string) => ada.browser.request('GET', `${FILES}${path}`)
const patch = (id: string, body: object, headers = {}) => ada.browser.request('PATCH', `${FILES}/${id}`, body, headers)
const file = async (name: string, parentId: string | null = null) =>
  publicId('File', await ada.make({ name, parentId }))
const make = async (name: string, parentId: string | null = null) =>
  (await post('/folders', { name, parentId })).body.id as string

describe('many entries in one call', () => {
  it('are moved each by itself, with its own status', async () => {
    const target = await make('many target')
    const [one, taken] = [await file('one.txt'), await file('taken.txt')]
    await patch(await file('taken.txt too'), { parentId: target })
    await patch((await get(`/by-path?path=many target/taken.txt too`)).body.id, { name: 'TAKEN.txt' })
    const ids = [one, MISSING, taken, target, 'nonsense']
    const { status, body } = await post('/move', { ids, parentId: target, onConflict: 'fail' })
    expect(status).toBe(200)
    expect(
      body.items.map((item: { id: string; status: number; code?: string }) => [item.id, item.status, item.code]),
    ).toEqual([
      [one, 200, undefined],
      [MISSING, 404, 'NOT_FOUND'],
      [taken, 409, 'NAME_TAKEN'],
      [target, 409, 'FOLDER_CYCLE'],
      ['nonsense', 404, 'NOT_FOUND'],
    ])
    expect(body.items[2].detail).toContain('taken.txt')
    expect((await get(`/${one}`)).body.parentId).toBe(target)
    expect((await post('/move', { ids: [one], parentId: MISSING })).status).toBe(404)
  })

  it('are starred, trashed, restored and deleted, and the trash is emptied', async () => {
    const ids = [await file('a'), await file('b')]
    const statuses = async (path: string, more = {}) =>
      (await post(path, { ids: [...ids, MISSING], ...more })).body.items.map((item: { status: number }) => item.status)
    expect(await statuses('/star', { starred: true })).toEqual([200, 200, 404])
    expect(await statuses('/trash')).toEqual([200, 200, 404])
    expect(await statuses('/restore')).toEqual([200, 200, 404])
    expect((await get(`/${ids[0]}`)).body).toMatchObject({ starred: true, trashedAt: null })
    await post('/trash', { ids: [ids[1]] })
    expect((await post('/trash/empty')).body).toEqual({ deletedCount: 1 })
    expect(await statuses('/delete')).toEqual([200, 404, 404])
    expect((await get(`/${ids[0]}`)).status).toBe(404)
  })

  it.each([
    ['/trash', 'trashFiles', {}],
    ['/restore', 'restoreFiles', {}],
    ['/delete', 'deleteFiles', {}],
    ['/star', 'starFiles', { starred: true }],
    ['/move', 'moveFiles', { parentId: null }],
  ])('%s of ids that do not exist says the same as GraphQL', async (path, mutation, more) => {
    const client = createGraphqlClient(server.url, ada.token)
    const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`
    const query = `mutation M($input: ${type}Input!) { answer: ${mutation}(input: $input) { __typename
      ... on ${type}Payload { failures { id code message } } ... on Error { code message } } }`
    const ask = async (ids: string[]) => (await client(query, { input: { ids, ...more } })).data?.answer
    for (const ids of [[MISSING], ['nonsense'], [MISSING, 'nonsense']]) {
      const { status, body } = await post(path, { ids, ...more })
      expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
      const { code, message } = await ask(ids)
      expect({ code, message }).toEqual({ code: body.code, message: body.detail })
    }
    const [one, other] = [await file(`${mutation} REST`), await file(`${mutation} GraphQL`)]
    const { status, body } = await post(path, { ids: [one, MISSING, 'nonsense'], ...more })
    expect([status, body.items.map((item: { status: number }) => item.status)]).toEqual([200, [200, 404, 404]])
    const { failures } = await ask([other, MISSING, 'nonsense'])
    const refused = body.items.slice(1).map(({ id, code, detail }: Record<string, string>) => ({ id, code, detail }))
    const alike = failures.map(({ id, code, message }: Record<string, string>) => ({ id, code, detail: message }))
    expect(alike).toEqual(expect.arrayContaining(refused))
    expect(alike).toHaveLength(2)
  })

  it.each(['REST', 'GraphQL'])('with a group cloud, only what is moved gets it, over %s', async (api) => {
    const cloud = (await ada.browser.request('POST', '/api/v1/group-clouds', { name: `Other ${api}` })).body
      .id as string
    const target = await make(`cloud target ${api}`)
    const [one, taken] = [await file(`one ${api}.txt`), await file(`taken ${api}.txt`)]
    await patch(await file(`new ${api}`), { parentId: target, name: `taken ${api}.txt` })
    const client = createGraphqlClient(server.url, ada.token)
    const overGraphql = `mutation M($input: MoveFilesInput!) { moveFiles(input: $input) { __typename } }`
    const move = (ids: string[], parentId: string) =>
      api === 'REST'
        ? post('/move', { ids, parentId, groupCloudId: cloud, onConflict: 'fail' })
        : client(overGraphql, { input: { ids, parentId, groupCloudId: cloud, onConflict: 'FAIL' } })
    const cloudOf = async (id: string) => (await get(`/${id}`)).body.groupCloudId as string
    const before = await cloudOf(one)
    expect(before).not.toBe(cloud)

    await move([one], MISSING)
    expect(await cloudOf(one)).toBe(before)
    await move([one, taken, MISSING, 'nonsense', target], target)
    expect([await cloudOf(one), await cloudOf(taken)]).toEqual([cloud, before])
    expect((await get(`/${one}`)).body.parentId).toBe(target)
  })

  it.each(['/move', '/trash'])('%s refuses none at all', async (path) => {
    expect((await post(path, { ids: [] })).body.code).toBe('INVALID_INPUT')
  })

  it('over GraphQL: one bad entry does not stop the others', async () => {
    const client = createGraphqlClient(server.url, ada.token)
    const id = await file('graph')
    const move = (ids: string[]) =>
      client(
        `mutation M($input: MoveFilesInput!) { moveFiles(input: $input) { __typename
           ... on MoveFilesPayload { files { id } failures { id code message } } ... on Error { code } } }`,
        { input: { ids, parentId: null } },
      )
    const { data } = await move([id, MISSING])
    expect(data?.moveFiles).toMatchObject({ files: [{ id }], failures: [{ id: MISSING, code: 'NOT_FOUND' }] })
    expect((await move([MISSING])).data?.moveFiles).toMatchObject({ __typename: 'NotFoundError', code: 'NOT_FOUND' })
  })
})

describe('paths', () => {
  it('lead to an entry, and an upload makes the folders that are missing', async () => {
    const form = (path: string) => {
      const body = new FormData()
      body.set('path', path)
      body.set('file', new File(['hello'], 'ignored.txt'))
      return body
    }
    const { status, body } = await ada.browser.request('POST', FILES, form('Up/2024/hello.txt'))
    expect([status, body.name]).toEqual([201, 'hello.txt'])
    const found = await get('/by-path?path=/up/2024/HELLO.txt')
    expect(found.body).toMatchObject({ id: body.id, name: 'hello.txt' })
    expect((await get('/by-path?path=/Up/2025')).body.code).toBe('NOT_FOUND')
    expect((await get('/by-path?path=/')).body.errors).toMatchObject([{ path: 'path' }])
    for (const path of ['Up/', '../x.txt', 'a//b.txt']) {
      const refused = await ada.browser.request('POST', FILES, form(path))
      expect([path, refused.status, refused.body.errors?.[0]?.path]).toEqual([path, 400, 'path'])
    }
    expect((await ada.browser.request('POST', FILES, form('Up/2024/hello.txt/below.txt'))).body.code).toBe('NAME_TAKEN')
  })
})

describe('If-Match', () => {
  it('is honoured by PATCH and DELETE', async () => {
    const id = await file('conditional')
    const first = await get(`/${id}`)
    expect(first.headers.get('etag')).toBe(first.body.etag)
    const known = { 'if-match': first.body.etag }
    const renamed = await patch(id, { name: 'conditional 2' }, known)
    expect(renamed.status).toBe(200)
    expect(renamed.body.etag).not.toBe(first.body.etag)
    const stale = await patch(id, { name: 'conditional 3' }, known)
    expect([stale.status, stale.body.code]).toEqual([412, 'PRECONDITION_FAILED'])
    for (const path of [`${FILES}/${id}`, `${FILES}/${id}?permanent=true`]) {
      expect((await ada.browser.request('DELETE', path, undefined, known)).status).toBe(412)
    }
    expect((await patch(id, { starred: true }, { 'if-match': `W/${renamed.body.etag}` })).status).toBe(412)
    expect((await patch(id, { starred: true }, { 'if-match': '*' })).status).toBe(200)
    const { etag } = (await get(`/${id}`)).body
    const removed = await ada.browser.request('DELETE', `${FILES}/${id}`, undefined, { 'if-match': `"other", ${etag}` })
    expect(removed.status).toBe(204)
  })

  it('is honoured by renameFile', async () => {
    const client = createGraphqlClient(server.url, ada.token)
    const id = await file('graph conditional')
    const rename = async (name: string, ifMatch: string) =>
      (
        await client(
          `mutation R($input: RenameFileInput!) { renameFile(input: $input) { __typename
             ... on RenameFilePayload { file { etag } } ... on Error { code } } }`,
          { input: { id, name, ifMatch } },
        )
      ).data?.renameFile
    const { etag } = (await get(`/${id}`)).body
    expect(await rename('graph 2', etag)).toMatchObject({ file: { etag: expect.not.stringMatching(etag) } })
    expect(await rename('graph 3', etag)).toMatchObject({ code: 'PRECONDITION_FAILED' })
  })
})

it('a page that has another one links to it', async () => {
  const folder = await make('linked')
  const parent = folder
  for (const name of ['a', 'b', 'c']) await make(name, parent)
  const names: string[] = []
  let next: string | null = `${FILES}?parentId=${folder}&limit=2&sort=name`
  while (next) {
    const page = await ada.browser.request('GET', next)
    names.push(...page.body.items.map((item: { name: string }) => item.name))
    next = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? null
  }
  expect(names).toEqual(['a', 'b', 'c'])
})

it('answers to a key say what it may still call', async () => {
  const limited = await startFilesServer()
  try {
    const user = await limited.signIn()
    const { key } = await limited.services.keys.create(user.viewer, { name: 'Counted' })
    const call = () => fetch(`${limited.url}${FILES}`, { headers: { authorization: `Bearer ${key}` } })
    const first = await call()
    const limit = Number(first.headers.get('ratelimit-limit'))
    expect(limit).toBeGreaterThan(0)
    expect(Number(first.headers.get('ratelimit-remaining'))).toBe(limit - 1)
    expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(0)
    expect(
      (await fetch(`${limited.url}${FILES}`, { headers: { cookie: user.cookie } })).headers.has('ratelimit-limit'),
    ).toBe(false)
  } finally {
    await limited.close()
  }
})
