import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicId } from '../../../../server/lib/ids.ts'
import type { Bench, Line } from '../context.ts'
import { interleave, median } from '../measure.ts'
import { startNodeReference } from '../references.ts'
import { ratioLine } from '../report.ts'
import { type Owner, ownerOf, seedFolder } from '../seed.ts'
import { Client } from '../skypool.ts'
import { wrk } from './downloads.ts'

const FIELDS = 'id name kind category mimeType size starred state createdAt updatedAt'
const SIZES = [1_000, 10_000, 100_000]

/** Rows 6 and 7 of the targets: the first page of a folder whatever its size, and search among a million rows. */
export async function listRows(bench: Bench): Promise<Line[]> {
  const owner = await ownerOf(bench.client)
  const folders: string[] = []
  for (const size of SIZES) folders.push(await seedFolder(bench.pool, owner, String(size), size))
  for (let other = 0; other < 9; other++) {
    await seedFolder(bench.pool, await ownerOf(await Client.signUp(bench.client.url)), `other ${other}`, 100_000)
  }
  await bench.pool.query('vacuum analyze files')
  return [...(await pages(bench, owner, folders)), await search(bench)]
}

async function pages(bench: Bench, owner: Owner, folders: readonly string[]): Promise<Line[]> {
  const yoga = await startNodeReference('yogaPg.ts', { DATABASE_URL: bench.databaseUrl, ...bench.workers })
  const credentials = [`cookie: ${bench.client.cookie}`, `origin: ${bench.client.url}`]
  const contenders = folders.map((folder, index) => {
    const script = luaPost(bench, `ours-${index}`, {
      query: `query P($id: ID!) { viewer { files(view: DRIVE, parentId: $id, first: 100) { edges { cursor node { ${FIELDS} } } pageInfo { hasNextPage } } } }`,
      variables: { id: publicId('File', folder) },
    })
    const run = () => wrk(`${bench.client.url}/graphql`, 8, credentials, script)
    return { name: `${SIZES[index]}`, pid: bench.skypool.pid, run }
  })
  const bare = luaPost(bench, 'bare', {
    query: `query P($userId: ID!, $parentId: ID!) { files(userId: $userId, parentId: $parentId, first: 101) { ${FIELDS} } }`,
    variables: { userId: owner.userId, parentId: folders[1] },
  })
  try {
    const yogaRun = { name: 'yoga', pid: yoga.pid, run: () => wrk(`${yoga.url}/graphql`, 8, [], bare) }
    const results = await interleave([...contenders, yogaRun], bench.rounds)
    const ours = results.map((each) => (each.name === '10000' ? { ...each, name: 'skypool' } : each))
    return [flatness(ours), ratioLine(6, 'first page of 100', ours, { against: 'yoga', bar: 0.5, goal: 1 })]
  } finally {
    await yoga.stop()
  }
}

function flatness(results: readonly { name: string; median: { seconds: number } }[]): Line {
  const times = results.filter((each) => each.name !== 'yoga').map((each) => each.median.seconds)
  const spread = Math.max(...times) / Math.min(...times) - 1
  const rates = times.map((each) => `${Math.round(1 / each)}/s`).join(', ')
  return {
    row: 6,
    measure: 'first page at 1k, 10k, 100k',
    figure: `spread ${(spread * 100).toFixed(0)} %  [${rates}]`,
    bar: '20 %',
    goal: '-',
    met: spread <= 0.2,
  }
}

async function search(bench: Bench): Promise<Line> {
  const times: number[] = []
  for (let index = 1; index <= 200; index++) {
    const needle = `${String(index * 487).padStart(7, '0')}.jpg`
    const startedAt = performance.now()
    const found = await bench.client.json<{ items: { name: string }[] }>(`/api/v1/files?view=all&limit=50&q=${needle}`)
    times.push(performance.now() - startedAt)
    if (!found.items.length || !found.items.every((each) => each.name.includes(needle)))
      throw new Error(`search ${needle}`)
  }
  const p50 = median(times)
  return {
    row: 7,
    measure: 'search in 100k names among 1 M rows',
    figure: `p50 ${p50.toFixed(1)} ms, slowest ${Math.max(...times).toFixed(1)} ms; File Browser 1.15 s: ${Math.round(1150 / p50)}x`,
    bar: '20 ms, 50x',
    goal: '5 ms',
    met: p50 <= 20 && 1150 / p50 >= 50,
  }
}

function luaPost(bench: Bench, name: string, body: unknown): string {
  const path = join(bench.dir, `${name}.lua`)
  const text = JSON.stringify(body)
  writeFileSync(
    path,
    `wrk.method = "POST"\nwrk.headers["content-type"] = "application/json"\nwrk.body = [==[${text}]==]\n` +
      'response = function(status, headers, body) if body:find(\'"errors"\') then print(body) os.exit(3) end end\n',
  )
  return path
}
