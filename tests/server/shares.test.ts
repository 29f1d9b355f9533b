import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fingerprintOf } from '../../server/domain/idempotency/keys.ts'
import { parsePublicId } from '../../server/lib/ids.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { createOwner, createVisitor, eventually, type Owner, PASSWORD } from './shares/world.ts'

/** Links as their owner makes, sees and ends them, and what becomes of them with their files. */
let server: TestServer
let owner: Owner

beforeAll(async () => {
  server = await startTestServer({ trustProxy: true, acceptAnyType: true })
  owner = await createOwner(server)
})
afterAll(() => server?.close())

const visit = async (id: string) => (await createVisitor(server).ask('GET', `/api/v1/shares/${id}`)).status
const shares = async (query = '') => (await owner.browser.request('GET', `/api/v1/shares${query}`)).body
const sharedView = async () =>
  (await owner.browser.request('GET', '/api/v1/files?view=shared')).body.items as { id: string }[]
const inShared = async (id: string) => (await sharedView()).some((item) => item.id === id)
const actionsOf = async (id: string) => {
  const { rows } = await server.pool.query<{ action: string }>(
    'select action from activities where subject_id = $1 order by at, id',
    [parsePublicId(id)?.id],
  )
  return rows.map(({ action }) => action)
}

describe('a link', () => {
  it('is made, seen everywhere, changed and ended', async () => {
    const fileId = await owner.upload('plan.txt', 'plan')
    expect(await inShared(fileId)).toBe(false)
    const made = await owner.browser.request('POST', '/api/v1/shares', { fileId })
    const url = `${server.url}/shares/${made.body.id}`
    const facts = {
      fileId,
      uploadFileId: null,
      url,
      hasPassword: false,
      state: 'LIVE',
      downloads: 0,
      maxDownloads: null,
    }
    expect([made.status, made.body]).toMatchObject([201, facts])
    expect(await inShared(fileId)).toBe(true)
    expect((await owner.look(fileId)).shares).toMatchObject([{ id: made.body.id }])
    const at = `/api/v1/shares/${made.body.id}`
    const changed = await owner.browser.request('PATCH', at, { password: PASSWORD, maxDownloads: 4 })
    expect(changed.body).toMatchObject({ hasPassword: true, maxDownloads: 4, state: 'LIVE' })
    expect((await owner.browser.request('PATCH', at, { password: null })).body).toMatchObject({ hasPassword: false })
    expect((await owner.browser.request('DELETE', at)).status).toBe(204)
    expect((await owner.browser.request('DELETE', at)).status).toBe(204)
    expect((await owner.browser.request('PATCH', at, { password: null })).status).toBe(404)
    expect(await inShared(fileId)).toBe(false)
    expect((await owner.look(fileId)).shares).toEqual([])
    expect((await shares()).items[0]).toMatchObject({ id: made.body.id, state: 'REVOKED' })
    const expected = ['SHARE_CREATED', 'SHARE_CHANGED', 'SHARE_CHANGED', 'SHARE_REVOKED']
    expect(
      (
        await eventually(
          () => actionsOf(made.body.id),
          (found) => found.length >= 4,
        )
      ).sort(),
    ).toEqual(expected.sort())
    const { body: ofFile } = await owner.browser.request('GET', `/api/v1/activity?fileId=${fileId}&action=${expected}`)
    expect(ofFile.items).toHaveLength(expected.length)
  })

  it('is made once under one Idempotency-Key', async () => {
    const fileId = await owner.upload('once.txt', 'once')
    const make = () =>
      owner.browser.request('POST', '/api/v1/shares', { fileId, password: 'p' }, { 'idempotency-key': 'share once' })
    const [one, two] = [await make(), await make()]
    expect(two.body).toEqual(one.body)
    expect((await owner.look(fileId)).shares).toHaveLength(1)
    // What is kept of the request is no quick way to try passwords.
    const guess = fingerprintOf([parsePublicId(fileId)?.id ?? '', null, 'p', null, null, false])
    const { rows } = await server.pool.query(`select fingerprint from idempotency_keys where key = 'share once'`)
    expect(rows).toHaveLength(1)
    expect(guess.equals(rows[0].fingerprint)).toBe(false)
  })

  it('that ran out is ended by the job, and leaves the Shared view', async () => {
    const fileId = await owner.upload('short.txt', 'short')
    const id = await owner.share(fileId, { expiresAt: new Date(Date.now() + 60_000).toISOString() })
    await server.pool.query('update shares set expires_at = now() where id = $1', [parsePublicId(id)?.id])
    await server.housekeeping.endShares(new AbortController().signal)
    expect(await inShared(fileId)).toBe(false)
    expect((await shares()).items.find((share: { id: string }) => share.id === id)).toMatchObject({ state: 'EXPIRED' })
    expect((await owner.browser.request('PATCH', `/api/v1/shares/${id}`, { expiresAt: null })).status).toBe(404)
  })

  it('is listed with all others, page by page, and nobody else’s', async () => {
    const alone = await createOwner(server)
    const file = await alone.upload('many.txt', 'many')
    const ids: string[] = []
    for (let at = 0; at < 5; at += 1) ids.unshift(await alone.share(file))
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor ? `&cursor=${cursor}` : ''
      const { body } = await alone.browser.request('GET', `/api/v1/shares?limit=2${query}`)
      seen.push(...body.items.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
    }
    expect([...seen].sort()).toEqual([...ids].sort())
    await alone.browser.request('DELETE', `/api/v1/shares/${ids[0]}`)
    const live = (await alone.browser.request('GET', '/api/v1/shares?live=true')).body.items
    expect(live).toHaveLength(4)
    const { rows } = await server.pool.query('select count(*)::int as n from shares where user_id = $1', [
      alone.viewer.userId,
    ])
    expect(rows[0].n).toBe(seen.length)
  })

  it('has a secret of 128 random bits as its id', async () => {
    const file = await owner.upload('random.txt', 'r')
    const ids = new Set<string>()
    for (let at = 0; at < 20; at += 1) ids.add((await owner.share(file)).slice(0, 14))
    expect(ids.size).toBe(20)
  })
})

