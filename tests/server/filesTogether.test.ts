import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  DomainError,
  FolderCycleError,
  NameTakenError,
  NotFoundError,
  PreconditionFailedError,
} from '../../server/domain/errors.ts'
import { namesOfPath } from '../../server/domain/files/service.ts'
import { etagOf } from '../../server/domain/files/tree/step.ts'
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
})
afterAll(() => domain.close())

const file = (name: string, parentId: string | null = null, content = name) =>
  createFile(domain, { userId, name, parentId, content })
const folder = (name: string, parentId: string | null = null) => createFolder(domain, { userId, name, parentId })
const names = async (parentId: string | null = null) =>
  (await domain.files.list(owner.viewer, { view: 'DRIVE', parentId, limit: 200 })).items.map((item) => item.file.name)
const codeOf = (error: unknown) => (error instanceof DomainError ? error.code : String(error))

async function fill(parentId: string, count: number): Promise<void> {
  await domain.pool.query(
    `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, size)
     select gen_random_uuid(), $1, $2, 'FILE', n, n, n, n, 'TEXT', 10
     from (select 'f' || lpad(i::text, 6, '0') as n from generate_series(1, $3::int) i) numbered`,
    [userId, parentId, count],
  )
  await domain.pool.query('update files set child_count = child_count + $2 where id = $1', [parentId, count])
}

/** Invariants of a tree; each row is a violation. */
async function faults(): Promise<unknown[]> {
  const { rows } = await domain.pool.query(
    `with recursive up (start, id, parent_id, depth) as (
       select id, id, parent_id, 1 from files where user_id = $1
       union all select up.start, f.id, f.parent_id, depth + 1 from up join files f on f.id = up.parent_id where depth < 100)
     select 'cycle' as fault, start::text as id from up where depth = 100
     union all select 'miscounted', f.id::text from files f where f.user_id = $1 and f.kind = 'FOLDER' and f.purged_at is null
       and f.child_count <> (select count(*) from files c where c.parent_id = f.id and c.trashed_at is null and c.purged_at is null)
     union all select 'same name', min(id::text) from files where user_id = $1 and trashed_at is null and purged_at is null
       group by parent_id, name_key having count(*) > 1
     union all select 'orphan', c.id::text from files c left join files p on p.id = c.parent_id
       where c.user_id = $1 and c.purged_at is null and c.parent_id is not null and p.id is null
     union all select 'not marked', c.id::text from files c join files p on p.id = c.parent_id
       where c.user_id = $1 and p.purged_at is null and c.purged_at is null and c.trashed_at is null
         and c.trash_root_id is distinct from p.trash_root_id
     union all select 'used bytes', a.id::text from accounts a where a.user_id = $1 and a.used_bytes <>
       (select coalesce(sum(p.size), 0) from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id
        where p.account_id = a.id and f.purged_at is null)`,
    [userId],
  )
  return rows
}

