import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ACTIONS, type Action } from '../../server/domain/activity/contract.ts'
import { newId, publicId } from '../../server/lib/ids.ts'
import { createProtection } from '../factories/protection.ts'
import { createTransfer } from '../factories/transfers.ts'
import { type AccountsServer, startAccountsServer } from '../setup/accountsServer.ts'
import { createBrowser } from '../setup/browser.ts'
import { FLEET } from '../setup/fleet.ts'

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
/** Of another person, or recorded by shares, upload links, versions, keys and users themselves, and tested there; so is what is shown of an account. */
const ELSEWHERE =
  /^(SHARE_|KEY_|SESSION_|NAME_|PASSWORD_|ACCOUNT_CONTENT_|FOLDER_(UN)?PROTECTED|VERSION_|UPLOAD_LINK_|FILE_RECEIVED)/

type Person = Awaited<ReturnType<AccountsServer['signIn']>>

// Of one server: each gathers for a second what belongs together, and reads at once only what it has gathered itself.
let server: AccountsServer
let person: Person
beforeAll(async () => {
  server = await startAccountsServer()
  person = await server.signIn()
})
afterAll(() => server.close())

type Entry = { readonly action: Action; readonly sentence: string; readonly count: number; readonly subjectId: string }

async function logOf({ browser }: Pick<Person, 'browser'> = person, query = ''): Promise<Entry[]> {
  const { body } = await browser.request('GET', `/api/v1/activity?limit=200${query}`)
  return body.items
}

async function upload(name: string, parentId?: string, headers = {}): Promise<string> {
  const form = new FormData()
  if (parentId) form.set('parentId', parentId)
  form.set('file', new File(['some bytes'], name))
  return (await person.browser.request('POST', '/api/v1/files', form, headers)).body.id
}

const patch = (id: string, body: object) => person.browser.request('PATCH', `/api/v1/files/${id}`, body)
const sentences = async () => (await logOf()).map(({ sentence }) => sentence)
const latest = async () => (await sentences())[0]

