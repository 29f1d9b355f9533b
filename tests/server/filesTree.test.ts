import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  FolderCycleError,
  IdempotencyKeyReusedError,
  InvalidInputError,
  NameTakenError,
  NotFoundError,
} from '../../server/domain/errors.ts'
import { newId } from '../../server/lib/ids.ts'
import { createFile, createFolder, createOwner } from '../factories/files.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

let domain: FilesDomain
let owner: Awaited<ReturnType<typeof createOwner>>

beforeAll(async () => {
  domain = await startFilesDomain()
})
beforeEach(async () => {
  owner = await createOwner(domain.pool)
  domain.told.length = 0
})
afterAll(() => domain.close())

const file = (name: string, parentId: string | null = null) =>
  createFile(domain, { userId: owner.viewer.userId, name, parentId, content: name })
const folder = (name: string, parentId: string | null = null) =>
  createFolder(domain, { userId: owner.viewer.userId, name, parentId })
const namesIn = async (parentId: string | null) =>
  (await domain.files.list(owner.viewer, { view: 'DRIVE', parentId, limit: 200 })).items.map((item) => item.file.name)
const countOf = async (id: string) => (await domain.files.get(owner.viewer, id)).childCount

describe('createFolder', () => {
  it('makes a folder, counts it and tells', async () => {
    const parentId = await folder('outer')
    const made = await domain.files.createFolder(owner.viewer, { name: 'e\u0301t\u00e9', parentId })
    expect(made).toMatchObject({ name: 'été', kind: 'FOLDER', category: 'FOLDER', parentId, size: 0, sha256: null })
    expect(await countOf(parentId)).toBe(1)
    expect(domain.told).toEqual([{ fileIds: [made.id], parentIds: [parentId], removedIds: [], truncated: false }])
  })

  it('refuses bad names, names taken in any case, and folders that are not there', async () => {
    const create = (name: string, parentId: string | null = null) =>
      domain.files.createFolder(owner.viewer, { name, parentId })
    await file('Straße')
    await expect(create('a/b')).rejects.toThrow(InvalidInputError)
    await expect(create('STRASSE')).rejects.toThrow(NameTakenError)
    await expect(create('x', newId())).rejects.toThrow(NotFoundError)
    await expect(create('x', await file('no folder'))).rejects.toThrow(NotFoundError)
    const stranger = await createOwner(domain.pool)
    await expect(create('x', await createFolder(domain, stranger.viewer))).rejects.toThrow(NotFoundError)
    const outer = await folder('outer')
    const inner = await folder('inner', outer)
    await domain.files.trash(owner.viewer, [outer])
    await expect(create('x', inner)).rejects.toThrow(NotFoundError)
  })

  it('repeats its answer under the same key, and refuses another request under it', async () => {
    const create = (name: string) => domain.files.createFolder(owner.viewer, { name, parentId: null }, 'key')
    const first = await create('once')
    expect((await create('once')).id).toBe(first.id)
    await expect(create('twice')).rejects.toThrow(IdempotencyKeyReusedError)
    expect(await namesIn(null)).toEqual(['once'])
  })

  it('lets one of twenty simultaneous requests for a name win', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => domain.files.createFolder(owner.viewer, { name: 'same', parentId: null })),
    )
    const refused = answers.filter((answer) => answer.status === 'rejected')
    expect(refused.map((answer) => answer.reason.constructor.name)).toEqual(Array(19).fill('NameTakenError'))
  })
})

describe('rename', () => {
  it('changes the name, its case too, and where it sorts and is found', async () => {
    const id = await file('b.txt')
    await file('m.txt')
    expect((await domain.files.rename(owner.viewer, id, 'B.TXT')).name).toBe('B.TXT')
    const renamed = await domain.files.rename(owner.viewer, id, 'Zoë.txt')
    expect(await namesIn(null)).toEqual(['m.txt', 'Zoë.txt'])
    const found = await domain.files.list(owner.viewer, { view: 'ALL', query: 'zoe', limit: 5 })
    expect(found.items.map((item) => item.file)).toEqual([renamed])
  })

  it('refuses taken names, entries in the trash and those of others', async () => {
    const id = await file('a')
    await file('b')
    await expect(domain.files.rename(owner.viewer, id, 'B')).rejects.toThrow(NameTakenError)
    const stranger = await createOwner(domain.pool)
    await expect(domain.files.rename(stranger.viewer, id, 'c')).rejects.toThrow(NotFoundError)
    await domain.files.trash(owner.viewer, [id])
    await expect(domain.files.rename(owner.viewer, id, 'c')).rejects.toThrow('“a” is in the trash')
  })
})

