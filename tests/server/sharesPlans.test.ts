import { afterAll, beforeAll, expect, it } from 'vitest'
import { listStatement, orderOf } from '../../server/domain/files/tree/listing.ts'
import { DUE, LINKS_DUE } from '../../server/domain/shares/providerLinks.ts'
import { MONTHS, MOST_COUNTED } from '../../server/domain/shares/visits.ts'
import { newId } from '../../server/lib/ids.ts'
import { createFolder, createOwner } from '../factories/files.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

const ROWS = 50_000
/** 8 KiB pages; all shares take more than a thousand. */
const MOST_BUFFERS = 150

let domain: FilesDomain

beforeAll(async () => {
  domain = await startFilesDomain()
  const { userId } = (await createOwner(domain.pool)).viewer
  await domain.pool.query(
    `insert into files (id, user_id, kind, name, name_key, sort_key, search_key, category, size, state)
     select gen_random_uuid(), $1, 'FILE', n, n, n, n, 'TEXT', 1, 'STORED'
     from (select 'file ' || i as n from generate_series(1, $2::int) i) numbered`,
    [userId, ROWS],
  )
  // Half of them have ended, each way; of the others most expire some day or have a limit.
  await domain.pool.query(
    `insert into shares (id, user_id, file_id, expires_at, max_downloads, downloads, ended_at)
     select gen_random_uuid(), user_id, id, case when i % 3 = 0 then now() + (i - $1 / 2) * interval '1 minute' end,
       case when i % 3 = 1 then 5 end, case when i < $1 / 2 then 5 else 1 end, case when i <= $1 / 2 then now() end
     from (select id, user_id, row_number() over ()::int as i from files) numbered`,
    [ROWS],
  )
  await domain.pool.query('vacuum analyze shares, files')
})
afterAll(() => domain.close())

it.each([
  ['shares that have run out', DUE, []],
  ['links of cloud drives to be taken back', LINKS_DUE, ['00000000-0000-0000-0000-000000000000']],
])('%s are looked for every minute without reading those that have not', async (_what, text, values) => {
  const { rows } = await domain.pool.query(`explain (analyze, buffers, format json) ${text}`, values)
  const plan = rows[0]['QUERY PLAN'][0].Plan
  expect(JSON.stringify(plan)).not.toMatch(/"Seq Scan"[^{}]*"Relation Name":"(shares|files)"/)
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(MOST_BUFFERS)
})

it('photos of a shared folder are read from an index, however many there are: a page, and their months', async () => {
  const { viewer } = await createOwner(domain.pool)
  const parentId = await createFolder(domain, { userId: viewer.userId, name: 'photos' })
  await domain.pool.query(
    `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, size, state, taken_at)
     select gen_random_uuid(), $1, $2, 'FILE', n, n, n, n, (case when i % 4 = 0 then 'TEXT' else 'IMAGE' end)::"FileCategory", 1, 'STORED',
       case when i % 3 > 0 then now() - i * interval '1 hour' end
     from (select i, 'photo ' || i as n from generate_series(1, $3::int) i) numbered`,
    [viewer.userId, parentId, ROWS],
  )
  await domain.pool.query('vacuum analyze files')
  const options = { view: 'DRIVE', parentId, sort: { field: 'TAKEN', direction: 'DESC' }, limit: 100 } as const
  const page = await domain.files.list(viewer, options)
  const order = orderOf(options, true)
  const plans = [
    await genericPlan(listStatement(viewer, options, order)),
    await genericPlan(listStatement(viewer, { ...options, after: page.items.at(-1)?.cursor }, order)),
  ]
  for (const plan of plans) {
    expect(JSON.stringify(plan)).not.toMatch(/"Node Type":"(Seq Scan|Sort|Bitmap Heap Scan)"/)
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(MOST_BUFFERS)
  }
  const months = JSON.stringify(await genericPlan({ ...MONTHS, values: [viewer.userId, parentId] }))
  expect(months).toContain('"Index Name":"files_folder_photos"')
  const { rows } = await domain.pool.query(MONTHS.text, [viewer.userId, parentId])
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(MOST_COUNTED)
  expect((await domain.pool.query(MONTHS.text, [viewer.userId, newId()])).rows).toEqual([])
})

/** As a prepared statement has it after some requests, carried out. */
async function genericPlan({ text, values }: { text: string; values: unknown[] }) {
  const client = await domain.pool.connect()
  try {
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare asked as ${text}`)
    const literals = values.map((value) => client.escapeLiteral(String(value)))
    const { rows } = await client.query(`explain (analyze, buffers, format json) execute asked(${literals})`)
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.query('deallocate asked')
    await client.query('reset plan_cache_mode')
    client.release()
  }
}
