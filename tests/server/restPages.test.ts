import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parsePublicId, publicId } from '../../server/lib/ids.ts'
import { createFileJob } from '../factories/fileJobs.ts'
import { createTransfer } from '../factories/transfers.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'

/** Lists of jobs, transfers and versions are read in pages, like files. */
let server: FilesServer
let ada: SignedIn
/** A file with five versions. */
let fileId: string

const TRANSFERS = '/api/v1/transfers'
const JOBS = '/api/v1/jobs'
const VERSIONS = () => `/api/v1/files/${publicId('File', fileId)}/versions`

const replace = (text: string) =>
  ada.browser.request('PUT', `/api/v1/files/${publicId('File', fileId)}/content`, new TextEncoder().encode(text), {
    'content-type': 'application/octet-stream',
  })

beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
  fileId = await ada.make({ name: 'note.txt', content: 'one', mimeType: 'text/plain', category: 'TEXT' })
  for (const text of ['two', 'three', 'four', 'five']) expect((await replace(text)).status).toBe(200)
  for (let count = 0; count < 5; count += 1) {
    await createFileJob(server.pool, ada.viewer.userId, count % 2 === 0 ? 'PAUSED' : 'CANCELLED')
    await createTransfer(server.pool, await ada.make({ name: `sent ${count}` }), count % 2 === 0 ? 'PAUSED' : 'DONE')
  }
  await server.pool.query(`update transfers set ended_at = now() where state = 'DONE'`)
  // Ids break ties.
  for (const table of ['file_jobs', 'transfers'])
    await server.pool.query(`update ${table} set created_at = '2026-01-01'`)
})
afterAll(() => server?.close())

const get = (path: string, { browser } = ada) => browser.request('GET', path)
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)

/** Ids of each page. */
async function pagesOf(path: string, query: string, between?: () => Promise<unknown>): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor = ''; ; ) {
    const { status, body, headers } = await get(`${path}?${query}${cursor && `&cursor=${cursor}`}`)
    expect(status, JSON.stringify(body)).toBe(200)
    pages.push(idsOf(body))
    expect(headers.has('link')).toBe(body.nextCursor !== null)
    if (body.nextCursor === null) return pages
    cursor = body.nextCursor
    await between?.()
  }
}

const LISTS = { jobs: () => JOBS, transfers: () => TRANSFERS, 'the versions of a file': VERSIONS }

describe.each(Object.entries(LISTS))('%s', (name, path) => {
  it('are read in pages, each once, in the same order', async () => {
    const [all = []] = await pagesOf(path(), 'limit=200')
    expect(all).toHaveLength(5)
    for (const limit of [1, 2, 5]) {
      const pages = await pagesOf(path(), `limit=${limit}`)
      expect(pages.flat()).toEqual(all)
      expect(pages).toHaveLength(Math.ceil(5 / limit))
    }
    expect(idsOf((await get(path())).body)).toEqual(all)
  })

  it('refuse a page of no size, and a cursor of another list as that of files does', async () => {
    const { body: first } = await get('/api/v1/files?limit=1')
    const foreign = (await get(`${name === 'jobs' ? TRANSFERS : JOBS}?limit=1`)).body.nextCursor
    const { body: ofFiles } = await get('/api/v1/files?cursor=x')
    for (const cursor of ['x', first.nextCursor, foreign]) {
      const { status, body } = await get(`${path()}?cursor=${cursor}`)
      expect([status, body]).toEqual([400, ofFiles])
    }
    for (const limit of ['0', '201']) expect((await get(`${path()}?limit=${limit}`)).body.code).toBe('INVALID_INPUT')
  })
})

it.each([JOBS, TRANSFERS])('%s: pages of those that are open, and of those that have ended', async (path) => {
  expect((await pagesOf(path, 'limit=2&open=true')).map(({ length }) => length)).toEqual([2, 1])
  expect((await pagesOf(path, 'limit=1&open=false')).map(({ length }) => length)).toEqual([1, 1])
})

it('a version that was shown is not shown again when it is replaced between two pages', async () => {
  let count = 0
  const pages = await pagesOf(VERSIONS(), 'limit=1', () => replace(`later ${count++}`))
  const ids = pages.flat()
  expect(new Set(ids).size).toBe(ids.length)
  const all = idsOf((await get(VERSIONS())).body)
  expect(ids.slice(-4)).toEqual(all.slice(-4))
})

it('the cursor of one file is none of another one', async () => {
  const other = publicId('File', await ada.make({ name: 'other.txt', content: 'x' }))
  const cursor = (await get(`${VERSIONS()}?limit=1`)).body.nextCursor
  expect((await get(`/api/v1/files/${other}/versions?cursor=${cursor}`)).body.errors).toMatchObject([
    { path: 'cursor' },
  ])
  const { body } = await get(`/api/v1/files/${other}/versions`)
  expect([body.items.length, body.nextCursor]).toEqual([1, null])
  expect(parsePublicId(body.items[0].id)?.type).toBe('FileVersion')
})
