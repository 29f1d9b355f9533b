import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { transaction } from '../../server/db/pool.ts'
import { accountLabel } from '../../server/domain/accounts/rows.ts'
import type { Events } from '../../server/domain/events.ts'
import type { AccountLabel } from '../../server/domain/groupClouds/members.ts'
import { createGroupCloudsService } from '../../server/domain/groupClouds/service.ts'
import { loadPools } from '../../server/domain/transfers/planning.ts'
import { newId, parsePublicId, publicId } from '../../server/lib/ids.ts'
import type { Providers } from '../../server/providers/providers.ts'
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
const create = (body: object, headers?: Record<string, string>) => browser.request('POST', PATH, body, headers)
const databaseId = (id: string) => parsePublicId(id)?.id ?? ''

async function defaultOf(user: Browser) {
  const { body } = await user.request('GET', PATH)
  return body.items.find((item: { defaultUploadGroup: boolean }) => item.defaultUploadGroup)
}

/** An account beside the local one, as connecting one will make it. */
async function connectAccount(name: string, overrides: { quotaBytes?: bigint | null; usedBytes?: bigint } = {}) {
  const id = newId()
  await http.database.db.account.create({
    data: {
      id,
      userId: ada.viewer.userId,
      provider: 'dropbox',
      name,
      quotaBytes: 1000n,
      quotaState: overrides.quotaBytes === null ? 'UNKNOWN' : 'KNOWN',
      ...overrides,
    },
  })
  return publicId('Account', id)
}

/** A stored file of the group cloud, all of it on one account. */
async function storeFile(groupCloudId: string, accountId: string) {
  const piece = { id: newId(), accountId: databaseId(accountId), size: 1n, objectRef: newId() }
  const name = randomUUID()
  return http.database.db.file.create({
    data: {
      id: newId(),
      userId: ada.viewer.userId,
      kind: 'FILE',
      category: 'OTHER',
      name,
      nameKey: name,
      sortKey: name,
      searchKey: name,
      groupCloudId: databaseId(groupCloudId),
      copies: { create: { id: newId(), pieces: { create: piece } } },
    },
  })
}

