import { randomUUID } from 'node:crypto'
import type { Stats } from 'ssh2'
import type { Call, Content, CopyProgress, Entry, EntryRef, IsNeeded, NewEntry, PutProgress } from '../driver.ts'
import { isFailure, ProviderError, type ProviderErrorCode } from '../errors.ts'
import { nothingWhenUnsupported } from './channel.ts'
import { readFile } from './download.ts'
import { type Attributes, attributesOf, entryOf } from './entry.ts'
import { failed, hasStatus, STATUS } from './errors.ts'
import type { SftpLimits } from './limits.ts'
import { checkName, isPart, nameOf, partName, pathOf, refIn } from './paths.ts'
import { closeHandle, find, lookAt, renameTo, requireBase, type Server, unlink, writeError } from './requests.ts'
import { sendContent, windowBytes } from './send.ts'
import { isOf, readSession, type Session, sessionText } from './session.ts'

type Context = { readonly server: Server; readonly limits: SftpLimits; readonly call: Call }
type PutRequest = { readonly entry: NewEntry; readonly content: Content; readonly progress: PutProgress }
type Upload = Context & PutRequest

/**
 * Driver.put. The bytes are written next to their place under a name of the driver's own, which is not listed, and get their name when
 * all of them are on the server's disk. What is there already is continued.
 */
export async function put(context: Context, request: PutRequest): Promise<Entry> {
  const upload: Upload = { ...context, ...request }
  const { entry, progress, server } = upload
  checkName('put', entry.parent, entry.name)
  const saved = readSession(progress.session)
  const session = saved && isOf(entry, saved) && isPart(nameOf(saved.part)) ? saved : null
  const part = session ? await find(server, 'put', session.part) : null
  if (session && part?.kind === 'FILE' && part.size <= entry.size) return continueFrom(upload, session, part)
  if (session && part === null && session.modifiedAt !== null) {
    const own = await findOwn(upload, session)
    if (own) return own
  }
  await requireFree(server, 'put', entry)
  return sendNew(upload)
}

/** Early, before any bytes are sent. @throws Conflict */
async function requireFree(server: Server, operation: string, { parent, name }: NewEntry): Promise<void> {
  if ((await find(server, operation, refIn(parent, name))) !== null)
    throw failed(operation, 'Conflict', 'The name is taken.')
}

async function sendNew(upload: Upload): Promise<Entry> {
  const session = newSession(upload.entry)
  await upload.progress.save(sessionText(session))
  return keepOrDelete(upload, session, async () => {
    await sendInto(upload, session, 0)
    return nameIt(upload, session)
  })
}

function newSession({ parent, name, size }: NewEntry): Session {
  return { part: refIn(parent, partName(randomUUID())), parent, name, size, modifiedAt: null }
}

/** A part that was complete only lacks its name. Others are continued a little before their end: writes can overtake each other. */
async function continueFrom(upload: Upload, session: Session, { size }: Attributes): Promise<Entry> {
  return keepOrDelete(upload, session, async () => {
    if (session.modifiedAt !== null && size === upload.entry.size) return nameIt(upload, session)
    const from = Math.max(0, size - windowBytes(upload.limits))
    upload.progress.onProgress(from)
    await sendInto(upload, session, from)
    return nameIt(upload, session)
  })
}

/** After these the bytes are of no use to another attempt. */
const USELESS: ReadonlySet<ProviderErrorCode> = new Set(['Corrupt', 'Conflict', 'QuotaExceeded', 'TooLarge', 'BadName'])

async function keepOrDelete({ server }: Context, { part }: Session, work: () => Promise<Entry>): Promise<Entry> {
  try {
    return await work()
  } catch (error) {
    const isUseless = error instanceof ProviderError && USELESS.has(error.code)
    if (isUseless) await unlink(server, part).catch(() => undefined)
    throw error
  }
}

async function sendInto(upload: Upload, { part }: Session, from: number): Promise<void> {
  const { server, limits, call, content, entry, progress } = upload
  const handle = await openPart(server, 'put', part, from > 0)
  try {
    const onConfirmed = (bytes: number): void => progress.onProgress(bytes)
    await sendContent({ server, limits, handle }, call, content, { from, onConfirmed })
    await finishPart(server, handle, entry.modifiedAt)
  } finally {
    await closeHandle(server.channel, handle)
  }
}

/** @throws NotFound where the folder is gone */
async function openPart(server: Server, operation: string, part: EntryRef, isThere: boolean): Promise<Buffer> {
  const path = pathOf(server.base, part)
  try {
    // Not for appending: some servers then ignore the offset of a write.
    return await server.channel.ask<Buffer>((sftp, done) => sftp.open(path, isThere ? 'r+' : 'w', done))
  } catch (error) {
    if (hasStatus(error, STATUS.NO_SUCH_FILE)) await requireBase(server, operation)
    throw await writeError(server, operation, error)
  }
}

/** On the server's disk where it can say so, and with its time. */
async function finishPart({ channel }: Server, handle: Buffer, modifiedAt: Date | undefined): Promise<void> {
  await channel.ask<void>((sftp, done) => sftp.ext_openssh_fsync(handle, done)).catch(nothingWhenUnsupported)
  if (modifiedAt === undefined) return
  const seconds = Math.floor(modifiedAt.getTime() / 1000)
  await channel
    .ask<void>((sftp, done) => sftp.futimes(handle, seconds, seconds, done))
    // Not all file systems allow it.
    .catch((error: unknown) => {
      if (!hasStatus(error, STATUS.UNSUPPORTED, STATUS.PERMISSION_DENIED, STATUS.FAILURE)) throw error
    })
}

