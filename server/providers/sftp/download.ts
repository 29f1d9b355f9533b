import { Readable } from 'node:stream'
import type { Stats } from 'ssh2'
import { abortable, destroyOnAbort } from '../../lib/concurrency.ts'
import type { ByteRange, Call, Download, EntryRef } from '../driver.ts'
import { type Attributes, attributesOf, revisionOf } from './entry.ts'
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
  const { handle, attributes } = await open(server, ref)
  const file = { server, handle, limits }

  async function* read(): AsyncGenerator<Buffer> {
    try {
      const { start, end } = range ?? { start: 0, end: attributes.size - 1 }
      if (end - start < limits.readBytes) yield* readAtOnce(file, call, { start, end }, attributes)
      else yield* readUnchanged(file, call, range)
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

type OpenFile = { readonly server: Server; readonly handle: Buffer; readonly limits: SftpLimits }

/**
 * Looks before it opens, because opening a pipe can block a server for ever. `attributes`: of the path at that moment.
 * @throws NotFound; Forbidden for links, whose targets are separate entries
 */
async function open(server: Server, ref: EntryRef): Promise<{ handle: Buffer; attributes: Attributes }> {
  const attributes = await lookAt(server, 'get', ref)
  if (attributes.kind !== 'FILE') throw failed('get', 'Forbidden', 'Only files have bytes.')
  const path = pathOf(server.base, ref)
  const handle = await server.channel
    .ask<Buffer>((sftp, done) => sftp.open(path, 'r', done))
    .catch(async (error: unknown) => {
      if (hasStatus(error, STATUS.NO_SUCH_FILE)) await requireBase(server, 'get')
      throw error
    })
  return { handle, attributes }
}

async function statOf({ server, handle }: OpenFile): Promise<Attributes> {
  return attributesOf(await server.channel.ask<Stats>((sftp, done) => sftp.fstat(handle, done)))
}

/** Reads the range, or the whole file. @throws Transient when the file is changed in the meantime */
async function* readUnchanged(file: OpenFile, call: Call, range: ByteRange | null): AsyncGenerator<Buffer> {
  const before = await statOf(file)
  yield* readRange(file, call, range ?? { start: 0, end: before.size - 1 })
  if (revisionOf(await statOf(file)) !== revisionOf(before)) throw changed()
}

/**
 * A range that fits into one request. `before` are the attributes of the path, so that no request is needed to look at the open file
 * first. Some servers report others for an open file: then the range is read once more.
 */
async function* readAtOnce(
  file: OpenFile,
  { signal }: Call,
  { start, end }: ByteRange,
  before: Attributes,
): AsyncGenerator<Buffer> {
  const read = async (): Promise<Buffer> => abortable(signal, readPart(file, start, end - start + 1))
  let part = await read()
  const after = await statOf(file)
  if (revisionOf(after) !== revisionOf(before)) {
    if (after.size !== before.size) throw changed()
    part = await read()
    if (revisionOf(await statOf(file)) !== revisionOf(after)) throw changed()
  }
  if (part.length > 0) yield part
}

/** Both ends included, in order; `limits.depth` requests at a time, each with its own buffer. */
async function* readRange(file: OpenFile, { signal }: Call, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  const { depth, readBytes } = file.limits
  const queue: Promise<Buffer>[] = []
  let next = start
  while (next <= end || queue.length > 0) {
    while (queue.length < depth && next <= end) {
      const length = Math.min(readBytes, end - next + 1)
      const part = readPart(file, next, length)
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
async function readPart({ server, handle }: OpenFile, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  for (let read = 0; read < length; ) {
    const count = await server.channel.ask<number>((sftp, done) =>
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

/** Yields the whole file. @throws NotFound; Transient when it is changed while it is read */
export async function* readFile(server: Server, limits: SftpLimits, call: Call, ref: EntryRef): AsyncGenerator<Buffer> {
  const { handle } = await open(server, ref)
  try {
    yield* readUnchanged({ server, handle, limits }, call, null)
  } finally {
    await closeHandle(server.channel, handle)
  }
}