describe('create', () => {
  it('takes all accounts when none are named', async () => {
    await connectAccount('Dropbox 2')
    const { status, body } = await create({ name: ' Photos ' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'Photos',
      defaultUploadGroup: false,
      placement: 'MOST_FREE',
      copies: 1,
      spanning: true,
    })
    expect(body.members.map(({ position }: { position: number }) => position)).toEqual([0, 1])
    expect((await browser.request('GET', PATH)).body.items).toHaveLength(2)
  })

  it('keeps every setting, and members in the order given', async () => {
    const [first, second] = [await connectAccount('A'), await connectAccount('B')]
    const settings = { placement: 'IN_ORDER', copies: 2, spanning: false }
    const { body } = await create({ name: 'Both', accountIds: [second, first], ...settings })
    expect(body).toMatchObject(settings)
    expect(body.members.map(({ accountId }: { accountId: string }) => accountId)).toEqual([second, first])
  })

  it('sums the quota of its members, and knows none when one is unknown', async () => {
    const known = await connectAccount('A', { quotaBytes: 1000n, usedBytes: 300n })
    const other = await connectAccount('B', { quotaBytes: 500n, usedBytes: 50n })
    const unknown = await connectAccount('C', { quotaBytes: null, usedBytes: 7n })
    const quotaOf = async (name: string, accountIds: string[]) => (await create({ name, accountIds })).body.quota
    expect(await quotaOf('sum', [known, other])).toEqual({
      state: 'KNOWN',
      usedBytes: 350,
      totalBytes: 1500,
      reservedBytes: 0,
    })
    await http.database.pool.query(`update accounts set status = 'EXPIRED' where id = any($1)`, [
      [other, unknown].map((id) => id.replace('acct_', '')),
    ])
    const usable = { state: 'KNOWN', usedBytes: 300, reservedBytes: 0, totalBytes: 1000 }
    expect(await quotaOf('expired', [known, other, unknown])).toEqual(usable)
    await http.database.pool.query(`update accounts set status = 'CONNECTED'`)
    expect(await quotaOf('unknown', [known, unknown])).toEqual({
      state: 'UNKNOWN',
      usedBytes: 307,
      totalBytes: null,
      reservedBytes: 0,
    })
  })

  it('takes the default mark from the other', async () => {
    const { body } = await create({ name: 'New default', defaultUploadGroup: true })
    expect(body.defaultUploadGroup).toBe(true)
    const { items } = (await browser.request('GET', PATH)).body
    expect(items.map(({ defaultUploadGroup }: { defaultUploadGroup: boolean }) => defaultUploadGroup)).toEqual([
      true,
      false,
    ])
    expect(items[0].name).toBe('New default')
  })

  it.each([
    [{ name: '  ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'a\u0000' }, 'name'],
    [{ name: 'no accounts', accountIds: [] }, 'accountIds'],
    [{ name: 'too many copies', copies: 2 }, 'copies'],
    [{ name: 'far too many', copies: 4 }, 'copies'],
    [{ name: 'bad rule', placement: 'RANDOM' }, 'placement'],
    [{ name: 'unknown field', owner: 'me' }, 'owner'],
    [{}, 'name'],
  ])('refuses %o', async (body, path) => {
    const answer = await create(body)
    expect([answer.status, answer.body.code, answer.body.errors[0].path]).toEqual([400, 'INVALID_INPUT', path])
  })

  it('refuses an account twice', async () => {
    const account = await connectAccount('A')
    expect((await create({ name: 'twice', accountIds: [account, account] })).body.code).toBe('INVALID_INPUT')
  })

  it('refuses a name that is taken, in any case, even when both come at once', async () => {
    const answers = await Promise.all(['Work', 'WORK', 'work', ' Ｗork'].map((name) => create({ name })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('NAME_TAKEN')
  })

  it("does not find other people's accounts, nor what is no account", async () => {
    const eve = await createUser(http.services.users)
    const [hers] = await http.services.accounts.list(eve.viewer)
    for (const id of [
      publicId('Account', hers?.id ?? ''),
      publicId('Account', newId()),
      'nonsense',
      publicId('User', eve.user.id),
    ]) {
      expect((await create({ name: 'stolen', accountIds: [id] })).body).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
      })
    }
  })

  it('happens once per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const [first, second] = await Promise.all([create({ name: 'Once' }, headers), create({ name: 'Once' }, headers)])
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    expect((await create({ name: 'Another' }, headers)).body).toMatchObject({
      status: 422,
      code: 'IDEMPOTENCY_KEY_REUSED',
    })
    expect((await create({ name: 'Third' }, { 'idempotency-key': 'x'.repeat(256) })).status).toBe(400)
  })

  it('stops at a hundred', async () => {
    for (let index = 1; index < 100; index++) {
      await http.services.groupClouds.create(ada.viewer, { name: `Cloud ${index}` })
    }
    expect((await create({ name: 'One more' })).body).toMatchObject({ status: 409, code: 'CONFLICT' })
  })
})

describe('list', () => {
  it('pages with a cursor, in natural order after the default', async () => {
    for (const name of ['Cloud 10', 'Cloud 9', 'archive']) await create({ name })
    const names: string[] = []
    let path: string | null = `${PATH}?limit=3`
    while (path) {
      const { body } = await browser.request('GET', path)
      names.push(...body.items.map(({ name }: { name: string }) => name))
      path = body.nextCursor && `${PATH}?limit=3&cursor=${body.nextCursor}`
    }
    expect(names).toEqual(['My Cloud', 'archive', 'Cloud 9', 'Cloud 10'])
  })

  it.each(['limit=0', 'limit=201', 'limit=ten', 'limit=1&limit=2', 'cursor=nonsense', 'colour=red'])(
    'refuses ?%s',
    async (query) => {
      expect((await browser.request('GET', `${PATH}?${query}`)).body).toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
      })
    },
  )
})

