import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parsePublicId, publicId } from '../../server/lib/ids.ts'
import type { Answer } from '../setup/browser.ts'
import { createBrowser } from '../setup/browser.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer } from '../setup/server.ts'

/** Search inside files: over HTTP, with real jobs and the real process that extracts text. */
let server: FilesServer
let ada: SignedIn
let bob: SignedIn

const patient = { timeout: 45_000, interval: 50 }
const FILES = '/api/v1/files'

beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
  bob = await server.signIn()
})
afterAll(() => server?.close())

async function upload(name: string, content: string | Buffer, fields: Record<string, string> = {}, { browser } = ada) {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', new File([new Uint8Array(Buffer.from(content))], name))
  const { status, body } = await browser.request('POST', FILES, form)
  expect(status).toBe(201)
  return body.id as string
}

const database = (id: string) => parsePublicId(id)?.id
const find = (q: string, query: Record<string, string> = {}, { browser } = ada): Promise<Answer> =>
  browser.request('GET', `${FILES}/content-matches?${new URLSearchParams({ q, ...query })}`)

async function names(q: string, query: Record<string, string> = {}, person = ada): Promise<string[]> {
  const { status, body } = await find(q, query, person)
  expect(status).toBe(200)
  return body.items.map(({ file }: { file: { name: string } }) => file.name)
}

const read = ({ viewer: { userId } }: SignedIn) =>
  server.pool.query(
    `select graphile_worker.add_job('readTexts', json_build_object('userId', $1::text), job_key := 'texts ' || $1)`,
    [userId],
  )

/** Until nothing is due any more. */
async function allRead(person = ada): Promise<void> {
  await read(person)
  await vi.waitFor(async () => {
    const { rows } = await server.pool.query(
      "select count(*)::int as due from file_texts where user_id = $1 and due_at <= now() + interval '10 minutes'",
      [person.viewer.userId],
    )
    expect(rows[0].due).toBe(0)
  }, patient)
}

const textsOf = async ({ viewer: { userId } }: SignedIn): Promise<string[]> =>
  (
    await server.pool.query<{ text: string }>('select text from content_texts where user_id = $1 order by text', [
      userId,
    ])
  ).rows.map(({ text }) => text)

type Part = { readonly text: string; readonly isMatch: boolean }
const shown = (parts: readonly Part[]) => parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('')

