import { abortable } from '../../lib/concurrency.ts'
import { countGarbage } from '../../lib/garbage.ts'
import type { Call, Content, Entry, EntryRef, IsNeeded, NewEntry, PutProgress } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { createRunningHash, openSource, type RunningHash } from '../shared/source.ts'
import { KIND } from './client.ts'
import { keyOf, ROOT } from './entry.ts'
import { checkName, entryOf, md5OfObject, requireFolder, requireFree, type S3Context } from './files.ts'
import {
  abortMultipart,
  completeMultipart,
  createMultipart,
  listParts,
  type Part,
  partBytesFor,
  sendPart,
} from './multipart.ts'
import { deleteObject, head, listPage, md5Of, putObject, type S3Object, storedHeaders } from './objects.ts'
import type { Place } from './places.ts'
import { isFor, readSession, type Session, sessionText } from './session.ts'

/** 10,000 parts of 5 GiB are possible on Amazon; most other services end here. */
export const MAX_OBJECT_BYTES = 5 * 1024 ** 4

type PutRequest = {
  readonly call: Call
  readonly entry: NewEntry
  readonly content: Content
  readonly progress: PutProgress
}
/** An upload in progress. */
export type Upload = S3Context & PutRequest & { readonly key: string; readonly partBytes: number }

const WHERE = { provider: KIND, operation: 'put' }

/**
 * Driver.put. Contents of one part are sent in one request, others as an upload in parts, which has a key only when it is complete.
 * The service compares each request with its MD5. If the response to the last one is lost, the object with the key is taken for the
 * result when it has the same content.
 */
export async function put(context: S3Context, request: PutRequest): Promise<Entry> {
  const { entry, progress } = request
  const key = keyOf(context.prefix, `${entry.parent}${entry.name}`)
  checkEntry(entry, key)
  const partBytes = partBytesFor(entry.size, context.limits.partBytes)
  const upload: Upload = { ...context, ...request, key, partBytes }
  const saved = readSession(progress.session)
  const session = saved && isFor(saved, entry) ? saved : null
  // Begun under another name or in another folder: nothing else knows what it has stored.
  if (saved && !session) await abandon(context, request.call, sessionText(saved), progress.isTaken)
  const isWhole = entry.size <= partBytes && (session?.uploadId ?? null) === null
  const place = context.places.enter(entry.parent, key)
  try {
    // A write that replaces nothing needs no look before.
    await checkPlace(upload, place, session === null && !(isWhole && isGuarded(context)))
    const stored = isWhole ? await sendWhole(upload, session) : await sendInParts(upload, session)
    progress.onProgress(entry.size)
    return stored
  } finally {
    place.leave()
  }
}

/** Whether the service itself refuses to replace what has a key. */
const isGuarded = ({ condition }: Pick<S3Context, 'condition'>): boolean => condition['if-none-match'] !== undefined

/** @throws NotFound without the folder; Conflict, if `needsName` */
async function checkPlace(upload: Upload, place: Place, needsName: boolean): Promise<void> {
  const { client, call, entry, key, prefix, limits } = upload
  const needsFolder = entry.parent !== ROOT
  if (!needsFolder && !needsName) return
  const names = isGuarded(upload) ? { limit: 1 } : ({ delimiter: '/', limit: limits.pageSize } as const)
  const look = () => listPage(client, call, WHERE.operation, { prefix: keyOf(prefix, entry.parent), ...names })
  // Of a service that guards names, a look shows only whether the folder is there.
  const isShared = !(needsName && isGuarded(upload))
  // It can be the request of another upload, which does not end with this call.
  if (isShared && (await abortable(call.signal, place.isKnown(needsName, look)))) return
  const checks = [
    needsFolder ? requireFolder(upload, call, WHERE.operation, entry.parent) : null,
    needsName ? requireFree(upload, call, WHERE.operation, key) : null,
  ]
  // Both end before an error is thrown: no request is left behind.
  for (const outcome of await Promise.allSettled(checks)) if (outcome.status === 'rejected') throw outcome.reason
}

/** @throws BadName, TooLarge */
function checkEntry({ name, size }: NewEntry, key: string): void {
  checkName(name, key, WHERE.operation)
  if (size <= MAX_OBJECT_BYTES) return
  throw new ProviderError('TooLarge', WHERE, { message: `${MAX_OBJECT_BYTES} bytes are possible at most.` })
}