describe('update', () => {
  it('makes another one the default', async () => {
    const { body } = await create({ name: 'Second' })
    const { status, body: changed } = await browser.request('PATCH', `${PATH}/${body.id}`, { defaultUploadGroup: true })
    expect([status, changed.defaultUploadGroup]).toEqual([200, true])
    expect((await defaultOf(browser)).id).toBe(body.id)
    expect(
      await http.database.db.groupCloud.count({ where: { userId: ada.viewer.userId, defaultUploadGroup: true } }),
    ).toBe(1)
  })

  it('never leaves nobody the default', async () => {
    const { id } = await defaultOf(browser)
    const { body } = await browser.request('PATCH', `${PATH}/${id}`, { defaultUploadGroup: false })
    expect(body).toMatchObject({ status: 409, code: 'CONFLICT' })
  })

  it('changes name, rule and members, and keeps what is not named', async () => {
    const account = await connectAccount('A')
    const { body } = await create({ name: 'Old', accountIds: [account] })
    const patch = { name: 'New', placement: 'ROUND_ROBIN' }
    const { body: changed } = await browser.request('PATCH', `${PATH}/${body.id}`, patch)
    expect(changed).toEqual({ ...body, ...patch })
    const { body: sameName } = await browser.request('PATCH', `${PATH}/${body.id}`, { name: 'NEW' })
    expect(sameName.name).toBe('NEW')
    const other = await connectAccount('B')
    const { body: moved } = await browser.request('PATCH', `${PATH}/${body.id}`, {
      accountIds: [other, account],
      copies: 2,
    })
    expect(moved.members.map(({ accountId }: { accountId: string }) => accountId)).toEqual([other, account])
  })

  it('does not take out an account that holds files of it', async () => {
    const [holder, other] = [await connectAccount('Holder'), await connectAccount('Other')]
    const { body } = await create({ name: 'Full', accountIds: [holder, other] })
    await storeFile(body.id, holder)
    const answer = await browser.request('PATCH', `${PATH}/${body.id}`, { accountIds: [other] })
    expect(answer.body).toMatchObject({ status: 409, code: 'CONFLICT', detail: expect.stringContaining('“Holder”') })
    expect((await browser.request('PATCH', `${PATH}/${body.id}`, { accountIds: [holder] })).status).toBe(200)
  })

  it('refuses a taken name and too many copies, and then changes nothing', async () => {
    const { body } = await create({ name: 'Mine' })
    const patch = (input: object) => browser.request('PATCH', `${PATH}/${body.id}`, input)
    expect((await patch({ name: 'my cloud', placement: 'IN_ORDER' })).body.code).toBe('NAME_TAKEN')
    expect((await patch({ copies: 3, placement: 'IN_ORDER' })).body.code).toBe('INVALID_INPUT')
    const { items } = (await browser.request('GET', PATH)).body
    expect(items[1]).toEqual(body)
  })
})

describe('delete', () => {
  it('removes an empty one', async () => {
    const { body } = await create({ name: 'Gone' })
    expect((await browser.request('DELETE', `${PATH}/${body.id}`)).status).toBe(204)
    expect((await browser.request('DELETE', `${PATH}/${body.id}`)).status).toBe(404)
    expect((await browser.request('GET', PATH)).body.items).toHaveLength(1)
  })

  it('refuses the default one', async () => {
    const { id } = await defaultOf(browser)
    expect((await browser.request('DELETE', `${PATH}/${id}`)).body).toMatchObject({ status: 409, code: 'CONFLICT' })
  })

  it('refuses one that holds files, until they are deleted for good', async () => {
    const account = await connectAccount('A')
    const { body } = await create({ name: 'Full', accountIds: [account] })
    const file = await storeFile(body.id, account)
    expect((await browser.request('DELETE', `${PATH}/${body.id}`)).body.code).toBe('CONFLICT')
    await http.database.db.file.update({ where: { id: file.id }, data: { purgedAt: new Date() } })
    expect((await browser.request('DELETE', `${PATH}/${body.id}`)).status).toBe(204)
  })

  it('refuses one that is being uploaded to', async () => {
    const account = await connectAccount('A')
    const { body } = await create({ name: 'Busy', accountIds: [account] })
    await http.database.db.upload.create({
      data: {
        id: newId(),
        userId: ada.viewer.userId,
        groupCloudId: databaseId(body.id),
        name: 'a.txt',
        size: 1n,
        expiresAt: new Date(Date.now() + 60_000),
      },
    })
    expect((await browser.request('DELETE', `${PATH}/${body.id}`)).body.code).toBe('CONFLICT')
  })
})

