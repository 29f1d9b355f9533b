import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { checkSome } from '../../server/domain/duplicates/check.ts'
import { newId } from '../../server/lib/ids.ts'
import { createOwner } from '../factories/files.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

/** Many files of one size: grouped by PostgreSQL as the process itself groups few, and never loaded as a whole. */
let domain: FilesDomain
let userId: string
let accounts: readonly string[]
/** The most rows of an answer, and of the parameters of a statement. */
let most = 0

const SIZE = 4096
const MOST_LOADED = 300
/** DUPLICATES=all: as many as a program writes that cuts everything into blocks. */
const MANY = process.env.DUPLICATES === 'all' ? 1_000_000 : 6_000

beforeAll(async () => {
  domain = await startFilesDomain()
})
beforeEach(async () => {
  const owner = await createOwner(domain.pool)
  userId = owner.viewer.userId
  accounts = [await plantAccount('google'), await plantAccount('dropbox')]
  most = 0
})
afterAll(() => domain?.close())

async function plantAccount(provider: string): Promise<string> {
  const [id, root] = [newId(), newId()]
  await domain.pool.query(
    `insert into accounts (id, user_id, provider, provider_account_id, name, quota_state) values ($1, $2, $3, $4, $3, 'UNKNOWN')`,
    [id, userId, provider, id],
  )
  await domain.pool.query(
    `insert into files (id, user_id, account_id, kind, name, name_key, sort_key, search_key, category)
     values ($1, $2, $3, 'FOLDER', $4, $4, $4, $4, 'FOLDER')`,
    [root, userId, id, `root ${id}`],
  )
  await domain.pool.query('insert into account_indexes (account_id, root_file_id, passed_at) values ($1, $2, now())', [
    id,
    root,
  ])
  return id
}

type Planted = {
  name?: string
  time?: number
  in: 0 | 1 | 'POOL'
  reported?: string
  sha256?: string
  md5?: string
  dropbox?: string
}

async function plant(files: readonly Planted[]): Promise<string[]> {
  const rows = files.map((file, index) => ({
    id: newId(),
    name: file.name ?? `file ${index}`,
    time: new Date(Date.parse('2024-01-01T00:00:00Z') + (file.time ?? index) * 1000).toISOString(),
    accountId: file.in === 'POOL' ? null : accounts[file.in],
    reported: file.reported ?? null,
    sha256: file.in === 'POOL' ? (file.sha256 ?? hex(`pool ${index}`)) : (file.sha256 ?? null),
    md5: file.md5 ?? null,
    dropbox: file.dropbox ?? null,
  }))
  for (let at = 0; at < rows.length; at += 1_000) {
    await domain.pool.query(
      `with given as (select * from json_to_recordset($1) as g(id uuid, name text, time timestamptz, "accountId" uuid, reported text,
          sha256 text, md5 text, dropbox text)),
        file as (insert into files (id, user_id, parent_id, account_id, kind, name, name_key, sort_key, search_key, category, size, sha256,
            created_at, updated_at)
          select g.id, $2, i.root_file_id, "accountId", 'FILE', name, name, name, name, 'OTHER', $3,
            case when "accountId" is null then decode(sha256, 'hex') end, time, time
          from given g left join account_indexes i on i.account_id = g."accountId"),
        entry as (insert into account_entries (file_id, account_id, ref, hash)
          select id, "accountId", id::text, reported from given where "accountId" is not null)
      insert into content_hashes (file_id, version, sha256, md5, dropbox, quickxor)
        select id, case when "accountId" is null then sha256 else concat_ws(' ', $3::bigint, extract(epoch from time), reported) end,
          decode(sha256, 'hex'), decode(md5, 'hex'), decode(dropbox, 'hex'), null
        from given where coalesce(sha256, md5, dropbox) is not null`,
      [JSON.stringify(rows.slice(at, at + 1_000)), userId, SIZE],
    )
  }
  return rows.map(({ id }) => id)
}