describe('move', () => {
  it('moves files and folders, counts them and tells both folders', async () => {
    const [from, to] = [await folder('from'), await folder('to')]
    const ids = [await file('a', from), await folder('b', from)]
    const moved = await domain.files.move(owner.viewer, ids, to)
    expect(moved.map(({ id, parentId }) => ({ id, parentId }))).toEqual(ids.map((id) => ({ id, parentId: to })))
    expect([await countOf(from), await countOf(to)]).toEqual([0, 2])
    expect(new Set(domain.told[0]?.parentIds)).toEqual(new Set([from, to]))
    expect(await domain.files.move(owner.viewer, ids, null)).toMatchObject([{ parentId: null }, { parentId: null }])
    expect(await countOf(to)).toBe(0)
  })

  it('numbers names that are taken in the target or by another moved entry', async () => {
    const [one, two, to] = [await folder('one'), await folder('two'), await folder('to')]
    await file('a.txt', to)
    await file('a (2).txt', to)
    const ids = [await file('A.txt', one), await file('a.txt', two), await folder('a.b', one), await file('a.b', two)]
    const moved = await domain.files.move(owner.viewer, ids, to)
    expect(moved.map(({ name }) => name)).toEqual(['A (3).txt', 'a (4).txt', 'a.b', 'a (2).b'])
  })

  it('finds a number quickly among very many', async () => {
    const [from, to] = [await folder('from'), await folder('to')]
    await domain.pool.query(
      `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category)
       select gen_random_uuid(), $1, $2, 'FILE', n, n, n, n, 'TEXT'
       from (select case when i = 1 then 'a' else 'a (' || i || ')' end as n from generate_series(1, 3000) i) names`,
      [owner.viewer.userId, to],
    )
    const [moved] = await domain.files.move(owner.viewer, [await file('a', from)], to)
    expect(moved?.name).toBe('a (3001)')
  })

  it('FAIL changes nothing, REPLACE puts the old one into the trash', async () => {
    const to = await folder('to')
    const old = await file('a', to)
    const [a, b] = [await file('a'), await file('b')]
    await expect(domain.files.move(owner.viewer, [b, a], to, 'FAIL')).rejects.toThrow(NameTakenError)
    expect(await namesIn(null)).toEqual(['to', 'a', 'b'])
    await domain.files.move(owner.viewer, [b, a], to, 'REPLACE')
    expect(await namesIn(to)).toEqual(['a', 'b'])
    expect(await countOf(to)).toBe(2)
    expect((await domain.files.get(owner.viewer, old)).trashedAt).toBeInstanceOf(Date)
  })

  it('REPLACE of a folder that holds what is moved takes that out first', async () => {
    const outer = await folder('same')
    const inner = await folder('same', outer)
    const leaf = await file('leaf', inner)
    await domain.files.move(owner.viewer, [inner], null, 'REPLACE')
    expect(await namesIn(null)).toEqual(['same'])
    expect(await namesIn(inner)).toEqual(['leaf'])
    const all = await domain.files.list(owner.viewer, { view: 'ALL', limit: 5 })
    expect(all.items.map((item) => item.file.id).sort()).toEqual([inner, leaf].sort())
  })

  it('leaves what is there already alone, and takes ids twice as once', async () => {
    const to = await folder('to')
    const id = await file('a', to)
    expect((await domain.files.move(owner.viewer, [id, id], to)).map(({ name }) => name)).toEqual(['a'])
    expect(await countOf(to)).toBe(1)
  })

  it('refuses cycles, foreign things and things in the trash', async () => {
    const outer = await folder('outer')
    const middle = await folder('middle', outer)
    const inner = await folder('inner', middle)
    const move = (ids: string[], to: string | null) => domain.files.move(owner.viewer, ids, to)
    await expect(move([outer], outer)).rejects.toThrow(FolderCycleError)
    await expect(move([outer], inner)).rejects.toThrow(FolderCycleError)
    const stranger = await createOwner(domain.pool)
    await expect(domain.files.move(stranger.viewer, [inner], null)).rejects.toThrow(NotFoundError)
    await expect(move([await createFile(domain, stranger.viewer)], null)).rejects.toThrow(NotFoundError)
    await expect(move([inner], await createFolder(domain, stranger.viewer))).rejects.toThrow(NotFoundError)
    await domain.files.trash(owner.viewer, [middle])
    await expect(move([inner], null)).rejects.toThrow(NotFoundError)
    await expect(move([await file('x')], inner)).rejects.toThrow(NotFoundError)
  })

  it('of two folders into each other at once lets one win', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await folder(`a${round}`), await folder(`b${round}`)]
      const outcomes = await Promise.allSettled([
        domain.files.move(owner.viewer, [a], b),
        domain.files.move(owner.viewer, [b], a),
      ])
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    }
  })
})