describe('documents', () => {
  it.each(['docx', 'odt', 'pdf', 'xlsx', 'ods'])('%s: is found by its text soon after the upload', async (type) => {
    const person = await server.signIn()
    const content = readFileSync(`tests/factories/documents/quay.${type}`)
    // Only what the drop zone accepts has a type of its own.
    if (type.startsWith('o')) {
      const category = type === 'ods' ? 'SPREADSHEET' : 'DOCUMENT'
      await person.make({ name: `quay.${type}`, category, mimeType: 'application/vnd.oasis.opendocument', content })
      await read(person)
    } else await upload(`quay.${type}`, content, {}, person)
    await vi.waitFor(async () => expect(await names('angstrom', {}, person)).toEqual([`quay.${type}`]), patient)
    const { body } = await find('ångström gauge', {}, person)
    expect(shown(body.items[0].excerpt)).toContain('[Ångström] [gauge]')
  })

  it('are found by all words in any order, by the beginning of the last one, and by words that follow each other', async () => {
    const person = await server.signIn()
    await upload(
      'note.md',
      '# Straße\n\nThe *harbour-master* noted: e.g. tide/current tables, file_name.txt, 4711.',
      {},
      person,
    )
    await vi.waitFor(async () => expect(await names('harbour', {}, person)).toHaveLength(1), patient)
    const found = ['harb', 'master harbour', 'tables current', 'straße', 'STRASSE'.toLowerCase().replace('ss', 'ß')]
    found.push(
      'tide',
      'file name txt',
      '4711',
      '471',
      '"harbour master"',
      'harbour “current tables”',
      'HARBOUR',
      'tide/current',
    )
    for (const query of found) expect([query, await names(query, {}, person)]).toEqual([query, ['note.md']])
    const missing = ['arbour', 'harb master', 'harbour lighthouse', '"master harbour"', '"harb"', 'ta']
    for (const query of missing) expect([query, await names(query, {}, person)]).toEqual([query, []])
  })

  it('show the words in their text, wherever it is, and nothing else', async () => {
    const person = await server.signIn()
    const filler = 'Gepäck <b>und</b> 😀 Möwen & mehr; '.repeat(2_000)
    await upload('long.txt', `${filler}Der ALTE Léuchtturm [blinkt] nachts.${filler}`, {}, person)
    await vi.waitFor(async () => expect(await names('leuchtturm', {}, person)).toHaveLength(1), patient)
    const { body } = await find('alte leuchtturm', {}, person)
    const [{ excerpt, file }] = body.items
    expect(shown(excerpt)).toContain('[ALTE] [Léuchtturm] [blinkt] nachts.'.replace('[blinkt]', '[blinkt]'))
    expect(excerpt.filter(({ isMatch }: Part) => isMatch).map(({ text }: Part) => text)).toEqual(['ALTE', 'Léuchtturm'])
    expect(file).toMatchObject({ name: 'long.txt', path: [], home: 'POOL' })
    expect(excerpt.map(({ text }: Part) => text).join('').length).toBeLessThan(600)
  })

  it('with more different words than can be indexed are found by those at their beginning', async () => {
    const person = await server.signIn()
    const many = Array.from({ length: 150_000 }, (_, index) => `${index.toString(36)}x${(index * 7919).toString(36)}`)
    await upload('many.txt', `lighthouse ${many.join(' ')}`, {}, person)
    await vi.waitFor(async () => expect(await names('lighthouse', {}, person)).toEqual(['many.txt']), patient)
  })

  it('without text, broken or hostile ones are read once, and never found', async () => {
    const person = await server.signIn()
    const ids = await Promise.all([
      upload('broken.pdf', '%PDF-1.4\nharbour', {}, person),
      upload('picture.svg', '<svg xmlns="http://www.w3.org/2000/svg">harbour</svg>', {}, person),
      upload('empty.txt', '', {}, person),
    ])
    await allRead(person)
    expect(await names('harbour', {}, person)).toEqual([])
    expect(await textsOf(person)).toEqual([''])
    const { rows } = await server.pool.query(
      'select attempts, due_at from file_texts where file_id = any($1::uuid[])',
      [ids.map(database)],
    )
    expect(rows).toEqual([{ attempts: 1, due_at: null }])
  })

  it('with the same content are read once', async () => {
    const person = await server.signIn()
    await upload('one.txt', 'the same harbour', {}, person)
    await upload('two.txt', 'the same harbour', {}, person)
    await allRead(person)
    expect((await names('harbour', {}, person)).toSorted()).toEqual(['one.txt', 'two.txt'])
    expect(await textsOf(person)).toEqual(['the same harbour'])
  })
})

