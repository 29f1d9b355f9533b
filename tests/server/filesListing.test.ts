import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { InvalidInputError, NotFoundError } from '../../server/domain/errors.ts'
import type { FilePage, ListFiles } from '../../server/domain/files/contract.ts'
import { newId } from '../../server/lib/ids.ts'
import { createFile, createFolder, createOwner } from '../factories/files.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

let domain: FilesDomain
let owner: Awaited<ReturnType<typeof createOwner>>
let folderId: string

const namesOf = (page: FilePage) => page.items.map(({ file }) => file.name)
const list = (options: Partial<ListFiles>) => domain.files.list(owner.viewer, { view: 'DRIVE', limit: 50, ...options })

/** Reads all pages forward, `limit` entries at a time. */
async function readAll(options: Partial<ListFiles>): Promise<string[]> {
  const names: string[] = []
  let after: string | undefined
  for (;;) {
    const page = await list({ ...options, after })
    names.push(...namesOf(page))
    after = page.items.at(-1)?.cursor
    if (!page.hasNextPage) return names
  }
}

beforeAll(async () => {
  domain = await startFilesDomain()
  owner = await createOwner(domain.pool)
  const { userId } = owner.viewer
  const day = (n: number) => new Date(Date.UTC(2026, 0, n))
  folderId = await createFolder(domain, { userId, name: 'Projects', updatedAt: day(1) })
  const inside = { userId, parentId: folderId }
  await createFolder(domain, { ...inside, name: 'zeta', updatedAt: day(9) })
  await createFolder(domain, { ...inside, name: 'alpha', updatedAt: day(2) })
  await createFile(domain, { ...inside, name: 'file10.txt', content: 'a', updatedAt: day(3) })
  await createFile(domain, { ...inside, name: 'file2.txt', content: 'abc', updatedAt: day(5), starred: true })
  await createFile(domain, { ...inside, name: 'Émile.png', content: 'ab', category: 'IMAGE', updatedAt: day(4) })
  await createFile(domain, { ...inside, name: '100%_\\done.txt', content: 'abcd', updatedAt: day(6), shareCount: 1 })
  const stranger = await createOwner(domain.pool)
  await createFile(domain, { userId: stranger.viewer.userId, name: 'file2.txt', starred: true, shareCount: 1 })
})

afterAll(() => domain.close())

describe('a folder', () => {
  const FOLDERS_UP = ['alpha', 'zeta']
  const BY_NAME = ['100%_\\done.txt', 'Émile.png', 'file2.txt', 'file10.txt']

  it.each<[ListFiles['sort'], string[]]>([
    [undefined, [...FOLDERS_UP, ...BY_NAME]],
    [{ field: 'NAME', direction: 'ASC' }, [...FOLDERS_UP, ...BY_NAME]],
    [{ field: 'NAME', direction: 'DESC' }, ['zeta', 'alpha', ...[...BY_NAME].reverse()]],
    [
      { field: 'MODIFIED', direction: 'ASC' },
      ['alpha', 'zeta', 'file10.txt', 'Émile.png', 'file2.txt', '100%_\\done.txt'],
    ],
    [
      { field: 'MODIFIED', direction: 'DESC' },
      ['zeta', 'alpha', '100%_\\done.txt', 'file2.txt', 'Émile.png', 'file10.txt'],
    ],
    [
      { field: 'SIZE', direction: 'DESC' },
      ['alpha', 'zeta', '100%_\\done.txt', 'file2.txt', 'Émile.png', 'file10.txt'],
    ],
  ])('sorted by %j has folders first, whatever the page size', async (sort, expected) => {
    for (const limit of [1, 2, 3, 50]) expect(await readAll({ parentId: folderId, sort, limit })).toEqual(expected)
  })

  it('says whether more follows', async () => {
    const page = await list({ parentId: folderId, limit: 6 })
    expect(page.hasNextPage).toBe(false)
    expect((await list({ parentId: folderId, limit: 5 })).hasNextPage).toBe(true)
  })

  it('gives exactly the range between two cursors, the last one included', async () => {
    const { items } = await list({ parentId: folderId })
    const [first, , third] = items.map(({ cursor }) => cursor)
    const range = await list({ parentId: folderId, after: first, until: third })
    expect(range.items.map(({ cursor }) => cursor)).toEqual(items.slice(1, 3).map(({ cursor }) => cursor))
    expect(range.hasNextPage).toBe(true)
    const tail = await list({ parentId: folderId, until: items.at(-1)?.cursor })
    expect(tail).toMatchObject({ items: { length: 6 }, hasNextPage: false })
  })

  it('does not show what is elsewhere or of somebody else', async () => {
    expect(namesOf(await list({}))).toEqual(['Projects'])
    const stranger = await createOwner(domain.pool)
    await expect(domain.files.list(stranger.viewer, { view: 'DRIVE', parentId: folderId, limit: 5 })).rejects.toThrow(
      NotFoundError,
    )
  })

  it('that is empty is an empty page; one that is a file, in the trash or below it is not found', async () => {
    const { userId } = owner.viewer
    const other = await createOwner(domain.pool)
    const outer = await createFolder(domain, { userId: other.viewer.userId })
    const inner = await createFolder(domain, { userId: other.viewer.userId, parentId: outer })
    const show = (parentId: string) => domain.files.list(other.viewer, { view: 'DRIVE', parentId, limit: 5 })
    expect(await show(inner)).toEqual({ items: [], hasNextPage: false })
    await domain.files.trash(other.viewer, [outer])
    await expect(show(outer)).rejects.toThrow(NotFoundError)
    await expect(show(inner)).rejects.toThrow(NotFoundError)
    await expect(list({ parentId: newId() })).rejects.toThrow(NotFoundError)
    const file = await createFile(domain, { userId, parentId: folderId, name: 'zzz' })
    await expect(list({ parentId: file })).rejects.toThrow(NotFoundError)
    await domain.files.remove(owner.viewer, [file])
  })
})