describe('star, update and lookups', () => {
  it('star marks and unmarks', async () => {
    const ids = [await file('a'), await file('b')]
    expect((await domain.files.star(owner.viewer, ids, true)).map(({ starred }) => starred)).toEqual([true, true])
    await domain.files.star(owner.viewer, ids.slice(1), false)
    const page = await domain.files.list(owner.viewer, { view: 'STARRED', limit: 5 })
    expect(page.items.map((item) => item.file.id)).toEqual(ids.slice(0, 1))
    const stranger = await createOwner(domain.pool)
    await expect(domain.files.star(stranger.viewer, ids, true)).rejects.toThrow(NotFoundError)
  })

  it('update does all of a patch or nothing', async () => {
    const to = await folder('to')
    await file('taken', to)
    const id = await file('a')
    await expect(domain.files.update(owner.viewer, id, { starred: true, parentId: to, name: 'taken' })).rejects.toThrow(
      NameTakenError,
    )
    expect(await domain.files.get(owner.viewer, id)).toMatchObject({ starred: false, parentId: null, name: 'a' })
    await domain.files.trash(owner.viewer, [id])
    const patch = { trashed: false, starred: true, parentId: to, name: 'free' }
    expect(await domain.files.update(owner.viewer, id, patch)).toMatchObject({
      starred: true,
      parentId: to,
      name: 'free',
      trashedAt: null,
    })
  })

  it('belong to another group cloud at once, and their bytes are asked to follow; folders do it by job', async () => {
    const outer = await folder('outer')
    const inner = await folder('inner', outer)
    const [one, deep, trashed] = [await file('one'), await file('deep', inner), await file('trashed', outer)]
    await domain.files.trash(owner.viewer, [trashed])
    const other = newId()
    const { userId } = owner.viewer
    await domain.pool.query("insert into group_clouds (id, user_id, name) values ($1, $2, 'other')", [other, userId])
    expect((await domain.files.update(owner.viewer, one, { groupCloudId: other })).groupCloudId).toBe(other)
    const { rows } = await domain.pool.query(
      "select payload from graphile_worker._private_jobs where key like $1 and payload::text like '%fileIds%'",
      [`settle ${userId}%`],
    )
    expect(rows).toEqual([{ payload: { userId, fileIds: [one] } }])

    await domain.files.moveToGroupCloud(owner.viewer, [outer], other)
    const input = { userId, folderId: outer, groupCloudId: other }
    await domain.housekeeping.moveFolderToGroupCloud(input, new AbortController().signal)
    const cloudOf = async (id: string) => (await domain.files.get(owner.viewer, id)).groupCloudId
    expect([await cloudOf(deep), await cloudOf(outer), await cloudOf(trashed)]).toEqual([
      other,
      null,
      owner.groupCloudId,
    ])
    expect(domain.told.at(-1)?.fileIds).toEqual([deep])
    await expect(domain.files.update(owner.viewer, one, { groupCloudId: newId() })).rejects.toThrow(NotFoundError)
    const theirs = await createOwner(domain.pool)
    const stealing = domain.files.moveToGroupCloud(owner.viewer, [one], theirs.groupCloudId)
    await expect(stealing).rejects.toThrow(NotFoundError)
  })

  it('paths, copies, accounts and sizes are those of the viewer', async () => {
    const outer = await folder('outer')
    const inner = await folder('inner', outer)
    const id = await file('12345', inner)
    await file('123', outer)
    const { files } = domain
    const paths = await files.pathsTo(owner.viewer, [inner, outer])
    expect([inner, outer].map((folderId) => paths.get(folderId)?.map(({ name }) => name))).toEqual([
      ['outer', 'inner'],
      ['outer'],
    ])
    expect((await files.copies(owner.viewer, [id])).get(id)).toMatchObject([
      {
        state: 'STORED',
        why: 'It is the only one.',
        pieces: [{ accountId: owner.accountId, provider: 'local', index: 0, offset: 0, size: 5 }],
      },
    ])
    expect((await files.storedIn(owner.viewer, [id, outer])).get(id)).toEqual([owner.accountId])
    expect(await files.contentSize(owner.viewer, outer)).toBe(8)
    const { viewer } = await createOwner(domain.pool)
    expect([...(await files.pathsTo(viewer, [inner]))]).toEqual([])
    expect((await files.copies(viewer, [id])).get(id)).toEqual([])
    expect((await files.storedIn(viewer, [id])).get(id)).toEqual([])
    expect(await files.getMany(viewer, [id])).toEqual([null])
    await expect(files.contentSize(viewer, outer)).rejects.toThrow(NotFoundError)
    await expect(files.get(viewer, id)).rejects.toThrow(NotFoundError)
  })

  it('more than 10,000 ids at once are refused', async () => {
    const ids = Array.from({ length: 10_001 }, () => newId())
    await expect(domain.files.star(owner.viewer, ids, true)).rejects.toThrow(InvalidInputError)
  })
})