describe('what is found', () => {
  it('is only the user’s own, present content outside of the trash', async () => {
    const person = await server.signIn()
    const folder = (await person.browser.request('POST', `${FILES}/folders`, { name: 'Old', parentId: null })).body.id
    const text = 'plover nests on the quay'
    const planted: Record<string, string> = {}
    for (const name of ['kept', 'trashed', 'deleted', 'restored', 'replaced', 'shared'])
      planted[name] = await upload(`${name}.txt`, `${text} ${name}`, {}, person)
    await upload('inTrashedFolder.txt', text, { parentId: folder }, person)
    await upload('others.txt', `${text} others`, {}, bob)
    await allRead(person)
    await allRead(bob)
    expect(await names('plover', {}, person)).toHaveLength(7)

    const { request } = person.browser
    for (const id of [planted.trashed, planted.restored, folder])
      await request('PATCH', `${FILES}/${id}`, { trashed: true })
    await request('DELETE', `${FILES}/${planted.deleted}?permanent=true`)
    await request('PATCH', `${FILES}/${planted.restored}`, { trashed: false })
    await request('POST', '/api/v1/shares', { fileId: planted.shared })
    await upload('replaced.txt', 'cormorant now', { onConflict: 'replace' }, person)
    // At once, before the new content was read.
    expect((await names('plover', {}, person)).toSorted()).toEqual(['kept.txt', 'restored.txt', 'shared.txt'])
    await allRead(person)
    expect((await names('plover', {}, person)).toSorted()).toEqual(['kept.txt', 'restored.txt', 'shared.txt'])
    expect(await names('cormorant', {}, person)).toEqual(['replaced.txt'])
    expect(await names('plover', {}, bob)).toEqual(['others.txt'])
    expect(await names('plover', { view: 'shared' }, person)).toEqual(['shared.txt'])
    // The text of what was deleted and of what was replaced is gone; what is in the trash can be restored.
    await vi.waitFor(async () => {
      const texts = await textsOf(person)
      expect(texts.filter((each) => /deleted|replaced/.test(each))).toEqual([])
      expect(texts.filter((each) => each.includes('trashed'))).toHaveLength(1)
    }, patient)
  })

  it('of an earlier version that was restored is its text again', async () => {
    const person = await server.signIn()
    const id = await upload('plan.txt', 'avocet', {}, person)
    await upload('plan.txt', 'bittern', { onConflict: 'replace' }, person)
    await allRead(person)
    expect([await names('avocet', {}, person), await names('bittern', {}, person)]).toEqual([[], ['plan.txt']])
    const { body } = await person.browser.request('GET', `${FILES}/${id}/versions`)
    await person.browser.request('POST', `/api/v1/versions/${body.items.at(-1).id}/restore`)
    await allRead(person)
    expect([await names('avocet', {}, person), await names('bittern', {}, person)]).toEqual([['plan.txt'], []])
  })

  it('comes in pages, newest first, by words that are rare and by words that all documents have', async () => {
    const person = await server.signIn()
    const day = (index: number) => new Date(Date.UTC(2026, 0, index + 1))
    const all = Array.from({ length: 9 }, (_, index) => `page ${index}.txt`)
    for (const [index, name] of all.entries())
      await person.make({ name, content: `gannet ${index}`, updatedAt: day(index), starred: index % 2 === 0 })
    await allRead(person)
    const readPages = async () => {
      const found: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body }: Answer = await find('gannet', { limit: '2', ...(cursor && { cursor }) }, person)
        found.push(...body.items.map(({ file }: { file: { name: string } }) => file.name))
        cursor = body.nextCursor
      }
      return found
    }
    expect(await readPages()).toEqual(all.toReversed())
    // As if there were many: the other way of finding them.
    await server.pool.query(`alter function count_texts rename to count_few`)
    await server.pool.query(
      `create function count_texts(uuid, tsquery) returns float8 language sql as 'select 1e6::float8'`,
    )
    expect(await readPages()).toEqual(all.toReversed())
    expect(await names('gannet', { view: 'starred' }, person)).toHaveLength(5)
    expect(await names('gannet', {}, bob)).toEqual([])
    await server.pool.query('drop function count_texts')
    await server.pool.query('alter function count_few rename to count_texts')
    expect(await names('gannet', { view: 'starred', modifiedAfter: day(4).toISOString() }, person)).toEqual([
      'page 8.txt',
      'page 6.txt',
      'page 4.txt',
    ])
    expect(await names('gannet', { type: 'pdf' }, person)).toEqual([])
    expect(await names('gannet', { provider: 'local', home: 'pool', minSize: '8' }, person)).toHaveLength(9)
  })
})

