import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NotFoundError } from '../../server/domain/errors.ts'
import type { FileView } from '../../server/domain/files/contract.ts'
import { INLINE_ENTRIES } from '../../server/domain/files/tree/trash.ts'
import { createFile, createFolder, createOwner } from '../factories/files.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

let domain: FilesDomain
let owner: Awaited<ReturnType<typeof createOwner>>
let userId: string

beforeAll(async () => {
  domain = await startFilesDomain()
})
beforeEach(async () => {
  owner = await createOwner(domain.pool)
  userId = owner.viewer.userId
  domain.told.length = 0
})
afterAll(() => domain.close())

const file = (name: string, parentId: string | null = null, content = name) =>
  createFile(domain, { userId, name, parentId, content })
const folder = (name: string, parentId: string | null = null) => createFolder(domain, { userId, name, parentId })
const namesIn = async (view: FileView, parentId: string | null = null) =>
  (await domain.files.list(owner.viewer, { view, parentId, limit: 200 })).items.map((item) => item.file.name).sort()
const { trash, restore, remove, emptyTrash } = {
  trash: (...ids: string[]) => domain.files.trash(owner.viewer, ids),
  restore: (...ids: string[]) => domain.files.restore(owner.viewer, ids),
  remove: (...ids: string[]) => domain.files.remove(owner.viewer, ids),
  emptyTrash: () => domain.files.emptyTrash(owner.viewer),
}
const usedBytes = async () => {
  const { rows } = await domain.pool.query('select used_bytes::int as used from accounts where user_id = $1', [userId])
  return rows[0].used
}
const rowCount = async () => (await domain.pool.query('select from files where user_id = $1', [userId])).rowCount

async function objectCount(): Promise<number> {
  let count = 0
  for await (const _id of domain.store.listStored()) count++
  return count
}

/** A folder with more entries below it than are marked within the request. */
async function bigFolder(): Promise<{ outer: string; inner: string }> {
  const outer = await folder('outer')
  const inner = await folder('inner', outer)
  await domain.pool.query(
    `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category)
     select gen_random_uuid(), $1, $2, 'FILE', 'f' || i, 'f' || i, 'f' || i, 'f' || i, 'TEXT' from generate_series(1, $3::int) i`,
    [userId, inner, INLINE_ENTRIES + 500],
  )
  return { outer, inner }
}

async function flatCount(): Promise<number | null> {
  const { rowCount: count } = await domain.pool.query(
    'select from files where user_id = $1 and trash_root_id is null and purged_at is null',
    [userId],
  )
  return count
}

describe('trash', () => {
  it('hides an entry and all below it, lists only the entry, frees its name and counts it out', async () => {
    const outer = await folder('outer')
    const inner = await folder('inner', outer)
    await file('leaf', inner)
    const [trashed] = await trash(inner)
    expect(trashed?.trashedAt).toBeInstanceOf(Date)
    expect(await namesIn('ALL')).toEqual(['outer'])
    expect(await namesIn('DRIVE', outer)).toEqual([])
    expect(await namesIn('TRASH')).toEqual(['inner'])
    expect((await domain.files.get(owner.viewer, outer)).childCount).toBe(0)
    expect(domain.told).toEqual([{ fileIds: [inner], parentIds: [outer], removedIds: [], truncated: false }])
    await domain.files.createFolder(owner.viewer, { name: 'inner', parentId: outer })
  })

  it('is idempotent, and an entry goes along with a folder above it', async () => {
    const outer = await folder('outer')
    const leaf = await file('leaf', outer)
    await trash(leaf, outer)
    const first = await trash(outer)
    expect(await trash(outer, leaf)).toMatchObject([{ trashedAt: first[0]?.trashedAt }, { trashedAt: null }])
    expect(await namesIn('TRASH')).toEqual(['outer'])
    await restore(outer, leaf)
    expect(await namesIn('DRIVE', outer)).toEqual(['leaf'])
    expect((await domain.files.get(owner.viewer, outer)).childCount).toBe(1)
  })

  it('of others is not found, and nothing of the request happens', async () => {
    const stranger = await createOwner(domain.pool)
    const theirs = await createFile(domain, stranger.viewer)
    await expect(trash(await file('mine'), theirs)).rejects.toThrow(NotFoundError)
    expect(await namesIn('ALL')).toEqual(['mine'])
    for (const act of [trash, restore, remove]) await expect(act(theirs)).rejects.toThrow(NotFoundError)
  })

  it('of a very big folder is finished by a job, and so is its return', async () => {
    const { outer } = await bigFolder()
    await trash(outer)
    expect(await flatCount()).toBeGreaterThan(0)
    await domain.runJobs()
    expect(await flatCount()).toBe(0)
    await restore(outer)
    await domain.runJobs()
    expect(await flatCount()).toBe(INLINE_ENTRIES + 502)
  })

  it('and restore in quick succession leave the last state, whichever job runs', async () => {
    const { outer } = await bigFolder()
    await trash(outer)
    await restore(outer)
    await trash(outer)
    await domain.runJobs()
    expect(await flatCount()).toBe(0)
  })
})

