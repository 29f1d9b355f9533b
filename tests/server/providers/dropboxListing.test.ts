import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Driver, Entry, Page } from '../../../server/providers/driver.ts'
import { type DropboxStage, startDropbox } from './dropboxStage.ts'
import { bytesOf, call, contentOf, failure, newEntry, progressOf } from './providerHarness.ts'

let stage: DropboxStage
let dropbox: Driver

beforeEach(async () => {
  stage = await startDropbox({ pageSize: 4 })
  dropbox = stage.open()
})
afterEach(async () => {
  expect(stage.bugs()).toEqual([])
  await stage.close()
})

const page = (cursor: string | null): Promise<Page<Entry>> =>
  dropbox.listAll?.(call(), cursor) ?? Promise.reject(new Error('It cannot list everything.'))

async function everything(cursor: string | null = null): Promise<readonly Entry[]> {
  const { items, cursor: next } = await page(cursor)
  return next === null ? items : [...items, ...(await everything(next))]
}

async function at(path: string): Promise<Entry> {
  const found = (await everything()).find((entry) => entry.path === path)
  if (!found) throw new Error(`${path} is not listed.`)
  return found
}

const plant = (path: string, more: { folder?: boolean; shared?: 'READ' | 'WRITE'; exportOptions?: string[] } = {}) =>
  stage.dropbox.plant({ user: stage.user, path, text: 'abc', ...more })

describe('a listing of everything', () => {
  it('goes through all folders, and ends with the page that has no more', async () => {
    for (let index = 0; index < 4; index += 1) await plant(`/Folder ${index}/Inner/File.txt`)
    const pages = [await page(null)]
    for (let next = pages[0]?.cursor ?? null; next !== null; next = pages.at(-1)?.cursor ?? null) {
      pages.push(await page(next))
    }
    expect(pages.map(({ items }) => items.length)).toEqual([4, 4, 4])
    expect(pages[2]?.items.map(({ path }) => path)).toContain('/folder 3/inner/file.txt')
    expect(stage.count('files/list_folder')).toBe(1)
  })

  it('leaves out what was deleted while it was read', async () => {
    for (let index = 0; index < 8; index += 1) await plant(`/file ${index}`)
    const first = await page(null)
    await stage.dropbox.remove({ user: stage.user, path: '/file 7' })
    const rest = await everything(first.cursor)
    expect([...first.items, ...rest].map(({ path }) => path)).not.toContain('/file 7')
    expect(first.items.length + rest.length).toBe(7)
  })

  it('begins again when Dropbox does not know a cursor any more', async () => {
    for (let index = 0; index < 6; index += 1) await plant(`/file ${index}`)
    const { cursor } = await page(null)
    stage.dropbox.resetCursors()
    await failure(page(cursor), 'CursorReset')
    await failure(page('nonsense'), 'CursorReset')
  })
})

describe('details', () => {
  it('of files and folders: revision, web address and all rights', async () => {
    await plant('/Ünï & Co/50% #1.txt')
    const file = await at('/ünï & co/50% #1.txt')
    expect(file.details).toEqual({
      parent: null,
      mimeType: null,
      createdAt: null,
      revision: expect.stringMatching(/^[0-9a-f]{9,}$/),
      webUrl: 'https://www.dropbox.com/home/%C3%9Cn%C3%AF%20%26%20Co/50%25%20%231.txt',
      nativeKind: null,
      exportTypes: [],
      target: null,
      rights: { read: true, write: true, rename: true, move: true, delete: true, share: true },
    })
    const folder = await at('/ünï & co')
    expect(folder.details).toMatchObject({ revision: null, rights: file.details?.rights })
    const root = await dropbox.stat(call(), dropbox.root)
    expect(root).toMatchObject({ ref: dropbox.root, details: { webUrl: 'https://www.dropbox.com/home', parent: null } })
  })

  it('of documents: no size and no hash, as they can only be exported', async () => {
    await plant('/Notes.paper', { exportOptions: ['markdown', 'html'] })
    await plant('/Table.gsheet', { exportOptions: ['xlsx'] })
    const paper = await at('/notes.paper')
    expect(paper).toMatchObject({ kind: 'file', size: null, hash: null })
    expect(paper.details).toMatchObject({
      nativeKind: 'DOCUMENT',
      exportTypes: ['md', 'html'],
      rights: { read: true, write: true },
    })
    expect((await at('/table.gsheet')).details?.nativeKind).toBe('OTHER')
    await failure(dropbox.get(call(), paper.ref), 'Forbidden')
    await stage.dropbox.alter({ user: stage.user, path: '/Notes.paper', text: 'other' })
    expect((await at('/notes.paper')).details).toMatchObject({ nativeKind: 'DOCUMENT' })
    expect((await at('/notes.paper')).details?.revision).not.toBe(paper.details?.revision)
  })

  it('of shared folders that the user may only read: the right to read and to share', async () => {
    await plant('/Readable', { shared: 'READ' })
    await plant('/Readable/file.txt')
    await plant('/Writable', { shared: 'WRITE' })
    await plant('/Writable/file.txt')
    const no = { write: false, rename: false, move: false, delete: false }
    for (const path of ['/readable', '/readable/file.txt']) {
      expect((await at(path)).details?.rights).toEqual({ ...no, read: true, share: true })
    }
    expect((await at('/writable/file.txt')).details?.rights).toMatchObject({ write: true, delete: true })
    const [folder, file] = [await at('/readable'), await at('/readable/file.txt')]
    const putting = dropbox.put(call(), newEntry(folder.ref, 'a', 1), contentOf(bytesOf(1)), progressOf())
    await failure(putting, 'Forbidden')
    await failure(dropbox.delete(call(), file.ref), 'Forbidden')
    await failure(dropbox.move?.(call(), file.ref, { name: 'b' }) ?? Promise.resolve(), 'Forbidden')
  })
})
