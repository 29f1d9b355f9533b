import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parsePublicId, publicId } from '../../server/lib/ids.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { createOwner, type Owner, PASSWORD, SECRET } from './shares/world.ts'
import { createLink, createSender, locationOf } from './uploadLinks/world.ts'

/** An upload link in the hands of people who want more than it allows. */
let server: TestServer
let owner: Owner

beforeAll(async () => {
  server = await startTestServer({ trustProxy: true, acceptAnyType: true })
  owner = await createOwner(server)
})
afterAll(() => server?.close())

type Item = { id: string; name: string; kind: string; size: number }
const childrenOf = async (folderId: string): Promise<Item[]> => {
  const { body } = await owner.browser.request('GET', `/api/v1/files?parentId=${folderId}&limit=200`)
  return body.items
}
const linkOf = async (id: string) => {
  const { body } = await owner.browser.request('GET', '/api/v1/upload-links?limit=200')
  return (body.items as { id: string; files: number; bytes: number; state: string }[]).find((link) => link.id === id)
}
const claimedOf = async (id: string) => {
  const { rows } = await server.pool.query(
    `select claimed_files as files, claimed_bytes::int as bytes,
       (select count(*)::int from link_uploads c where c.link_id = l.id) as rows
     from upload_links l where id = $1`,
    [parsePublicId(id)?.id],
  )
  return rows[0]
}
const reservedBytes = async () => {
  const { rows } = await server.pool.query('select coalesce(sum(bytes), 0)::int as bytes from upload_reservations')
  return rows[0].bytes
}

