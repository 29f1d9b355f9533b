import { publicId } from '../../../../server/lib/ids.ts'
import type { Bench, Line } from '../context.ts'
import { median } from '../measure.ts'
import { ownerOf, seedFolder } from '../seed.ts'

const CONNECTIONS = 16
const CALLS = 1_200
const BAR = 300

type Call = { readonly method: string; readonly path: string; readonly body?: unknown }
type Kind = { readonly name: string; readonly status: number; readonly call: (id: string, index: number) => Call }

/** Writes of one user's tree at 16 connections, one request each; the last kind while the files deleted before are purged. */
export async function treeRows(bench: Bench): Promise<Line[]> {
  const owner = await ownerOf(bench.client)
  const source = await seedFolder(bench.pool, owner, 'source', CALLS * 2)
  const target = publicId('File', await seedFolder(bench.pool, owner, 'target', 0))
  const { rows } = await bench.pool.query<{ id: string }>('select id from files where parent_id = $1 order by id', [
    source,
  ])
  const ids = rows.map(({ id }) => publicId('File', id))
  const all = ids.slice(0, CALLS)
  const patch = (body: unknown) => (id: string) => ({ method: 'PATCH', path: `/api/v1/files/${id}`, body })
  const remove = (id: string) => ({ method: 'DELETE', path: `/api/v1/files/${id}?permanent=true` })
  const kinds: readonly Kind[] = [
    {
      name: 'folders at the root',
      status: 201,
      call: (_id, index) => ({ method: 'POST', path: '/api/v1/files/folders', body: { name: `root ${index}` } }),
    },
    {
      name: 'folders in one folder',
      status: 201,
      call: (_id, index) => ({
        method: 'POST',
        path: '/api/v1/files/folders',
        body: { name: `new ${index}`, parentId: target },
      }),
    },
    { name: 'renames', status: 200, call: (id, index) => patch({ name: `renamed ${index}.jpg` })(id) },
    { name: 'stars', status: 200, call: patch({ starred: true }) },
    { name: 'moves', status: 200, call: patch({ parentId: target }) },
    { name: 'trash', status: 204, call: (id) => ({ method: 'DELETE', path: `/api/v1/files/${id}` }) },
    { name: 'restores', status: 200, call: patch({ trashed: false }) },
    { name: 'permanent deletes', status: 204, call: remove },
  ]
  const lines: Line[] = []
  for (const kind of kinds) lines.push(await measured(bench, kind, all))
  lines.push(
    await measured(bench, { name: 'permanent deletes while purges run', status: 204, call: remove }, ids.slice(CALLS)),
  )
  return lines
}

async function measured(bench: Bench, { name, status, call }: Kind, ids: readonly string[]): Promise<Line> {
  const times: number[] = []
  let next = 0
  const work = async () => {
    for (let index = next++; index < ids.length; index = next++) {
      const { method, path, body } = call(ids[index] ?? '', index)
      const startedAt = performance.now()
      const response = await fetch(bench.client.url + path, {
        method,
        headers: { ...bench.client.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (response.status !== status) throw new Error(`${name}: ${method} ${path} answered ${response.status}: ${text}`)
      times.push(performance.now() - startedAt)
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  const rate = ids.length / ((performance.now() - startedAt) / 1000)
  const p99 = times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? Number.NaN
  return {
    row: 12,
    measure: `${name}, ${CONNECTIONS} connections`,
    figure: `${rate.toFixed(0)}/s  [p50 ${median(times).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms]`,
    bar: `${BAR}/s`,
    goal: '-',
    met: rate >= BAR,
  }
}
