import type { IncomingMessage } from 'node:http'
import { ObjectMissingError, ObjectStoredError } from '../errors.ts'
import { createFence, type Fence, type S3Context } from './context.ts'
import { isUploadGone } from './errors.ts'
import { bodyOf, type Part, type Upload } from './objects.ts'
import type { StagedRow, Tail } from './rows.ts'
import { completeParts, piecesOf, removeUnused } from './unusedParts.ts'

/** What a writer continues from. */
export type Session = {
  readonly session: number
  readonly fence: Fence
  /** The multipart upload that holds the content except `memory`; null: there is none yet. */
  readonly upload: Upload | null
  /** Parts of it that are not recorded yet. */
  readonly parts: readonly Part[]
  /** The end of the content, after the parts. */
  readonly memory: Buffer
  /** The object that `memory` was read from. */
  readonly tail: Tail | null
  readonly size: number
  /** Number of the next part, unless others claim it. */
  readonly nextPart: number
}

/**
 * Begins the next session of a staged object and cuts its content at `offset`; with offset 0 the object is created if missing.
 * @throws ObjectMissingError when there are fewer bytes, ObjectStoredError when it was published
 */
export async function openSession(context: S3Context, id: string, offset: number): Promise<Session> {
  const { objects, rows, keyOf } = context
  context.whole.delete(id)
  const knownAt = performance.now()
  const row = await rows.take(id, offset === 0)
  if (row?.discarded) throw new ObjectMissingError(id)
  if (!row || row.isNew) {
    const isStored = (await objects.head(keyOf(id))) !== null
    if (isStored && row) await rows.release(id, row.session)
    if (isStored) throw new ObjectStoredError(id)
    if (!row) throw new ObjectMissingError(id)
  }
  const { session } = row
  const fence = createFence(context, id, session, knownAt)
  const nothing = { upload: null, parts: [], memory: Buffer.alloc(0), tail: null, size: 0, nextPart: 1 }
  const empty: Session = { session, fence, ...nothing }
  if (row.isNew) return empty
  if (row.size === null) return continueWhole(context, id, row, offset, empty)
  if (offset > row.size) throw new ObjectMissingError(id)
  if (offset === row.size) return continueParts(context, id, row, empty)
  if (offset > 0) {
    await assemble(context, id)
    return openSession(context, id, offset)
  }
  if (!(await rows.finish(id, session, null))) throw new ObjectMissingError(id)
  await removeParts(context, id, row)
  await objects.delete(keyOf(id))
  return empty
}

async function continueParts(
  { objects, keyOf, tailKeyOf }: S3Context,
  id: string,
  { uploadId, size, tail, nextPart }: StagedRow,
  empty: Session,
): Promise<Session> {
  const upload = uploadId === null ? null : { key: keyOf(id), uploadId }
  const memory = tail === null ? empty.memory : await readWhole(objects, tailKeyOf(tail.name), tail.size)
  if (memory === null) throw new ObjectMissingError(id)
  return { ...empty, upload, memory, tail, size: size ?? 0, nextPart }
}

/** Continues an object that has all its bytes at its key: small ones from memory, others by copying them into the first parts. */
async function continueWhole(
  context: S3Context,
  id: string,
  { uploadId }: StagedRow,
  offset: number,
  empty: Session,
): Promise<Session> {
  const { objects, limits, keyOf } = context
  const key = keyOf(id)
  if (uploadId !== null) await objects.abortUpload({ key, uploadId })
  const found = await objects.head(key)
  const size = found?.size ?? 0
  if (size < offset) throw new ObjectMissingError(id)
  if (offset === 0 && found) await objects.delete(key)
  if (offset === 0) return empty
  if (offset < limits.partBytes) {
    const memory = await readWhole(objects, key, offset)
    if (memory === null) throw new ObjectMissingError(id)
    if (offset < size) await empty.fence((until) => objects.put(key, bodyOf(memory), until))
    return { ...empty, memory, size: offset }
  }
  const { upload, parts } = await copyIntoParts(context, id, empty.session, offset)
  if (offset === size) return { ...empty, upload, parts, size }
  const recorded = { size: offset, tail: null, note: null, added: parts }
  if (!(await context.rows.record(id, empty.session, recorded))) throw new ObjectMissingError(id)
  // Until the parts are assembled, readers must not take it for the content.
  await objects.delete(key)
  return { ...empty, upload, size: offset }
}

