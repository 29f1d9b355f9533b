import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { startEmbeddedPostgres } from '../../../../server/db/embedded/embeddedPostgres.ts'
import { createPool } from '../../../../server/db/pool.ts'
import { newId, publicId } from '../../../../server/lib/ids.ts'
import { freePort, startProcess } from '../../demo/processes.ts'
import { CLIENTS } from '../../demo/scenario.ts'
import { connect } from '../../demo/skypool.ts'
import type { Bench, Line } from '../context.ts'
import { cpuSecondsOf, interleave, median, rssMiB } from '../measure.ts'
import { type Reference, startNodeReference } from '../references.ts'
import { ownerOf, remember, seedFolder } from '../seed.ts'
import { Client, type Skypool, startSkypool } from '../skypool.ts'
import { wrk } from './downloads.ts'

/** `entries`: of the account that is listed. */
type IndexSettings = { readonly dir: string; readonly entries: number }

type Emulated = {
  readonly pool: pg.Pool
  readonly skypool: Skypool
  readonly drive: Reference
  /** The main process of PostgreSQL. */
  readonly postgresPid: number
  /** Everything in a new account is shown from now on. @returns its id */
  connectAccount(client: Client): Promise<string>
  /** Tells the emulator how many entries accounts have. */
  setEntries(count: number): Promise<void>
  command(service: string, name: string, body: object): Promise<void>
}

const NEIGHBOUR_FILES = 100_000
const WAIT_MS = 250
const LONGEST_PASS_MS = 60 * 60_000

async function withEmulated<Result>(dir: string, use: (emulated: Emulated) => Promise<Result>): Promise<Result> {
  const port = await freePort(0)
  const emulator = `http://127.0.0.1:${port}`
  mkdirSync(dir, { recursive: true })
  const emulators = startProcess([join('node_modules', '.bin', 'tsx'), 'tests/fakes/main.ts'], { PORT: String(port) })
  const postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'database') })
  const { host, user, database, port: databasePort } = postgres.connection
  const pool = createPool(postgres.connection)
  const stops: (() => Promise<unknown>)[] = [() => pool.end(), () => postgres.stop(), () => emulators.stop()]
  try {
    await emulators.answers(`${emulator}/`)
    const drive = await startNodeReference('bigDrive.ts', { EMULATOR: emulator })
    stops.unshift(() => drive.stop())
    const skypool = await startSkypool({
      ...CLIENTS,
      UPLOAD_TYPES: '*',
      DATA_DIR: join(dir, 'data'),
      DATABASE_URL: `postgresql://${user}@localhost:${databasePort}/${database}?host=${encodeURIComponent(host)}`,
      PROVIDER_EMULATOR_URL: drive.url,
    })
    stops.unshift(() => skypool.stop())
    const { rows } = await pool.query<{ text: string }>("select pg_read_file('postmaster.pid') as text")
    const command: Emulated['command'] = async (service, name, body) => {
      const url = `${emulator}/__control/${service}/${name}`
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
      if (!response.ok) throw new Error(`${name}: ${await response.text()}`)
    }
    await command('google', 'addClient', { id: CLIENTS.GOOGLE_CLIENT_ID, secret: CLIENTS.GOOGLE_CLIENT_SECRET })
    return await use({
      pool,
      skypool,
      drive,
      postgresPid: Number(rows[0]?.text.split('\n')[0]),
      command,
      async connectAccount(client) {
        const email = `${newId()}@bench.example`
        await command('google', 'addUser', { email, name: 'Bench', quotaBytes: 10 ** 15 })
        const json = <Answer>(method: string, path: string, body?: object) =>
          client.json<Answer>(path, {
            method,
            ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
          })
        const id = await connect({ json }, 'google', email, email)
        await json('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' })
        return id
      },
      async setEntries(count) {
        await fetch(`${drive.url}/__entries?count=${count}`)
      },
    })
  } finally {
    for (const stop of stops) await stop()
  }
}

/** Row 14: the first pass of a large account, and what other users notice of it. */
export function indexRows({ dir, entries }: IndexSettings): Promise<Line[]> {
  return withEmulated(dir, async (emulated) => [
    ...(await firstPass(emulated, entries)),
    ...(await neighbours(emulated, entries)),
  ])
}

