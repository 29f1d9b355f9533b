import { abortable } from '../../lib/concurrency.ts'
import type { Call, Content, Entry, EntryRef, IsNeeded, NewEntry, PutProgress } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { createRunningHash } from '../shared/source.ts'
import { KIND } from './client.ts'
import { keyOf, ROOT } from './entry.ts'
import { checkName, entryOf, md5OfObject, requireFolder, requireFree, type S3Context } from './files.ts'
import { abortMultipart, partBytesFor } from './multipart.ts'
import { deleteObject, head, listPage, putObject, type S3Object } from './objects.ts'
import type { Place } from './places.ts'
import { isFor, readSession, type Session, sessionText } from './session.ts'
import { completeParts, hashContent, type PartHashes, reading, sendParts, startParts } from './upload.ts'

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

async function readWhole(upload: Upload): Promise<{ bytes: Buffer; md5: string }> {
  const hash = createRunningHash('md5', upload.entry.size)
  const bytes = await reading(upload, 0, hash, async (take) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of take(upload.entry.size)) chunks.push(chunk)
    return Buffer.concat(chunks)
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