describe('changes of one tree at the same time', () => {
  it('of every kind leave no cycle, no wrong count, no name twice and no orphan', async () => {
    const folders = await Promise.all(['a', 'b', 'c', 'd'].map((name) => folder(name)))
    const files = await Promise.all(Array.from({ length: 24 }, (_, index) => file(`${index}.txt`, folders[index % 4])))
    const { viewer } = owner
    let seed = 11
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31
      return Math.floor((seed / 2 ** 31) * below)
    }
    const anyFolder = () => folders[random(folders.length)] ?? null
    const any = () => [...files, ...folders][random(files.length + folders.length)] ?? ''
    const acts: (() => Promise<unknown>)[] = [
      () => domain.files.createFolder(viewer, { name: `n${random(6)}`, parentId: random(3) ? anyFolder() : null }),
      () => domain.files.rename(viewer, any(), `r${random(8)}`),
      () => domain.files.move(viewer, [any()], random(4) ? anyFolder() : null),
      () => domain.files.move(viewer, [any()], anyFolder(), 'FAIL'),
      () => domain.files.move(viewer, [any()], anyFolder(), 'REPLACE'),
      () => domain.files.move(viewer, [any(), any()], anyFolder()),
      () => domain.files.star(viewer, [any()], random(2) === 0),
      () => domain.files.trash(viewer, [any()]),
      () => domain.files.restore(viewer, [any()]),
      () => domain.files.restore(viewer, [any()]),
      () => domain.files.update(viewer, any(), { trashed: false, starred: true }),
      () => domain.files.changeEach(viewer, [any(), any(), any()], { kind: 'RESTORE' }),
      () => domain.files.changeEach(viewer, [any(), any()], { kind: 'MOVE', parentId: anyFolder() }),
    ]
    const refused = new Set<string>()
    for (let round = 0; round < 12; round++) {
      const work = Array.from({ length: 40 }, () => acts[random(acts.length)]?.())
      const deletes = round % 4 === 3 ? [domain.files.discard(viewer, any()), domain.files.remove(viewer, [any()])] : []
      const purge = domain.housekeeping.purge(userId, new AbortController().signal)
      for (const result of await Promise.allSettled([...work, ...deletes])) {
        if (result.status === 'rejected') refused.add(codeOf(result.reason))
      }
      await purge
      expect(await faults(), `round ${round}`).toEqual([])
    }
    expect([...refused].filter((code) => !['NOT_FOUND', 'NAME_TAKEN', 'FOLDER_CYCLE'].includes(code))).toEqual([])
  })

  it('of one entry are done one after the other', async () => {
    const id = await file('a')
    await Promise.all(['b', 'c', 'd'].map((name) => domain.files.rename(owner.viewer, id, name)))
    expect(await names()).toEqual(['d'])
  })

  it('share transactions, and a bad one stops no other', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => file(`${index}`)))
    const before = await commits()
    const results = await Promise.allSettled([
      ...ids.map((id) => domain.files.trash(owner.viewer, [id])),
      domain.files.trash(owner.viewer, ['00000000-0000-7000-8000-000000000000']),
      domain.files.rename(owner.viewer, ids[0] ?? '', 'bad/name'),
    ])
    expect(results.map(({ status }) => status)).toEqual([...ids.map(() => 'fulfilled'), 'rejected', 'rejected'])
    expect((await commits()) - before).toBeLessThan(ids.length / 2)
  })

  it('with one name: one of them gets it', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => domain.files.createFolder(owner.viewer, { name: 'same', parentId: null })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(NameTakenError)
  })

  /** Changes that were published for this user's tree: one event per transaction. */
  async function commits(): Promise<number> {
    return domain.told.length
  }
})

describe('changeEach', () => {
  it('moves what can be moved and says why the rest stays', async () => {
    const target = await folder('target')
    const inner = await folder('inner', target)
    const [one, gone] = [await file('one'), await file('gone')]
    await domain.files.trash(owner.viewer, [gone])
    const missing = '00000000-0000-7000-8000-000000000000'
    await file('taken', inner)
    const taken = await file('taken')
    const outcomes = await domain.files.changeEach(owner.viewer, [one, gone, target, missing, taken], {
      kind: 'MOVE',
      parentId: inner,
      onConflict: 'FAIL',
    })
    expect(outcomes.map(({ id, file, error }) => [id, file?.parentId, error && codeOf(error)])).toEqual([
      [one, inner, null],
      [gone, undefined, 'NOT_FOUND'],
      [target, undefined, 'FOLDER_CYCLE'],
      [missing, undefined, 'NOT_FOUND'],
      [taken, undefined, 'NAME_TAKEN'],
    ])
    expect(outcomes[2]?.error).toBeInstanceOf(FolderCycleError)
    expect(await faults()).toEqual([])
  })

  it('refuses the whole for a target that is not there', async () => {
    const id = await file('a')
    const move = domain.files.changeEach(owner.viewer, [id], { kind: 'MOVE', parentId: id })
    await expect(move).rejects.toThrow(NotFoundError)
  })

  it('trashes, restores, stars and deletes', async () => {
    const ids = [await file('a'), await file('b')]
    const run = async (kind: 'TRASH' | 'RESTORE' | 'REMOVE') =>
      (await domain.files.changeEach(owner.viewer, ids, { kind })).map(
        ({ file }) => file && (file.trashedAt ? 'T' : 'L'),
      )
    expect(await run('TRASH')).toEqual(['T', 'T'])
    expect(await run('RESTORE')).toEqual(['L', 'L'])
    const starred = await domain.files.changeEach(owner.viewer, ids, { kind: 'STAR', starred: true })
    expect(starred.map(({ file }) => file?.starred)).toEqual([true, true])
    expect(await run('REMOVE')).toEqual([null, null])
  })
})