async function sendWhole(upload: Upload, session: Session | null): Promise<Entry> {
  const { client, call, entry, key } = upload
  const { bytes, md5 } = await readWhole(upload)
  const known = session?.named ? await findOwn(upload, md5) : null
  if (known) return entryOf(upload, known)
  if (session !== null) await requireFree(upload, call, WHERE.operation, key)
  const next = newSession(upload, null, md5)
  await save(upload, { ...next, named: true })
  try {
    await putObject(client, call, WHERE.operation, { ...entry, key, body: bytes, md5 }, upload.condition)
  } catch (error) {
    const own = await afterFailure(upload, { ...next, named: true }, error)
    return entryOf(upload, own)
  }
  return checkStored(upload, md5)
}

async function readWhole(upload: Upload): Promise<{ bytes: Uint8Array; md5: string }> {
  const hash = createRunningHash('md5', upload.entry.size)
  const bytes = await reading(upload, 0, hash, async (take) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of take(upload.entry.size)) chunks.push(chunk)
    const [first] = chunks
    return first && chunks.length === 1 ? first : Buffer.concat(chunks)
  })
  return { bytes, md5: hash.digest() ?? '' }
}

async function sendInParts(upload: Upload, session: Session | null): Promise<Entry> {
  if (session !== null) {
    const stored = await continueParts(upload, session)
    if (stored) return stored
  }
  const hashes = await hashContent(upload)
  if (session !== null) await requireFree(upload, upload.call, WHERE.operation, upload.key)
  const started = await startSession(upload, hashes)
  const stored = await finishParts(upload, started, hashes)
  if (stored) return stored
  throw new ProviderError('Transient', WHERE, { message: 'The service does not have the upload any more.' })
}

/** Null when nothing of the session exists any more. */
async function continueParts(upload: Upload, session: Session): Promise<Entry | null> {
  const stored = session.uploadId === null ? null : await finishParts(upload, session, null)
  if (stored) return stored
  const own = session.named ? await findOwn(upload, session.md5) : null
  return own && entryOf(upload, own)
}

/** Saves the session before any bytes are sent. */
async function startSession(upload: Upload, { md5 }: PartHashes): Promise<Session> {
  const uploadId = await startParts(upload, md5)
  const session = newSession(upload, uploadId, md5)
  try {
    await save(upload, session)
    return session
  } catch (error) {
    await abortMultipart(upload.client, upload.call, WHERE.operation, { key: upload.key, uploadId }).catch(
      () => undefined,
    )
    throw error
  }
}

/** Sends the parts that are missing and completes the upload. Null when it does not exist. */
async function finishParts(upload: Upload, session: Session, hashes: PartHashes | null): Promise<Entry | null> {
  const { uploadId, partBytes } = session
  if (uploadId === null) return null
  const parts = await sendParts({ ...upload, partBytes }, uploadId, hashes)
  if (parts === null) return null
  // Others had as long as the parts took. An upload that was named before may have the key itself.
  if (!isGuarded(upload) && !session.named) await requireFree(upload, upload.call, WHERE.operation, upload.key)
  await save(upload, { ...session, named: true })
  try {
    await completeParts(upload, uploadId, parts)
  } catch (error) {
    const own = await afterFailure(upload, { ...session, named: true }, error)
    return entryOf(upload, own)
  }
  return checkStored(upload, session.md5)
}

/** The object that was stored although its response was lost. @throws the error */
async function afterFailure(upload: Upload, session: Session, error: unknown): Promise<S3Object> {
  upload.call.signal.throwIfAborted()
  // The key belongs to another object, which must never be taken for the result of this session.
  if (isFailure(error, 'Conflict')) await save(upload, { ...session, named: false })
  const isUnclear = isFailure(error, 'Transient') || isFailure(error, 'NotFound')
  const own = isUnclear ? await findOwn(upload, session.md5).catch(() => null) : null
  if (own) return own
  // Only the folder, which was there, may be reported as not found.
  if (!isFailure(error, 'NotFound')) throw error
  throw new ProviderError('Transient', error.where, error.detail)
}

function newSession({ entry, partBytes }: Upload, uploadId: string | null, md5: string): Session {
  const { parent, name, size } = entry
  return { uploadId, partBytes, parent, name, size, md5, named: false }
}

