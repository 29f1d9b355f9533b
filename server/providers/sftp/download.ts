import { Readable } from 'node:stream'
import type { Stats } from 'ssh2'
import { abortable, destroyOnAbort } from '../../lib/concurrency.ts'
import type { ByteRange, Call, Download, EntryRef } from '../driver.ts'
import { attributesOf, revisionOf } from './entry.ts'
import { failed, hasStatus, STATUS, sftpError } from './errors.ts'
import type { SftpLimits } from './limits.ts'
import { pathOf } from './paths.ts'
import type { Lease } from './pool.ts'
import { closeHandle, lookAt, requireBase, type Server } from './requests.ts'

/**
 * Driver.get. Releases the lease when the body ends. The body breaks with Transient when the file ends early or is changed while it
 * is read: half of the old and half of the new content would be neither.
 */
export async function download(
  { server, lease, limits }: { server: Server; lease: Lease; limits: SftpLimits },
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): Promise<Download> {
  const { handle, revision, size } = await open(server, ref)
  const { start, end } = range ?? { start: 0, end: size - 1 }

  async function* read(): AsyncGenerator<Buffer> {
    try {
      yield* readRange(server, call, handle, limits, { start, end })
      if (attributesKey(await statOf(server, handle)) !== revision) throw changed()
    } catch (error) {
      call.signal.throwIfAborted()
      throw sftpError('get', error)
    }
  }
  const body = Readable.from(read(), { objectMode: false, highWaterMark: limits.readBytes })
  body.once('close', () => {
    // Also where nothing was read, so that the generator has not begun.
    void closeHandle(server.channel, handle).finally(() => lease.release())
  })
  return { body: destroyOnAbort(call.signal, body) }
}

type Opened = { readonly handle: Buffer; readonly revision: string; readonly size: number }

/** @throws NotFound; Forbidden for links, whose targets are separate entries */
async function open(server: Server, ref: EntryRef): Promise<Opened> {
  const { kind } = await lookAt(server, 'get', ref)
  if (kind !== 'FILE') throw failed('get', 'Forbidden', 'Only files have bytes.')
  const path = pathOf(server.base, ref)
  const handle = await server.channel
    .ask<Buffer>((sftp, done) => sftp.open(path, 'r', done))
    .catch(async (error: unknown) => {
      if (hasStatus(error, STATUS.NO_SUCH_FILE)) await requireBase(server, 'get')
      throw error
    })
  try {
    const stats = await statOf(server, handle)
    return { handle, revision: attributesKey(stats), size: stats.size }
  } catch (error) {
    await closeHandle(server.channel, handle)
    throw error
  }
}

function statOf({ channel }: Server, handle: Buffer): Promise<Stats> {
  return channel.ask<Stats>((sftp, done) => sftp.fstat(handle, done))
}

function attributesKey(stats: Stats): string {
  return revisionOf(attributesOf(stats))
}

/** Both ends included, in order; `limits.depth` requests at a time, each with its own buffer. */
async function* readRange(
  { channel }: Server,
  { signal }: Call,
  handle: Buffer,
  { depth, readBytes }: SftpLimits,
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  const queue: Promise<Buffer>[] = []
  let next = start
  while (next <= end || queue.length > 0) {
    while (queue.length < depth && next <= end) {
      const length = Math.min(readBytes, end - next + 1)
      const part = readPart(channel, handle, next, length)
      // Reported when it is its turn; after an earlier failure it is not awaited.
      part.catch(() => undefined)
      queue.push(part)
      next += length
    }
    const first = queue.shift()
    if (first) yield await abortable(signal, first)
  }
}

/** Servers may answer with less than was asked for. @throws Transient at the end of the file */
async function readPart(channel: Server['channel'], handle: Buffer, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  for (let read = 0; read < length; ) {
    const count = await channel.ask<number>((sftp, done) =>
      sftp.read(handle, buffer, read, length - read, at + read, (error, bytes) => done(error, bytes)),
    )
    if (count === 0) throw failed('get', 'Transient', 'The file ends earlier than the server said.')
    read += count
  }
  return buffer
}

function changed() {
  return failed('get', 'Transient', 'The file was changed while it was read.')
}

/** Yields the whole file. @throws NotFound */
export async function* readFile(server: Server, limits: SftpLimits, call: Call, ref: EntryRef): AsyncGenerator<Buffer> {
  const { handle, size } = await open(server, ref)
  try {
    yield* readRange(server, call, handle, limits, { start: 0, end: size - 1 })
  } finally {
    await closeHandle(server.channel, handle)
  }
}
