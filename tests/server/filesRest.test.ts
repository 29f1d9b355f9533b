import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newId, publicId } from '../../server/lib/ids.ts'
import { surroundingsOf } from '../../server/rest/v1/files.ts'
import { createBrowser } from '../setup/browser.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'

let server: FilesServer
let ada: SignedIn
let bob: SignedIn
let fileId: string
let folderId: string

const path = (id: string, rest = '') => `/api/v1/files/${publicId('File', id)}${rest}`
const names = (body: { items: { name: string }[] }) => body.items.map(({ name }) => name)

beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
  bob = await server.signIn()
  folderId = await ada.make({ kind: 'FOLDER', name: 'Projects' })
  fileId = await ada.make({
    name: 'plan.pdf',
    parentId: folderId,
    content: '%PDF',
    category: 'PDF',
    mimeType: 'application/pdf',
  })
  await ada.make({ name: 'notes.txt', content: 'abc', updatedAt: new Date('2030-01-01') })
})
afterAll(() => server.close())

describe('GET /files', () => {
  it('lists everything newest first, with cursors that lead through all of it', async () => {
    const first = await ada.browser.request('GET', '/api/v1/files?limit=2')
    expect(first.status).toBe(200)
    const rest = await ada.browser.request('GET', `/api/v1/files?limit=2&cursor=${first.body.nextCursor}`)
    expect([...names(first.body), ...names(rest.body)]).toEqual(['notes.txt', 'plan.pdf', 'Projects'])
    expect(rest.body.nextCursor).toBeNull()
    expect(first.body.items[0]).toMatchObject({
      kind: 'FILE',
      category: 'TEXT',
      size: 3,
      parentId: null,
      starred: false,
    })
  })

  it.each([
    ['view=drive', ['Projects', 'notes.txt']],
    ['view=drive&sort=-name', ['Projects', 'notes.txt']],
    ['q=PLAN', ['plan.pdf']],
    ['type=pdf,image', ['plan.pdf']],
    ['provider=dropbox', []],
    ['home=pool&type=pdf', ['plan.pdf']],
    ['home=account', []],
    ['path=/projects/', ['plan.pdf']],
    ['path=/', ['Projects', 'notes.txt']],
    ['minSize=4', ['plan.pdf']],
    ['maxSize=3', ['notes.txt']],
    ['minSize=3&maxSize=3', ['notes.txt']],
    ['modifiedAfter=2029-06-01T00:00:00Z', ['notes.txt']],
    ['modifiedBefore=2029-06-01T00:00:00%2B02:00', ['plan.pdf', 'Projects']],
    ['view=starred', []],
    ['view=shared', []],
    ['view=trash', []],
    ['sort=size', ['Projects', 'notes.txt', 'plan.pdf']],
  ])('?%s', async (query, expected) => {
    const { status, body } = await ada.browser.request('GET', `/api/v1/files?${query}`)
    expect(status).toBe(200)
    expect(names(body)).toEqual(expected)
  })

  it('says how many entries a folder has', async () => {
    const { body } = await ada.browser.request('GET', '/api/v1/files?view=drive')
    const counts = body.items.map(({ childCount }: { childCount: number | null }) => childCount)
    expect(counts).toEqual([1, null])
  })

  it('with a parentId is that folder', async () => {
    const { body } = await ada.browser.request('GET', `/api/v1/files?parentId=${publicId('File', folderId)}`)
    expect(names(body)).toEqual(['plan.pdf'])
  })

  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'view=other',
    'sort=colour',
    'type=pdf,other2',
    'type=foo,bar',
    'state=foo',
    'cursor=x',
    'home=moon',
    'minSize=-1',
    'maxSize=many',
    'modifiedAfter=yesterday',
    'modifiedBefore=2026-13-01T00:00:00Z',
    'path=/Projects/plan.pdf',
    'nonsense=1',
  ])('?%s is refused with the name of the parameter', async (query) => {
    const { status, body } = await ada.browser.request('GET', `/api/v1/files?${query}`)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'INVALID_INPUT' })
    const [name] = query.split('=')
    expect(body.errors).toEqual([{ path: name, message: expect.any(String) }])
  })

  it('says once what is wrong with a parameter that lists several', async () => {
    const { body } = await ada.browser.request('GET', '/api/v1/files?type=foo,bar')
    expect(body.detail).toMatch(/^type: Possible values: [A-Z, ]+\.$/)
  })
})

