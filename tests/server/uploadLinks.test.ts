import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reconcileAllClaims } from '../../server/domain/uploadLinks/claims.ts'
import {
  createUploadLinksService,
  endDueUploadLinks,
  type UploadLinksDeps,
} from '../../server/domain/uploadLinks/service.ts'
import { createRecoveryHousekeeping } from '../../server/domain/users/sessions.ts'
import { parsePublicId } from '../../server/lib/ids.ts'
import type { Mail } from '../../server/mail/mailer.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { createOwner, eventually, type Owner } from './shares/world.ts'
import { createLink, createSender, locationOf } from './uploadLinks/world.ts'

/** Upload links as their owner creates, sees and ends them, and what visitors send through them. */
let server: TestServer
let owner: Owner

beforeAll(async () => {
  server = await startTestServer({ trustProxy: true, acceptAnyType: true })
  owner = await createOwner(server)
})
afterAll(() => server?.close())

const LINKS = '/api/v1/upload-links'
const linkId = (id: string) => parsePublicId(id)?.id
const linkOf = async (id: string) => {
  const { body } = await owner.browser.request('GET', `${LINKS}?limit=200`)
  return (body.items as { id: string }[]).find((link) => link.id === id)
}
const inShared = async (id: string) => {
  const { body } = await owner.browser.request('GET', '/api/v1/files?view=shared&limit=200')
  return (body.items as { id: string }[]).some((item) => item.id === id)
}
const childrenOf = async (folderId: string) => {
  const { body } = await owner.browser.request('GET', `/api/v1/files?parentId=${folderId}&limit=200`)
  return body.items as { id: string; name: string; kind: string }[]
}
const actionsOf = async (id: string) => {
  const { rows } = await server.pool.query<{ action: string }>(
    'select action from activities where subject_id = $1 order by at, id',
    [linkId(id)],
  )
  return rows.map(({ action }) => action)
}
const signal = new AbortController().signal

function latch() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

