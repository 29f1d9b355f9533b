import { gzipSync } from 'node:zlib'
import type { Exchange, Headers } from './service.ts'

export type Sent = { readonly length: number; readonly headers: Headers; readonly bytes: AsyncIterable<Buffer> }

/** What is sent in place of an object's bytes when a fault on the way down is planned; `whole` = as long as is said. */
export async function changed(sent: Sent, take: Exchange['take']): Promise<Sent & { readonly whole: boolean }> {
  const flip = sent.length > 0 ? take('flip') : null
  const bytes = flip ? flipped(sent.bytes, flip.at ?? Math.floor(sent.length / 2)) : sent.bytes
  const short = sent.length > 0 ? take('shortBody') : null
  if (short) {
    const kept = Math.max(0, sent.length - (short.bytes ?? 1))
    const agreeing = short.agreeing ?? false
    return { ...sent, bytes: first(bytes, kept), length: agreeing ? kept : sent.length, whole: agreeing }
  }
  if (!take('gzip')) return { ...sent, bytes, whole: true }
  const packed = gzipSync(await all(bytes))
  const headers = { ...sent.headers, 'Content-Encoding': 'gzip' }
  return { length: packed.length, headers, bytes: first(one(packed), packed.length), whole: true }
}

async function* flipped(bytes: AsyncIterable<Buffer>, at: number): AsyncGenerator<Buffer> {
  let offset = 0
  for await (const chunk of bytes) {
    const index = at - offset
    offset += chunk.length
    if (index < 0 || index >= chunk.length) yield chunk
    else
      yield Buffer.concat([chunk.subarray(0, index), Buffer.from([(chunk[index] ?? 0) ^ 1]), chunk.subarray(index + 1)])
  }
}

async function* first(bytes: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count
  for await (const chunk of bytes) {
    if (left > 0) yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return
  }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

async function all(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}
