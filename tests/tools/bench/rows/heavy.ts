import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Line } from '../context.ts'
import { rssMiB } from '../measure.ts'
import { ownerOf, seedFolder } from '../seed.ts'
import { Client } from '../skypool.ts'

const ENTRIES = 1_000_000
const ARCHIVED = 100_000
const SECONDS = 20
const SEARCHERS = 30
const LISTERS = 8
const DELETERS = 4

/** What an archive of 100,000 small files in one folder costs in memory. */
export async function archiveRows({ pool, skypool, client }: Bench): Promise<Line[]> {
  const before = rssMiB(skypool.pid)
  const owner = await ownerOf(client)
  const content = Buffer.from('what stands in each of them\n')
  await client.upload('template.txt', content)
  const folderId = await seedFolder(pool, owner, 'archived', 0)
  await pool.query(
    `with template as (select * from files where user_id = $1 and name = 'template.txt' limit 1),
      file as (insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, mime_type, size,
          sha256, state, group_cloud_id)
        select gen_random_uuid(), user_id, $2, 'FILE', n, n, n, n, category, mime_type, size, sha256, state, group_cloud_id
        from template, (select 'note ' || lpad(i::text, 7, '0') || '.txt' as n from generate_series(1, $3::int) i) names
        returning id),
      copy as (insert into copies (id, file_id, why) select gen_random_uuid(), id, '' from file returning id)
    insert into pieces (id, copy_id, account_id, size, object_ref)
      select gen_random_uuid(), copy.id, p.account_id, p.size, p.object_ref
      from copy, template join copies c on c.file_id = template.id join pieces p on p.copy_id = c.id`,
    [owner.userId, folderId, ARCHIVED],
  )
  await pool.query('analyze')
  await duplicatesChecked(pool)
  await idle(skypool.pid, before)
  let peak = before
  const sampler = setInterval(() => {
    peak = Math.max(peak, rssMiB(skypool.pid))
  }, 200)
  const { items } = await client.json<{ items: { id: string; name: string }[] }>('/api/v1/files?q=archived')
  const id = items.find(({ name }) => name === 'archived')?.id
  const response = await fetch(`${client.url}/api/v1/files/${id}/download`, { headers: client.headers })
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.length
  clearInterval(sampler)
  if (response.status !== 200 || bytes < ARCHIVED * (content.length + 100)) throw new Error(`a ZIP of ${bytes} bytes`)
  const growth = peak - before
  return [
    {
      row: 12,
      measure: `memory that a ZIP of ${ARCHIVED} files takes (RSS)`,
      figure: `${growth.toFixed(0)} MiB  [before ${before.toFixed(0)}, at the most ${peak.toFixed(0)} MiB]`,
      bar: '100 MiB',
      goal: '-',
      met: growth <= 100,
    },
  ]
}

/** The comparison of the seeded files, which are all equal, needs memory too. */
async function duplicatesChecked(pool: Bench['pool']): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ left: boolean }>('select exists (select from unchecked_sizes) as left')
    if (!rows[0]?.left) return
    await sleep(500)
  }
}

/** Waits until the memory of the preparations has been returned, at most two minutes: what is not returned counts as growth. */
async function idle(pid: number, before: number): Promise<void> {
  for (let waited = 0; waited < 120 && rssMiB(pid) > before + 10; waited += 1) await sleep(1_000)
}

/**
 * What one user who asks for all that the limits allow costs others. Twice: while the heavy user deletes file after file, and while
 * a job deletes the folder that holds all of them.
 */
