import { createCipheriv, createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, unlessUnanswered } from './client.ts'
import { pick, type Random } from './random.ts'
import type { Victim } from './victim.ts'
import { untilAnswered } from './writer.ts'

const MIB = 1024 * 1024
const CHUNK = 8 * MIB

export type Alternated = {
  readonly megabytes: number
  readonly kills: number
  /** Chunks of which something had to be sent again. */
  readonly resent: number
  readonly seconds: number
  readonly intact: boolean
}

export type AlternatingOptions = {
  /** Of the balancer, which asks the servers in turn. */
  readonly client: Client
  readonly servers: readonly Victim[]
  readonly random: Random
  readonly megabytes: number
  /** A server is killed this often, and started again at once. */
  readonly killEveryMs: number
}

/** One upload by tus whose chunks come to one server after the other, while they are killed one after the other. */
export async function uploadWhileKilling(options: AlternatingOptions): Promise<Alternated> {
  const { client, random, megabytes } = options
  const startedAt = performance.now()
  const size = megabytes * MIB
  const bytesAt = contentOf(random.between(0, 2 ** 31))
  const path = await untilAnswered(() => client.open('alternating.bin', size, crypto.randomUUID()))
  const killer = killInTurn(options)
  const hash = createHash('sha256')
  let hashed = 0
  let resent = 0
  let fileId: string | null = null
  for (let offset = 0; fileId === null; ) {
    const chunk = bytesAt(offset, Math.min(CHUNK, size - offset))
    // Of a chunk that is sent again, the part that was sent before is in the hash.
    if (offset + chunk.length > hashed) hash.update(chunk.subarray(hashed - offset))
    hashed = Math.max(hashed, offset + chunk.length)
    const appended = await client.append(path, offset, chunk).catch(unlessUnanswered)
    fileId = appended?.fileId ?? null
    if (!appended) {
      const reached = await untilAnswered(() => client.offset(path))
      if (reached < offset + chunk.length) resent += 1
      offset = reached
    } else offset = appended.offset
  }
  const kills = await killer.stop()
  const { sha256 } = await untilAnswered(() => client.download(fileId))
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return { megabytes, kills, resent, seconds, intact: sha256 === hash.digest('hex') }
}

function killInTurn({ servers, random, killEveryMs }: AlternatingOptions): { stop(): Promise<number> } {
  const stopping = new AbortController()
  let kills = 0
  async function run(): Promise<void> {
    let comingBack = Promise.resolve()
    while (await elapsed(killEveryMs, stopping.signal)) {
      await comingBack
      const server = pick(servers, random)
      await server.kill()
      kills += 1
      comingBack = server.start()
      // Reported by the next turn, or at the end.
      comingBack.catch(() => undefined)
    }
    await comingBack
  }
  const running = run()
  running.catch(() => undefined)
  return {
    async stop() {
      stopping.abort()
      await running
      return kills
    },
  }
}

/** @returns whether the time is over, and not ended by the signal */
function elapsed(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false)
}

/** Bytes that are random, and the same for the same seed at the same place, in memory only while they are used. */
function contentOf(seed: number): (offset: number, length: number) => Buffer {
  const key = createHash('sha256').update(String(seed)).digest()
  return (offset, length) => {
    const block = Math.floor(offset / 16)
    const counter = Buffer.alloc(16)
    counter.writeBigUInt64BE(BigInt(block), 8)
    const skipped = offset - block * 16
    const stream = createCipheriv('aes-256-ctr', key, counter)
    return stream.update(Buffer.alloc(skipped + length)).subarray(skipped)
  }
}