describe('with its file', () => {
  it('waits while that is in the trash, and opens again after', async () => {
    const folder = await owner.folder('Holder')
    const fileId = await owner.upload('wait.txt', 'wait', folder)
    const id = await owner.share(fileId)
    await owner.browser.request('PATCH', `/api/v1/files/${folder}`, { trashed: true })
    expect(await visit(id)).toBe(404)
    expect((await owner.look(fileId)).shares).toMatchObject([{ state: 'PAUSED' }])
    await owner.browser.request('PATCH', `/api/v1/files/${folder}`, { trashed: false })
    expect(await visit(id)).toBe(200)
  })

  it('goes on through a move and a new name', async () => {
    const fileId = await owner.upload('old name.txt', 'moved')
    const id = await owner.share(fileId)
    await owner.browser.request('PATCH', `/api/v1/files/${fileId}`, {
      name: 'new name.txt',
      parentId: await owner.folder('Elsewhere'),
    })
    expect((await createVisitor(server).ask('GET', `/api/v1/shares/${id}`)).body.name).toBe('new name.txt')
  })

  it.each([
    ['deleted', (fileId: string) => owner.browser.request('DELETE', `/api/v1/files/${fileId}?permanent=true`)],
    ['in the trash', (fileId: string) => owner.browser.request('DELETE', `/api/v1/files/${fileId}`)],
    ['renamed', (fileId: string) => owner.browser.request('PATCH', `/api/v1/files/${fileId}`, { name: 'away.txt' })],
  ])('that is %s does not come alive on a new file of the same name', async (how, lose) => {
    const folder = await owner.folder(`Same place, ${how}`)
    const fileId = await owner.upload('place.txt', 'the old one', folder)
    const id = await owner.share(fileId)
    await lose(fileId)
    await owner.upload('place.txt', 'the new one', folder)
    const answer = await createVisitor(server).ask('GET', `/api/v1/shares/${id}/download`)
    expect(answer.body).not.toBe('the new one')
    expect(answer.status).toBe(how === 'renamed' ? 200 : 404)
  })

  it('that was replaced leads to the new content', async () => {
    const folder = await owner.folder('Replaced')
    const id = await owner.share(await owner.upload('same.txt', 'the old one', folder))
    const form = new FormData()
    form.set('parentId', folder)
    form.set('onConflict', 'replace')
    form.set('file', new File(['the new one'], 'same.txt'))
    expect((await owner.browser.request('POST', '/api/v1/files', form)).status).toBe(201)
    expect((await createVisitor(server).ask('GET', `/api/v1/shares/${id}/download`)).body).toBe('the new one')
  })

  it('of others is untouched when one is deleted', async () => {
    const other = await createOwner(server)
    const theirs = await other.share(await other.upload('place.txt', 'theirs'))
    await owner.browser.request('DELETE', `/api/v1/files/${await owner.upload('place2.txt', 'mine')}?permanent=true`)
    expect(await visit(theirs)).toBe(200)
  })
})

