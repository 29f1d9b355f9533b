import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId, parsePublicId, publicId } from '../../server/lib/ids.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startHttp, type TestHttp } from '../setup/httpApp.ts'

let http: TestHttp
let ada: TestUser
let browser: Browser
beforeAll(async () => {
  http = await startHttp()
})
afterAll(() => http.close())
beforeEach(async () => {
  ada = await createUser(http.services.users)
  browser = createBrowser(http.url, ada.token)
})

const PATH = '/api/v1/group-clouds'
const databaseId = (id: string) => parsePublicId(id)?.id ?? ''

async function connect(name: string, overrides: object = {}): Promise<string> {
  const id = newId()
  const row = { id, userId: ada.viewer.userId, provider: 'memory', name, quotaBytes: 1000n }
  await http.database.db.account.create({ data: { ...row, ...overrides } })
  return publicId('Account', id)
}

async function make(names: readonly string[], settings: object = {}) {
  const ids: string[] = []
  for (const name of names) ids.push(await connect(name))
  const { body } = await browser.request('POST', PATH, { name: names.join(), accountIds: ids, ...settings })
  return { id: String(body.id), ids }
}

type FileRow = {
  accountId?: string
  size?: number
  state?: 'RECEIVED' | 'STORING' | 'STORED' | 'AT_RISK'
  trashed?: boolean
}

async function storeFile(
  groupCloudId: string,
  { accountId, size = 1, state = 'STORED', trashed = false }: FileRow = {},
) {
  const name = newId()
  const piece = accountId && { id: newId(), accountId: databaseId(accountId), size: BigInt(size), objectRef: newId() }
  const row = { userId: ada.viewer.userId, kind: 'FILE', category: 'OTHER', state, size: BigInt(size) } as const
  const keys = { name, nameKey: name, sortKey: name, searchKey: name, groupCloudId: databaseId(groupCloudId) }
  const copies = piece ? { copies: { create: { id: newId(), pieces: { create: piece } } } } : {}
  const trash = trashed ? { trashedAt: new Date(), trashRootId: name } : {}
  await http.database.db.file.create({ data: { id: name, ...row, ...keys, ...copies, ...trash } })
  return name
}

const patch = (id: string, input: object) => browser.request('PATCH', `${PATH}/${id}`, input)
const drain = (id: string, accountId: string, draining = true) =>
  browser.request('PATCH', `${PATH}/${id}/members/${accountId}`, { draining })
const settledSince = (start: number) => http.enqueued.slice(start)
const settling = (id: string) => ({
  name: 'settleFiles',
  input: { userId: ada.viewer.userId, groupCloudId: databaseId(id) },
})