const hex = (text: string) => Buffer.from(text).toString('hex').padEnd(64, '0').slice(0, 64)

/** A pool that notes how much its statements carry. */
function counting(): pg.Pool {
  return {
    query: domain.pool.query.bind(domain.pool),
    async connect() {
      const client = await domain.pool.connect()
      const query = async (text: string, values?: unknown[]) => {
        const answer = await client.query(text, values)
        for (const value of values ?? []) if (Array.isArray(value)) most = Math.max(most, value.length)
        for (const row of answer.rows ?? []) if (Array.isArray(row.file_ids)) most = Math.max(most, row.file_ids.length)
        most = Math.max(most, answer.rows?.length ?? 0)
        return answer
      }
      return { query, release: client.release.bind(client) } as unknown as pg.PoolClient
    },
  } as unknown as pg.Pool
}

/** `mostLoaded` decides who groups. */
async function check(mostLoaded: number): Promise<void> {
  const deps = { pool: counting(), enqueue: domain.deps.enqueue }
  for (let outcome = 'MORE'; outcome !== 'DONE'; ) outcome = await checkSome(deps, userId, { limit: 100, mostLoaded })
}

async function checkAgain(mostLoaded: number): Promise<void> {
  await domain.pool.query('insert into unchecked_sizes (user_id, size) values ($1, $2)', [userId, SIZE])
  await check(mostLoaded)
}

async function groups() {
  const { rows } = await domain.pool.query(
    `select g.id, g.certain, g.size::int, g.files, g.waste::int, g.match, g.hash, g.category,
        array(select concat_ws(' ', d.file_id, d.account_id, d.waste) from duplicate_files d where d.group_id = g.id order by 1) as members
     from duplicate_groups g where g.user_id = $1 order by g.certain, members`,
    [userId],
  )
  return rows
}
const withoutIds = (rows: Awaited<ReturnType<typeof groups>>) => rows.map(({ id: _, ...row }) => row)