describe('reading', () => {
  it('shows nothing of the folder by any address, method or id', async () => {
    const folder = await owner.folder('Very private name')
    const inside = await owner.upload('inside.txt', SECRET, folder)
    const link = await createLink(owner, folder, { message: 'Please send the photos.' })
    const visitor = createSender(server)
    const page = await (await visitor.look(link)).text()
    expect(JSON.parse(page)).toMatchObject({ needsPassword: false, title: 'Survey photos' })
    const asShare = publicId('Share', parsePublicId(link)?.id ?? '')
    const addresses = [
      visitor.at(link, '/files'),
      visitor.at(link, `/files/${inside}`),
      visitor.at(link, `/files/${inside}/download`),
      visitor.at(link, '/download'),
      visitor.at(link, '/uploads'),
      visitor.at(link, `/uploads/${inside}`),
      visitor.at(link, `/uploads/${publicId('LinkUpload', randomBytes(16).toString('hex'))}`),
      `/api/v1/shares/${link}`,
      `/api/v1/shares/${asShare}`,
      `/api/v1/shares/${asShare}/files`,
      `/api/v1/shares/${link}/download`,
      `/api/v1/files/${inside}`,
      `/api/v1/files/${inside}/content`,
      '/api/v1/files',
      '/api/v1/upload-links',
    ]
    const texts = [page]
    for (const address of addresses) {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
        const answer = await visitor.send(method, address, { 'tus-resumable': '1.0.0' })
        expect([method, address, answer.ok]).toEqual([method, address, false])
        texts.push(await answer.text())
      }
    }
    const query =
      'query($id: ID!) { node(id: $id) { __typename ... on UploadLink { title folder { name } } } share(id: $id) { name } }'
    const asked = await visitor.send(
      'POST',
      '/graphql',
      { 'content-type': 'application/json', origin: server.url },
      JSON.stringify({ query, variables: { id: link } }),
    )
    texts.push(await asked.text())
    for (const text of texts) expect(text).not.toMatch(/Very private name|inside\.txt|what nobody sees/)
    expect((await childrenOf(folder)).map(({ name }) => name)).toEqual(['inside.txt'])
  })

  it('tells a visitor nothing about files of others, or about the names that files have got', async () => {
    const folder = await owner.folder('Mixed')
    await owner.upload('a.txt', 'the owner’s', folder)
    const link = await createLink(owner, folder)
    const [first, second] = [createSender(server), createSender(server)]
    const posted = await first.post(link, 'a.txt', 'the first’s')
    expect([posted.status, await posted.json()]).toEqual([201, { name: 'a.txt', size: 13 }])
    const begun = await first.begin(link, 'a.txt', 10, 'half')
    const whole = await second.begin(link, 'a.txt', 3, 'abc')
    expect([begun.status, whole.status]).toEqual([201, 201])
    expect([...whole.headers.keys()].filter((name) => /skypool|metadata/.test(name))).toEqual([])
    const other = await createLink(owner, folder)
    const foreign = locationOf(begun).replace(link, other)
    const answers = await Promise.all([
      second.head(foreign),
      second.patch(foreign, 4, 'stolen'),
      second.cancel(foreign),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  })
})

describe('overwriting', () => {
  it('never happens, whatever is asked for', async () => {
    const folder = await owner.folder('Originals')
    const original = await owner.upload('plan.txt', 'original', folder)
    const link = await createLink(owner, folder)
    const visitor = createSender(server)
    const wishes = { onConflict: 'replace', parentId: '', relativePath: '../plan.txt', path: 'a/b/plan.txt' }
    expect((await visitor.post(link, 'plan.txt', 'forged', wishes)).status).toBe(201)
    expect((await visitor.begin(link, 'plan.txt', 6, 'forged', { ...wishes, parentId: original })).status).toBe(201)
    const names = (await childrenOf(folder)).map(({ name }) => name).sort()
    expect(names).toEqual(['plan (2).txt', 'plan (3).txt', 'plan.txt'])
    const sha256 = createHash('sha256').update('original').digest('hex')
    expect(await owner.look(original)).toMatchObject({ name: 'plan.txt', sha256, size: 8 })
  })

  it('refuses hostile names, and makes a harmless folder of a visitor’s name', async () => {
    const folder = await owner.folder('Hostile')
    const link = await createLink(owner, folder, { asksName: true })
    const visitor = createSender(server)
    const send = (name: string, visitorName: string) => visitor.begin(link, name, 1, 'x', { visitorName })
    const refused = ['..', '.', 'a/b', '', ' ', 'a\u0001b', 'x'.repeat(300)]
    for (const name of refused) expect([name, (await send(name, 'Tove')).status]).toEqual([name, 400])
    for (const name of ['', ' ', 'a\u0007', '\u202Egnp', 'x'.repeat(200)]) {
      expect([name, (await send('a.txt', name)).status]).toEqual([name, 400])
    }
    expect(await childrenOf(folder)).toEqual([])
    for (const name of ['../../etc', '..', '<img src=x onerror=alert(1)>', 'Tove  Lind']) {
      expect([name, (await send('a.txt', name)).status]).toEqual([name, 201])
    }
    const folders = (await childrenOf(folder)).map(({ name }) => name.replace(/\d{4}-\d\d-\d\d$/, 'DAY')).sort()
    expect(folders).toEqual([', DAY', '-..-etc, DAY', '<img src=x onerror=alert(1)>, DAY', 'Tove Lind, DAY'])
  })
})

describe('guessing', () => {
  it('the password is throttled per link and per network, and nothing works without it', async () => {
    const folder = await owner.folder('Locked')
    const link = await createLink(owner, folder, { password: PASSWORD, title: 'Secret title' })
    const visitor = createSender(server)
    expect(await (await visitor.look(link)).json()).toEqual({ needsPassword: true })
    expect((await visitor.post(link, 'a.txt', 'a')).status).toBe(401)
    expect((await visitor.begin(link, 'a.txt', 1, 'a')).status).toBe(401)
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, turn) => createSender(server).unlock(link, `guess ${turn}`)),
    )
    const counts = { 403: 0, 429: 0 } as Record<number, number>
    for (const { status } of guesses) counts[status] = (counts[status] ?? 0) + 1
    expect(counts).toEqual({ 403: 10, 429: 30 })
    const open = await createLink(owner, folder, { password: PASSWORD })
    expect((await visitor.unlock(open)).status).toBe(200)
    expect((await visitor.post(open, 'a.txt', 'a')).status).toBe(201)
    await owner.browser.request('PATCH', `/api/v1/upload-links/${open}`, { password: 'another one' })
    expect((await visitor.post(open, 'b.txt', 'b')).status).toBe(401)
  })

  it('ids find nothing: unknown, ended and paused links give one answer', async () => {
    const folder = await owner.folder('Ended')
    const paused = await owner.folder('Paused')
    const ended = await createLink(owner, folder)
    const inTrash = await createLink(owner, paused)
    await owner.browser.request('DELETE', `/api/v1/upload-links/${ended}`)
    await owner.browser.request('DELETE', `/api/v1/files/${paused}`)
    const unknown = publicId('UploadLink', randomBytes(16).toString('hex'))
    const visitor = createSender(server)
    const answers = []
    for (const id of [unknown, ended, inTrash, 'nonsense']) {
      answers.push(await (await visitor.look(id)).json())
      expect((await visitor.post(id, 'a.txt', 'a')).status).toBe(404)
      expect((await visitor.begin(id, 'a.txt', 1, 'a')).status).toBe(404)
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  })

  it('requests are limited per network', async () => {
    const folder = await owner.folder('Busy')
    const link = await createLink(owner, folder)
    const visitor = createSender(server)
    const answers = await Promise.all(Array.from({ length: 130 }, () => visitor.look(link)))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
    expect((await createSender(server).look(link)).status).toBe(200)
    const idle = await Promise.all(Array.from({ length: 60 }, (_, turn) => visitor.begin(link, `${turn}.txt`, 100)))
    expect(idle.filter(({ status }) => status === 201)).toHaveLength(50)
    // Others, and the owner, are not held up by them.
    expect((await createSender(server).begin(link, 'a.txt', 1, 'a')).status).toBe(201)
    await owner.upload('own.txt', 'own', folder)
  })
})