describe('members', () => {
  it('change their order in place, and keep what is theirs', async () => {
    const { id, ids } = await make(['A', 'B', 'C'])
    const [a, b, c] = ids as [string, string, string]
    await patch(id, { keepFreeBytes: { [a]: 5, [b]: 7 } })
    await drain(id, b)
    const { status, body } = await patch(id, { accountIds: [c, b, a] })
    expect(status).toBe(200)
    expect(body.members).toEqual([
      { accountId: c, position: 0, keepFreeBytes: 0, draining: false, allowOnlyCopy: false },
      { accountId: b, position: 1, keepFreeBytes: 7, draining: true, allowOnlyCopy: false },
      { accountId: a, position: 2, keepFreeBytes: 5, draining: false, allowOnlyCopy: false },
    ])
    expect((await browser.request('GET', `${PATH}/${id}`)).body).toEqual(body)
  })

  it('join and leave, and those that hold files of it are to be drained', async () => {
    const { id, ids } = await make(['A', 'B'])
    const [a, b] = ids as [string, string]
    const other = await connect('New')
    await storeFile(id, { accountId: a })
    const refused = await patch(id, { accountIds: [b, other] })
    expect(refused.body).toMatchObject({ status: 409, code: 'CONFLICT', detail: expect.stringMatching(/“A”.*drain/) })
    const { body } = await patch(id, { accountIds: [a, other] })
    expect(body.members.map(({ accountId }: { accountId: string }) => accountId)).toEqual([a, other])
  })

  it('that were disconnected are not shown', async () => {
    const { id, ids } = await make(['A', 'B'])
    const [a, b] = ids as [string, string]
    const where = { id: databaseId(b) }
    await http.database.db.account.update({ where, data: { disconnectedAt: new Date() } })
    const { body } = await browser.request('GET', `${PATH}/${id}`)
    expect(body.members).toEqual([
      { accountId: a, position: 0, keepFreeBytes: 0, draining: false, allowOnlyCopy: false },
    ])
    expect((await patch(id, { accountIds: [a, b] })).status).toBe(404)
  })

  it('can be all gone, and the group cloud can still be renamed and get new ones', async () => {
    const { id, ids } = await make(['A', 'B'], { copies: 2 })
    await http.database.db.groupCloudMember.deleteMany({ where: { groupCloudId: databaseId(id) } })
    expect((await patch(id, { name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', members: [] })
    expect((await patch(id, { accountIds: ids })).body.members).toHaveLength(2)
  })

  it('keep free what is asked, by whole bytes and on members alone', async () => {
    const { id, ids } = await make(['A'])
    const [a] = ids as [string]
    const stranger = await connect('Not in it')
    expect((await patch(id, { keepFreeBytes: { [a]: 900 } })).body.members[0].keepFreeBytes).toBe(900)
    const preview = await browser.request('GET', `${PATH}/${id}/placement?size=101`)
    expect(preview.body).toMatchObject({
      placed: false,
      why: 'There is no room for 101 Bytes: A has only 100 Bytes free.',
    })
    for (const bytes of [-1, 1.5, 2 ** 60])
      expect((await patch(id, { keepFreeBytes: { [a]: bytes } })).status).toBe(400)
    expect((await patch(id, { keepFreeBytes: { [stranger]: 1 } })).status).toBe(404)
    const viewer = ada.viewer
    const update = http.services.groupClouds.update(viewer, databaseId(id), { keepFreeBytes: { [databaseId(a)]: 0.5 } })
    await expect(update).rejects.toThrow('whole number')
  })
})

describe('drain', () => {
  it('marks the member, settles, and can be taken back', async () => {
    const { id, ids } = await make(['A', 'B'])
    const [a] = ids as [string]
    const start = http.enqueued.length
    expect((await drain(id, a)).body.members[0]).toMatchObject({ accountId: a, draining: true })
    expect((await drain(id, a)).status).toBe(200)
    expect((await drain(id, a, false)).body.members[0]).toMatchObject({ draining: false })
    expect(settledSince(start)).toEqual([settling(id), settling(id)])
  })

  it('never takes the last one, nor one that the copies need', async () => {
    const { id, ids } = await make(['A', 'B', 'C'])
    const [a, b, c] = ids as [string, string, string]
    await patch(id, { copies: 2 })
    expect((await drain(id, a)).status).toBe(200)
    expect((await drain(id, b)).body).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      detail: expect.stringContaining('without “B” there are only 1'),
    })
    await patch(id, { copies: 1 })
    expect((await drain(id, b)).status).toBe(200)
    expect((await drain(id, c)).body.detail).toContain('“C” is the last account')
    expect((await patch(id, { copies: 2 })).body.errors[0].path).toBe('copies')
  })

  it('knows members only', async () => {
    const { id } = await make(['A', 'B'])
    for (const other of [await connect('C'), publicId('Account', newId()), 'nonsense']) {
      expect((await drain(id, other)).status).toBe(404)
    }
  })
})

describe('settling', () => {
  it.each([
    [{ copies: 2 }, true],
    [{ spanning: false }, true],
    [{ name: 'New name', placement: 'IN_ORDER' }, false],
    [{ copies: 1, spanning: true }, false],
    [{}, false],
  ])('follows %o: %s', async (input, expected) => {
    const { id } = await make(['A', 'B'])
    const start = http.enqueued.length
    expect((await patch(id, input)).status).toBe(200)
    expect(settledSince(start)).toEqual(expected ? [settling(id)] : [])
  })

  it('follows new members and room kept free, not their order', async () => {
    const { id, ids } = await make(['A', 'B'])
    const [a, b] = ids as [string, string]
    const start = http.enqueued.length
    await patch(id, { accountIds: [b, a] })
    expect(settledSince(start)).toEqual([])
    await patch(id, { accountIds: [b, a, await connect('C')] })
    await patch(id, { keepFreeBytes: { [a]: 1 } })
    expect(settledSince(start)).toEqual([settling(id), settling(id)])
  })
})

describe('delete with files', () => {
  const remove = (id: string, query: string) => browser.request('DELETE', `${PATH}/${id}${query}`)
  const fileOf = (id: string) => http.database.db.file.findUniqueOrThrow({ where: { id } })

  it('moves them to another one, those in Trash too', async () => {
    const [from, to] = [await make(['A']), await make(['B'])]
    const [live, trashed] = [await storeFile(from.id), await storeFile(from.id, { trashed: true })]
    expect((await remove(from.id, '')).body.code).toBe('CONFLICT')
    const start = http.enqueued.length
    expect((await remove(from.id, `?moveTo=${to.id}`)).status).toBe(204)
    expect(settledSince(start)).toEqual([settling(to.id)])
    for (const id of [live, trashed]) expect((await fileOf(id)).groupCloudId).toBe(databaseId(to.id))
    expect((await fileOf(live)).trashedAt).toBeNull()
    expect((await browser.request('GET', `${PATH}/${from.id}`)).status).toBe(404)
  })

  it('puts them into Trash, where one copy is enough', async () => {
    const { id, ids } = await make(['A', 'B'], { copies: 2 })
    const file = await storeFile(id, { accountId: ids[0] ?? '', state: 'AT_RISK' })
    expect((await remove(id, '?files=trash')).status).toBe(204)
    expect(await fileOf(file)).toMatchObject({ groupCloudId: null, state: 'STORED', trashRootId: file })
    expect((await fileOf(file)).trashedAt).not.toBeNull()
  })

  it('refuses a target that is not there, not theirs, or the same, and both at once', async () => {
    const { id } = await make(['A'])
    await storeFile(id)
    const eve = await createUser(http.services.users)
    const [hers] = await http.services.groupClouds.list(eve.viewer)
    for (const target of [publicId('GroupCloud', newId()), publicId('GroupCloud', hers?.id ?? ''), 'nonsense']) {
      expect((await remove(id, `?moveTo=${target}`)).status).toBe(404)
    }
    expect((await remove(id, `?moveTo=${id}`)).body).toMatchObject({ status: 400, errors: [{ path: 'moveTo' }] })
    expect((await remove(id, `?moveTo=${id}&files=trash`)).body.errors[0].path).toBe('moveTo')
    expect((await remove(id, '?files=keep')).body.errors[0].path).toBe('files')
    expect((await browser.request('GET', `${PATH}/${id}`)).status).toBe(200)
  })
})

describe('health', () => {
  const healthOf = async (id: string) =>
    (await http.services.groupClouds.health(ada.viewer, [databaseId(id)])).get(databaseId(id))

  it('counts what is not in Trash, and says the most pressing first', async () => {
    const { id } = await make(['A', 'B'])
    expect(await healthOf(id)).toEqual({
      files: 0,
      bytes: 0,
      atRiskFiles: 0,
      storingFiles: 0,
      summary: 'No files yet.',
    })
    await storeFile(id, { size: 5, trashed: true })
    await storeFile(id, { size: 10 })
    expect(await healthOf(id)).toMatchObject({ files: 1, bytes: 10, summary: 'The only file is stored.' })
    await storeFile(id, { size: 20, state: 'STORING' })
    await storeFile(id, { size: 30, state: 'RECEIVED' })
    expect(await healthOf(id)).toEqual({
      files: 3,
      bytes: 60,
      atRiskFiles: 0,
      storingFiles: 2,
      summary: '2 of 3 files are still being stored.',
    })
    await storeFile(id, { size: 40, state: 'AT_RISK' })
    expect(await healthOf(id)).toMatchObject({ atRiskFiles: 1, summary: '1 of 4 files is at risk.' })
  })

  it('names the accounts that cannot be used', async () => {
    const { id, ids } = await make(['A', 'B', 'C'], { copies: 2 })
    await storeFile(id)
    await storeFile(id)
    expect((await healthOf(id))?.summary).toBe('All 2 files are stored in 2 copies.')
    const lose = (index: number, data: object) =>
      http.database.db.account.update({ where: { id: databaseId(ids[index] ?? '') }, data })
    await lose(1, { unreachableSince: new Date() })
    expect((await healthOf(id))?.summary).toBe('“B” cannot be used now. No file is at risk.')
    await lose(0, { status: 'EXPIRED' })
    await http.database.db.file.updateMany({ where: { groupCloudId: databaseId(id) }, data: { state: 'AT_RISK' } })
    expect((await healthOf(id))?.summary).toBe('All 2 files are at risk: “A” and “B” cannot be used now.')
    await http.database.db.groupCloudMember.deleteMany({ where: { groupCloudId: databaseId(id) } })
    expect((await healthOf(id))?.summary).toBe('This group cloud has no accounts. Please add one to it.')
  })

  it('is told of the own ones only', async () => {
    const { id } = await make(['A'])
    const eve = await createUser(http.services.users)
    expect(await http.services.groupClouds.health(eve.viewer, [databaseId(id)])).toEqual(new Map())
  })
})
