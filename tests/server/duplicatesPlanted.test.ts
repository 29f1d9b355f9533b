import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DuplicateGroup, ListDuplicates } from '../../server/domain/duplicates/contract.ts'
import { listStatement } from '../../server/domain/duplicates/listing.ts'
import { createDuplicatesService } from '../../server/domain/duplicates/service.ts'
import { plantDuplicates } from '../factories/duplicates.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

/** DUPLICATES=all plants as many as a large user has. */
const SCALE = process.env.DUPLICATES === 'all' ? { files: 100_000, groups: 10_000 } : { files: 3_000, groups: 300 }

let domain: FilesDomain
let service: ReturnType<typeof createDuplicatesService>
let planted: Awaited<ReturnType<typeof plantDuplicates>>

beforeAll(async () => {
  domain = await startFilesDomain()
  service = createDuplicatesService(domain.deps)
  planted = await plantDuplicates(domain.pool, SCALE)
  const started = performance.now()
  await domain.duplicates.check(planted.owner.viewer.userId, new AbortController().signal)
  report('all files checked', started)
  await domain.pool.query('vacuum analyze')
})
afterAll(() => domain?.close())

function report(what: string, started: number): void {
  if (process.env.DUPLICATES === 'all') console.log(`${what}: ${(performance.now() - started).toFixed(1)} ms`)
}

async function all(options: Partial<ListDuplicates> = {}): Promise<DuplicateGroup[]> {
  const groups: DuplicateGroup[] = []
  for (let after: string | undefined; ; ) {
    const page = await service.list(planted.owner.viewer, { limit: 200, after, ...options })
    groups.push(...page.items.map(({ group }) => group))
    if (!page.hasNextPage) return groups
    after = page.items.at(-1)?.cursor
  }
}

const keyOf = (certain: boolean, fileIds: readonly string[]) => `${certain} ${[...fileIds].sort().join(' ')}`
const found = (groups: readonly DuplicateGroup[]) =>
  groups
    .map(({ certainty, files }) =>
      keyOf(
        certainty === 'CERTAIN',
        files.map(({ id }) => id),
      ),
    )
    .sort()
const expected = (certain?: boolean) =>
  planted.expected
    .filter((one) => certain === undefined || one.certain === certain)
    .map((one) => keyOf(one.certain, one.fileIds))
    .sort()

describe('groups planted in three accounts and the pool', () => {
  it('are found: none is missing, none is wrong', async () => {
    const groups = await all()
    expect(new Set(found(groups)).size).toBe(groups.length)
    expect(found(groups)).toEqual(expected())
    expect(found(await all({ certainty: 'CERTAIN' }))).toEqual(expected(true))
    expect(found(await all({ certainty: 'LIKELY' }))).toEqual(expected(false))
    const wastes = groups.map(({ reclaimableBytes }) => reclaimableBytes)
    expect(wastes).toEqual([...wastes].sort((a, b) => b - a))
    for (const { fileCount, files, size, reclaimableBytes } of groups) {
      expect([fileCount, reclaimableBytes]).toEqual([files.length, size * (files.length - 1)])
    }
    if (process.env.DUPLICATES === 'all') console.log(`${groups.length} groups found of ${expected().length} planted`)
  })

  it('are filtered by account, pool and size, and summed', async () => {
    const { accounts, rows, owner } = planted
    const place = new Map(rows.map((row) => [row.id, row]))
    const having = (accountId: string | null) =>
      planted.expected
        .filter(({ fileIds }) => fileIds.some((id) => place.get(id)?.accountId === accountId))
        .map((one) => keyOf(one.certain, one.fileIds))
        .sort()
    expect(found(await all({ accountId: accounts.box }))).toEqual(having(accounts.box))
    expect(found(await all({ home: 'POOL' }))).toEqual(having(null))
    const minSize = 1000 + Math.floor(SCALE.groups / 2) * 7
    const large = planted.expected.filter(({ fileIds }) => (place.get(fileIds[0] ?? '')?.size ?? 0) >= minSize)
    expect(await all({ minSize })).toHaveLength(large.length)

    const sums = await service.summary(owner.viewer, {})
    const wasted = (certain: boolean) =>
      planted.expected
        .filter((one) => one.certain === certain)
        .reduce((sum, { fileIds }) => sum + (place.get(fileIds[0] ?? '')?.size ?? 0) * (fileIds.length - 1), 0)
    expect(sums).toMatchObject({
      certainGroups: expected(true).length,
      certainBytes: wasted(true),
      likelyGroups: expected(false).length,
      likelyBytes: wasted(false),
      isComplete: true,
    })
    for (const keep of ['OLDEST', 'NEWEST'] as const) {
      const places = await service.reclaimable(owner.viewer, {}, { keep })
      expect(places.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(wasted(true))
    }
    // Only groups with a file there lose the others; the ones there but the oldest go too.
    const kept = await service.reclaimable(owner.viewer, {}, { keep: 'ACCOUNT', accountId: accounts.box })
    const concerned = planted.expected.filter(
      (one) => one.certain && one.fileIds.some((id) => place.get(id)?.accountId === accounts.box),
    )
    expect(kept.reduce((sum, { files }) => sum + files, 0)).toBe(
      concerned.reduce((sum, { fileIds }) => sum + fileIds.length - 1, 0),
    )
  })

  it('are read page by page through an index, whatever their number', async () => {
    const { viewer } = planted.owner
    const started = performance.now()
    await service.list(viewer, { limit: 50 })
    report('first page', started)
    const again = performance.now()
    const page = await service.list(viewer, { limit: 50 })
    report('first page again', again)
    const summed = performance.now()
    await service.summary(viewer, {})
    report('sums', summed)
    for (const options of [{}, { certainty: 'CERTAIN' as const }, { accountId: planted.accounts.box }]) {
      const { text, values } = listStatement(viewer, { limit: 50, after: page.items[20]?.cursor, ...options })
      const { rows } = await domain.pool.query(`explain (analyze, buffers, format json) ${text}`, values)
      const plan = rows[0]['QUERY PLAN'][0].Plan
      expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(600)
    }
  })

  it('vanish when all but one file is in the trash, and return with them', async () => {
    const { pool } = domain
    const { viewer } = planted.owner
    const before = found(await all())
    const surplus = planted.expected.flatMap(({ fileIds }) => fileIds.slice(1))
    await pool.query('update files set trashed_at = now(), trash_root_id = id where id = any($1::uuid[])', [surplus])
    await domain.duplicates.check(viewer.userId, new AbortController().signal)
    expect(await all()).toEqual([])
    expect(await service.summary(viewer, {})).toMatchObject({ certainGroups: 0, certainBytes: 0, likelyGroups: 0 })
    await pool.query('update files set trashed_at = null, trash_root_id = null where id = any($1::uuid[])', [surplus])
    await domain.duplicates.check(viewer.userId, new AbortController().signal)
    expect(found(await all())).toEqual(before)
  })
})
