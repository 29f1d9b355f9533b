import { afterAll, beforeAll, expect, it } from 'vitest'
import { HEALTH, readHealth } from '../../server/domain/groupClouds/contract.ts'
import { createOwner } from '../factories/files.ts'
import { bulkRows } from '../setup/bulkRows.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

const FILES = 100_000
/** An index of 100,000 entries has about 500 pages of 8 KiB; the table has ten times as many. */
const MOST_BUFFERS = 1_000

type Plan = {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

let database: TestDatabase
let owner: Awaited<ReturnType<typeof createOwner>>

beforeAll(async () => {
  database = await createTestDatabase()
  owner = await createOwner(database.pool)
  const fill = () =>
    database.pool.query(
      `insert into files (id, user_id, kind, name, name_key, sort_key, search_key, category, size, state, group_cloud_id)
     select gen_random_uuid(), $1, 'FILE', n, n, n, n, 'TEXT', 10,
       case when i % 100 = 0 then 'AT_RISK' when i % 50 = 1 then 'STORING' else 'STORED' end::"FileState", $2
     from (select i, 'report ' || md5(i::text) as n from generate_series(1, $3::int) i) numbered`,
      [owner.viewer.userId, owner.groupCloudId, FILES],
    )
  await bulkRows(database.pool, 'files', fill)
})
afterAll(() => database.close())

/** @returns the part of the table whose rows everybody sees */
async function vacuumed(): Promise<number> {
  await database.pool.query('vacuum analyze files')
  const { rows } = await database.pool.query<{ part: number }>(
    `select relallvisible::float8 / relpages as part from pg_class where relname = 'files'`,
  )
  return rows[0]?.part ?? 0
}

it('the health of a group cloud is counted without reading its files', async () => {
  // Whoever looks at the table just then keeps a vacuum from calling its rows old.
  await expect.poll(vacuumed, { timeout: 120_000, interval: 200 }).toBe(1)
  const client = await database.pool.connect()
  await client.query('set plan_cache_mode = force_generic_plan')
  await client.query(`prepare health as ${HEALTH.text}`)
  const { rows } = await client.query(
    `explain (analyze, buffers, format json) execute health('{${owner.groupCloudId}}', '${owner.viewer.userId}')`,
  )
  client.release(true)
  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
  const plan: Plan = rows[0]['QUERY PLAN'][0].Plan
  const [counted] = nodesOf(plan).filter((node) => node['Index Name'] === 'files_counted_of_group_cloud')
  expect(counted?.['Node Type']).toBe('Index Only Scan')
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(MOST_BUFFERS)
  const health = await readHealth(database.pool, owner.viewer, [owner.groupCloudId])
  expect(health.get(owner.groupCloudId)).toMatchObject({
    files: FILES,
    bytes: FILES * 10,
    atRiskFiles: FILES / 100,
    storingFiles: FILES / 50,
  })
})