describe('GET /files/{id}', () => {
  it('tells where the bytes are', async () => {
    const { body } = await ada.browser.request('GET', path(fileId))
    expect(body).toMatchObject({
      id: publicId('File', fileId),
      name: 'plan.pdf',
      parentId: publicId('File', folderId),
      shares: [],
      copies: [
        { provider: 'local', state: 'STORED', pieces: [{ size: 4, index: 0, offset: 0 }], why: expect.any(String) },
      ],
    })
    expect(body.copies[0].accountId).toMatch(/^acct_/)
  })
})

describe('PATCH /files/{id}', () => {
  it('renames, moves, stars, trashes and restores', async () => {
    const id = await ada.make({ name: 'a.txt', content: 'x' })
    const patch = async (body: object) => (await ada.browser.request('PATCH', path(id), body)).body
    expect(await patch({ name: 'b.txt', starred: true })).toMatchObject({ name: 'b.txt', starred: true })
    expect(await patch({ parentId: publicId('File', folderId) })).toMatchObject({
      parentId: publicId('File', folderId),
    })
    expect(await patch({ trashed: true })).toMatchObject({ trashedAt: expect.any(String) })
    expect(await patch({ trashed: false, parentId: null })).toMatchObject({ trashedAt: null, parentId: null })
    await ada.browser.request('DELETE', path(id, '?permanent=true'))
  })

  it.each([
    [{ name: 'NOTES.TXT', parentId: null }, 409, 'NAME_TAKEN'],
    [{ name: 'a/b' }, 400, 'INVALID_INPUT'],
    [{ name: 7 }, 400, 'INVALID_INPUT'],
    [{ colour: 'red' }, 400, 'INVALID_INPUT'],
    [{ parentId: publicId('File', newId()) }, 404, 'NOT_FOUND'],
    [{ groupCloudId: publicId('File', newId()) }, 404, 'NOT_FOUND'],
  ])('%j is refused', async (body, status, code) => {
    const answer = await ada.browser.request('PATCH', path(fileId), body)
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code })
  })

  it('a folder does not go into itself', async () => {
    const { status, body } = await ada.browser.request('PATCH', path(folderId), {
      parentId: publicId('File', folderId),
    })
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'FOLDER_CYCLE' })
  })
})

describe('DELETE /files/{id}', () => {
  it('is the trash first and the end after that, or at once with ?permanent', async () => {
    const [one, two] = [await ada.make({ name: 'one' }), await ada.make({ name: 'two' })]
    expect((await ada.browser.request('DELETE', path(one))).status).toBe(204)
    expect((await ada.browser.request('GET', path(one))).body.trashedAt).not.toBeNull()
    expect((await ada.browser.request('DELETE', path(one))).status).toBe(204)
    expect((await ada.browser.request('GET', path(one))).status).toBe(404)
    expect((await ada.browser.request('DELETE', path(two, '?permanent'))).status).toBe(204)
    expect((await ada.browser.request('DELETE', path(two))).status).toBe(404)
  })
})

describe('POST /files/folders', () => {
  it('makes a folder once per Idempotency-Key', async () => {
    const make = (name: string) =>
      ada.browser.request('POST', '/api/v1/files/folders', { name }, { 'idempotency-key': 'folder-1' })
    const first = await make('Once')
    expect(first).toMatchObject({ status: 201, body: { name: 'Once', kind: 'FOLDER', copies: [] } })
    expect((await make('Once')).body.id).toBe(first.body.id)
    expect(await make('Twice')).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
    const again = await ada.browser.request('POST', '/api/v1/files/folders', { name: 'ONCE' })
    expect(again).toMatchObject({ status: 409, body: { code: 'NAME_TAKEN' } })
    const inside = await ada.browser.request('POST', '/api/v1/files/folders', { name: 'In', parentId: first.body.id })
    expect(inside.body.parentId).toBe(first.body.id)
  })
})

const ROUTES = [
  ['GET', ''],
  ['PATCH', ''],
  ['DELETE', ''],
  ['GET', '/download'],
] as const

