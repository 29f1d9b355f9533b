import { createHash, randomBytes } from 'node:crypto'
import { type ClientRequest, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, unlessUnanswered } from './client.ts'
import type { Random } from './random.ts'

const CHUNK = 8 * 1024 * 1024
const WRITE = 64 * 1024

export type Resumed = {
  readonly cuts: number
  /** The most bytes that had to be sent again after one cut. */
  readonly mostResent: number
  readonly chunk: number
  readonly intact: boolean
}

/** Uploads by tus in chunks while the connection is cut inside a chunk `cuts` times. */
export async function resumeThroughCuts(client: Client, random: Random, cuts: number): Promise<Resumed> {
  const bytes = randomBytes((cuts + 2) * CHUNK)
  const path = await client.open('resumed.bin', bytes.length, crypto.randomUUID())
  let mostResent = 0
  let offset = 0
  for (let cut = 0; cut < cuts; cut += 1) {
    const sent = random.between(1, CHUNK - 1)
    await sendAndCut(client, path, offset, bytes.subarray(offset, offset + CHUNK), sent)
    const next = await client.offset(path)
    mostResent = Math.max(mostResent, offset + sent - next)
    offset = next
  }
  let fileId: string | null = null
  while (fileId === null) {
    // The server may still be storing what arrived before the last cut: then the offset is requested again, as tus demands.
    const appended = await client.append(path, offset, bytes.subarray(offset, offset + CHUNK)).catch(unlessUnanswered)
    offset = appended?.offset ?? (await client.offset(path))
    fileId = appended?.fileId ?? null
  }
  const { sha256 } = await client.download(fileId)
  return { cuts, mostResent, chunk: CHUNK, intact: sha256 === createHash('sha256').update(bytes).digest('hex') }
}

/** Begins to send a chunk, and destroys the connection after `sent` bytes of it. */
async function sendAndCut(
  { url, cookie }: Client,
  path: string,
  offset: number,
  chunk: Buffer,
  sent: number,
): Promise<void> {
  const patch = request(new URL(path, url), {
    method: 'PATCH',
    headers: {
      cookie,
      origin: url,
      'tus-resumable': '1.0.0',
      'upload-offset': offset,
      'content-type': 'application/offset+octet-stream',
      'content-length': chunk.length,
    },
  })
  // We cut it ourselves.
  patch.on('error', () => undefined)
  for (let at = 0; at < sent; at += WRITE) await write(patch, chunk.subarray(at, Math.min(at + WRITE, sent)))
  await sleep(5)
  patch.destroy()
}

function write(patch: ClientRequest, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => patch.write(bytes, () => resolve()))
}