/** Begins an upload with the first `size` bytes of the object at its key. */
export async function copyIntoParts(
  context: S3Context,
  id: string,
  session: number,
  size: number,
): Promise<{ readonly upload: Upload; readonly parts: Part[] }> {
  const { objects, limits, keyOf } = context
  const upload = await beginUpload(context, id, session)
  const parts: Part[] = []
  for (const piece of piecesOf({ start: 0, end: size - 1 }, limits.copyBytes)) {
    const number = await claimPart(context, id, session)
    parts.push(await objects.copyPart(upload, number, { from: keyOf(id), ...piece }))
  }
  return { upload, parts }
}

export async function beginUpload({ objects, rows, keyOf }: S3Context, id: string, session: number): Promise<Upload> {
  const key = keyOf(id)
  const upload = { key, uploadId: await objects.beginUpload(key) }
  if (await rows.begin(id, session, upload.uploadId)) return upload
  await objects.abortUpload(upload)
  throw new ObjectMissingError(id)
}

export async function claimPart({ rows }: S3Context, id: string, session: number): Promise<number> {
  const number = await rows.claim(id, session)
  if (number === null) throw new ObjectMissingError(id)
  return number
}

/**
 * Makes an object of the durable parts and the tail, so that it can be read; the next writer can continue it. Idempotent; ends the
 * session of a writer. @throws ObjectMissingError when the parts do not exist any more
 */
export async function assemble(context: S3Context, id: string): Promise<void> {
  const { objects, rows, keyOf, tailKeyOf } = context
  const key = keyOf(id)
  const knownAt = performance.now()
  const row = await rows.take(id, false)
  if (!row || row.discarded) throw new ObjectMissingError(id)
  const { session, size, tail, uploadId, note } = row
  if (size === null) return
  const fence = createFence(context, id, session, knownAt)
  const writing = { id, session, fence }
  try {
    if (uploadId === null) throw new ObjectMissingError(id)
    const upload = { key, uploadId }
    const added: Part[] = []
    if (tail !== null) {
      const number = await claimPart(context, id, session)
      const range = { from: tailKeyOf(tail.name), start: 0, end: tail.size - 1 }
      added.push(await objects.copyPart(upload, number, range))
    }
    const parts = [...(await rows.parts(id)), ...added]
    await completeParts(context, writing, upload, parts)
  } catch (error) {
    if (!isUploadGone(error)) throw error
    // A server that assembled it was stopped before it could say so.
    const found = await objects.head(key)
    if (found?.size !== size) await removeUnused(context, writing, { size, tail }, found, error)
  }
  // False: another server is doing the same.
  if ((await rows.finish(id, session, note)) && tail !== null) await objects.delete(tailKeyOf(tail.name))
}

/** Deletes the multipart upload and the tail of a row. The object at its key stays. */
export async function removeParts(
  { objects, keyOf, tailKeyOf }: S3Context,
  id: string,
  { uploadId, tail }: Pick<StagedRow, 'uploadId' | 'tail'>,
): Promise<void> {
  if (uploadId !== null) await objects.abortUpload({ key: keyOf(id), uploadId })
  if (tail !== null) await objects.delete(tailKeyOf(tail.name))
}

/** The first `size` bytes; null when there are not so many. */
async function readWhole(objects: S3Context['objects'], key: string, size: number): Promise<Buffer | null> {
  for (let attempt = 0; ; attempt += 1) {
    const found = await objects.get(key, { start: 0, end: size - 1 })
    if (!found) return null
    const bytes = await collect(found.body).catch((error: unknown) => {
      if (attempt === 5) throw error
      return null
    })
    if (bytes) return bytes.length === size ? bytes : null
  }
}

async function collect(body: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}
