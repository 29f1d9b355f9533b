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

/** To send these costs no more than to look first whether the name is free. */
const SMALL_BYTES = 1024 ** 2

/**
 * Driver.put. The bytes are written next to their place under a name of the driver's own, which is not listed, and get their name when
 * all of them are on the server's disk. What is there already is continued.
 */
export async function put(context: Context, request: PutRequest): Promise<Entry> {
  const upload: Upload = { ...context, ...request }
  const { entry, progress, server } = upload
  checkName('put', entry.parent, entry.name)
  const saved = readSession(progress.session)
  if (saved?.wrong) await removeWrong(server, 'put', saved)
  const session = saved && isOf(entry, saved) && isPart(nameOf(saved.part)) ? saved : null
  // Begun under another name or in another folder: nothing else knows what it has stored.
  if (saved && !session) await abandon(context, sessionText(saved), progress.isTaken)
  const part = session ? await find(server, 'put', session.part) : null
  if (session && part?.kind === 'FILE' && part.size <= entry.size) return continueFrom(upload, session, part)
  if (session && part === null && session.modifiedAt !== null) {
    const own = await findOwn(upload, session)
    if (own) return own
    await removeBeginning(upload, session)
  }
  return sendNew(upload)
}

/** @throws Conflict */
async function requireFree({ channel, base }: Server, operation: string, { parent, name }: NewEntry): Promise<void> {
  const path = pathOf(base, refIn(parent, name))
  const isFree = await channel
    .ask<Stats>((sftp, done) => sftp.lstat(path, done))
    .then(
      () => false,
      (error: unknown) => {
        if (hasStatus(error, STATUS.NO_SUCH_FILE)) return true
        throw error
      },
    )
  if (!isFree) throw failed(operation, 'Conflict', 'The name is taken.')
}

async function sendNew(upload: Upload): Promise<Entry> {
  const { server, entry, progress } = upload
  const session = newSession(entry)
  const looking = entry.size > SMALL_BYTES ? requireFree(server, 'put', entry) : null
  // Reported where it is awaited.
  looking?.catch(() => undefined)
  await progress.save(sessionText(session))
  await looking
  return keepOrDelete(upload, session, () => sendAndName(upload, session, 0))
}

function newSession({ parent, name, size }: NewEntry): Session {
  return { part: refIn(parent, partName(randomUUID())), parent, name, size, modifiedAt: null }
}