describe('other people', () => {
  it('cannot see, change or delete it: it does not exist for them', async () => {
    const { body } = await create({ name: 'Private' })
    const eve = createBrowser(http.url, (await createUser(http.services.users)).token)
    const missing = await eve.request('DELETE', `${PATH}/${publicId('GroupCloud', newId())}`)
    expect(missing.status).toBe(404)
    for (const answer of [
      await eve.request('DELETE', `${PATH}/${body.id}`),
      await eve.request('PATCH', `${PATH}/${body.id}`, { name: 'Hers' }),
    ]) {
      expect(answer.body).toEqual(missing.body)
    }
    const { items } = (await eve.request('GET', PATH)).body
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['My Cloud'])
    const eveViewer = (await http.services.users.viewerOf(eve.token ?? '')) ?? ada.viewer
    expect(await http.services.groupClouds.getMany(eveViewer, [databaseId(body.id)])).toEqual([null])
    await expect(http.services.groupClouds.previewPlacement(eveViewer, databaseId(body.id), 1)).rejects.toThrow(
      'you do not have access to it',
    )
  })

  it.each([
    ['GET', ''],
    ['POST', ''],
    ['PATCH', '/pool_1'],
    ['DELETE', '/pool_1'],
  ])('%s%s answers 401 to the anonymous', async (method, suffix) => {
    const body = method === 'POST' || method === 'PATCH' ? {} : undefined
    const answer = await createBrowser(http.url).request(method, PATH + suffix, body)
    expect(answer.body).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
  })
})

describe('accounts', () => {
  it('lists, finds and sums the own ones only', async () => {
    const { accounts, users } = http.services
    const [local] = await accounts.list(ada.viewer)
    await connectAccount('A', { quotaBytes: 1000n, usedBytes: 30n })
    const stranger = await createUser(users)
    const [hers] = await accounts.list(stranger.viewer)
    const found = await accounts.getMany(ada.viewer, [hers?.id ?? '', local?.id ?? ''])
    expect(found).toEqual([null, local])
    const own = local?.quota.totalBytes ?? 0
    // Nothing is stored in an account that no group cloud uses: its space is not there to be used.
    expect(await accounts.quota(ada.viewer)).toMatchObject({ usedBytes: 0, totalBytes: own, freeBytes: own })
    const join = async () => {
      const [pool] = await http.services.groupClouds.list(ada.viewer)
      const ids = (await accounts.list(ada.viewer)).map(({ id }) => id)
      return http.services.groupClouds.update(ada.viewer, pool?.id ?? '', { accountIds: ids, copies: 2 })
    }
    const pool = await join()
    const sum = { state: 'KNOWN', usedBytes: 30, totalBytes: 1000 + own, reservedBytes: 0, freeBytes: 970 }
    expect(await accounts.quota(ada.viewer)).toEqual(sum)
    expect(pool.quota).toEqual(sum)
    await connectAccount('B', { quotaBytes: null })
    await join()
    expect((await accounts.quota(ada.viewer)).totalBytes).toBeNull()
  })
})