describe('restore', () => {
  it('puts back where it was, numbered when the name is taken by now', async () => {
    const outer = await folder('outer')
    const id = await file('a.txt', outer)
    await trash(id)
    await file('A.txt', outer)
    expect(await restore(id)).toMatchObject([{ name: 'a (2).txt', parentId: outer, trashedAt: null }])
    expect((await domain.files.get(owner.viewer, outer)).childCount).toBe(2)
    expect(await restore(id)).toMatchObject([{ name: 'a (2).txt' }])
  })

  it('puts into the nearest folder that is left', async () => {
    const outer = await folder('outer')
    const middle = await folder('middle', outer)
    const inner = await folder('inner', middle)
    const id = await file('leaf', inner)
    await trash(id)
    await trash(middle)
    expect(await restore(id)).toMatchObject([{ parentId: outer }])
    await trash(id)
    await remove(outer)
    await domain.runJobs()
    expect(await restore(id)).toMatchObject([{ parentId: null }])
  })

  it('of a folder and what was trashed out of it before puts both back in place', async () => {
    const outer = await folder('outer')
    const middle = await folder('middle', outer)
    const id = await file('leaf', middle)
    await trash(id)
    await trash(middle)
    await trash(outer)
    await restore(id, middle)
    const { parentId } = await domain.files.get(owner.viewer, id)
    expect(parentId).toBe(middle)
    expect((await domain.files.pathsTo(owner.viewer, [middle])).get(middle)?.map(({ name }) => name)).toEqual([
      'middle',
    ])
    expect(await namesIn('TRASH')).toEqual(['outer'])
  })
})

describe('remove', () => {
  it('is at once gone from sight and from the quota, and soon from the disk', async () => {
    const outer = await folder('outer')
    await file('leaf', outer, '12345')
    const kept = await file('kept', null, '123')
    const stored = await objectCount()
    await remove(outer)
    expect(await namesIn('ALL')).toEqual(['kept'])
    expect(await usedBytes()).toBe(3)
    expect(domain.told.at(-1)).toEqual({ fileIds: [], removedIds: [outer], parentIds: [null], truncated: false })
    await expect(domain.files.get(owner.viewer, outer)).rejects.toThrow(NotFoundError)
    await domain.runJobs()
    expect(await rowCount()).toBe(1)
    expect(await objectCount()).toBe(stored - 1)
    expect((await domain.files.open(owner.viewer, kept)).file.size).toBe(3)
  })

  it('of a live entry counts it out of its folder, of a trashed one does not', async () => {
    const outer = await folder('outer')
    const [a, b] = [await file('a', outer), await file('b', outer)]
    await file('c', outer)
    await trash(b)
    await remove(a, b)
    expect((await domain.files.get(owner.viewer, outer)).childCount).toBe(1)
  })

  it('spares what was trashed out of the folder by itself', async () => {
    const outer = await folder('outer')
    const inner = await folder('inner', outer)
    const id = await file('leaf', inner, '12345')
    await trash(id)
    await remove(outer)
    await domain.runJobs()
    expect(await namesIn('TRASH')).toEqual(['leaf'])
    expect(await usedBytes()).toBe(5)
    expect(await restore(id)).toMatchObject([{ parentId: null }])
  })

  it('of a very big folder is finished by the job, the quota exactly once', async () => {
    const { outer, inner } = await bigFolder()
    await file('content', inner, '1234567')
    await remove(outer)
    await domain.runJobs()
    expect(await rowCount()).toBe(0)
    expect(await usedBytes()).toBe(0)
  })

  it('survives a job that broke off between bytes and rows', async () => {
    const id = await file('a')
    const { rows } = await domain.pool.query(
      'select object_ref from pieces p join copies c on c.id = p.copy_id where c.file_id = $1',
      [id],
    )
    await remove(id)
    await domain.store.delete(rows[0].object_ref)
    await domain.runJobs()
    expect(await rowCount()).toBe(0)
  })

  it('that is cut short is left to the next run', async () => {
    await remove(await file('a'))
    await expect(domain.housekeeping.purge(userId, AbortSignal.abort())).rejects.toThrow()
    expect(await rowCount()).toBe(1)
    await domain.housekeeping.purge(userId, new AbortController().signal)
    expect(await rowCount()).toBe(0)
  })
})

describe('emptying and expiring the trash', () => {
  it('emptyTrash removes what is listed there and says how much', async () => {
    const outer = await folder('outer')
    await file('in', outer, '12')
    await trash(outer)
    await trash(await file('a', null, '1'))
    await file('kept', null, '123')
    expect(await emptyTrash()).toBe(2)
    expect(await emptyTrash()).toBe(0)
    expect(await namesIn('TRASH')).toEqual([])
    expect(await usedBytes()).toBe(3)
    await domain.runJobs()
    expect(await rowCount()).toBe(1)
  })

  it('the job deletes what is there for 30 days, of every user', async () => {
    const stranger = await createOwner(domain.pool)
    const theirs = await createFile(domain, stranger.viewer)
    await domain.files.trash(stranger.viewer, [theirs])
    const [old, young] = [await file('old'), await file('young')]
    await trash(old, young)
    const age = (id: string, days: number) =>
      domain.pool.query('update files set trashed_at = now() - make_interval(days => $2) where id = $1', [id, days])
    await age(old, 31)
    await age(theirs, 31)
    await age(young, 29)
    await domain.housekeeping.expireTrash(new AbortController().signal)
    expect(await namesIn('TRASH')).toEqual(['young'])
    await expect(domain.files.get(stranger.viewer, theirs)).rejects.toThrow(NotFoundError)
    await domain.runJobs()
    expect(await rowCount()).toBe(1)
  })
})

describe('bytes and changes at once', () => {
  it('many removals and moves at the same time leave counts and quota right', async () => {
    const [one, two] = [await folder('one'), await folder('two')]
    const ids = await Promise.all(Array.from({ length: 30 }, (_, index) => file(`f${index}`, one, 'xx')))
    await Promise.all(
      ids.map((id, index) =>
        index % 3 === 0 ? remove(id) : index % 3 === 1 ? domain.files.move(owner.viewer, [id], two) : trash(id),
      ),
    )
    const [first, second] = await domain.files.getMany(owner.viewer, [one, two])
    expect([first?.childCount, second?.childCount]).toEqual([0, 10])
    expect(await usedBytes()).toBe(40)
  })
})