/** A part that was complete only lacks its name. Others are continued a little before their end: writes can overtake each other. */
async function continueFrom(upload: Upload, session: Session, { size }: Attributes): Promise<Entry> {
  return keepOrDelete(upload, session, async () => {
    if (session.modifiedAt !== null && size === upload.entry.size) {
      return nameIt(upload, session, await lookAt(upload.server, 'put', session.part))
    }
    const from = Math.max(0, size - windowBytes(upload.limits))
    upload.progress.onProgress(from)
    return sendAndName(upload, session, from)
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

async function sendAndName(upload: Upload, session: Session, from: number): Promise<Entry> {
  const { server, limits, call, content, entry, progress } = upload
  const { part } = session
  const handle = await openPart(server, 'put', part, from > 0)
  try {
    const onConfirmed = (bytes: number): void => progress.onProgress(bytes)
    await sendContent({ server, limits, handle }, call, content, { from, onConfirmed })
  } catch (error) {
    await closeHandle(server.channel, handle)
    throw error
  }
  // Not before the server has confirmed the bytes: some carry out writes side by side with what follows them, such as pkg/sftp of Go. The
  // file would get the time of its last write, and flushing it would not include all bytes.
  const closing = closePart(server, 'put', { handle, part, modifiedAt: entry.modifiedAt })
  // The server looks when it has closed the part, without another round trip.
  const looking = requireFree(server, 'put', entry)
  // Reported where it is awaited.
  looking.catch(() => undefined)
  return nameIt(upload, session, await closing, looking)
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

type OpenPart = { readonly handle: Buffer; readonly part: EntryRef; readonly modifiedAt: Date | undefined }

/**
 * Closes a complete part: on the server's disk where it can say so, and with its time. The requests are sent at once, because a server
 * carries them out in their order.
 */
async function closePart(
  server: Server,
  operation: string,
  { handle, part, modifiedAt }: OpenPart,
): Promise<Attributes> {
  const { channel } = server
  const syncing = channel.ask<void>((sftp, done) => sftp.ext_openssh_fsync(handle, done)).catch(nothingWhenUnsupported)
  const setting = modifiedAt === undefined ? null : setTime(channel, handle, modifiedAt)
  const closing = closeHandle(channel, handle)
  const looking = lookAt(server, operation, part)
  // All end before an error is thrown: the part may be deleted then.
  const outcomes = await Promise.allSettled([syncing, setting, closing, looking])
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return looking
}

async function setTime(channel: Server['channel'], handle: Buffer, modifiedAt: Date): Promise<void> {
  const seconds = Math.floor(modifiedAt.getTime() / 1000)
  await channel
    .ask<void>((sftp, done) => sftp.futimes(handle, seconds, seconds, done))
    // Not all file systems allow it.
    .catch((error: unknown) => {
      if (!hasStatus(error, STATUS.UNSUPPORTED, STATUS.PERMISSION_DENIED, STATUS.FAILURE)) throw error
    })
}

/**
 * Gives the complete part its name. The session says so before, so that an upload whose answer is lost is found. `looking`: whether the
 * name is free, because some servers replace what is there, although they should not.
 */
async function nameIt(
  { server, entry, progress }: Pick<Upload, 'server' | 'entry' | 'progress'>,
  session: Session,
  { modifiedAt }: Attributes,
  looking = requireFree(server, 'put', entry),
): Promise<Entry> {
  const target = refIn(session.parent, session.name)
  // Reported where it is awaited.
  looking.catch(() => undefined)
  await progress.save(sessionText({ ...session, modifiedAt: modifiedAt ?? 0 }))
  let seen: Attributes | null
  try {
    await looking
    seen = await renamed(server, session.part, target)
  } catch (error) {
    // The name belongs to another file, whatever its bytes.
    if (isFailure(error, 'Conflict')) await progress.save(sessionText({ ...session, modifiedAt: null }))
    throw error
  }
  return checkStored(server, session, seen ?? (await lookAt(server, 'put', target)), progress)
}

/** @returns what has the name then, asked for together with the renaming; null where the server was asked too early */
async function renamed(server: Server, from: EntryRef, to: EntryRef): Promise<Attributes | null> {
  const path = pathOf(server.base, to)
  const renaming = renameTo(server, 'put', from, to)
  const looking = server.channel.ask<Stats>((sftp, done) => sftp.lstat(path, done)).catch(() => null)
  await renaming
  const stats = await looking
  return stats && attributesOf(stats)
}

/** Deletes a file with another size. @throws Corrupt */
async function checkStored(
  server: Server,
  session: Session,
  attributes: Attributes,
  { save, onProgress }: Pick<PutProgress, 'save' | 'onProgress'>,
): Promise<Entry> {
  const { parent, name, size } = session
  const ref = refIn(parent, name)
  if (attributes.size === size) {
    onProgress(size)
    return entryOf(ref, attributes)
  }
  const wrong = { size: attributes.size, modifiedAt: attributes.modifiedAt ?? 0 }
  // Saved before: if it cannot be deleted now, a later call deletes it.
  await save(sessionText({ ...session, modifiedAt: null, wrong }))
  await unlink(server, ref)
  await save(sessionText({ ...session, modifiedAt: null }))
  throw failed('put', 'Corrupt', `${attributes.size} of ${size} bytes were stored.`)
}

async function removeWrong(server: Server, operation: string, { parent, name, wrong }: Session): Promise<void> {
  const ref = refIn(parent, name)
  const found = wrong ? await find(server, operation, ref) : null
  if (found?.kind !== 'FILE' || found.size !== wrong?.size || (found.modifiedAt ?? 0) !== wrong.modifiedAt) return
  await unlink(server, ref)
}

/**
 * The server has kept only the beginning of the content, and the answer was lost. Such a file is no one else's: the name was free, and
 * it has the bytes of the upload, or none and is not older.
 */
async function removeBeginning(upload: Upload, session: Session): Promise<void> {
  const { server, progress } = upload
  const ref = refIn(session.parent, session.name)
  const found = await find(server, 'put', ref)
  if (found?.kind !== 'FILE' || found.size >= session.size || (await progress.isTaken?.(ref))) return
  const isOurs = found.size === 0 ? (found.modifiedAt ?? 0) >= (session.modifiedAt ?? 0) : await hasBytes(upload, ref)
  if (isOurs) await unlink(server, ref)
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

/** Compares the file with the content, or with the beginning of it. */
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
  if (session.wrong && !(await isNeeded(ref))) await removeWrong(server, 'abandon', session)
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
    const part = await copyInto(context, ref, session)
    return nameIt({ server, entry, progress: { session: null, save, onProgress: () => undefined } }, session, part)
  })
}

/** @returns the attributes of the complete part */
async function copyInto(
  { server, limits, call }: Context,
  ref: EntryRef,
  { part, size }: Session,
): Promise<Attributes> {
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
    } catch (error) {
      await closeHandle(channel, target)
      throw error
    }
    const attributes = await closePart(server, 'copy', { handle: target, part, modifiedAt: undefined })
    if (attributes.size !== size) throw failed('copy', 'Corrupt', 'The server copied another length.')
    return attributes
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
