import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FileSort, FileView, ListFiles } from '../../server/domain/files/contract.ts'
import {
  createLargeOwners,
  isHeavy,
  listFiles,
  listStatement,
  orderOf,
} from '../../server/domain/files/tree/listing.ts'
import { createFile, createFolder, createOwner } from '../factories/files.ts'
import { bulkRows, withoutForeignKeys } from '../setup/bulkRows.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

const ROWS = 100_000
/** 8 KiB pages that 51 rows and the index path to them may touch, if each row is in a different page. */
const MOST_BUFFERS = 200

type Plan = {
  readonly 'Node Type': string
  readonly 'Actual Loops': number
  readonly 'Index Cond'?: string
  readonly 'Relation Name'?: string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

let domain: FilesDomain
let owner: Awaited<ReturnType<typeof createOwner>>
let folderId: string

beforeAll(async () => {
  domain = await startFilesDomain()
  owner = await createOwner(domain.pool)
  folderId = await createFolder(domain, { userId: owner.viewer.userId, name: 'big' })
  await bulkRows(domain.pool, 'files', () => fill(folderId, ROWS))
  // Statistics of typical folders must not lead the planner to a bad plan.
  for (let index = 0; index < 200; index++) {
    await fill(await createFolder(domain, { userId: owner.viewer.userId }), 5)
  }
  await createFile(domain, { userId: owner.viewer.userId, name: 'Отчёт 報告書.txt' })
  await domain.pool.query('vacuum analyze files')
})

afterAll(() => domain.close())

async function fill(parentId: string, count: number): Promise<void> {
  await domain.pool.query(
    `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, size, updated_at, starred, share_count)
     select gen_random_uuid(), $1, $2, 'FILE', n, n, n, n, 'TEXT', (random() * 1e9)::bigint, now() - random() * interval '1 year',
       i % 1000 = 0, i % 1000
     from (select i, 'report ' || md5(i::text) as n from generate_series(1, $3::int) i) numbered`,
    [owner.viewer.userId, parentId, count],
  )
}

/**
 * The plan that a running server uses: a generic prepared one, or one for these values where the service requests that.
 */
async function planOf(options: ListFiles, ownsMost = false): Promise<Plan> {
  const order = orderOf(options, options.view === 'DRIVE' && !options.query)
  const { name, text, values } = listStatement(owner.viewer, options, order, ownsMost)
  const client = await domain.pool.connect()
  try {
    await client.query(`set plan_cache_mode = ${name ? 'force_generic_plan' : 'force_custom_plan'}`)
    await client.query(`prepare page as ${text}`)
    const literals = values.map((value) => client.escapeLiteral(String(value)))
    const { rows } = await client.query(`explain (analyze, buffers, format json) execute page(${literals})`)
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.query('deallocate page')
    await client.query('reset plan_cache_mode')
    client.release()
  }
}

/** Tables with a few rows per account, and of uploads that have just arrived: read for entries in accounts only. */
const SMALL = new Set(['protections', 'account_indexes', 'account_uploads'])

/** Without scans of small tables. */
const nodesOf = (plan: Plan): Plan[] =>
  SMALL.has(plan['Relation Name'] ?? '') ? [] : [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
const buffersOf = (plan: Plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

async function expectIndexScans(options: ListFiles): Promise<void> {
  const plan = await planOf(options)
  const types = nodesOf(plan).map((node) => node['Node Type'])
  expect(types.filter((type) => /Sort|Seq Scan|Bitmap/.test(type))).toEqual([])
  expect(buffersOf(plan)).toBeLessThan(MOST_BUFFERS)
}

const SORTS: FileSort[] = (['NAME', 'MODIFIED', 'SIZE'] as const).flatMap((field) =>
  (['ASC', 'DESC'] as const).map((direction) => ({ field, direction })),
)

describe('a page of a folder of 100,000 files', () => {
  it.each(SORTS)('by $field $direction is an index scan, wherever it begins', async (sort) => {
    const options: ListFiles = { view: 'DRIVE', parentId: folderId, sort, limit: 50 }
    await expectIndexScans(options)
    const first = await domain.files.list(owner.viewer, { ...options, limit: 200 })
    await expectIndexScans({ ...options, after: first.items.at(-1)?.cursor })
  })
})

describe('a page of a flat view of 100,000 files', () => {
  it.each(SORTS.map((sort) => ({ view: 'ALL' as FileView, sort })))(
    '$view by $sort.field $sort.direction is an index scan, wherever it begins',
    async ({ view, sort }) => {
      await expectIndexScans({ view, sort, limit: 50 })
      const first = await domain.files.list(owner.viewer, { view, sort, limit: 200 })
      await expectIndexScans({ view, sort, limit: 50, after: first.items.at(-1)?.cursor })
    },
  )

  it.each<FileView>(['STARRED', 'SHARED', 'TRASH'])('%s by its own order is an index scan', async (view) => {
    await expectIndexScans({ view, limit: 50 })
  })
})

describe('what is at risk among 100,000 files', () => {
  it('is read from an index of its own, few or many', async () => {
    const states: ListFiles['states'] = ['AT_RISK']
    await expectIndexScans({ view: 'ALL', states, limit: 50 })
    const mark = "update files set state = 'AT_RISK' where user_id = $1 and starred and kind = 'FILE'"
    await domain.pool.query(mark, [owner.viewer.userId])
    await domain.pool.query('analyze files')
    await expectIndexScans({ view: 'ALL', states, limit: 50 })
    const page = await domain.files.list(owner.viewer, { view: 'ALL', states, limit: 200 })
    expect(page.items).toHaveLength(ROWS / 1000)
  })
})

describe('search among 100,000 names', () => {
  it.each(['0cc175b9', 'ffff', 'no such name', 'отчет', '告'])(
    '%j reads the trigram index, not the rows',
    async (query) => {
      const plan = await planOf({ view: 'ALL', query, limit: 50 })
      expect(nodesOf(plan).map((node) => node['Node Type'])).toContain('Bitmap Index Scan')
      expect(buffersOf(plan)).toBeLessThan(2_000)
    },
  )

  it('does not look up an ending that many names have', async () => {
    const plan = await planOf({ view: 'ALL', query: 'No such name.txt', limit: 50 })
    const lookUp = nodesOf(plan).find((node) => node['Node Type'] === 'Bitmap Index Scan')
    expect(lookUp?.['Index Cond']).toContain("'%no such name.%'")
  })

  it('of a user who owns most entries reads only the lists of the text', async () => {
    const options: ListFiles = { view: 'ALL', query: 'ffff', limit: 50 }
    const [plan, ofAll] = [await planOf(options), await planOf(options, true)]
    const conditionOf = (one: Plan) =>
      nodesOf(one).find((node) => node['Node Type'] === 'Bitmap Index Scan')?.['Index Cond']
    expect(conditionOf(plan)).toContain('user_id')
    expect(conditionOf(ofAll)).toContain('ffff')
    expect(conditionOf(ofAll)).not.toContain('user_id')
    expect(buffersOf(ofAll)).toBeLessThan(buffersOf(plan))
    const stranger = await createOwner(domain.pool)
    await createFile(domain, { userId: stranger.viewer.userId, name: 'report ffff of a stranger' })
    const [page, same] = await Promise.all(
      [false, true].map((most) => listFiles(domain.pool, owner.viewer, options, most)),
    )
    expect(page?.items.length).toBeGreaterThan(0)
    expect(same).toEqual(page)
    expect((await listFiles(domain.pool, stranger.viewer, options, true)).items).toHaveLength(1)
  })

  it('knows from statistics who owns most entries, and asks for them every ten minutes', async () => {
    const stranger = await createOwner(domain.pool)
    let now = 0
    const owners = createLargeOwners(domain.pool, () => now)
    const known = () => Promise.all([owner, stranger].map(({ viewer }) => owners.includes(viewer.userId)))
    expect(await known()).toEqual([true, false])
    const fillTheirs = `insert into files (id, user_id, kind, name, name_key, sort_key, search_key, category, purged_at)
       select gen_random_uuid(), $1, 'FILE', n, n, n, n, 'TEXT', now() from (select 'theirs ' || i as n from generate_series(1, $2::int) i) numbered`
    // As after a large folder was deleted: such entries are in few indexes, and count as the others do.
    await withoutForeignKeys(domain.pool, 'files', () =>
      domain.pool.query(fillTheirs, [stranger.viewer.userId, ROWS / 2]),
    )
    await domain.pool.query('analyze files')
    now = 599_999
    expect(await known()).toEqual([true, false])
    now = 600_000
    expect(await known()).toEqual([true, true])
    await withoutForeignKeys(domain.pool, 'files', () =>
      domain.pool.query('delete from files where user_id = $1', [stranger.viewer.userId]),
    )
    await domain.pool.query('vacuum analyze files')
  })

  it('finds names of every script', async () => {
    for (const query of ['отчет', '告', 'Т 報']) {
      const { items } = await domain.files.list(owner.viewer, { view: 'ALL', query, limit: 5 })
      expect(items.map(({ file }) => file.name)).toEqual(['Отчёт 報告書.txt'])
    }
  })

  it('a word that is in every name stops with the page', async () => {
    for (const ownsMost of [false, true]) {
      const plan = await planOf({ view: 'ALL', query: 'report', limit: 50 }, ownsMost)
      expect(buffersOf(plan)).toBeLessThan(MOST_BUFFERS)
    }
  })

  it.each<[string, FileView]>([
    ['r', 'ALL'],
    ['re', 'ALL'],
    ['ep', 'ALL'],
    ['%', 'ALL'],
    ['re', 'STARRED'],
    ['x', 'SHARED'],
    ['re', 'TRASH'],
  ])('%j in %s looks at few rows, however many there are', async (query, view) => {
    const plan = await planOf({ view, query, limit: 50 })
    expect(nodesOf(plan).map((node) => node['Node Type'])).not.toContain('Seq Scan')
    expect(nodesOf(plan).map((node) => node['Node Type'])).not.toContain('Bitmap Heap Scan')
    expect(buffersOf(plan)).toBeLessThan(6_000)
  })

  it('one and two letters are found at the beginning of all names, and anywhere in those changed last', async () => {
    const find = async (query: string, name: string) => {
      const { items } = await domain.files.list(owner.viewer, { view: 'ALL', query, limit: 5 })
      return [query, items.map(({ file }) => file.name).includes(name)]
    }
    const old = await createFile(domain, { userId: owner.viewer.userId, name: 'Ýq vxz' })
    await domain.pool.query("update files set updated_at = now() - interval '2 years' where id = $1", [old])
    for (const name of ['Zü', '7', '00 first', '%x', 'Über', '~'])
      await createFile(domain, { userId: owner.viewer.userId, name })
    expect(await find('Z', 'Zü')).toEqual(['Z', true])
    expect(await find('zu', 'Zü')).toEqual(['zu', true])
    expect(await find('yq', 'Ýq vxz')).toEqual(['yq', true])
    expect(await find('vx', 'Ýq vxz')).toEqual(['vx', false])
    expect(await find('vxz', 'Ýq vxz')).toEqual(['vxz', true])
    expect(await find('u', 'Über')).toEqual(['u', true])
    expect(await find('7', '7')).toEqual(['7', true])
    expect(await find('00', '00 first')).toEqual(['00', true])
    expect(await find('%', '%x')).toEqual(['%', true])
    expect(await find('~', '~')).toEqual(['~', true])
    expect(await find('t', '00 first')).toEqual(['t', true])
  })

  it('as long as a name can be is one look-up, longer is refused', async () => {
    const name = `${'long name of many words '.repeat(10)}end`
    await createFile(domain, { userId: owner.viewer.userId, name })
    const query = name.slice(3, 240)
    const plan = await planOf({ view: 'ALL', query, limit: 50 })
    expect(buffersOf(plan)).toBeLessThan(500)
    const { items } = await domain.files.list(owner.viewer, { view: 'ALL', query, limit: 5 })
    expect(items.map(({ file }) => file.name)).toEqual([name])
    const other = `${query.slice(0, -1)}#`
    expect((await domain.files.list(owner.viewer, { view: 'ALL', query: other, limit: 5 })).items).toEqual([])
    await expect(domain.files.list(owner.viewer, { view: 'ALL', query: 'x'.repeat(256), limit: 5 })).rejects.toThrow(
      'Please search for at most 255 characters.',
    )
  })
})

describe('where one folder holds all files', () => {
  const QUERIES = ['re', 'r', '%', 'report', undefined]

  beforeAll(async () => {
    await domain.pool.query('delete from files where parent_id is distinct from $1 and id <> $1', [folderId])
    await domain.pool.query('vacuum analyze files')
  })

  it.each(QUERIES)('a page with the query %j reads few rows', async (query) => {
    const plan = await planOf({ view: 'ALL', query, limit: 50 })
    expect(nodesOf(plan).map((node) => node['Node Type'])).not.toContain('Seq Scan')
    expect(buffersOf(plan)).toBeLessThan(query && query.length < 3 ? 6_000 : MOST_BUFFERS)
  })

  it('one and two letters read few rows while the folder is deleted, and find nothing in it', async () => {
    const mark = 'update files set purged_at = now(), settling = gen_random_uuid() where id = $1'
    await domain.pool.query(mark, [folderId])
    for (const query of ['re', 'r', '%']) {
      expect(buffersOf(await planOf({ view: 'ALL', query, limit: 50 }))).toBeLessThan(12_000)
      expect((await domain.files.list(owner.viewer, { view: 'ALL', query, limit: 5 })).items).toEqual([])
    }
  })
})

describe('pages that a user may read only a few of at once', () => {
  it('are those with many entries, a search or a filter', () => {
    const page: ListFiles = { view: 'ALL', limit: 100 }
    expect(isHeavy(page)).toBe(false)
    expect(isHeavy({ ...page, limit: 101 })).toBe(true)
    expect(isHeavy({ ...page, query: 'a' })).toBe(true)
    expect(isHeavy({ ...page, states: ['AT_RISK'] })).toBe(true)
  })
})