describe('a selection by what its files have in common', () => {
  it('is counted, and changed without what came after', async () => {
    const outer = await folder('outer')
    await fill(outer, 5_300)
    const list = { view: 'DRIVE', parentId: outer } as const
    const summary = await domain.files.summarize(owner.viewer, { list })
    expect(summary).toMatchObject({ count: 5_300, files: 5_300, folders: 0, bytes: 53_000 })
    expect(await domain.files.bytesOf(owner.viewer, { list })).toBe(53_000)
    await domain.pool.query("update files set created_at = now() - interval '1 minute' where user_id = $1", [userId])
    const bounded = { ...list, createdUntil: new Date(summary.asOf.getTime() - 1) }
    await file('late', outer)
    const kept = (await domain.files.list(owner.viewer, { ...list, limit: 1 })).items[0]?.file.id ?? ''

    let after: string | undefined
    let changed = 0
    const spans: Date[] = []
    do {
      const result = await domain.files.changeSelection(owner.viewer, {
        list: { ...bounded, exceptIds: [kept] },
        action: { kind: 'TRASH' },
        after,
      })
      expect(result.failedCount).toBe(0)
      changed += result.changedCount
      spans.push(result.from, result.until)
      after = result.next ?? undefined
    } while (after !== undefined)
    expect(changed).toBe(5_299)
    expect((await names(outer)).sort()).toEqual(['f000001', 'late'])
    expect(await faults()).toEqual([])

    const undo = { view: 'TRASH', trashedFrom: spans[0], trashedUntil: spans.at(-1) } as const
    expect((await domain.files.summarize(owner.viewer, { list: undo })).count).toBe(5_299)
    for (let next: string | null | undefined; next !== null; ) {
      next = (
        await domain.files.changeSelection(owner.viewer, { list: undo, action: { kind: 'RESTORE' }, after: next })
      ).next
    }
    expect((await domain.files.summarize(owner.viewer, { list })).count).toBe(5_301)
    expect(await faults()).toEqual([])
  })

  it('of a search or a filter is exactly what the list shows', async () => {
    const outer = await folder('outer')
    await file('report a', outer)
    await file('report b')
    await file('other')
    const list = { view: 'ALL', query: 'REPORT' } as const
    expect(await domain.files.summarize(owner.viewer, { list })).toMatchObject({ count: 2, bytes: 16 })
    const starred = await domain.files.changeSelection(owner.viewer, { list, action: { kind: 'STAR', starred: true } })
    expect(starred).toMatchObject({ changedCount: 2, next: null })
    expect((await domain.files.summarize(owner.viewer, { list: { view: 'STARRED' } })).count).toBe(2)
  })

  it('names its accounts and what folders hold', async () => {
    const outer = await folder('outer')
    const inside = await file('inside', outer, '12345')
    const which = { ids: [outer, inside] }
    expect(await domain.files.summarize(owner.viewer, which)).toMatchObject({
      count: 2,
      files: 1,
      folders: 1,
      bytes: 5,
    })
    expect(await domain.files.bytesOf(owner.viewer, which)).toBe(5)
    expect(await domain.files.accountsOf(owner.viewer, which)).toEqual([owner.accountId])
    const nothing = await domain.files.summarize(owner.viewer, { ids: [] })
    expect(nothing).toMatchObject({ count: 0, bytes: 0, categories: [] })
    expect(nothing.asOf.getTime()).toBeGreaterThan(0)
  })
})