const save = ({ progress }: Upload, session: Session): Promise<void> => progress.save(sessionText(session))

/** The object with the key, if it has the same content and belongs to no other piece. */
async function findOwn(upload: Upload, md5: string): Promise<S3Object | null> {
  const { client, call, entry, key, progress } = upload
  const object = await head(client, call, WHERE.operation, key).catch(nothingWhen('NotFound'))
  if (!object || object.size !== entry.size || md5OfObject(upload, object) !== md5) return null
  return (await progress.isTaken?.(entryOf(upload, object).ref)) ? null : object
}

/** Deletes an object with a wrong content. @throws Corrupt */
async function checkStored(upload: Upload, md5: string): Promise<Entry> {
  const { client, call, entry, key } = upload
  const object = await head(client, call, WHERE.operation, key).catch(nothingWhen('NotFound'))
  if (!object) throw new ProviderError('Corrupt', WHERE, { message: 'The stored object is missing.' })
  const known = md5OfObject(upload, object)
  if (object.size === entry.size && (known === null || known === md5)) return entryOf(upload, object)
  await deleteObject(client, call, WHERE.operation, key)
  const message =
    object.size === entry.size
      ? 'The stored bytes differ from those sent.'
      : `${object.size} of ${entry.size} bytes were stored.`
  throw new ProviderError('Corrupt', WHERE, { message })
}

/** Driver.abandon. Services keep parts until the upload is aborted; an object that was made of them is deleted. */
export async function abandon(
  context: S3Context,
  call: Call,
  text: string,
  isNeeded: IsNeeded = async () => false,
): Promise<void> {
  const session = readSession(text)
  if (!session) return
  const { client, prefix } = context
  const { uploadId, parent, name, size, md5, named } = session
  const key = keyOf(prefix, `${parent}${name}`)
  if (uploadId !== null) await abortMultipart(client, call, 'abandon', { key, uploadId })
  if (!named) return
  const object = await head(client, call, 'abandon', key).catch(nothingWhen('NotFound'))
  if (!object || object.size !== size || md5OfObject(context, object) !== md5) return
  const ref = `${parent}${name}` as EntryRef
  if (!(await isNeeded(ref))) await deleteObject(client, call, 'abandon', key)
}

// The parts of an upload: hashing, sending and completing them.

/** MD5 of the whole content, and of each part by its index. */
type PartHashes = { readonly md5: string; readonly parts: readonly string[] }

/**
 * Reads the whole content: its MD5 is stored with the upload when that is started, because services report none of an object that was
 * sent in parts. @throws Corrupt when the content has another length
 */
async function hashContent(upload: Upload): Promise<PartHashes> {
  const { entry, partBytes } = upload
  const hash = createRunningHash('md5', entry.size)
  const parts: string[] = []
  await reading(upload, 0, hash, async (take) => {
    for (let start = 0; start < entry.size; start += partBytes) {
      const length = Math.min(partBytes, entry.size - start)
      const part = createRunningHash('md5', length)
      let at = 0
      for await (const chunk of take(length)) {
        part.update(at, chunk)
        at += chunk.length
        countGarbage(chunk.length)
      }
      parts.push(part.digest() ?? '')
    }
  })
  return { md5: hash.digest() ?? '', parts }
}

/** For bytes of a part, whose own hash is what the service compares. */
const NO_HASH: RunningHash = { update: () => undefined, digest: () => null }

type Take = (length: number) => AsyncGenerator<Uint8Array>

/** Reads the content from `start` on; ends with the call. */
async function reading<Result>(
  { content, call }: Upload,
  start: number,
  hash: RunningHash,
  work: (take: Take) => Promise<Result>,
): Promise<Result> {
  call.signal.throwIfAborted()
  const source = openSource(content, start, hash, WHERE)
  try {
    // A source that hangs does not end by being closed.
    return await abortable(call.signal, work(source.take))
  } finally {
    source.close()
  }
}

function startParts({ client, call, key, entry }: Upload, md5: string): Promise<string> {
  return createMultipart(client, call, WHERE.operation, key, storedHeaders({ ...entry, md5 }))
}