describe.skipIf(FLEET.servers > 1)('what is done to files', () => {
  it('is written down in words', async () => {
    const { body: folder } = await person.browser.request('POST', '/api/v1/files/folders', { name: 'Plans' })
    expect(await latest()).toBe('You created the folder “Plans”.')
    const id = await upload('draft.txt', folder.id)
    expect(await latest()).toBe('You uploaded “draft.txt” to “Plans”.')
    await patch(id, { name: 'final.txt' })
    expect(await latest()).toBe('You renamed “draft.txt” to “final.txt”.')
    await patch(id, { parentId: null })
    expect(await latest()).toBe('You moved “final.txt” to My Drive.')
    const bytes = { 'content-type': 'application/octet-stream' }
    await person.browser.request('PUT', `/api/v1/files/${id}/content`, new TextEncoder().encode('other bytes'), bytes)
    expect(await latest()).toBe('You changed the content of “final.txt”.')
    await patch(id, { starred: true })
    expect(await latest()).toBe('You starred “final.txt”.')
    await patch(id, { starred: false })
    expect(await latest()).toBe('You unstarred “final.txt”.')
    const tag = (await person.browser.request('POST', '/api/v1/tags', { name: 'Work', color: 'BLUE' })).body.id
    await person.browser.request('POST', '/api/v1/files/tags', { ids: [id], add: [tag] })
    expect(await latest()).toBe('You tagged “final.txt” with “Work”.')
    await person.browser.request('POST', '/api/v1/files/tags', { ids: [id], remove: [tag] })
    expect(await latest()).toBe('You took the tag “Work” off “final.txt”.')
    await person.browser.request('POST', '/api/v1/files/color', { ids: [folder.id], color: 'RED' })
    expect(await latest()).toBe('You changed the colour of “Plans”.')
    await person.browser.request('GET', `/api/v1/files/${id}/download`)
    await person.browser.request('GET', `/api/v1/files/${id}/download`, undefined, { range: 'bytes=2-' })
    await person.browser.request('GET', `/api/v1/files/${id}/download?disposition=inline`)
    expect((await sentences()).filter((sentence) => /downloaded/.test(sentence))).toEqual([
      'You downloaded “final.txt”.',
    ])
    await person.browser.request('GET', `/api/v1/files/archive?ids=${id},${folder.id}`)
    expect(await latest()).toBe('You downloaded “final.txt” and one other.')
    await patch(id, { trashed: true })
    expect(await latest()).toBe('You moved “final.txt” to the trash.')
    await patch(id, { trashed: false })
    expect(await latest()).toBe('You restored “final.txt”.')
    await person.browser.request('DELETE', `/api/v1/files/${id}`)
    expect(await latest()).toBe('You moved “final.txt” to the trash.')
    await person.browser.request('DELETE', `/api/v1/files/${id}`)
    expect(await latest()).toBe('You deleted “final.txt” permanently.')
    expect((await logOf(person, `&subjectId=${id}`)).map(({ action }) => action)).toEqual([
      'FILE_DELETED',
      'FILE_TRASHED',
      'FILE_RESTORED',
      'FILE_TRASHED',
      'FILE_DOWNLOADED',
      'FILE_DOWNLOADED',
      'FILE_UNTAGGED',
      'FILE_TAGGED',
      'FILE_UNSTARRED',
      'FILE_STARRED',
      'FILE_EDITED',
      'FILE_MOVED',
      'FILE_RENAMED',
      'FILE_UPLOADED',
    ])
  })

  it('is one entry for many', async () => {
    const { files } = server.services
    const ids: string[] = []
    for (let number = 0; number < 5; number += 1) {
      const folder = await files.createFolder(person.viewer, { name: `Many ${number}`, parentId: null })
      ids.push(folder.id)
    }
    await files.move(person.viewer, ids.slice(1), ids[0] ?? null)
    expect(await latest()).toBe('You moved “Many 1” and 3 others to “Many 0”.')
    await files.copy(person.viewer, { ids: ids.slice(1), parentId: null })
    expect(await latest()).toBe('You copied “Many 1” and 3 others to My Drive.')
    await files.star(person.viewer, ids, true)
    expect(await latest()).toBe('You starred “Many 0” and 4 others.')
    await files.trash(person.viewer, ids.slice(1, 3))
    expect(await latest()).toBe('You moved “Many 1” and one other to the trash.')
    await files.restore(person.viewer, ids.slice(1, 3))
    expect(await latest()).toBe('You restored “Many 1” and one other.')
    await files.remove(person.viewer, ids.slice(1, 3))
    expect(await latest()).toBe('You deleted “Many 1” and one other permanently.')
    expect(await logOf(person, '&q=MANY%202')).toEqual((await logOf(person, '&q=many%202')).slice())
    expect((await logOf(person, '&q=many%202&action=file_deleted')).map(({ count }) => count)).toEqual([2])
    const third = publicId('File', ids[2] ?? '')
    expect((await logOf(person, `&fileId=${third}`)).map(({ action }) => action)).toEqual([
      'FILE_DELETED',
      'FILE_RESTORED',
      'FILE_TRASHED',
      'FILE_STARRED',
      'FILE_MOVED',
      'FOLDER_CREATED',
    ])
    await files.trash(person.viewer, ids.slice(3))
    await files.emptyTrash(person.viewer)
    expect(await latest()).toBe('You emptied the trash (2 entries).')
    await files.emptyTrash(person.viewer)
    expect((await sentences()).filter((sentence) => /emptied/.test(sentence))).toHaveLength(1)
  })

  it('is written once under one Idempotency-Key, and not at all when it fails', async () => {
    const before = (await logOf()).length
    const key = { 'idempotency-key': newId() }
    await upload('once.txt', undefined, key)
    await upload('once.txt', undefined, key)
    const folder = { name: 'Once' }
    const again = { 'idempotency-key': newId() }
    await person.browser.request('POST', '/api/v1/files/folders', folder, again)
    await person.browser.request('POST', '/api/v1/files/folders', folder, again)
    await patch(publicId('File', newId()), { name: 'nothing' })
    expect((await logOf()).length - before).toBe(2)
  })
})