describe('what somebody shares', () => {
  const EVIL = '<svg xmlns="http://www.w3.org/2000/svg" onload="parent.hit=1"><script>hit=1</script></svg>'
  const FILES: readonly [string, string, string][] = [
    ['page.html', `<!doctype html><script>hit=1</script>`, 'text/html'],
    ['picture.svg', EVIL, 'image/svg+xml'],
    [
      'feed.xml',
      `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>hit=1</script></html>`,
      'text/xml',
    ],
    ['poly.gif', `GIF89a/*<script>hit=1</script>*/=1;`, 'image/gif'],
    ['poly.pdf', `%PDF-1.4\n<script>hit=1</script>`, 'application/pdf'],
    ['script.js', 'hit=1', 'text/javascript'],
    ['app.xhtml', `<html xmlns="http://www.w3.org/1999/xhtml"><script>hit=1</script></html>`, 'application/xhtml+xml'],
    ['evil\r\nx: y".html', '<script>hit=1</script>', 'text/html'],
  ]

  it.each(FILES)('%s is saved or shown without any power', async (name, content, type) => {
    const id = await owner.share(await owner.upload(name.replaceAll(/[\r\n]/g, ''), content, undefined, type))
    for (const disposition of ['attachment', 'inline']) {
      const answer = await createVisitor(server).send('GET', `/api/v1/shares/${id}/download?disposition=${disposition}`)
      const held = (header: string) => answer.headers.get(header) ?? ''
      expect(await answer.text()).toBe(content)
      expect(held('content-type')).not.toMatch(/html|svg|xml|javascript/)
      expect(held('x-content-type-options')).toBe('nosniff')
      expect(held('content-security-policy')).toMatch(/default-src 'none'/)
      expect(held('content-security-policy')).not.toMatch(/script-src|unsafe-inline'; script/)
      const isSaved = held('content-disposition').startsWith('attachment')
      // What is no attachment is text, or of a type that runs nothing.
      if (disposition === 'attachment') expect(isSaved).toBe(true)
      if (!isSaved) expect(held('content-type')).toMatch(/^(text\/plain|image\/gif|application\/pdf)/)
      if (isSaved) expect(held('content-security-policy')).toMatch(/^sandbox;/)
    }
  })
})

it('GraphQL: a link is made, listed, changed, found as a node, seen at its file, and ended', async () => {
  const client = createGraphqlClient(server.url, owner.token)
  const fileId = await owner.upload('graph.txt', 'graph')
  const { copies } = await owner.look(fileId)
  const facts =
    'id url state hasPassword maxDownloads downloads providerUrl expiresAt copy { id } file { id shares { id } }'
  const created = await client(
    `mutation($input: CreateShareInput!) { createShare(input: $input) { __typename ... on Error { message }
      ... on CreateSharePayload { providerNote share { ${facts} } file { id shares { id } } } } }`,
    { input: { fileId, copyId: copies[0].id, maxDownloads: 7 } },
  )
  const { share, file } = created.data.createShare
  expect(share).toMatchObject({ state: 'LIVE', hasPassword: false, maxDownloads: 7, copy: { id: copies[0].id } })
  expect(file.shares).toEqual([{ id: share.id }])
  const read = await client(
    `query($id: ID!) { node(id: $id) { __typename id ... on Share { url } }
      viewer { shares(first: 1, live: true) { edges { node { id } } pageInfo { hasNextPage } } } }`,
    { id: share.id },
  )
  expect(read.data.node).toEqual({ __typename: 'Share', id: share.id, url: share.url })
  expect(read.data.viewer.shares.edges).toEqual([{ node: { id: share.id } }])
  const updated = await client(
    `mutation($input: UpdateShareInput!) { updateShare(input: $input) { ... on UpdateSharePayload { share { hasPassword maxDownloads } } } }`,
    { input: { id: share.id, password: PASSWORD, maxDownloads: null } },
  )
  expect(updated.data.updateShare.share).toEqual({ hasPassword: true, maxDownloads: null })
  const ended = await client(
    `mutation($input: RevokeShareInput!) { revokeShare(input: $input) { ... on RevokeSharePayload { share { state } file { shares { id } } } } }`,
    { input: { id: share.id } },
  )
  expect(ended.data.revokeShare).toEqual({ share: { state: 'REVOKED' }, file: { shares: [] } })
  const refused = await client(
    `mutation($input: CreateShareInput!) { createShare(input: $input) { ... on InvalidInputError { fields { path } } } }`,
    { input: { fileId, maxDownloads: 0, password: '' } },
  )
  expect(refused.data.createShare.fields.map(({ path }: { path: string }) => path)).toEqual([
    'password',
    'maxDownloads',
  ])
})

it('GraphQL: unlocking sets the cookie that the REST routes take, and folders are walked', async () => {
  const folder = await owner.folder('Walk')
  const deep = await owner.folder('Deep', folder)
  await owner.upload('bottom.txt', 'bottom', deep)
  const id = await owner.share(folder, { password: PASSWORD })
  const visitor = createVisitor(server)
  const query =
    'mutation($id: ID!, $password: String!) { unlockShare(input: { id: $id, password: $password }) { ... on UnlockSharePayload { share { name files { edges { node { id: fileId name kind childCount } } } } } } }'
  const unlocked = await visitor.send(
    'POST',
    '/graphql',
    { 'content-type': 'application/json' },
    JSON.stringify({ query, variables: { id, password: PASSWORD } }),
  )
  const { share } = (await unlocked.json()).data.unlockShare
  expect(share).toEqual({
    name: 'Walk',
    files: { edges: [{ node: { id: deep, name: 'Deep', kind: 'FOLDER', childCount: 1 } }] },
  })
  const set = unlocked.headers.get('set-cookie') ?? ''
  expect(set).toMatch(/^skypool_share_[0-9a-f]{16}=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
  const cookie = { cookie: set.split(';')[0] ?? '' }
  const inside = await visitor.ask('GET', `/api/v1/shares/${id}/files?folderId=${deep}`, cookie)
  expect(inside.body).toMatchObject({ items: [{ name: 'bottom.txt' }], path: [{ id: deep, name: 'Deep' }] })
  await owner.browser.request('PATCH', `/api/v1/shares/${id}`, { password: `${PASSWORD}!` })
  expect((await visitor.ask('GET', `/api/v1/shares/${id}/files`, cookie)).status).toBe(401)
})