/** Gives the complete part its name. The session says so before, so that an upload whose answer is lost is found. */
async function nameIt({ server, entry, progress }: Pick<Upload, 'server' | 'entry' | 'progress'>, session: Session) {
  const { modifiedAt } = await lookAt(server, 'put', session.part)
  await progress.save(sessionText({ ...session, modifiedAt: modifiedAt ?? 0 }))
  const target = refIn(session.parent, session.name)
  try {
    // Some servers replace what is there, although they should not.
    await requireFree(server, 'put', entry)
    await renameTo(server, 'put', session.part, target)
  } catch (error) {
    // The name belongs to another file, whatever its bytes.
    if (isFailure(error, 'Conflict')) await progress.save(sessionText({ ...session, modifiedAt: null }))
    throw error
  }
  return checkStored(server, target, entry.size, progress)
}

/** Deletes a file with another size. @throws Corrupt */
async function checkStored(
  server: Server,
  ref: EntryRef,
  size: number,
  { onProgress }: Pick<PutProgress, 'onProgress'>,
): Promise<Entry> {
  const attributes = await lookAt(server, 'put', ref)
  if (attributes.size === size) {
    onProgress(size)
    return entryOf(ref, attributes)
  }
  await unlink(server, ref)
  throw failed('put', 'Corrupt', `${attributes.size} of ${size} bytes were stored.`)
}

/** The file with the name, if it is the part that was to get it: by its size, time and bytes, and if it belongs to no other piece. */
async function findOwn(upload: Upload, session: Session): Promise<Entry | null> {
  const { server, progress } = upload
  const ref = refIn(session.parent, session.name)
  const found = await find(server, 'put', ref)
  if (!found || !isNamed(session, found) || (await progress.isTaken?.(ref))) return null
  if (!(await hasBytes(upload, ref))) return null
  progress.onProgress(session.size)
  return entryOf(ref, found)
}

function isNamed(session: Session, { kind, size, modifiedAt }: Attributes): boolean {
  return kind === 'FILE' && size === session.size && (modifiedAt ?? 0) === session.modifiedAt
}

/** Compares the file with the content. */
async function hasBytes({ server, limits, call, content }: Upload, ref: EntryRef): Promise<boolean> {
  const source = content.open(0)
  source.on('error', () => undefined)
  const expected = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  const stop = (): void => void source.destroy()
  call.signal.addEventListener('abort', stop, { once: true })
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (let part of readFile(server, limits, call, ref)) {
      while (part.length > 0) {
        if (rest.length === 0) {
          const { done, value } = await expected.next()
          if (done) return false
          rest = value
        }
        const length = Math.min(part.length, rest.length)
        if (!part.subarray(0, length).equals(rest.subarray(0, length))) return false
        part = part.subarray(length)
        rest = rest.subarray(length)
      }
    }
    return true
  } finally {
    call.signal.removeEventListener('abort', stop)
    source.destroy()
  }
}

/** Driver.abandon. */
export async function abandon(
  { server }: Context,
  text: string,
  isNeeded: IsNeeded = async () => false,
): Promise<void> {
  const session = readSession(text)
  if (!session || !isPart(nameOf(session.part))) return
  const ref = refIn(session.parent, session.name)
  const wasNamed = session.modifiedAt !== null && (await find(server, 'abandon', session.part)) === null
  await unlink(server, session.part)
  if (!wasNamed) return
  const found = await find(server, 'abandon', ref)
  if (found && isNamed(session, found) && !(await isNeeded(ref))) await unlink(server, ref)
}

/**
 * Driver.copy, by the extension copy-data, into a separate part like an upload.
 * @throws Permanent where the server does not offer it
 */
export async function copy(
  context: Context,
  ref: EntryRef,
  entry: NewEntry,
  { save }: Pick<CopyProgress, 'save'>,
): Promise<Entry> {
  const { server } = context
  checkName('copy', entry.parent, entry.name)
  const session = newSession(entry)
  await save(sessionText(session))
  const { kind, size } = await lookAt(server, 'copy', ref)
  if (kind !== 'FILE' || size !== entry.size) throw failed('copy', 'NotFound', 'The file has changed.')
  await requireFree(server, 'copy', entry)
  return keepOrDelete(context, session, async () => {
    await copyInto(context, ref, session)
    return nameIt({ server, entry, progress: { session: null, save, onProgress: () => undefined } }, session)
  })
}

async function copyInto({ server, limits, call }: Context, ref: EntryRef, { part, size }: Session): Promise<void> {
  const { channel, base } = server
  const path = pathOf(base, ref)
  const source = await channel.ask<Buffer>((sftp, done) => sftp.open(path, 'r', done))
  try {
    const target = await openPart(server, 'copy', part, false)
    try {
      for (let at = 0; at < size; at += limits.copyBytes) {
        call.signal.throwIfAborted()
        await copyRange(server, { source, target, at, length: Math.min(limits.copyBytes, size - at) })
      }
      await finishPart(server, target, undefined)
      const stats = await channel.ask<Stats>((sftp, done) => sftp.fstat(target, done))
      if (attributesOf(stats).size !== size) throw failed('copy', 'Corrupt', 'The server copied another length.')
    } finally {
      await closeHandle(channel, target)
    }
  } finally {
    await closeHandle(channel, source)
  }
}

type Range = { readonly source: Buffer; readonly target: Buffer; readonly at: number; readonly length: number }

async function copyRange(server: Server, { source, target, at, length }: Range): Promise<void> {
  try {
    await server.channel.ask<void>((sftp, done) => sftp.ext_copy_data(source, at, length, target, at, done))
  } catch (error) {
    throw await writeError(server, 'copy', error)
  }
}