describe('placement', () => {
  const placement = async (id: string, size: unknown = 1) =>
    (await browser.request('GET', `${PATH}/${id}/placement?size=${size}`)).body

  it('says where a file would go', async () => {
    const { id, members } = await defaultOf(browser)
    expect(await placement(id, 5)).toEqual({
      placed: true,
      why: 'This server (the only account of this group cloud).',
      copies: [{ pieces: [{ accountId: members[0].accountId, size: 5 }] }],
    })
  })

  it('goes on from the account that took the newest file', async () => {
    const [first, second] = [await connectAccount('First'), await connectAccount('Second')]
    const { body } = await create({ name: 'Turns', accountIds: [first, second], placement: 'ROUND_ROBIN' })
    expect((await placement(body.id)).why).toMatch(/^First \(next in turn\)/)
    await storeFile(body.id, first)
    expect((await placement(body.id)).why).toMatch(/^Second \(next in turn\)/)
    await storeFile(body.id, second)
    expect((await placement(body.id)).why).toMatch(/^First/)
  })

  it('shows each copy, and what is missing', async () => {
    const [first, second] = [await connectAccount('First'), await connectAccount('Second', { usedBytes: 1000n })]
    const { body } = await create({ name: 'Two', accountIds: [first, second], copies: 2 })
    expect(await placement(body.id, 500)).toEqual({
      placed: true,
      why: 'Copy 1: First (most free space); Second is full. There is room for 1 of 2 copies: Second is full.',
      copies: [{ pieces: [{ accountId: first, size: 500 }] }],
    })
    expect(await placement(body.id, 1001)).toMatchObject({ placed: false, copies: [] })
  })

  it('names accounts with their providers', async () => {
    const [first, second] = [await connectAccount('Maren'), await connectAccount('Dropbox of Sven')]
    const { body } = await create({ name: 'Labels', accountIds: [first, second], copies: 2, placement: 'IN_ORDER' })
    const groupCloudId = databaseId(body.id)
    const providers = { catalogue: () => [{ id: 'dropbox', name: 'Dropbox' }] } as unknown as Providers
    const label: AccountLabel = (account) => accountLabel(providers, account)
    const events = { publish: () => undefined } as unknown as Events
    const deps = { ...http.database, events, enqueue: async () => undefined, accountLabel: label }
    const { why } = await createGroupCloudsService(deps).previewPlacement(ada.viewer, groupCloudId, 1)
    expect(why).toBe(
      'Copy 1: Dropbox · Maren (first in order with enough room). Copy 2: Dropbox of Sven (the only other account).',
    )
    const pools = await transaction(http.database.pool, (tx) => loadPools(tx, [groupCloudId], label))
    const names = pools.get(groupCloudId)?.members.map(({ name }) => name)
    expect(names).toEqual(['Dropbox · Maren', 'Dropbox of Sven'])
    expect(label({ provider: 'local', name: 'This server' })).toBe('This server')
  })

  it('counts each account of a spanned copy once', async () => {
    const MB = 1024n ** 2n
    const ids = [
      await connectAccount('A', { quotaBytes: 20n * MB }),
      await connectAccount('B', { quotaBytes: 20n * MB }),
    ]
    const { body } = await create({ name: 'Large', accountIds: ids })
    const { copies, why } = await placement(body.id, Number(32n * MB))
    expect(why).toBe('In 4 pieces over A and B: no single account has room.')
    expect(copies).toEqual([{ pieces: ids.map((accountId) => ({ accountId, size: Number(16n * MB) })) }])
  })

  it.each(['-1', '1.5', 'x', '9007199254740993'])('refuses ?size=%s', async (size) => {
    const { id } = await defaultOf(browser)
    expect(await placement(id, size)).toMatchObject({ status: 400, errors: [{ path: 'size' }] })
  })
})

it('whoever looks on hears of every change', async () => {
  const told: unknown[] = []
  const events = { publish: (...event: unknown[]) => void told.push(event) } as unknown as Events
  const groupClouds = createGroupCloudsService({ ...http.database, events, enqueue: async () => undefined })
  const { id } = await groupClouds.create(ada.viewer, { name: 'Heard of' })
  await groupClouds.update(ada.viewer, id, { copies: 1 })
  await groupClouds.remove(ada.viewer, id, undefined)
  await expect(groupClouds.remove(ada.viewer, id, undefined)).rejects.toThrow()
  expect(told).toEqual(Array(3).fill(['accountsChanged', ada.viewer.userId, { accountIds: [] }]))
})