describe.skipIf(FLEET.servers > 1)('what is done to accounts and group clouds', () => {
  it('is written down in words', async () => {
    const { accounts, groupClouds, files, transfers } = server.services
    const { viewer } = person
    const login = server.newLogin()
    const account = await server.connect(viewer, login, 'Studio')
    expect(await latest()).toBe('You connected “Studio” (Google Drive).')
    await accounts.update(viewer, account.id, { hue: 7 })
    expect(await latest()).toBe('You changed the colour of “Studio”.')
    await accounts.update(viewer, account.id, { name: 'Atelier' })
    expect(await latest()).toBe('You renamed the account “Studio” to “Atelier”.')
    const grant = await server.authorized(viewer, login, account.id)
    await accounts.reconnect(viewer, account.id, grant, server.origin)
    expect(await latest()).toBe('You re-connected “Atelier” (Google Drive).')

    const pool = await groupClouds.create(viewer, { name: 'Pool' })
    expect(await latest()).toBe('You created the group cloud “Pool”.')
    await groupClouds.update(viewer, pool.id, { name: 'Big pool' })
    expect(await latest()).toBe('You renamed the group cloud “Pool” to “Big pool”.')
    await groupClouds.update(viewer, pool.id, { placement: 'IN_ORDER' })
    expect(await latest()).toBe('You changed the group cloud “Big pool”.')
    const other = await groupClouds.create(viewer, { name: 'Other', accountIds: [account.id] })
    const uploaded = await upload('moving.txt')
    const [file] = (await files.list(viewer, { view: 'ALL', query: 'moving', limit: 1 })).items
    const fileId = file?.file.id ?? ''
    expect(uploaded).toBe(publicId('File', fileId))
    await files.moveToGroupCloud(viewer, [fileId], pool.id)
    expect(await latest()).toBe('You moved “moving.txt” to the group cloud “Big pool”.')
    const transferId = await createTransfer(server.pool, fileId, 'PARKED')
    await transfers.cancel(viewer, transferId)
    await transfers.cancel(viewer, transferId).catch(() => undefined)
    expect((await sentences()).filter((sentence) => /cancelled a transfer/.test(sentence))).toEqual([
      'You cancelled a transfer of “moving.txt”.',
    ])
    await files.remove(viewer, [fileId])
    await groupClouds.drain(viewer, pool.id, account.id, true)
    expect(await latest()).toBe('You started emptying “Atelier” in “Big pool”.')
    await groupClouds.remove(viewer, other.id)
    expect(await latest()).toBe('You deleted the group cloud “Other”.')
    await accounts.disconnect(viewer, account.id, true)
    expect(await latest()).toBe('You disconnected “Atelier” (Google Drive).')
  })

  it('names what is protected, and earlier versions', async () => {
    const { protection, groupClouds } = server.services
    const owner = await server.signIn()
    const { viewer } = owner
    const last = async () => (await logOf(owner))[0]?.sentence
    const { folderId, versionId } = await createProtection(server.pool, viewer.userId)
    const account = await server.connect(viewer, server.newLogin(), 'Safe')
    const pool = await groupClouds.create(viewer, { name: 'Safe pool', accountIds: [account.id] })
    await protection.protect(viewer, folderId, { groupCloudId: pool.id, copies: 1 })
    expect(await last()).toBe('You protected “Lost” with copies in “Safe pool”.')
    await protection.restore(viewer, versionId)
    expect(await last()).toBe('You restored an earlier version of “old.txt”.')
    await protection.unprotect(viewer, folderId)
    expect(await last()).toBe('You ended the protection of “Lost”.')
  })

  it('names this server where it acted by itself', async () => {
    const login = server.newLogin()
    const account = await server.connect(person.viewer, login, 'Fragile')
    server.google.withdraw(login)
    server.google.expireAccess()
    await server.pool.query(
      `update account_credentials set updated_at = now() - interval '1 hour' where account_id = '${account.id}'`,
    )
    await server.pool.query(`update accounts set quota_checked_at = null where id = '${account.id}'`)
    await server.services.accounts.readQuotas(person.viewer, [account.id])
    const expired = () => logOf(person, '&action=ACCOUNT_EXPIRED')
    await vi.waitFor(async () => expect(await expired()).toHaveLength(1), 120_000)
    expect(await expired()).toMatchObject([
      { sentence: 'The connection to “Fragile” has expired.', actorKind: 'SYSTEM', actorName: 'Skypool' },
    ])
  })
})

describe.skipIf(FLEET.servers > 1)('signing in', () => {
  it('is written down, and so is who was refused', async () => {
    const { email, password } = person
    const browser = createBrowser(server.url)
    const agent = { 'user-agent': CHROME }
    const wrong = await browser.request('POST', '/api/v1/auth/login', { email, password: 'not this one' }, agent)
    expect(wrong.status).toBe(401)
    await browser.request('POST', '/api/v1/auth/login', { email: 'nobody@example.org', password: 'not this' }, agent)
    await browser.request('POST', '/api/v1/auth/login', { email, password }, agent)
    expect((await sentences()).slice(0, 2)).toEqual([
      'You signed in with Chrome on Linux.',
      'Someone tried to sign in with a wrong password.',
    ])
    await browser.request('POST', '/api/v1/auth/logout', {}, agent)
    const { body } = await person.browser.request('GET', '/api/v1/activity?limit=1')
    expect(body.items).toMatchObject([{ action: 'SIGNED_OUT', actorName: 'Chrome on Linux', actorKind: 'SESSION' }])
    expect(await sentences()).toContain('You signed up.')
  })
})

