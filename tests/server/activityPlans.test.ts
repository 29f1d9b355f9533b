import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CURSOR, listStatement } from '../../server/domain/activity/service.ts'
import { AT_RISK, countAtRisk, storageByType, USAGE } from '../../server/domain/files/service.ts'
import { createOwner } from '../factories/files.ts'
import { bulkRows } from '../setup/bulkRows.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

const ROWS = 100_000
/** 8 KiB pages that 51 rows and the index path to them may touch, if each row is in a different page. */
const MOST_BUFFERS = 200

type Options = Parameters<typeof listStatement>[1]
type Plan = {
  readonly 'Node Type': string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

let domain: FilesDomain
let owner: Awaited<ReturnType<typeof createOwner>>

beforeAll(async () => {
  domain = await startFilesDomain()
  owner = await createOwner(domain.pool)
  const { userId } = owner.viewer
  const addActivities = () =>
    domain.pool.query(
      `insert into activities (id, user_id, at, actor_kind, actor_name, action, subject_type, subject_id, file_ids, subject_name, search_key)
     select gen_random_uuid(), $1, now() - i * interval '4 minutes', 'SESSION', 'Chrome on Linux',
       case when i % 1000 = 0 then 'KEY_CREATED' else 'FILE_RENAMED' end, 'File', gen_random_uuid(), array[gen_random_uuid(), gen_random_uuid()], 'report ' || i,
       'chrome on linux' || chr(10) || 'report ' || md5(i::text)
     from generate_series(1, $2::int) i`,
      [userId, ROWS],
    )
  const addFiles = () =>
    domain.pool.query(
      `insert into files (id, user_id, kind, name, name_key, sort_key, search_key, category, size, state)
     select gen_random_uuid(), $1, 'FILE', n, n, n, n, (array['TEXT', 'IMAGE', 'PDF'])[1 + i % 3]::"FileCategory", i,
       case when i % 100 = 0 then 'AT_RISK' else 'STORED' end::"FileState"
     from (select i, 'file ' || i as n from generate_series(1, $2::int) i) numbered`,
      [userId, ROWS],
    )
  await bulkRows(domain.pool, 'activities', addActivities)
  await bulkRows(domain.pool, 'files', addFiles)
  await domain.pool.query('vacuum analyze activities, files')
})
afterAll(() => domain.close())

async function planOf(options: Options): Promise<Plan> {
  const { text, values } = listStatement(owner.viewer, options)
  const { rows } = await domain.pool.query(`explain (analyze, buffers, format json) ${text}`, values)
  return rows[0]['QUERY PLAN'][0].Plan
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

async function expectCheap(options: Options, { sorts = false } = {}): Promise<void> {
  const plan = await planOf(options)
  const types = nodesOf(plan).map((node) => node['Node Type'])
  expect(types.filter((type) => /Seq Scan/.test(type) || (!sorts && /^Sort|Bitmap/.test(type)))).toEqual([])
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(MOST_BUFFERS)
}

async function cursorAt(index: number): Promise<string> {
  const { rows } = await domain.pool.query(
    'select id, at from activities where user_id = $1 order by at desc, id desc offset $2 limit 1',
    [owner.viewer.userId, index],
  )
  return CURSOR.encode(rows[0])
}

describe('a page of 100,000 entries', () => {
  it.each([0, 50_000, 99_000])('costs the same after %i of them', async (index) => {
    await expectCheap({ limit: 50, after: await cursorAt(index) })
  })

  it('costs as little for what is said often', async () => {
    await expectCheap({ limit: 50, query: 'chrome' })
  })

  it('costs as little for what is said once, and for one thing', async () => {
    await expectCheap({ limit: 50, query: 'c4ca4238a0b923820dcc509a6f75849b' }, { sorts: true })
    const { rows } = await domain.pool.query('select subject_id from activities limit 1')
    await expectCheap({ limit: 50, subjectId: rows[0].subject_id }, { sorts: true })
  })

  it('costs as little for one file among others', async () => {
    const { rows } = await domain.pool.query('select file_ids from activities limit 1')
    await expectCheap({ limit: 50, fileId: rows[0].file_ids[1] }, { sorts: true })
  })

  it('costs as little for rare actions', async () => {
    await expectCheap({ limit: 50, actions: ['KEY_REVOKED'] }, { sorts: true })
    await expectCheap({ limit: 50, actions: ['KEY_CREATED', 'KEY_REVOKED'] }, { sorts: true })
    await expectCheap({ limit: 50, actions: ['FILE_RENAMED', 'KEY_CREATED'] })
  })
})

describe('the figures of 100,000 files', () => {
  it('are right', async () => {
    const usage = await storageByType(domain.pool, owner.viewer)
    expect(usage.map(({ category, files }) => [category, files])).toEqual([
      ['IMAGE', 33_334],
      ['PDF', 33_333],
      ['TEXT', 33_333],
    ])
    expect(usage.reduce((sum, { bytes }) => sum + bytes, 0)).toBe((ROWS * (ROWS + 1)) / 2)
    expect(await countAtRisk(domain.pool, owner.viewer)).toBe(ROWS / 100)
  })

  it.each([USAGE, AT_RISK])('can be read from an index', async ({ text }) => {
    const client = await domain.pool.connect()
    try {
      // For all files in the database, reading the whole table is acceptable.
      await client.query('set enable_seqscan = off')
      const { rows } = await client.query(`explain (format json) ${text}`, [owner.viewer.userId])
      const types = nodesOf(rows[0]['QUERY PLAN'][0].Plan).map((node) => node['Node Type'])
      expect(types.filter((type) => /Scan/.test(type)).join()).toMatch(/^Index (Only )?Scan$/)
    } finally {
      client.release(true)
    }
  })
})