export async function heavyRows({ pool, skypool }: Bench): Promise<Line[]> {
  const [heavy, other] = [await Client.signUp(skypool.url), await Client.signUp(skypool.url)]
  await seedFolder(pool, await ownerOf(heavy), 'million', ENTRIES)
  await seedFolder(pool, await ownerOf(other), 'few', 1_000)
  await pool.query('vacuum analyze files')
  const alone = await measure(other, () => true)
  const duringFiles = await measureDuring(heavy, other)
  await removeFolder(heavy, 'million')
  const duringFolder = await measureDuring(heavy, other)
  const lines = (what: string, { times, calls }: During) =>
    (['list', 'search'] as const).map((kind) => ({
      row: 13,
      measure: `p99 of a user's ${kind} while one with ${ENTRIES} entries searches, lists and deletes ${what}`,
      figure: `${p99(times[kind]).toFixed(0)} ms  [${times[kind].length} calls; alone ${p99(alone[kind]).toFixed(0)} ms; the other one made ${calls}]`,
      bar: '300 ms',
      goal: '-',
      met: p99(times[kind]) <= 300,
    }))
  return [...lines('files', duringFiles), ...lines('the folder of all', duringFolder)]
}

type During = { readonly times: Times; readonly calls: number }

async function measureDuring(heavy: Client, other: Client): Promise<During> {
  const end = performance.now() + SECONDS * 1000
  const isOver = () => performance.now() > end
  const load = hammer(heavy, isOver)
  const times = await measure(other, isOver)
  return { times, calls: await load }
}

async function removeFolder(client: Client, name: string): Promise<void> {
  const { items } = await client.json<{ items: { id: string; name: string }[] }>(`/api/v1/files?q=${name}`)
  const folder = items.find((item) => item.name === name)
  const path = `/api/v1/files/${folder?.id}?permanent=true`
  const response = await fetch(client.url + path, { method: 'DELETE', headers: client.headers })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
}

const WORDS = ['ph', 'a', '%', 'photo', 'million 00', 'e5 0', 'jpg', `photo million ${'x'.repeat(180)}`]

/** Resolves with how many calls were answered. */
async function hammer(client: Client, isOver: () => boolean): Promise<number> {
  let calls = 0
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(client.url + path, { ...init, headers: client.headers })
    calls += 1
    if (response.status >= 500) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response
  }
  const repeat = async (work: (turn: number) => Promise<void>): Promise<void> => {
    for (let turn = 0; !isOver(); turn += 1) await work(turn)
  }
  const search = (turn: number) =>
    `/api/v1/files?view=all&limit=200&q=${encodeURIComponent(WORDS[turn % WORDS.length] ?? '')}`
  const remove = async () => {
    const page = await (await ask('/api/v1/files?view=all&limit=20')).json()
    for (const { id, kind } of page.items as { id: string; kind: string }[]) {
      if (isOver()) return
      if (kind === 'FOLDER') continue
      await (await ask(`/api/v1/files/${id}?permanent=true`, { method: 'DELETE' })).arrayBuffer()
    }
  }
  await Promise.all([
    ...Array.from({ length: SEARCHERS }, (_, index) =>
      repeat(async (turn) => void (await (await ask(search(turn + index))).arrayBuffer())),
    ),
    ...Array.from({ length: LISTERS }, () =>
      repeat(async () => void (await (await ask('/api/v1/files?view=all&limit=200&sort=size')).arrayBuffer())),
    ),
    ...Array.from({ length: DELETERS }, () => repeat(remove)),
  ])
  return calls
}

type Times = { readonly list: number[]; readonly search: number[] }

/** One call after the other, as a person clicks: until it is over, at least 100 of each. */
async function measure(client: Client, isOver: () => boolean): Promise<Times> {
  const times: Times = { list: [], search: [] }
  const timed = async (kind: keyof Times, path: string): Promise<void> => {
    const startedAt = performance.now()
    const page = await client.json<{ items: unknown[] }>(path)
    times[kind].push(performance.now() - startedAt)
    if (page.items.length === 0) throw new Error(`${path} is empty`)
  }
  for (let turn = 0; turn < 100 || !isOver(); turn += 1) {
    await timed('list', '/api/v1/files?view=all&limit=50')
    await timed('search', `/api/v1/files?view=all&limit=50&q=${turn % 2 === 0 ? 'photo' : 'few'}`)
  }
  return times
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
}
