import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FileSort, ListFiles } from '../../server/domain/files/contract.ts'
import { isHeavy, listStatement, orderOf } from '../../server/domain/files/tree/listing.ts'
import { createOwner } from '../factories/files.ts'
import { bulkRows } from '../setup/bulkRows.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

/** What Skypool has is older than what the accounts have, and the small account's entries are older than the large one's. */
const LARGE = 100_000
const SMALL = 150
const POOLED = 150
const GB = 10 ** 9

let domain: FilesDomain
let owner: Awaited<ReturnType<typeof createOwner>>
const [large, small] = [randomUUID(), randomUUID()]

beforeAll(async () => {
  domain = await startFilesDomain()
  owner = await createOwner(domain.pool)
  await bulkRows(domain.pool, 'files', () => fill(LARGE, large, 0))
  await fill(SMALL, small, 400)
  await fill(POOLED, null, 800)
  await domain.pool.query('vacuum analyze files')
})

afterAll(() => domain.close())

/** Files of less than 1 GB within a year (about 300 of at least 0.997 GB), at least so many days old; every thousandth is a document without a size. */
async function fill(count: number, accountId: string | null, daysOld: number): Promise<void> {
  await domain.pool.query(
    `insert into files (id, user_id, account_id, kind, name, name_key, sort_key, search_key, category, size, native, updated_at)
     select gen_random_uuid(), $1, $2::uuid, 'FILE', n, n, n, n, 'TEXT', case when i % 1000 = 0 then 0 else (random() * 1e9)::bigint end,
       i % 1000 = 0 and $2::uuid is not null, now() - $4::int * interval '1 day' - random() * interval '300 days'
     from (select i, 'report ' || md5(i::text || coalesce($2::uuid::text, '')) as n from generate_series(1, $3::int) i) numbered`,
    [owner.viewer.userId, accountId, count, daysOld],
  )
}

async function buffersOf(options: ListFiles): Promise<number> {
  const { text, values } = listStatement(owner.viewer, options, orderOf(options, false))
  const { rows } = await domain.pool.query(`explain (analyze, buffers, format json) ${text}`, [...values])
  const { Plan: plan } = rows[0]['QUERY PLAN'][0]
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
const SORTS: (FileSort | undefined)[] = [
  undefined,
  { field: 'NAME', direction: 'ASC' },
  { field: 'SIZE', direction: 'DESC' },
]

const FILTERS: [string, Partial<ListFiles>, number][] = [
  ['what Skypool has', { home: 'POOL' }, POOLED],
  ['what accounts have', { home: 'ACCOUNT' }, LARGE + SMALL],
  ['a small account', { accountId: small }, SMALL],
  ['a large account', { accountId: large }, LARGE],
  ['few large files', { minSize: 0.997 * GB }, Number.NaN],
  ['many files by size', { minSize: 1, maxSize: 0.5 * GB }, Number.NaN],
  ['few new ones', { modifiedAfter: daysAgo(1) }, Number.NaN],
  ['few old ones', { modifiedBefore: daysAgo(790) }, POOLED],
  ['a year', { modifiedAfter: daysAgo(365) }, LARGE],
  ['all at once', { accountId: small, minSize: 1, modifiedBefore: daysAgo(390) }, SMALL],
]

describe.each(FILTERS)('a page of %s among 100,000', (_name, filter, count) => {
  it.each(SORTS)('reads few rows, wherever it begins, by %j', async (sort) => {
    const options: ListFiles = { view: 'ALL', ...filter, sort, limit: 50 }
    expect(isHeavy(options)).toBe(true)
    expect(await buffersOf(options)).toBeLessThan(3_000)
    const first = await domain.files.list(owner.viewer, { ...options, limit: 100 })
    expect(first.items.length).toBe(Number.isNaN(count) ? 100 : Math.min(100, count))
    const after = first.items.at(-1)?.cursor
    expect(await buffersOf({ ...options, after })).toBeLessThan(3_000)
  })
})

describe('filters', () => {
  const all = async (filter: Partial<ListFiles>) => {
    const files = []
    for (let after: string | undefined; ; ) {
      const page = await domain.files.list(owner.viewer, { view: 'ALL', ...filter, limit: 77, after })
      files.push(...page.items.map(({ file }) => file))
      after = page.items.at(-1)?.cursor
      if (!page.hasNextPage) return files
    }
  }

  it('of homes and accounts list each entry once, in its order', async () => {
    const pooled = await all({ home: 'POOL' })
    expect([pooled.length, new Set(pooled.map(({ accountId }) => accountId))]).toEqual([POOLED, new Set([null])])
    const ofSmall = await all({ accountId: small })
    expect(new Set(ofSmall.map(({ id }) => id)).size).toBe(SMALL)
    const times = ofSmall.map(({ updatedAt }) => updatedAt.getTime())
    expect(times).toEqual(times.toSorted((a, b) => b - a))
  })

  it('of sizes are inclusive, and leave out documents without a size', async () => {
    const sizes = await all({ accountId: small, sort: { field: 'SIZE', direction: 'ASC' } })
    const [least, most] = [sizes[10]?.size ?? 0, sizes[20]?.size ?? 0]
    const between = await all({ accountId: small, minSize: least, maxSize: most })
    expect(between.map(({ size }) => size).toSorted((a, b) => a - b)).toEqual(
      sizes.slice(10, 21).map(({ size }) => size),
    )
    const empty = await all({ maxSize: 0 })
    expect(empty.filter(({ isNative }) => isNative)).toEqual([])
  })

  it('of times begin at the first and end before the last', async () => {
    const [newest, , third] = await all({ accountId: small })
    const between = { modifiedAfter: third?.updatedAt, modifiedBefore: newest?.updatedAt }
    const found = await all({ accountId: small, ...between })
    expect(found.map(({ id }) => id)).toContain(third?.id)
    expect(found.map(({ id }) => id)).not.toContain(newest?.id)
    expect(found).toHaveLength(2)
  })

  it('are the same for summaries of everything', async () => {
    const list = { view: 'ALL', accountId: small, minSize: 1, modifiedBefore: daysAgo(0) } as const
    const { count, bytes } = await domain.files.summarize(owner.viewer, { list })
    const files = await all(list)
    expect([count, bytes]).toEqual([files.length, files.reduce((sum, { size }) => sum + size, 0)])
  })
})