describe('a big folder', () => {
  const seen = async (query?: string) =>
    (await domain.files.list(owner.viewer, { view: 'ALL', query, limit: 200 })).items.length

  it('that is trashed is out of every list at once, with all that is in it, and back at once', async () => {
    const outer = await folder('outer')
    const inner = await folder('inner', outer)
    await fill(inner, INLINE_ENTRIES + 500)
    await domain.files.trash(owner.viewer, [outer])
    expect(await seen()).toBe(0)
    expect(await seen('f00')).toBe(0)
    await expect(domain.files.list(owner.viewer, { view: 'DRIVE', parentId: inner, limit: 1 })).rejects.toThrow(
      NotFoundError,
    )
    await domain.runJobs()
    expect(await seen()).toBe(0)
    expect((await domain.pool.query('select from files where settling is not null')).rowCount).toBe(0)
    await domain.files.restore(owner.viewer, [outer])
    await domain.runJobs()
    expect(await domain.files.summarize(owner.viewer, { list: { view: 'ALL' } })).toMatchObject({
      count: INLINE_ENTRIES + 502,
    })
    expect(await faults()).toEqual([])
  })

  it('that is deleted permanently is out of every list at once', async () => {
    const outer = await folder('outer')
    await fill(outer, INLINE_ENTRIES + 500)
    await domain.files.remove(owner.viewer, [outer])
    expect(await seen()).toBe(0)
    await domain.runJobs()
    expect((await domain.pool.query('select from files where user_id = $1', [userId])).rowCount).toBe(0)
  })
})

describe('If-Match', () => {
  it('lets a change happen to what the client knows, and to nothing else', async () => {
    const id = await file('a')
    const { viewer } = owner
    const known = etagOf(await domain.files.get(viewer, id))
    await domain.files.rename(viewer, id, 'b', [known, '"other"'])
    const stale: Promise<unknown>[] = [
      domain.files.rename(viewer, id, 'c', [known]),
      domain.files.update(viewer, id, { starred: true }, [known]),
      domain.files.update(viewer, id, { starred: true, name: 'c' }, [known]),
      domain.files.discard(viewer, id, [known]),
      domain.files.remove(viewer, [id], [known]),
    ]
    for (const result of await Promise.allSettled(stale)) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(PreconditionFailedError) })
    }
    const now = await domain.files.get(viewer, id)
    expect(now).toMatchObject({ name: 'b', starred: false, trashedAt: null })
    await domain.files.update(viewer, id, { starred: true, name: 'c' }, [etagOf(now)])
    await domain.files.remove(viewer, [id], [etagOf(await domain.files.get(viewer, id))])
    await expect(domain.files.get(viewer, id)).rejects.toThrow(NotFoundError)
  })
})

describe('paths', () => {
  it('lead to entries in any case, and are made where they are missing, once', async () => {
    const { viewer } = owner
    const made = await Promise.all(
      Array.from({ length: 6 }, () => domain.files.makeFolders(viewer, null, ['Photos', '2024', 'May'])),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(made.flatMap((one) => one.made)).toHaveLength(3)
    expect(await domain.files.byPath(viewer, ['PHOTOS', '2024', 'may'])).toMatchObject({ id: made[0]?.id, name: 'May' })
    await expect(domain.files.byPath(viewer, ['Photos', '2025'])).rejects.toThrow(NotFoundError)
    await file('plain')
    await expect(domain.files.makeFolders(viewer, null, ['plain', 'x'])).rejects.toThrow(NameTakenError)
    expect(await domain.files.makeFolders(viewer, made[0]?.id ?? null, [])).toEqual({ id: made[0]?.id, made: [] })
  })

  it.each([
    ['/a/b/', ['a', 'b']],
    ['a', ['a']],
    ['/', []],
    ['', []],
  ])('%j is %j', (path, expected) => expect(namesOfPath(path)).toEqual(expected))

  it.each(['a//b', '../a', 'a/./b', `a/${'x'.repeat(300)}`, 'a\u0000', Array(101).fill('a').join('/')])(
    '%j is refused',
    (path) =>
      expect(() => namesOfPath(path)).toThrow(
        expect.objectContaining({ fields: [expect.objectContaining({ path: 'path' })] }),
      ),
  )
})
