import { afterAll, beforeAll, expect, it } from 'vitest'
import { DUE, LINKS_DUE } from '../../server/domain/shares/providerLinks.ts'
import { createOwner } from '../factories/files.ts'
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