describe('a link', () => {
  it('is created, seen everywhere, changed and ended', async () => {
    const folderId = await owner.folder('Projects')
    const settings = { title: ' Photos ', message: 'Please.\nThank you.', maxFiles: 3, maxBytes: 5000, asksName: true }
    const made = await owner.browser.request('POST', LINKS, { folderId, ...settings })
    const { id } = made.body
    const facts = { folderId, state: 'LIVE', hasPassword: false, files: 0, bytes: 0, lastFileAt: null, notifies: false }
    expect([made.status, made.body]).toMatchObject([201, { ...settings, ...facts, title: 'Photos' }])
    expect(made.body.url).toBe(`${server.url}/upload/${id}`)
    expect(await inShared(folderId)).toBe(true)
    const client = createGraphqlClient(server.url, owner.token)
    const query = `query($id: ID!) { viewer { file(id: $id) { uploadLinks { id url title maxBytes state } }
      uploadLinks(first: 5, live: true) { edges { node { folder { id } } } } } node(id: "${id}") { __typename id } }`
    const { data } = await client(query, { id: folderId })
    expect(data.viewer.file.uploadLinks).toMatchObject([{ id, title: 'Photos', state: 'LIVE' }])
    expect(data.viewer.uploadLinks.edges).toContainEqual({ node: { folder: { id: folderId } } })
    expect(data.node).toEqual({ __typename: 'UploadLink', id })

    const at = `${LINKS}/${id}`
    const changed = await owner.browser.request('PATCH', at, { password: 'north wall', maxFiles: null, notifies: true })
    expect(changed.body).toMatchObject({ hasPassword: true, maxFiles: null, notifies: true, maxBytes: 5000 })
    expect((await owner.browser.request('PATCH', at, { password: null })).body).toMatchObject({ hasPassword: false })
    expect((await owner.browser.request('DELETE', at)).status).toBe(204)
    expect((await owner.browser.request('DELETE', at)).status).toBe(204)
    expect((await owner.browser.request('PATCH', at, { maxFiles: 1 })).status).toBe(404)
    expect(await inShared(folderId)).toBe(false)
    expect(await linkOf(id)).toMatchObject({ state: 'REVOKED' })
    const expected = ['UPLOAD_LINK_CREATED', 'UPLOAD_LINK_CHANGED', 'UPLOAD_LINK_CHANGED', 'UPLOAD_LINK_REVOKED']
    expect(
      await eventually(
        () => actionsOf(id),
        (actions) => actions.length === 4,
      ),
    ).toEqual(expected)
  })

  it('is created, changed and ended by GraphQL', async () => {
    const folderId = await owner.folder('By GraphQL')
    const client = createGraphqlClient(server.url, owner.token)
    const create = `mutation($input: CreateUploadLinkInput!) { createUploadLink(input: $input) { ... on Error { code }
      ... on CreateUploadLinkPayload { uploadLink { id title maxFileBytes } folder { id uploadLinks { id } } } } }`
    const input = { folderId, title: 'Photos', maxFileBytes: 1024 }
    const { uploadLink, folder } = (await client(create, { input })).data.createUploadLink
    expect([Number(uploadLink.maxFileBytes), folder.uploadLinks]).toEqual([1024, [{ id: uploadLink.id }]])
    const update = `mutation($input: UpdateUploadLinkInput!) { updateUploadLink(input: $input) { ... on Error { code message }
      ... on UpdateUploadLinkPayload { uploadLink { title asksName maxFileBytes } } } }`
    const patch = { id: uploadLink.id, title: 'Plans', asksName: true, maxFileBytes: null }
    const changed = (await client(update, { input: patch })).data.updateUploadLink.uploadLink
    expect(changed).toEqual({ title: 'Plans', asksName: true, maxFileBytes: null })
    const wrong = (await client(update, { input: { id: uploadLink.id, title: ' ' } })).data.updateUploadLink
    expect(wrong.code).toBe('INVALID_INPUT')
    const revoke = `mutation($input: RevokeUploadLinkInput!) { revokeUploadLink(input: $input) {
      ... on RevokeUploadLinkPayload { uploadLink { state } folder { uploadLinks { id } } } } }`
    const ended = (await client(revoke, { input: { id: uploadLink.id } })).data.revokeUploadLink
    expect(ended).toEqual({ uploadLink: { state: 'REVOKED' }, folder: { uploadLinks: [] } })
  })

  it('is refused with wrong settings, for files, in the trash, and below what has arrived', async () => {
    const folderId = await owner.folder('Strict')
    const post = (body: object) => owner.browser.request('POST', LINKS, { folderId, title: 'Photos', ...body })
    const wrong: [field: string, value: unknown][] = [
      ['title', ' '],
      ['title', 'x'.repeat(121)],
      ['title', 'a\u0000b'],
      ['message', 'x'.repeat(1001)],
      ['password', ''],
      ['expiresAt', '2020-01-01T00:00:00.000Z'],
      ['maxFiles', 0],
      ['maxBytes', -1],
      ['maxFileBytes', 0],
    ]
    for (const [field, value] of wrong) {
      const { status, body } = await post({ [field]: value })
      expect([field, status, body.errors?.[0]?.path]).toEqual([field, 400, field])
    }
    expect((await post({ folderId: await owner.upload('a.txt', 'a') })).body.errors[0].path).toBe('folderId')
    const id = await createLink(owner, folderId)
    await createSender(server).post(id, 'a.txt', 'abcdef')
    await createSender(server).post(id, 'b.txt', 'abcdef')
    const lowered = await owner.browser.request('PATCH', `${LINKS}/${id}`, { maxFiles: 1, maxBytes: 11 })
    expect(lowered.body.errors.map(({ path }: { path: string }) => path)).toEqual(['maxFiles', 'maxBytes'])
    await owner.browser.request('DELETE', `/api/v1/files/${folderId}`)
    expect((await post({})).status).toBe(409)
    expect(await linkOf(id)).toMatchObject({ state: 'PAUSED' })
  })

  it('is created once for one Idempotency-Key', async () => {
    const folderId = await owner.folder('Once')
    const post = (title: string) =>
      owner.browser.request(
        'POST',
        LINKS,
        { folderId, title, password: 'p' },
        { 'idempotency-key': `once ${folderId}` },
      )
    const [first, second] = [await post('Photos'), await post('Photos')]
    expect(second.body.id).toBe(first.body.id)
    expect((await post('Other')).status).toBe(422)
  })
})

