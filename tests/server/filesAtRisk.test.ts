import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAfterChange } from '../../server/domain/accounts/health.ts'
import { FACTS } from '../../server/domain/files/content/states.ts'
import type { FileState } from '../../server/domain/files/contract.ts'
import { createOwner } from '../factories/files.ts'
import { connectAccount } from '../factories/remoteFiles.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

const FILES = 5_000

let domain: FilesDomain
let owner: Awaited<ReturnType<typeof createOwner>>
let accounts: string[]
/** By file: the accounts of each of its copies. */
let model: Map<string, string[][]>

beforeAll(async () => {
  domain = await startFilesDomain()
  owner = await createOwner(domain.pool)
  const scope = { userId: owner.viewer.userId, groupCloudId: owner.groupCloudId }
  accounts = []
  for (const name of ['A', 'B', 'C', 'D', 'E']) accounts.push(await connectAccount(domain, { ...scope, name }))
  await fill(domain.pool)
  model = await readModel(domain.pool)
})
afterAll(() => domain.close())

/** File n: one copy on one account, a spanned one over three, or two copies on two, chosen by n. */
async function fill(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into files (id, user_id, kind, name, name_key, sort_key, search_key, category, size, sha256, group_cloud_id)
     select gen_random_uuid(), $1, 'FILE', n, n, n, n, 'OTHER', 30, sha256(n::bytea), $2
     from (select 'f' || i as n from generate_series(1, $3::int) i) x`,
    [owner.viewer.userId, owner.groupCloudId, FILES],
  )
  await pool.query(
    `insert into copies (id, file_id) select gen_random_uuid(), id from files where user_id = $1
     union all select gen_random_uuid(), id from files where user_id = $1 and substr(name, 2)::int % 3 = 2`,
    [owner.viewer.userId],
  )
  await pool.query(
    `insert into pieces (id, copy_id, account_id, index, "offset", size, object_ref)
     select gen_random_uuid(), c.id, ($2::uuid[])[1 + (c.n + c.number + i) % 5], i, i * c.part, c.part, gen_random_uuid()::text
     from (select c.id, substr(f.name, 2)::int / 3 as n, row_number() over (partition by f.id order by c.id) as number,
         case when substr(f.name, 2)::int % 3 = 1 then 10 else 30 end as part
       from copies c join files f on f.id = c.file_id where f.user_id = $1) c
     cross join lateral generate_series(0, 30 / c.part - 1) i`,
    [owner.viewer.userId, accounts],
  )
}

async function readModel(pool: pg.Pool): Promise<typeof model> {
  const { rows } = await pool.query<{ file_id: string; accounts: string[] }>(
    'select c.file_id, array_agg(p.account_id::text) as accounts from copies c join pieces p on p.copy_id = c.id group by c.id',
  )
  const found = new Map<string, string[][]>()
  for (const row of rows) found.set(row.file_id, [...(found.get(row.file_id) ?? []), row.accounts])
  return found
}

/** Ids of the files with fewer than `wanted` copies that can be read. */
function expectedAtRisk(lost: readonly string[], wanted: number): string[] {
  const isWhole = (copy: readonly string[]) => copy.every((account) => !lost.includes(account))
  return [...model].filter(([, copies]) => copies.filter(isWhole).length < wanted).map(([id]) => id)
}

async function listed(states: FileState[]): Promise<string[]> {
  const ids: string[] = []
  let after: string | undefined
  do {
    const page = await domain.files.list(owner.viewer, { view: 'ALL', states, limit: 200, after })
    ids.push(...page.items.map(({ file }) => file.id))
    after = page.hasNextPage ? page.items.at(-1)?.cursor : undefined
  } while (after)
  return ids
}

const sorted = (ids: readonly string[]) => ids.toSorted()
const change = (accountId: string, how: string) =>
  domain.pool.query(`update accounts set ${how} where id = $1`, [accountId])
const BACK = "status = 'CONNECTED', unreachable_since = null, disconnected_at = null"

/** The queries that follow when the health of an account changes. */
const after = (accountId: string) => createAfterChange(domain.deps)(accountId)

describe('5,000 files over 5 accounts', () => {
  it('were dealt so that each kind is there', () => {
    const copies = [...model.values()]
    expect(copies).toHaveLength(FILES)
    expect(copies.some((of) => of.length === 1 && of[0]?.length === 3)).toBe(true)
    expect(copies.some((of) => of.length === 2)).toBe(true)
  })

  it.each([
    [0, "status = 'EXPIRED'", 'which needs to be connected again'],
    [1, 'unreachable_since = now()', 'which cannot be reached'],
    [2, 'disconnected_at = now()', 'was disconnected'],
    [3, "status = 'EXPIRED'", 'which needs to be connected again'],
    [4, 'unreachable_since = now()', 'which cannot be reached'],
  ])('account %d lost (%s): exactly its files are at risk, and none when it is back', async (index, how, words) => {
    const account = accounts[index] ?? ''
    await change(account, how)
    await after(account)
    const atRisk = expectedAtRisk([account], 1)
    expect(atRisk.length).toBeGreaterThan(FILES / 10)
    expect(sorted(await listed(['AT_RISK']))).toEqual(sorted(atRisk))
    const { rows } = await domain.pool.query("select distinct state_reason from files where state = 'AT_RISK'")
    for (const { state_reason: reason } of rows) expect(reason).toContain(words)
    await change(account, BACK)
    await after(account)
    expect(await listed(['AT_RISK'])).toEqual([])
    expect((await listed(['STORED'])).length).toBe(FILES)
  })

  it('two accounts lost at once, and more copies asked for than there are', async () => {
    const [one = '', two = ''] = accounts
    await change(one, "status = 'EXPIRED'")
    await after(one)
    await change(two, 'unreachable_since = now()')
    await after(two)
    expect(sorted(await listed(['AT_RISK']))).toEqual(sorted(expectedAtRisk([one, two], 1)))
    await domain.pool.query('update group_clouds set copies = 2 where id = $1', [owner.groupCloudId])
    await after(one)
    await after(two)
    const { rows } = await domain.pool.query<{ id: string }>(
      "select f.id from files f where f.state = 'AT_RISK' and exists (select from copies c join pieces p on p.copy_id = c.id where c.file_id = f.id and p.account_id = any($1::uuid[]))",
      [[one, two]],
    )
    const touched = [...model].filter(([, copies]) => copies.flat().some((account) => [one, two].includes(account)))
    const expected = expectedAtRisk([one, two], 2).filter((id) => touched.some(([of]) => of === id))
    expect(sorted(rows.map(({ id }) => id))).toEqual(sorted(expected))
    await domain.pool.query('update group_clouds set copies = 1 where id = $1', [owner.groupCloudId])
    for (const account of [one, two]) {
      await change(account, BACK)
      await after(account)
    }
    expect(await listed(['AT_RISK'])).toEqual([])
  })
})

type Plan = {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Join Filter'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** Rows that a plan's nodes produced or threw away, repetitions included. */
function rowsHandled(plan: Plan): number {
  const removed = (plan['Rows Removed by Join Filter'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)
  const own = (plan['Actual Rows'] + removed) * plan['Actual Loops']
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsHandled(part), own)
}

describe('states of many files', () => {
  const TABLES = ['files', 'copies', 'pieces', 'accounts', 'transfers']

  it.each([[[]], [['copies']], [['copies', 'accounts']], [['pieces', 'accounts']], [['files', 'copies']], [TABLES]])(
    'cost the same per file when the database has statistics of %j',
    async (analyzed) => {
      const { pool } = domain
      for (const table of TABLES) await pool.query(`alter table ${table} set (autovacuum_enabled = false)`)
      await pool.query(`delete from pg_statistic where starelid = any($1::regclass[])`, [TABLES])
      await pool.query(`update pg_class set reltuples = -1, relpages = 0 where oid = any($1::regclass[])`, [TABLES])
      for (const table of analyzed) await pool.query(`analyze ${table}`)
      const ids = [...model.keys()]
      const { rows } = await pool.query(`explain (analyze, format json) ${FACTS.text}`, [ids])
      expect(rowsHandled(rows[0]['QUERY PLAN'][0].Plan)).toBeLessThan(60 * ids.length)
    },
  )
})

it('a list by account holds what is there, and of a disconnected account nothing', async () => {
  const [account = ''] = accounts
  const count = async () => {
    const page = await domain.files.list(owner.viewer, { view: 'ALL', accountId: account, limit: 200 })
    return page.items.length
  }
  expect(await count()).toBe(200)
  const [id = ''] = expectedAtRisk([account], 1)
  expect((await domain.files.storedIn(owner.viewer, [id])).get(id)).toContain(account)
  await change(account, 'disconnected_at = now()')
  expect(await count()).toBe(0)
  expect((await domain.files.storedIn(owner.viewer, [id])).get(id)).not.toContain(account)
  expect((await domain.files.copies(owner.viewer, [id])).get(id)).toEqual([])
  await change(account, BACK)
})
