import type { IncomingMessage } from 'node:http'
import type { ByteReader, Reading } from '../byteSource.ts'
import { ObjectMissingError } from '../errors.ts'
import type { S3Objects } from './objects.ts'

/** Buffered of one response: enough for the next read while the caller passes on the last one. */
const BUFFERED = 1024 * 1024
const IDLE_MS = 60_000
/** Responses that break without a byte, one after the other. */
const MOST_BREAKS = 8

type Opening = {
  readonly objects: S3Objects
  readonly id: string
  readonly key: string
  readonly size: number
  /** Makes the object readable if it can be. @returns whether another attempt makes sense */
  readonly prepare: () => Promise<boolean>
}

/** Reads with one GET as long as positions follow each other; a response that breaks is continued. */
export async function openS3Reader(opening: Opening, reading: Reading | undefined): Promise<ByteReader> {
  const { id, size } = opening
  const end = reading?.end ?? size - 1
  let etag: string | undefined
  let current: { readonly flow: Flow; at: number } | null = null

  async function request(at: number): Promise<{ readonly flow: Flow; at: number }> {
    for (let isPrepared = false; ; isPrepared = true) {
      const range = { start: at, end, ...(etag !== undefined && { etag }), signal: reading?.signal }
      const found = await opening.objects.get(opening.key, range)
      // Another size is that of an earlier content, or of one whose beginning is read.
      if (found && (found.total === size || (isPrepared && found.total > size))) {
        etag = found.etag
        return { flow: createFlow(found.body), at }
      }
      found?.body.destroy()
      if (isPrepared || (!(await opening.prepare()) && !(found && found.total > size))) {
        throw found ? new Error('The stored file is shorter than its row says.') : new ObjectMissingError(id)
      }
    }
  }

  if (reading && reading.start <= end) current = await request(reading.start)

  return {
    async read(target, position) {
      const wanted = Math.min(target.length, end + 1 - position)
      if (wanted <= 0) throw new Error('The stored file is shorter than its row says.')
      if (current && current.at !== position) {
        current.flow.close()
        current = null
      }
      let filled = 0
      for (let breaks = 0; filled < wanted; ) {
        current ??= await request(position + filled)
        const { flow } = current
        const bytes = await flow.read(target.subarray(filled, wanted)).catch((error: unknown) => {
          reading?.signal?.throwIfAborted()
          if (breaks === MOST_BREAKS) throw error
          return 0
        })
        breaks = bytes === 0 ? breaks + 1 : 0
        filled += bytes
        current.at += bytes
        if (bytes > 0) continue
        flow.close()
        current = null
      }
      return filled
    },
    async close() {
      current?.flow.close()
      current = null
    },
  }
}

type Flow = {
  /** The next bytes, at least one; 0 at the end. Rejects when the response breaks. */
  read(target: Buffer): Promise<number>
  close(): void
}

/** Reads from a response, which is paused while enough of it waits. */
function createFlow(message: IncomingMessage): Flow {
  const waiting: Buffer[] = []
  let bytes = 0
  let state: 'open' | 'ended' | Error = 'open'
  let wake = () => {}

  message.on('data', (chunk: Buffer) => {
    waiting.push(chunk)
    bytes += chunk.length
    if (bytes >= BUFFERED) message.pause()
    wake()
  })
  const end = (next: 'ended' | Error) => () => {
    if (state === 'open') state = next
    wake()
  }
  message.once('end', end('ended'))
  message.on('error', (error) => end(error)())
  message.once('close', end(new Error('The object store ended its response early.')))

  async function more(): Promise<void> {
    const timer = setTimeout(() => message.destroy(new Error('The object store stopped sending.')), IDLE_MS)
    await new Promise<void>((resolve) => {
      wake = resolve
    })
    clearTimeout(timer)
  }

  return {
    async read(target) {
      while (bytes === 0) {
        if (state === 'ended') return 0
        if (state !== 'open') throw state
        await more()
      }
      let filled = 0
      while (filled < target.length) {
        const chunk = waiting.shift()
        if (!chunk) break
        const copied = chunk.copy(target, filled)
        if (copied < chunk.length) waiting.unshift(chunk.subarray(copied))
        filled += copied
      }
      bytes -= filled
      if (bytes < BUFFERED / 2 && message.isPaused()) message.resume()
      return filled
    },
    close() {
      // What has arrived completely keeps its connection.
      if (message.complete) message.resume()
      else message.destroy()
    },
  }
}
