import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolBench } from './pools.ts'
import { putByTus } from './rows/uploads.ts'
import { curl, run } from './skypool.ts'

type Item = { readonly id: string; readonly name: string; readonly state: string; readonly stateReason: string | null }
type Whole = { readonly copies: readonly { readonly pieces: readonly { readonly accountId: string }[] }[] }
export type Stored = { readonly id: string; readonly accounts: number; readonly seconds: number }

const LOOK_EVERY_MS = 50
const PATIENCE_MS = 15 * 60_000

/** Uploads the file at `path`, and waits until its accounts hold it: seconds from the acknowledged upload on. */
export async function storeIn(bench: PoolBench, pool: Pool, path: string, size: number): Promise<Stored> {
  const name = `${crypto.randomUUID()}.bin`
  await putByTus(bench, await bench.client.openUpload(name, size, pool.id), path)
  const acknowledgedAt = performance.now()
  const id = await whenStored(bench, name)
  const seconds = (performance.now() - acknowledgedAt) / 1000
  const { copies } = await bench.client.json<Whole>(`/api/v1/files/${id}`)
  const accounts = new Set(copies.flatMap(({ pieces }) => pieces.map(({ accountId }) => accountId))).size
  return { id, accounts, seconds }
}

async function whenStored({ client }: PoolBench, name: string): Promise<string> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    const { items } = await client.json<{ items: Item[] }>(`/api/v1/files?q=${name}`)
    const file = items.find((item) => item.name === name)
    if (file?.state === 'STORED') return file.id
    if (file?.state === 'AT_RISK') throw new Error(`${name} is not stored: ${file.stateReason}`)
    await sleep(LOOK_EVERY_MS)
  }
  throw new Error(`${name} was not stored in time`)
}

/** Seconds of a whole download; status and length are asserted. */
export function download({ client }: PoolBench, id: string, bytes: number): Promise<number> {
  return curl(['-H', `cookie: ${client.cookie}`, `${client.url}/api/v1/files/${id}/download`], { status: 200, bytes })
}

/** @throws Error when the download differs from the file at `path` */
export async function assertSame({ client }: PoolBench, id: string, path: string): Promise<void> {
  const url = `${client.url}/api/v1/files/${id}/download`
  const script = 'curl -sSf -H "$0" "$1" | sha256sum'
  const [digest] = (await run('sh', ['-c', script, `cookie: ${client.cookie}`, url])).split(' ')
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk)
  if (digest !== hash.digest('hex')) throw new Error('other bytes came back than were uploaded')
}