describe('what is not yours', () => {
  it.each(ROUTES)('%s /files/{id}%s does not exist for others, nor with an id that is none', async (method, rest) => {
    const body = method === 'PATCH' ? { name: 'stolen' } : undefined
    const foreign = await bob.browser.request(method, path(fileId, rest), body)
    const unknown = await bob.browser.request(method, path(newId(), rest), body)
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(unknown.body)
    expect((await bob.browser.request(method, `/api/v1/files/acct_1${rest}`, body)).status).toBe(404)
  })

  it('cannot be listed, filled or archived by others', async () => {
    const parentId = publicId('File', folderId)
    expect((await bob.browser.request('GET', `/api/v1/files?parentId=${parentId}`)).status).toBe(404)
    expect((await bob.browser.request('POST', '/api/v1/files/folders', { name: 'x', parentId })).status).toBe(404)
    expect((await bob.browser.request('GET', `/api/v1/files/archive?ids=${parentId}`)).status).toBe(404)
    expect(names((await bob.browser.request('GET', '/api/v1/files')).body)).toEqual([])
  })

  it.each([
    ...ROUTES.map(([method, rest]) => [method, `/file_1${rest}`]),
    ['GET', ''],
    ['POST', '/folders'],
    ['GET', '/archive?ids=x'],
  ])('%s /files%s needs a session', async (method, rest) => {
    const { status, body } = await createBrowser(server.url).request(method, `/api/v1/files${rest}`)
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'UNAUTHENTICATED' })
  })
})

describe('a page', () => {
  /** Answer like the services. */
  function spies() {
    const folder = [{ name: 'outer' }, { name: 'inner' }]
    const one = (value: unknown) =>
      vi.fn(async (_viewer: unknown, ids: readonly string[]) => new Map(ids.map((id) => [id, value])))
    return {
      files: { pathsTo: one(folder) },
      inPlace: { targets: one('target') },
      protection: { find: one({}) },
      tags: { ofFiles: vi.fn(async () => new Map()) },
      thumbnails: { fromBrowsers: one({ revision: '1', durationMs: 5 }) },
    }
  }
  const entry = (id: string, details: object) => ({
    id,
    parentId: 'inner',
    inPlace: { nativeKind: null, mayBeProtected: false, ...details },
  })
  const pooled = { id: 'c', parentId: null, inPlace: null }
  const around = async (services: ReturnType<typeof spies>, rows: readonly object[]) => {
    const found = await surroundingsOf(services as never, {} as never, rows as never)
    return rows.map((row) => found(row as never))
  }
  const idsOf = (spy: ReturnType<typeof spies>['files']['pathsTo']) => spy.mock.calls.map(([, ids]) => ids)

  it('reads the path of each folder once, for all of its entries', async () => {
    const services = spies()
    const found = await around(services, [entry('a', {}), entry('b', {}), pooled])
    expect(found.map(({ path }) => path)).toEqual([['outer', 'inner'], ['outer', 'inner'], []])
    expect(idsOf(services.files.pathsTo)).toEqual([['inner']])
  })

  it('asks for protections only in accounts where something is protected, and for targets only of shortcuts', async () => {
    const without = spies()
    const found = await around(without, [entry('a', {}), pooled])
    expect(found.map(({ protection, targetId }) => [protection, targetId])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
    expect([...idsOf(without.protection.find), ...idsOf(without.inPlace.targets)]).toEqual([])
    const services = spies()
    const rows = [entry('a', { mayBeProtected: true }), entry('b', { nativeKind: 'SHORTCUT' }), pooled]
    expect((await around(services, rows)).map(({ protection, targetId }) => [protection, targetId])).toEqual([
      [{}, undefined],
      [undefined, 'target'],
      [undefined, undefined],
    ])
    expect([idsOf(services.protection.find), idsOf(services.inPlace.targets)]).toEqual([[['a']], [['b']]])
  })

  it('asks once for the pictures of all films, and for none of other files', async () => {
    const services = spies()
    const file = { kind: 'FILE', sha256: 'x', size: 1, mimeType: null, isNative: false, inPlace: null, parentId: null }
    const film = (id: string, accountId: string | null) => ({ ...file, id, category: 'VIDEO', accountId })
    const found = await around(services, [film('a', null), film('b', null), film('d', 'drive'), pooled])
    expect(found.map(({ browserPicture }) => browserPicture?.durationMs)).toEqual([5, 5, undefined, undefined])
    expect(idsOf(services.thumbnails.fromBrowsers)).toEqual([['a', 'b']])
    const without = spies()
    await around(without, [film('d', 'drive'), pooled])
    expect(idsOf(without.thumbnails.fromBrowsers)).toEqual([])
  })
})