describe.skipIf(FLEET.servers > 1)('the log', () => {
  it('has had every action that is recorded at the services', async () => {
    const done = new Set((await logOf()).map(({ action }) => action))
    const expected = ACTIONS.filter((action) => !ELSEWHERE.test(action))
    expect(expected.filter((action) => !done.has(action))).toEqual([])
    expect(expected.length).toBeGreaterThanOrEqual(25)
  })

  it('holds no secret', async () => {
    const { rows } = await server.pool.query('select row_to_json(a)::text as text from activities a')
    const text = rows.map((row) => row.text).join('\n')
    for (const secret of [person.password, person.token, 'not this one', person.email])
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(/sky_live_|argon2|refresh|access_token/)
  })

  it('is read page by page without gap or repetition, and by its owner alone', async () => {
    const all = await logOf()
    const read: Entry[] = []
    let cursor = ''
    do {
      const { body } = await person.browser.request('GET', `/api/v1/activity?limit=3${cursor}`)
      read.push(...body.items)
      cursor = body.nextCursor ? `&cursor=${body.nextCursor}` : ''
    } while (cursor)
    expect(read).toEqual(all)
    const stranger = await server.signIn()
    expect((await logOf(stranger)).map(({ action }) => action)).toEqual(['SIGNED_UP'])
    expect(await logOf(stranger, `&subjectId=${all.find(({ subjectId }) => subjectId)?.subjectId}`)).toEqual([])
    expect(await logOf(stranger, '&subjectId=nonsense')).toEqual([])
    const uploaded = all.find(({ action }) => action === 'FILE_UPLOADED')?.subjectId
    expect(await logOf(person, `&fileId=${uploaded}`)).not.toEqual([])
    expect(await logOf(stranger, `&fileId=${uploaded}`)).toEqual([])
    expect(await logOf(person, '&fileId=nonsense')).toEqual([])
    const broken = await person.browser.request('GET', '/api/v1/activity?cursor=nonsense')
    expect(broken).toMatchObject({ status: 400, body: { errors: [{ path: 'cursor' }] } })
    expect(await logOf(person, '&q=%25')).toEqual([])
    expect((await logOf(person, '&q=ATELIER')).length).toBeGreaterThan(1)
  })

  it('is forgotten after a year', async () => {
    await server.pool.query(`update activities set at = now() - interval '366 days' where action = 'SIGNED_UP'`)
    await server.housekeeping.forgetActivities(new AbortController().signal)
    expect((await logOf()).map(({ action }) => action)).not.toContain('SIGNED_UP')
    expect((await logOf()).length).toBeGreaterThan(10)
  })

  it('is the same over GraphQL', async () => {
    const query = `{ viewer { activities(first: 2, actions: [FILE_UPLOADED]) {
      edges { node { id at actorKind actorName address action subjectType subjectId subjectName count sentence } }
      pageInfo { hasNextPage endCursor } } storageByType { category files bytes } atRisk { files first { name } } } }`
    const { body } = await person.browser.request('POST', '/graphql', { query })
    expect(body.errors).toBeUndefined()
    const { activities, storageByType, atRisk } = body.data.viewer
    expect(activities.edges.map((edge: { node: Entry }) => edge.node)).toEqual(
      (await logOf(person, '&action=FILE_UPLOADED')).slice(0, 2),
    )
    expect(activities.pageInfo.hasNextPage).toBe(true)
    expect(storageByType).toEqual([{ category: 'TEXT', files: 1, bytes: 10 }])
    expect(atRisk).toEqual({ files: 0, first: [] })
  })

  it('is that of one file over GraphQL, to its owner alone', async () => {
    const id = await upload('only this.txt')
    await patch(id, { name: 'this alone.txt' })
    const query = 'query ($id: ID!) { viewer { activities(fileId: $id) { edges { node { sentence } } } } }'
    const told = async ({ browser }: Pick<Person, 'browser'>): Promise<string[]> => {
      const { body } = await browser.request('POST', '/graphql', { query, variables: { id } })
      return body.data.viewer.activities.edges.map(({ node }: { node: Entry }) => node.sentence)
    }
    expect(await told(person)).toEqual([
      'You renamed “only this.txt” to “this alone.txt”.',
      'You uploaded “only this.txt”.',
    ])
    expect(await told(await server.signIn())).toEqual([])
  })
})