/** The same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x7fffffff) * below) % below
  }
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'finds what the process itself finds, with random hashes, names and times (%i)',
  async (seed) => {
    const random = numbers(seed)
    const contents = 5 + random(30)
    const files = Array.from({ length: 60 + random(60) }, (): Planted => {
      const content = random(contents)
      // Sometimes a hash of another content: collisions.
      const digest = (kind: string) => hex(`${kind} ${random(12) === 0 ? random(contents) : content}`)
      const where = ([0, 1, 'POOL'] as const)[random(3)] ?? 0
      const reported =
        where === 'POOL' || random(4) === 0
          ? {}
          : { reported: where === 0 ? `md5:${digest('m').slice(0, 32)}` : `dropbox:${digest('d')}` }
      const computed =
        random(3) === 0 ? { sha256: digest('s'), md5: digest('m').slice(0, 32), dropbox: digest('d') } : {}
      return {
        in: where,
        name: where === 'POOL' ? undefined : `name ${random(contents)}`,
        time: random(contents),
        ...reported,
        ...computed,
      } as Planted
    })
    await plant(files)
    await check(1_000_000)
    const expected = await groups()
    expect(expected.length).toBeGreaterThan(3)

    // What is the same stays untouched.
    await checkAgain(1)
    expect(await groups()).toEqual(expected)
    await domain.pool.query('delete from duplicate_files where user_id = $1', [userId])
    await domain.pool.query('delete from duplicate_groups where user_id = $1', [userId])
    await checkAgain(1)
    const found = await groups()
    expect(withoutIds(found)).toEqual(withoutIds(expected))
    await checkAgain(1_000_000)
    expect(await groups()).toEqual(found)
  },
)

const SHAPES: Readonly<Record<string, (index: number) => Planted>> = {
  'all equal': () => ({ in: 0, reported: `md5:${hex('same').slice(0, 32)}` }),
  'all different': (index) => ({ in: 0, reported: `md5:${hex(`${index}`).slice(0, 32)}` }),
  'pairs in two accounts, joined by what was computed here': (index) => {
    const [md5, dropbox] = [hex(`m${index >> 1}`).slice(0, 32), hex(`d${index >> 1}`)]
    return index % 2 === 0
      ? { in: 0, reported: `md5:${md5}`, md5, dropbox, sha256: hex(`s${index >> 1}`) }
      : { in: 1, reported: `dropbox:${dropbox}` }
  },
  'without hashes, with one name': () => ({ in: 0, name: 'part.bin' }),
}

it.each(Object.keys(SHAPES))(
  'loads a bounded number of rows, whatever their number: %s',
  async (shape) => {
    const count = MANY
    await plant(Array.from({ length: count }, (_, index) => SHAPES[shape]?.(index) ?? { in: 0 }))
    await check(MOST_LOADED)
    expect(most).toBeLessThanOrEqual(2_000)
    const found = await groups()
    const sizes = found.map(({ files, members }) => [files, members.length])
    if (shape === 'all different') expect(sizes).toEqual([])
    else if (shape.startsWith('pairs')) expect(sizes).toEqual(new Array(count / 2).fill([2, 2]))
    else expect(sizes).toEqual([[count, count]])

    // And when all but one are gone.
    await domain.pool.query(
      `update files set trashed_at = now(), trash_root_id = id where user_id = $1 and kind = 'FILE' and id <> (
      select id from files where user_id = $1 and kind = 'FILE' limit 1)`,
      [userId],
    )
    most = 0
    await check(MOST_LOADED)
    expect(await groups()).toEqual([])
    expect(most).toBeLessThanOrEqual(MOST_LOADED)
  },
  120_000 + MANY * 2,
)

it('a reader leaves such a size to the job', async () => {
  await plant(Array.from({ length: 20 }, () => ({ in: 0 as const, reported: `md5:${hex('same').slice(0, 32)}` })))
  const deps = { pool: domain.pool, enqueue: domain.deps.enqueue }
  expect(await checkSome(deps, userId, { limit: 100, mostLoaded: 10, leaveLarge: true })).toBe('MORE')
  expect(await groups()).toEqual([])
  expect(await checkSome(deps, userId, { limit: 100, mostLoaded: 10 })).toBe('DONE')
  expect(await groups()).toHaveLength(1)
})

it('what the first listing of an account finds is compared when it has ended, with everything that there is', async () => {
  const listed = (passed: string) =>
    domain.pool.query(`update account_indexes set passed_at = ${passed} where account_id = any($1::uuid[])`, [accounts])
  const unchecked = async () =>
    (await domain.pool.query('select size::int from unchecked_sizes where user_id = $1', [userId])).rows
  const same = { name: 'same', reported: `md5:${hex('same').slice(0, 32)}` }
  await listed('null')
  const [pooled] = await plant([{ ...same, in: 'POOL' }])
  await check(MOST_LOADED)
  const [first] = await plant([
    { ...same, in: 0 },
    { name: 'other', reported: `md5:${hex('other').slice(0, 32)}`, in: 1 },
  ])
  const [second] = await plant([{ ...same, in: 1 }])
  expect(await unchecked()).toEqual([])
  await domain.pool.query('update files set size = size + 1 where id = $1', [pooled])
  await check(MOST_LOADED)
  await listed('now()')
  // Each account has noted its size once.
  expect(await unchecked()).toEqual([{ size: SIZE }, { size: SIZE }])
  await check(MOST_LOADED)
  const found = (await groups()).filter(({ certain }) => certain)
  expect(found).toHaveLength(1)
  expect(found[0]?.members.map((one: string) => one.slice(0, 36)).toSorted()).toEqual([first, second].toSorted())
  await plant([{ ...same, in: 0 }])
  expect(await unchecked()).toEqual([{ size: SIZE }])
})
