import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listStatement } from '../../server/domain/files/listing.ts'
import { orderOf } from '../../server/domain/files/order.ts'
import type { FileSort, FileView, ListFiles } from '../../server/domain/services.ts'
import { createFile, createFolder, createOwner } from '../factories/files.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

const ROWS = 100_000
/** 8 KiB pages that 51 rows and the way down an index may touch, each row in a page of its own. */
const MOST_BUFFERS = 200

type Plan = {
  readonly 'Node Type': string
  readonly 'Actual Loops': number
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
  await fill(folderId, ROWS)
  // The planner must not be led astray by what most folders are like.
  for (let index = 0; index < 200; index++) {
    await fill(await createFolder(domain, { userId: owner.viewer.userId }), 5)
  }
  await createFile(domain, { userId: owner.viewer.userId, name: 'Отчёт 報告書.txt' })
  await domain.pool.query('vacuum analyze files')
}, 120_000)

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

/** The plan as a running server uses it: prepared once for all values, or made for these values where the service asks for that. */
async function planOf(options: ListFiles): Promise<Plan> {
  const order = orderOf(options, options.view === 'DRIVE' && !options.query)
  const { name, text, values } = listStatement(owner.viewer, options, order)
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

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
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

  it('finds names of every script', async () => {
    for (const query of ['отчет', '告', 'Т 報']) {
      const { items } = await domain.files.list(owner.viewer, { view: 'ALL', query, limit: 5 })
      expect(items.map(({ file }) => file.name)).toEqual(['Отчёт 報告書.txt'])
    }
  })

  it('a word that is in every name stops with the page', async () => {
    const plan = await planOf({ view: 'ALL', query: 'report', limit: 50 })
    expect(buffersOf(plan)).toBeLessThan(MOST_BUFFERS)
  })
})
