import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LEASE_KINDS } from '../../server/db/locks.ts'
import { parsePublicId } from '../../server/lib/ids.ts'
import { type Kind, MIB } from './support/emulators.ts'
import { expectStatus, type Person, register, until } from './support/person.ts'
import { startWorld, type World } from './support/server.ts'

const FILES = 5_000
const KINDS: readonly Kind[] = ['google', 'dropbox', 'google', 'dropbox', 'google']

let world: World
let feeds: pg.PoolClient | undefined
let ada: Person
let accounts: { readonly kind: Kind; readonly email: string; readonly id: string }[]

/** Five accounts that are really connected; the rows of what they hold are planted, for 5,000 uploads would take minutes. */
beforeAll(async () => {
  world = await startWorld()
  ada = await register(world.url)
  accounts = []
  for (const kind of KINDS) {
    const email = world.providers.addPerson(kind, 100 * MIB)
    accounts.push({ kind, email, id: await ada.connect(kind, email) })
  }
  const ids = accounts.map(({ id }) => id)
  await ada.pool(ids)
  // No account holds what is planted: the feed of changes, which would notice, is kept from reading.
  feeds = await world.server.pool.connect()
  for (const id of ids) {
    await feeds.query('select pg_advisory_lock($1, hashtext($2))', [LEASE_KINDS.feed, parsePublicId(id)?.id])
  }
  await plant(
    world.server.pool,
    accounts.map(({ email }) => email),
  )
})
afterAll(async () => {
  feeds?.release(true)
  await world?.close()
})

/** File n: whole on account n mod 5; every third one is cut over that account and the next two. */
async function plant(pool: pg.Pool, emails: readonly string[]): Promise<void> {
  await pool.query(
    `insert into files (id, user_id, kind, name, name_key, sort_key, search_key, category, size, sha256, group_cloud_id)
     select gen_random_uuid(), g.user_id, 'FILE', n, n, n, n, 'OTHER', 30, sha256(n::bytea), g.id
     from (select 'f' || i as n from generate_series(0, $1::int - 1) i) x
       cross join (select id, user_id from group_clouds where not default_upload_group) g`,
    [FILES],
  )
  await pool.query("insert into copies (id, file_id) select gen_random_uuid(), id from files where kind = 'FILE'")
  await pool.query(
    `insert into pieces (id, copy_id, account_id, index, "offset", size, object_ref)
     select gen_random_uuid(), c.id, a.id, i, i * 10, case when c.n % 3 = 0 then 10 else 30 end, gen_random_uuid()::text
     from (select c.id, substr(f.name, 2)::int as n from copies c
         join (select id, name from files where kind = 'FILE' offset 0) f on f.id = c.file_id) c
       cross join lateral generate_series(0, case when c.n % 3 = 0 then 2 else 0 end) i
       join accounts a on a.email = ($1::text[])[1 + (c.n + i) % 5]`,
    [emails],
  )
}

/** Names of the planted files that need one of these accounts, by their indices. */
function expected(lost: readonly number[]): string[] {
  const needs = (n: number) => (n % 3 === 0 ? [n, n + 1, n + 2] : [n]).map((at) => at % accounts.length)
  const all = Array.from({ length: FILES }, (_, n) => n)
  return all.filter((n) => needs(n).some((at) => lost.includes(at))).map((n) => `f${n}`)
}

async function listed(): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const after: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''
    const page = await expectStatus(200, ada.request('GET', `/api/v1/files?state=AT_RISK&limit=200${after}`))
    names.push(...page.body.items.map(({ name }: { name: string }) => name))
    cursor = page.body.nextCursor
  } while (cursor)
  return names
}

const untilStatus = (id: string, status: string) =>
  until(
    () => ada.account(id),
    (account) => account.status === status,
    60,
  )

it('of 5,000 files with one copy, exactly those that need a lost account are at risk, until it is back', async () => {
  expect(await listed()).toEqual([])
  const lost: number[] = []
  for (const [index, { kind, email, id }] of accounts.slice(0, 2).entries()) {
    const began = performance.now()
    await world.providers.command(kind, 'revokeUser', { user: email })
    await untilStatus(id, 'EXPIRED')
    lost.push(index)
    const names = await until(listed, ({ length }) => length === expected(lost).length, 30)
    expect(performance.now() - began).toBeLessThan(60_000)
    expect(names.toSorted()).toEqual(expected(lost).toSorted())
  }
  for (const { kind, email, id } of accounts.slice(0, 2)) {
    await ada.reconnect(kind, email, id)
    lost.shift()
    const names = await until(listed, ({ length }) => length === expected(lost).length, 30)
    expect(names.toSorted()).toEqual(expected(lost).toSorted())
  }
  expect(await listed()).toEqual([])
})