describe('a request', () => {
  it.each([
    ['q=', 'q'],
    ['q=%20-%20!', 'q'],
    [`q=${'a'.repeat(256)}`, 'q'],
    [`q=${'a%20'.repeat(17)}`, 'q'],
    ['q=a&view=trash', 'view'],
    ['q=a&cursor=abc', 'cursor'],
    ['q=a&limit=0', 'limit'],
  ])('with %s is refused', async (query, path) => {
    const { status, body } = await ada.browser.request('GET', `${FILES}/content-matches?${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(body.errors[0].path).toBe(path)
  })

  it.each(["'", '" & \'', 'a:* | b', '!(x)', '\\', "'); drop table users --", '<->', 'a\u0000b', '𝔸 ﬁ', 'ـ'])(
    'with %j is a search like any other',
    async (text) => {
      expect([200, 400]).toContain((await find(text)).status)
      expect([200, 400]).toContain((await find(`harbour ${text}`)).status)
    },
  )

  it('without a session or key is refused', async () => {
    expect((await createBrowser(server.url).request('GET', `${FILES}/content-matches?q=harbour`)).status).toBe(401)
  })

  it('by GraphQL returns the same', async () => {
    const person = await server.signIn()
    await upload('a.txt', 'a dunlin & a knot', {}, person)
    await upload('b.txt', 'the dunlin again', {}, person)
    await allRead(person)
    const client = createGraphqlClient(server.url, person.token)
    const query = `query($first: Int, $after: String) { viewer { contentMatches(query: "dunlin", first: $first, after: $after) {
      isReading pageInfo { hasNextPage endCursor } edges { node { file { name } excerpt { text isMatch } } } } } }`
    const first = (await client(query, { first: 1 })).data.viewer.contentMatches
    expect(first).toMatchObject({ isReading: false, pageInfo: { hasNextPage: true } })
    expect(first.edges[0].node.file.name).toBe('b.txt')
    const second = (await client(query, { first: 1, after: first.pageInfo.endCursor })).data.viewer.contentMatches
    expect(second.pageInfo.hasNextPage).toBe(false)
    expect(shown(second.edges[0].node.excerpt)).toBe('a [dunlin] & a knot')
  })
})

describe('the switch of this server', () => {
  it('deletes all texts when it is turned off, and reads them again when it is turned on', async () => {
    const person = await server.signIn()
    await upload('a.txt', 'turnstone', {}, person)
    await allRead(person)
    const [account] = (await person.browser.request('GET', '/api/v1/accounts')).body.items
    expect(account).toMatchObject({ provider: 'local', searchContents: true })
    const set = (searchContents: boolean) =>
      person.browser.request('PATCH', `/api/v1/accounts/${account.id}`, { searchContents })
    expect((await set(false)).body).toMatchObject({ searchContents: false })
    expect(await names('turnstone', {}, person)).toEqual([])
    await vi.waitFor(async () => expect(await textsOf(person)).toEqual([]), patient)
    await upload('b.txt', 'turnstone too', {}, person)
    await allRead(person)
    expect(await textsOf(person)).toEqual([])
    expect((await set(true)).body).toMatchObject({ searchContents: true })
    await vi.waitFor(async () => {
      expect((await names('turnstone', {}, person)).toSorted()).toEqual(['a.txt', 'b.txt'])
    }, patient)
    expect(
      (await bob.browser.request('PATCH', `/api/v1/accounts/${account.id}`, { searchContents: false })).status,
    ).toBe(404)
  })
})

describe('reading', () => {
  it('continues after the server has ended in the middle, by another server too', async () => {
    const person = await server.signIn()
    for (const name of ['a', 'b', 'c']) await person.make({ name: `${name}.txt`, content: `redshank ${name}` })
    // Taken by a process that has ended: it is due again after a time.
    await server.pool.query(
      `update file_texts set due_at = now() - interval '1 second', attempts = 1
       where file_id = (select file_id from file_texts where user_id = $1 order by file_id limit 1)`,
      [person.viewer.userId],
    )
    const second = await startTestServer({}, { beside: server })
    await read(person)
    await vi.waitFor(async () => expect(await names('redshank', {}, person)).toHaveLength(3), patient)
    await second.close()
    expect(await textsOf(person)).toHaveLength(3)
  })

  it('is given up for a document with which every attempt has ended', async () => {
    const person = await server.signIn()
    const id = await person.make({ name: 'poison.txt', content: 'whimbrel' })
    await server.pool.query('update file_texts set attempts = 8 where file_id = $1', [id])
    await allRead(person)
    const { rows } = await server.pool.query('select due_at from file_texts where file_id = $1', [id])
    expect(rows).toEqual([{ due_at: null }])
    expect(await names('whimbrel', {}, person)).toEqual([])
  })

  it('writes no text into the log', async () => {
    expect(server.logs.join('\n')).not.toMatch(/harbour|plover|turnstone|redshank/)
  })
})

describe('a deleted user', () => {
  it('leaves no text', async () => {
    const person = await server.signIn()
    await upload('a.txt', 'oystercatcher', {}, person)
    await allRead(person)
    expect(await textsOf(person)).toHaveLength(1)
    const { userId } = person.viewer
    await server.pool.query(
      `update users set deleted_at = now(), email_key = 'deleted:' || id, email = '' where id = $1`,
      [userId],
    )
    await server.pool.query(`select graphile_worker.add_job('deleteUser', json_build_object('userId', $1::text))`, [
      userId,
    ])
    await vi.waitFor(async () => {
      const { rows } = await server.pool.query(
        `select (select count(*) from content_texts where user_id = $1) + (select count(*) from file_texts where user_id = $1) as left`,
        [userId],
      )
      expect(Number(rows[0].left)).toBe(0)
    }, patient)
  })
})

it('ids of matches are those of files', async () => {
  const id = await ada.make({ name: 'sanderling.txt', content: 'sanderling' })
  await allRead()
  expect((await find('sanderling')).body.items[0].file.id).toBe(publicId('File', id))
})