describe('what a visitor sends', () => {
  it('is a file of the owner: in the visitor’s folder, in the quota, in the log, and counted', async () => {
    const folderId = await owner.folder('Arrivals')
    const id = await createLink(owner, folderId, { asksName: true, notifies: true })
    const used = async () =>
      (
        await server.pool.query('select sum(used_bytes)::int as used from accounts where user_id = $1', [
          owner.viewer.userId,
        ])
      ).rows[0].used
    const before = await used()
    const visitor = createSender(server)
    expect((await visitor.post(id, 'plan.txt', 'a plan')).status).toBe(400)
    expect((await visitor.post(id, 'plan.txt', 'a plan', { visitorName: 'Tove Lind' })).status).toBe(201)
    expect((await visitor.begin(id, 'plan.txt', 7, 'a  plan', { visitorName: 'Tove Lind' })).status).toBe(201)
    expect(await used()).toBe(before + 13)
    const [folder, ...others] = await childrenOf(folderId)
    expect([folder?.name, others]).toEqual([expect.stringMatching(/^Tove Lind, \d{4}-\d\d-\d\d$/), []])
    const names = (await childrenOf(folder?.id ?? '')).map(({ name }) => name).sort()
    expect(names).toEqual(['plan (2).txt', 'plan.txt'])
    expect(await linkOf(id)).toMatchObject({ files: 2, bytes: 13, state: 'LIVE' })
    const log = async () =>
      (await owner.browser.request('GET', `/api/v1/activity?limit=20`)).body.items.map(
        (entry: { sentence: string }) => entry.sentence,
      ) as string[]
    const sentence = 'A visitor named “Tove Lind” sent “plan.txt” through “Survey photos”.'
    const sentences = await eventually(log, (all) => all.filter((one) => one.startsWith('A visitor named')).length > 0)
    expect(sentences.some((one) => one === sentence || /sent (2 files|“plan \(2\))/.test(one))).toBe(true)
    expect(sentences.some((one) => one.startsWith('You uploaded “plan'))).toBe(false)
    const jobs = await server.pool.query('select from graphile_worker._private_jobs where key = $1', [
      `filesReceived ${linkId(id)}`,
    ])
    expect(jobs.rowCount).toBe(1)
  })

  it('continues after a break, with a checksum, and is there once', async () => {
    const folderId = await owner.folder('Breaks')
    const id = await createLink(owner, folderId)
    const visitor = createSender(server)
    const address = locationOf(await visitor.begin(id, 'long.txt', 10, 'abcd'))
    expect(address).toMatch(new RegExp(`^${LINKS}/${id}/uploads/sent_[0-9a-f]{32}$`))
    const seen = await (await visitor.send('GET', address)).json()
    expect(seen).toMatchObject({ name: 'long.txt', size: 10, offset: 4, arrived: false })
    expect((await visitor.patch(address, 2, 'xx')).status).toBe(409)
    expect((await visitor.head(address)).headers.get('upload-offset')).toBe('4')
    expect((await visitor.patch(address, 4, 'efghij')).status).toBe(204)
    // A repeated last request is answered without a second file.
    expect((await visitor.patch(address, 10, '')).status).toBe(204)
    expect(await (await visitor.send('GET', address)).json()).toMatchObject({
      offset: 10,
      arrived: true,
      expiresAt: null,
    })
    expect((await childrenOf(folderId)).map(({ name }) => name)).toEqual(['long.txt'])
    expect((await visitor.begin(id, 'empty.txt', 0)).status).toBe(201)
    expect(await linkOf(id)).toMatchObject({ files: 2, bytes: 10 })
  })

  it('names neither accounts nor free space when there is no room', async () => {
    const folderId = await owner.folder('No room')
    const id = await createLink(owner, folderId)
    const answer = await createSender(server).begin(id, 'huge.txt', 2 ** 50)
    const problem = await answer.json()
    expect([answer.status, problem.freeBytes, problem.neededBytes]).toEqual([507, 0, 0])
    expect(problem.detail).toBe('There is no room for this file at the moment. Please ask whoever sent you this link.')
  })
})