async function firstPass(emulated: Emulated, entries: number): Promise<Line[]> {
  const { skypool, postgresPid, pool } = emulated
  const client = await Client.signUp(skypool.url)
  // Google's client is loaded with the first account.
  await emulated.setEntries(1_000)
  await whenPassed(pool, await emulated.connectAccount(client), 1_000)
  await emulated.setEntries(entries)
  const before = { node: cpuSecondsOf(skypool.pid), postgres: cpuSecondsOf(postgresPid), memory: rssMiB(skypool.pid) }
  const startedAt = performance.now()
  let peak = before.memory
  const accountId = await emulated.connectAccount(client)
  await whenPassed(pool, accountId, entries, () => {
    peak = Math.max(peak, rssMiB(skypool.pid))
  })
  const seconds = (performance.now() - startedAt) / 1000
  const node = ((cpuSecondsOf(skypool.pid) - before.node) / entries) * 1e6
  const postgres = ((cpuSecondsOf(postgresPid) - before.postgres) / entries) * 1e6
  const growth = peak - before.memory
  const what = `first pass of ${entries.toLocaleString('en')} entries`
  return [
    line(14, `${what}: CPU of Node per entry`, `${node.toFixed(1)} us  [${seconds.toFixed(0)} s]`, '60 us', node <= 60),
    line(
      14,
      `${what}: CPU of Node and PostgreSQL per entry`,
      `${(node + postgres).toFixed(1)} us  [PostgreSQL ${postgres.toFixed(1)} us]`,
      '120 us',
      node + postgres <= 120,
    ),
    line(
      14,
      `${what}: growth of memory (RSS)`,
      `${growth.toFixed(0)} MiB  [before ${before.memory.toFixed(0)}, at the most ${peak.toFixed(0)} MiB]`,
      '150 MiB',
      growth <= 150,
    ),
  ]
}