describe('the flat views', () => {
  it.each<[ListFiles['view'], string[]]>([
    ['ALL', ['zeta', '100%_\\done.txt', 'file2.txt', 'Émile.png', 'file10.txt', 'alpha', 'Projects']],
    ['STARRED', ['file2.txt']],
    ['SHARED', ['100%_\\done.txt']],
    ['TRASH', []],
  ])('%s', async (view, expected) => {
    for (const limit of [2, 50]) expect(await readAll({ view, limit })).toEqual(expected)
  })

  it('TRASH has the latest deletion first', async () => {
    const { viewer } = await createOwner(domain.pool)
    const ids = []
    for (const name of ['a', 'b', 'c']) ids.push(await createFile(domain, { userId: viewer.userId, name }))
    for (const id of ids) await domain.files.trash(viewer, [id])
    const page = await domain.files.list(viewer, { view: 'TRASH', limit: 2 })
    expect(namesOf(page)).toEqual(['c', 'b'])
    const rest = await domain.files.list(viewer, { view: 'TRASH', limit: 2, after: page.items[1]?.cursor })
    expect(namesOf(rest)).toEqual(['a'])
  })
})

describe('search and filters', () => {
  it.each([
    ['FILE', ['file2.txt', 'file10.txt']],
    ['emil', ['Émile.png']],
    ['É', ['Émile.png', 'file2.txt', 'file10.txt', '100%_\\done.txt', 'Projects', 'zeta'].sort()],
    ['e2', ['file2.txt']],
    ['2', ['file2.txt']],
    ['100%', ['100%_\\done.txt']],
    ['_', ['100%_\\done.txt']],
    ['\\d', ['100%_\\done.txt']],
    ['  file2  ', ['file2.txt']],
    ['LE2.txt', ['file2.txt']],
    ['mile.png', ['Émile.png']],
    ['file2.png', []],
    ['\\done.txt', ['100%_\\done.txt']],
    ["o'; drop table files", []],
  ])('finds %j', async (query, expected) => {
    for (const limit of [1, 50]) expect((await readAll({ query, limit })).sort()).toEqual([...expected].sort())
  })

  it('narrows by category, group cloud and provider', async () => {
    const inFolder = { parentId: folderId }
    expect(await readAll({ ...inFolder, categories: ['IMAGE', 'PDF'] })).toEqual(['Émile.png'])
    expect(await readAll({ ...inFolder, categories: ['FOLDER'] })).toEqual(['alpha', 'zeta'])
    expect(await readAll({ ...inFolder, groupCloudId: owner.groupCloudId })).toHaveLength(4)
    expect(await readAll({ ...inFolder, groupCloudId: newId() })).toEqual([])
    expect(await readAll({ ...inFolder, provider: 'local' })).toHaveLength(4)
    expect(await readAll({ ...inFolder, provider: 'dropbox' })).toEqual([])
  })

  it('does not find what is in the trash', async () => {
    const { viewer } = await createOwner(domain.pool)
    const outer = await createFolder(domain, { userId: viewer.userId, name: 'outer' })
    await createFile(domain, { userId: viewer.userId, parentId: outer, name: 'needle' })
    const search = (view: ListFiles['view']) => domain.files.list(viewer, { view, query: 'needle', limit: 5 })
    expect(namesOf(await search('ALL'))).toEqual(['needle'])
    await domain.files.trash(viewer, [outer])
    expect(namesOf(await search('ALL'))).toEqual([])
  })
})

describe('cursors', () => {
  it.each([
    ['not base64', { after: '???' }, 'after'],
    ['not a cursor', { after: Buffer.from('[1]').toString('base64url') }, 'after'],
    ['no cursor for until', { until: 'x' }, 'until'],
    [
      'a key of the wrong kind',
      {
        sort: { field: 'SIZE', direction: 'ASC' } as const,
        after: Buffer.from(JSON.stringify(['DRIVE/SIZE/ASC', 'FILE', 'x', newId()])).toString('base64url'),
      },
      'after',
    ],
  ])('%s is refused', async (_case, options, path) => {
    await expect(list(options)).rejects.toThrow(
      expect.objectContaining({ fields: [expect.objectContaining({ path })] }),
    )
  })

  it('of another view or order are refused', async () => {
    const cursor = (await list({ parentId: folderId })).items[0]?.cursor
    await expect(list({ view: 'ALL', after: cursor })).rejects.toThrow(InvalidInputError)
    await expect(list({ after: cursor, sort: { field: 'NAME', direction: 'DESC' } })).rejects.toThrow(InvalidInputError)
    await expect(list({ after: cursor, query: 'file' })).rejects.toThrow(InvalidInputError)
  })
})