describe('housekeeping', () => {
  const claims = async (id: string) =>
    (
      await server.pool.query(
        'select files, bytes::int as bytes, claimed_files as claimed from upload_links where id = $1',
        [linkId(id)],
      )
    ).rows[0]

  it('counts what arrived just before a crash, and releases what never arrived', async () => {
    const id = await createLink(owner, await owner.folder('Crash'), { maxFiles: 3 })
    const visitor = createSender(server)
    await visitor.post(id, 'posted.txt', 'posted')
    await visitor.begin(id, 'sent.txt', 4, 'sent')
    const lost = locationOf(await visitor.begin(id, 'lost.txt', 4, 'lo'))
    // As if the server had ended between the commit of the files and their count; and the last upload has expired.
    await server.pool.query('update link_uploads set file_id = null where link_id = $1', [linkId(id)])
    await server.pool.query('update upload_links set files = 0, bytes = 0 where id = $1', [linkId(id)])
    const upload = linkId(lost.split('/').at(-1) ?? '')
    await server.pool.query('delete from uploads where id = (select upload_id from link_uploads where id = $1)', [
      upload,
    ])
    await server.pool.query(`update link_uploads set seen_at = now() - interval '1 hour' where link_id = $1`, [
      linkId(id),
    ])
    await reconcileAllClaims(server.pool, signal)
    expect(await claims(id)).toEqual({ files: 2, bytes: 10, claimed: 2 })
    await reconcileAllClaims(server.pool, signal)
    expect(await claims(id)).toEqual({ files: 2, bytes: 10, claimed: 2 })
  })

  it('ends expired links and their uploads', async () => {
    const folderId = await owner.folder('Expired')
    const id = await createLink(owner, folderId)
    const visitor = createSender(server)
    const address = locationOf(await visitor.begin(id, 'half.txt', 10, 'half'))
    await server.pool.query(`update upload_links set expires_at = now() - interval '1 second' where id = $1`, [
      linkId(id),
    ])
    expect((await visitor.look(id)).status).toBe(404)
    expect((await visitor.patch(address, 4, 'second')).status).toBe(404)
    const deps = { pool: server.pool, events: { publish: () => undefined }, enqueue: async () => undefined }
    const { uploads } = server.services
    await endDueUploadLinks({ ...deps, uploads } as unknown as Parameters<typeof endDueUploadLinks>[0], signal)
    expect(await linkOf(id)).toMatchObject({ state: 'EXPIRED', files: 0 })
    expect(await inShared(folderId)).toBe(false)
    expect(await claims(id)).toEqual({ files: 0, bytes: 0, claimed: 0 })
    expect(await childrenOf(folderId)).toEqual([])
  })

  it('counts the file of an upload that is complete just before it would be ended', async () => {
    const folderId = await owner.folder('At that moment')
    const id = await createLink(owner, folderId)
    const { rows } = await server.pool.query('select id, user_id from upload_links where id = $1', [linkId(id)])
    const [{ id: link, user_id: userId }] = rows
    const [isComplete, isEnding, isFile, isEnded] = [latch(), latch(), latch(), latch()]
    const { uploads } = server.services
    const service = createUploadLinksService({
      ...{ pool: server.pool, events: { publish: () => undefined }, enqueue: async () => undefined },
      ...{ activity: { record: () => undefined }, encryption: {}, files: server.services.files },
      onError: (error: unknown) => expect.fail(String(error)),
      uploads: {
        ...uploads,
        async finish(...upload: Parameters<typeof uploads.finish>) {
          isComplete.open()
          await isEnding.opened
          const file = await uploads.finish(...upload)
          isFile.open()
          await isEnded.opened
          return file
        },
        async remove(...upload: Parameters<typeof uploads.remove>) {
          isEnding.open()
          await isFile.opened
          return uploads.remove(...upload)
        },
      },
    } as unknown as UploadLinksDeps)
    const visitor = { address: '192.0.2.77', userAgent: '', proof: null }
    const begun = await service.begin(visitor, link, { name: 'a.txt', size: 4 })
    const sent = service.append(visitor, link, begun.id, 0, Readable.from([Buffer.from('sent')]))
    await isComplete.opened
    await service.revoke({ userId, sessionId: null }, link)
    isEnded.open()
    expect(await sent).toMatchObject({ arrived: true })
    expect((await childrenOf(folderId)).map(({ name }) => name)).toEqual(['a.txt'])
    expect(await claims(id)).toEqual({ files: 1, bytes: 4, claimed: 1 })
  })

  it('mails which link has received files, and nothing that a visitor wrote', async () => {
    const mails: Mail[] = []
    const mailer = { send: async (mail: Mail) => void mails.push(mail) }
    const recovery = createRecoveryHousekeeping({
      pool: server.pool,
      mailer: mailer as unknown as Parameters<typeof createRecoveryHousekeeping>[0]['mailer'],
      siteUrl: () => 'https://files.example.org',
    })
    await recovery.mailNotice({ userId: owner.viewer.userId, notice: 'FILES_RECEIVED', about: 'Survey photos' })
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text).toContain('through your upload link “Survey photos”')
    expect(mails[0]?.text).toContain('https://files.example.org/file-manager/shared')
  })
})