/** Sends the parts after those that the service has. Null when the upload does not exist any more. */
async function sendParts(upload: Upload, uploadId: string, hashes: PartHashes | null): Promise<readonly Part[] | null> {
  const { client, call, key, entry, partBytes, progress, limits } = upload
  const stored = hashes ? [] : await listParts(client, call, WHERE.operation, { key, uploadId })
  if (stored === null) return null
  const parts = wholeParts(stored, entry.size, partBytes)
  let at = parts.reduce((sum, { size }) => sum + size, 0)
  progress.onProgress(at)
  if (at === entry.size) return parts
  const outgoing = createWindow(limits.parallelParts)
  // Used again: garbage of this size would count several times before it is collected.
  const buffers: Buffer[] = []
  /** Only what follows the parts before it without a gap can be continued. */
  const confirm = (part: Part): void => {
    parts[part.number - 1] = part
    const sent = wholeParts(Object.values(parts), entry.size, partBytes)
    progress.onProgress(sent.reduce((sum, { size }) => sum + size, 0))
  }
  const sending = reading(upload, at, NO_HASH, async (take) => {
    try {
      for (let number = parts.length + 1; at < entry.size; number += 1) {
        const size = Math.min(partBytes, entry.size - at)
        const buffer =
          size > limits.memoryBytes
            ? null
            : (buffers.pop() ?? Buffer.allocUnsafe(Math.min(partBytes, limits.memoryBytes)))
        const part = await partFrom(upload, { start: at, length: size, take, buffer }, hashes?.parts[number - 1])
        const sent = sendPart(client, call, WHERE.operation, { key, uploadId }, { number, ...part })
        const confirmed = sent.then((etag) => {
          confirm({ number, size, etag })
          if (buffer) buffers.push(buffer)
        })
        // The next part is read from the same content.
        await (buffer ? outgoing.add(confirmed) : confirmed)
        at += size
      }
    } finally {
      await outgoing.ended()
    }
    outgoing.throwFailure()
    return parts
  })
  return sending.catch(nothingWhen('NotFound'))
}

/** Work of which so much may be open at a time. */
function createWindow(most: number) {
  const open = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | null = null
  const throwFailure = (): void => {
    if (failure) throw failure.error
  }
  return {
    throwFailure,
    /** Resolves when there is room for more. @throws the first failure of any */
    async add(work: Promise<void>): Promise<void> {
      const one = work
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => open.delete(one))
      open.add(one)
      while (open.size >= most) await Promise.race(open)
      throwFailure()
    },
    /** All have ended, whatever their result. */
    ended: () => Promise.all(open),
  }
}

/** The parts from the first on, as far as none is missing or has another size. */
function wholeParts(stored: readonly Part[], size: number, partBytes: number): Part[] {
  const byNumber = new Map(stored.map((part) => [part.number, part]))
  const parts: Part[] = []
  for (let at = 0; at < size; at += partBytes) {
    const part = byNumber.get(parts.length + 1)
    if (part?.size !== Math.min(partBytes, size - at)) break
    parts.push(part)
  }
  return parts
}

type PartSource = {
  readonly start: number
  readonly length: number
  readonly take: Take
  /** For a part that is sent from memory. */
  readonly buffer: Buffer | null
}

/** The body of a part with its MD5: small ones from memory, larger ones are read once more for it. */
async function partFrom(upload: Upload, { start, length, take, buffer }: PartSource, known: string | undefined) {
  if (buffer) {
    const body = buffer.subarray(0, length)
    let at = 0
    for await (const chunk of take(length)) {
      body.set(chunk, at)
      at += chunk.length
      countGarbage(chunk.length)
    }
    return { body, md5: known ?? md5Of(body) }
  }
  return { body: { length, bytes: take(length) }, md5: known ?? (await hashOfPart(upload, start, length)) }
}

function hashOfPart(upload: Upload, start: number, length: number): Promise<string> {
  const hash = createRunningHash('md5', length)
  return reading(upload, start, NO_HASH, async (take) => {
    let at = 0
    for await (const chunk of take(length)) {
      hash.update(at, chunk)
      at += chunk.length
    }
    const md5 = hash.digest()
    if (md5 !== null) return md5
    throw new ProviderError('Corrupt', WHERE, { message: 'The content ended early.' })
  })
}

function completeParts(
  { client, call, key, condition }: Upload,
  uploadId: string,
  parts: readonly Part[],
): Promise<void> {
  return completeMultipart(client, call, WHERE.operation, { key, uploadId }, parts, condition)
}