describe('over-filling', () => {
  it('1,000 parallel uploads bring as many files as the link takes', async () => {
    const folder = await owner.folder('Thousand')
    const link = await createLink(owner, folder, { maxFiles: 25 })
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, turn) => {
        const visitor = createSender(server)
        return turn % 2 === 0 ? visitor.post(link, 'a.txt', 'content') : visitor.begin(link, 'a.txt', 7, 'content')
      }),
    )
    const arrived = answers.filter(({ status }) => status === 201)
    // 413 while the last places are taken by uploads in progress, 404 once the link is full.
    expect(answers.filter(({ status }) => ![201, 404, 413].includes(status))).toEqual([])
    expect(arrived).toHaveLength(25)
    expect(await childrenOf(folder)).toHaveLength(25)
    expect(await claimedOf(link)).toEqual({ files: 25, bytes: 175, rows: 25 })
    expect(await linkOf(link)).toMatchObject({ files: 25, bytes: 175, state: 'FULL' })
  }, 120_000)

  it('parallel uploads never bring more bytes than the link takes', async () => {
    const folder = await owner.folder('Bytes')
    const link = await createLink(owner, folder, { maxBytes: 1000 })
    await Promise.all(
      Array.from({ length: 100 }, (_, turn) => {
        const visitor = createSender(server)
        const text = 'x'.repeat(90)
        return turn % 2 === 0 ? visitor.post(link, 'a.txt', text) : visitor.begin(link, 'a.txt', 90, text)
      }),
    )
    const items = await childrenOf(folder)
    const sum = items.reduce((bytes, { size }) => bytes + size, 0)
    expect(sum).toBeLessThanOrEqual(1000)
    expect(await claimedOf(link)).toEqual({ files: items.length, bytes: sum, rows: items.length })
    const rest = 1000 - sum
    expect((await createSender(server).begin(link, 'more.txt', rest + 1, 'x'.repeat(rest + 1))).status).toBe(413)
    expect((await createSender(server).post(link, 'more.txt', 'x'.repeat(rest + 1))).status).toBe(413)
    expect((await createSender(server).post(link, 'rest.txt', 'x'.repeat(rest))).status).toBe(201)
    expect((await createSender(server).look(link)).status).toBe(404)
  }, 120_000)

  it('a body that is longer than announced, too large or of no known length brings nothing', async () => {
    const folder = await owner.folder('Lies')
    const link = await createLink(owner, folder, { maxFileBytes: 10, maxFiles: 1 })
    const visitor = createSender(server)
    expect((await visitor.begin(link, 'a.txt', 11)).status).toBe(413)
    expect((await visitor.post(link, 'a.txt', 'x'.repeat(11))).status).toBe(413)
    expect((await visitor.begin(link, 'a.txt', 5, 'x'.repeat(6))).status).toBe(413)
    const headers = { 'tus-resumable': '1.0.0', 'upload-defer-length': '1', 'upload-metadata': 'filename YS50eHQ=' }
    expect((await visitor.send('POST', visitor.at(link, '/uploads'), headers)).status).toBe(400)
    const concat = { ...headers, 'upload-length': '5', 'upload-concat': 'partial' }
    expect(
      (await visitor.send('POST', visitor.at(link, '/uploads'), { ...concat, 'upload-length': '-1' })).status,
    ).toBe(400)
    expect(await childrenOf(folder)).toEqual([])
    const { files } = await claimedOf(link)
    expect(files).toBe(1)
    // The refused creation left an upload, whose place its visitor can free or use.
    expect((await createSender(server).post(link, 'b.txt', 'b')).status).toBe(413)
  })

  it('a cancelled or refused upload frees its place, once; an arrived one cannot be taken back', async () => {
    const folder = await owner.folder('Cancelled')
    const link = await createLink(owner, folder, { maxFiles: 1 })
    const visitor = createSender(server)
    const address = locationOf(await visitor.begin(link, 'a.txt', 10, 'half'))
    expect((await visitor.post(link, 'b.txt', 'b')).status).toBe(413)
    const cancelled = await Promise.all([visitor.cancel(address), visitor.cancel(address), visitor.cancel(address)])
    expect(cancelled.every(({ status }) => [204, 404].includes(status))).toBe(true)
    expect(await claimedOf(link)).toEqual({ files: 0, bytes: 0, rows: 0 })
    const done = locationOf(await visitor.begin(link, 'a.txt', 4, 'four'))
    expect((await visitor.cancel(done)).status).toBe(204)
    expect(await childrenOf(folder)).toHaveLength(1)
    expect(await claimedOf(link)).toEqual({ files: 1, bytes: 4, rows: 1 })
    expect((await visitor.head(done)).headers.get('upload-offset')).toBe('4')
  })
})

describe('a link that ends', () => {
  it('ends the uploads in progress and gives back what they reserved', async () => {
    const folder = await owner.folder('Ending')
    const link = await createLink(owner, folder)
    const visitor = createSender(server)
    const before = await reservedBytes()
    const address = locationOf(await visitor.begin(link, 'a.txt', 4_000_000, 'half'))
    expect(await reservedBytes()).toBe(before + 4_000_000)
    expect((await owner.browser.request('DELETE', `/api/v1/upload-links/${link}`)).status).toBe(204)
    expect(await reservedBytes()).toBe(before)
    expect((await visitor.patch(address, 4, 'more')).status).toBe(404)
    expect(await childrenOf(folder)).toEqual([])
    expect(await claimedOf(link)).toEqual({ files: 0, bytes: 0, rows: 0 })
  })
})