async function whenPassed(pool: pg.Pool, accountId: string, entries: number, look = () => {}): Promise<void> {
  const id = accountId.replace(/^\w+_/, '')
  for (const deadline = performance.now() + LONGEST_PASS_MS; performance.now() < deadline; ) {
    const { rows } = await pool.query<{ done: boolean; entries: number }>(
      'select passed_at is not null as done, entries from account_indexes where account_id = $1::uuid',
      [id],
    )
    look()
    if (rows[0]?.done) {
      if (rows[0].entries !== entries) throw new Error(`the index has ${rows[0].entries} of ${entries} entries`)
      return
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  }
  throw new Error('the first pass never ends')
}

/** While the account of another user is listed. */
async function neighbours(emulated: Emulated, entries: number): Promise<Line[]> {
  const { pool, skypool } = emulated
  const [other, busy] = [await Client.signUp(skypool.url), await Client.signUp(skypool.url)]
  await seedFolder(pool, await ownerOf(other), 'few', NEIGHBOUR_FILES)
  await pool.query('vacuum analyze files')
  await clicks(other, 50)
  const alone = await clicks(other, 200)
  const count = Math.max(Math.round(entries / 4), 1_000)
  await emulated.setEntries(count)
  let isOver = false
  const passing = whenPassed(pool, await emulated.connectAccount(busy), count).finally(() => {
    isOver = true
  })
  const during = await clicks(other, 100, () => isOver)
  await passing
  return (['list', 'search'] as const).map((kind) => {
    const ratio = p99(during[kind]) / p99(alone[kind])
    const figures = `${p99(during[kind]).toFixed(1)} ms, alone ${p99(alone[kind]).toFixed(1)} ms; ${during[kind].length} calls; p50 ${median(during[kind]).toFixed(1)} and ${median(alone[kind]).toFixed(1)} ms`
    return line(
      14,
      `p99 of a user's ${kind} while another account is listed`,
      `${ratio.toFixed(2)}x  [${figures}]`,
      '2x',
      ratio <= 2,
    )
  })
}

type Clicks = { readonly list: number[]; readonly search: number[] }

/** One call after the other, as a person clicks: at least this many of each, until it is over. */
async function clicks(client: Client, least: number, isOver: () => boolean = () => true): Promise<Clicks> {
  const times: Clicks = { list: [], search: [] }
  const timed = async (kind: keyof Clicks, path: string): Promise<void> => {
    const startedAt = performance.now()
    const page = await client.json<{ items: unknown[] }>(path)
    times[kind].push(performance.now() - startedAt)
    if (page.items.length === 0) throw new Error(`${path} is empty`)
  }
  for (let turn = 0; turn < least || !isOver(); turn += 1) {
    await timed('list', '/api/v1/files?view=all&limit=50')
    await timed('search', `/api/v1/files?view=all&limit=50&q=${String(((turn * 487) % 90_000) + 1).padStart(7, '0')}`)
  }
  return times
}

/** Row 15: lists and search of a user with many entries in place next to as many pooled ones. */
export async function inPlaceLists(bench: Bench, entries: number): Promise<Line[]> {
  const { pool, client, skypool } = bench
  const sizes = [1_000, 100, 10].map((part) => entries / part)
  const { account, folders, pooledPage } = await remember(join(bench.dir, `seeded ${entries}`), () =>
    seedLists(pool, client, entries, sizes),
  )
  const headers = [`cookie: ${client.cookie}`, `origin: ${client.url}`]
  const list = (name: string, path: string) => ({
    name,
    pid: skypool.pid,
    run: () => wrk(`${client.url}/api/v1/files?limit=100&${path}`, 8, headers),
  })
  const inFolder = (name: string, id = '') => list(name, `parentId=${publicId('File', id)}`)
  const contenders = [
    ...folders.map((id, index) => inFolder(`in place ${sizes[index]}`, id)),
    inFolder('pooled page', pooledPage),
    list('all', 'view=all'),
    list('all in place', `view=all&accountId=${publicId('Account', account.id)}`),
  ]
  const results = await interleave(contenders, bench.rounds)
  const rates = results.map(({ name, median: { seconds } }) => `${name} ${Math.round(1 / seconds)}/s`).join(', ')
  const secondsOf = (name: string) => results.find((one) => one.name === name)?.median.seconds ?? Number.NaN
  const times = sizes.map((size) => secondsOf(`in place ${size}`))
  const spread = Math.max(...times) / Math.min(...times) - 1
  const ratio = secondsOf('pooled page') / secondsOf(`in place ${sizes[1]}`)
  const ofAll = secondsOf('pooled page') / secondsOf('all')
  return [
    line(
      15,
      `first page in place at ${sizes.join(', ')}`,
      `spread ${(spread * 100).toFixed(0)} %  [${rates}]`,
      '20 %',
      spread <= 0.2,
    ),
    line(15, 'first page in place (the same of a pooled folder)', ratio.toFixed(2), '0.80', ratio >= 0.8),
    line(15, 'first page of All Files (a page of a pooled folder)', ofAll.toFixed(2), '0.80', ofAll >= 0.8),
    await search(client, entries, 'pooled'),
    await search(client, entries, 'in place'),
  ]
}

async function search(client: Client, entries: number, home: 'pooled' | 'in place'): Promise<Line> {
  const times: number[] = []
  for (let index = 1; index <= 200; index += 1) {
    const number = String(((index * 487) % (entries / 2)) + 1).padStart(7, '0')
    const needle = home === 'pooled' ? `${number}.jpg` : `${number}.pdf`
    const startedAt = performance.now()
    const found = await client.json<{ items: { name: string }[] }>(`/api/v1/files?view=all&limit=50&q=${needle}`)
    times.push(performance.now() - startedAt)
    if (!found.items.length || !found.items.every(({ name }) => name.includes(needle)))
      throw new Error(`search ${needle}`)
  }
  const p50 = median(times)
  const figure = `p50 ${p50.toFixed(1)} ms, p99 ${p99(times).toFixed(1)} ms`
  const what = `search of a name ${home} among ${(entries * 2).toLocaleString('en')} of one user`
  return line(15, what, figure, '20 ms', p50 <= 20)
}

/** Pooled files and as many in place, each with folders of these `sizes` among them. */
async function seedLists(pool: pg.Pool, client: Client, entries: number, sizes: readonly number[]) {
  const owner = await ownerOf(client)
  await seedFolder(pool, owner, 'pooled', entries - (sizes[1] ?? 0))
  const pooledPage = await seedFolder(pool, owner, 'pooled page', sizes[1] ?? 0)
  const account = await seedAccount(pool, owner.userId)
  const folders: string[] = []
  for (const size of sizes) folders.push(await seedInPlace(pool, owner.userId, account, `in place ${size}`, size))
  const rest = entries - sizes.reduce((sum, size) => sum + size, 0)
  await seedInPlace(pool, owner.userId, account, 'in place', rest)
  await pool.query('vacuum analyze files, account_entries')
  return { account, folders, pooledPage }
}

type Seeded = { readonly id: string; readonly rootFileId: string }

async function seedAccount(pool: pg.Pool, userId: string): Promise<Seeded> {
  const [id, rootFileId] = [newId(), newId()]
  await pool.query(
    `insert into accounts (id, user_id, provider, provider_account_id, name, quota_state)
     values ($1::uuid, $2::uuid, 'google', 'seeded', 'Seeded', 'UNLIMITED')`,
    [id, userId],
  )
  await pool.query(
    `insert into files (id, user_id, account_id, kind, name, name_key, sort_key, search_key, category)
     values ($1, $2, $3, 'FOLDER', 'Seeded', 'seeded', 'seeded', 'seeded', 'FOLDER')`,
    [rootFileId, userId, id],
  )
  await pool.query(
    `insert into account_indexes (account_id, root_file_id, root_ref, passed_at) values ($1::uuid, $2::uuid, 'root', now())`,
    [id, rootFileId],
  )
  return { id, rootFileId }
}

/** A folder with so many files, as a first pass leaves them. */
async function seedInPlace(
  pool: pg.Pool,
  userId: string,
  account: Seeded,
  name: string,
  count: number,
): Promise<string> {
  const id = newId()
  await pool.query(
    `with folder as (insert into files (id, user_id, account_id, parent_id, kind, name, name_key, sort_key, search_key, category,
          child_count)
        values ($1, $2, $3, $4, 'FOLDER', $5, $5, $5, $5, 'FOLDER', $6)),
      names as (select i, gen_random_uuid() as id, 'report ' || $5 || ' ' || substr(md5(i::text), 1, 10) || ' ' || lpad(i::text, 7, '0')
          || '.pdf' as n from generate_series(1, $6::int) i),
      file as (insert into files (id, user_id, account_id, parent_id, kind, name, name_key, sort_key, search_key, category, mime_type,
          size, updated_at)
        select id, $2, $3, $1, 'FILE', n, n, n, n, 'DOCUMENT', 'application/pdf', (i::bigint * 7919) % 10000000,
          now() - i * interval '1 second' from names)
      insert into account_entries (file_id, account_id, ref, revision, hash, web_url, rights, pass)
      select id, $3, $5 || '/' || i, md5(i::text), 'md5:' || md5(i::text), 'https://drive.google.com/file/d/' || i || '/view', 63, 1 from names
      union all select $1, $3, $5, null, null, null, 63, 1`,
    [id, userId, account.id, account.rootFileId, name, count],
  )
  return id
}

/** Polls of which the calls are counted. */
const IDLE_MS = 150_000
const CHANGES = 6

/** Row 16: when a change in an account is in an open tab, and what an account costs in which nothing happens. */
export function inPlaceFeed({ dir }: Pick<IndexSettings, 'dir'>): Promise<Line[]> {
  return withEmulated(dir, async (emulated) => {
    const client = await Client.signUp(emulated.skypool.url)
    const accounts = 3
    for (let count = 0; count < accounts; count += 1) {
      await whenPassed(emulated.pool, await emulated.connectAccount(client), 0)
    }
    const idle = await idleCalls(emulated, accounts)
    return [idle, await untilSeen(emulated, client)]
  })
}

/** Without an open tab. */
async function idleCalls({ drive }: Emulated, accounts: number): Promise<Line> {
  const calls = async () => (await (await fetch(`${drive.url}/__calls`)).json()) as Record<string, number>
  await calls()
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const byPath = Object.entries(await calls())
  const made = byPath.reduce((sum, [, count]) => sum + count, 0)
  const each = made / accounts / (IDLE_MS / 30_000)
  const paths = byPath.map(([path, count]) => `${count} x ${path}`).join(', ')
  return line(
    16,
    'calls per account and 30 s while nothing happens',
    `${each.toFixed(2)}  [${accounts} accounts, ${IDLE_MS / 1000} s: ${paths}]`,
    '1.00',
    each <= 1,
  )
}

const SUBSCRIPTION = 'subscription { filesChanged { files { name } } }'

/** From a change in the account to its event in a subscription, as an open tab has one. */
async function untilSeen(emulated: Emulated, client: Client): Promise<Line> {
  const { rows } = await emulated.pool.query<{ name: string }>(
    "select name from accounts where provider <> 'local' limit 1",
  )
  const user = rows[0]?.name ?? ''
  const closing = new AbortController()
  const response = await fetch(`${client.url}/graphql`, {
    method: 'POST',
    headers: { ...client.headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: SUBSCRIPTION }),
    signal: closing.signal,
  })
  if (!response.ok || !response.body) throw new Error(`the subscription answered ${response.status}`)
  let heard = ''
  const listening = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) heard += decoder.decode(chunk, { stream: true })
  })().catch(() => undefined)
  const seconds: number[] = []
  for (let index = 0; index < CHANGES; index += 1) {
    const name = `${newId()}.txt`
    // At another time of the interval each.
    await new Promise((resolve) => setTimeout(resolve, index * 4_000))
    const startedAt = performance.now()
    await emulated.command('google', 'plant', { user, name, text: 'new' })
    while (!heard.includes(name)) {
      if (performance.now() - startedAt > 120_000) throw new Error(`a change was not seen: ${heard.slice(-500)}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    seconds.push((performance.now() - startedAt) / 1000)
  }
  closing.abort()
  await listening
  const most = Math.max(...seconds)
  return line(
    16,
    'a change in an account until an open tab shows it',
    `at the most ${most.toFixed(1)} s  [${seconds.map((one) => one.toFixed(1)).join(', ')}]`,
    '30 s',
    most <= 30,
  )
}

function line(row: number, measure: string, figure: string, bar: string, met: boolean): Line {
  return { row, measure, figure, bar, goal: '-', met }
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
}
