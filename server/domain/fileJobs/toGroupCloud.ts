import { Readable } from 'node:stream'
import { createContentHash } from '../../lib/contentHash.ts'
import { ProviderError } from '../../providers/errors.ts'
import { ChecksumMismatchError, ContentUnavailableError, NotFoundError } from '../errors.ts'
import type { OpenedVersion } from '../files/content/content.ts'
import type { File } from '../files/contract.ts'
import { changeTree } from '../files/tree/change.ts'
import { storableName } from '../files/tree/names.ts'
import { attachContent, findTarget, isWaiting } from '../protection/follow.ts'
import type { Viewer } from '../viewer.ts'
import { type Carried, type CarryDeps, type Carrying, encrypted, onConflictOf, sessionOf } from './item.ts'
import { saveItemSession, saveMadeId } from './rows.ts'

const RESUMABLE_BYTES = 8 * 1024 * 1024

/** Stores a file in a group cloud: received like an upload, and durable when this resolves. @throws as carryItem */
export async function toGroupCloud(
  deps: CarryDeps,
  carrying: Carrying,
  opened: OpenedVersion,
  parentId: string | null,
): Promise<Carried> {
  const { item, viewer, signal } = carrying
  const isLarge = opened.file.size >= (deps.resumableBytes ?? RESUMABLE_BYTES)
  const file = isLarge
    ? await receiveInParts(deps, carrying, opened, parentId)
    : await receiveWhole(deps, carrying, opened, parentId)
  signal.throwIfAborted()
  const { createdAt } = opened.file
  const { updatedAt } = opened.file
  await changeTree(deps, viewer, async ({ tx, changedIds }) => {
    await tx.query('update files set created_at = $2, updated_at = $3 where id = $1', [file.id, createdAt, updatedAt])
    if (!carrying.protecting) changedIds.add(file.id)
  })
  await saveMadeId(deps.pool, item.id, file.id)
  return { madeId: file.id, version: opened.version }
}

function inputOf(carrying: Carrying, { file }: OpenedVersion, parentId: string | null) {
  const { job } = carrying
  return {
    name: storableName(file.name),
    size: file.size,
    mimeType: file.mimeType ?? undefined,
    parentId,
    groupCloudId: job.groupCloudId ?? undefined,
    onConflict: onConflictOf(carrying),
    protecting: carrying.protecting,
  } as const
}

async function receiveWhole(
  { uploads }: CarryDeps,
  carrying: Carrying,
  opened: OpenedVersion,
  parentId: string | null,
): Promise<File> {
  const { item, viewer } = carrying
  const { hash } = opened
  const sha256 = hash?.algorithm === 'sha256' ? hash.digest : undefined
  const input = { ...inputOf(carrying, opened, parentId), sha256, ...copiedFrom(opened.file) }
  return reading(carrying, opened, 0, (body) =>
    uploads.receive(viewer, input, body, `file job ${item.id} ${opened.version}`),
  )
}

function copiedFrom({ id, accountId }: File): { copiedFrom?: string } {
  return accountId === null ? { copiedFrom: id } : {}
}

/** Runs `work` with the bytes from `start`. A failure of the source is thrown as it is. */
async function reading<Result>(
  { signal, onProgress }: Carrying,
  { source }: OpenedVersion,
  start: number,
  work: (body: Readable) => Promise<Result>,
): Promise<Result> {
  let failure: unknown
  async function* bytes(): AsyncGenerator<Buffer> {
    let position = start
    try {
      if (start === source.size) return
      for await (const chunk of source.read(start, source.size - 1) as AsyncIterable<Buffer>) {
        signal.throwIfAborted()
        yield chunk
        position += chunk.length
        onProgress(position)
      }
    } catch (error) {
      failure = error
      throw error
    }
  }
  const body = Readable.from(bytes(), { objectMode: false })
  const stop = () => body.destroy(new Error('It was stopped.'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    return await work(body)
  } catch (error) {
    signal.throwIfAborted()
    throw failure ?? error
  } finally {
    signal.removeEventListener('abort', stop)
    body.destroy()
  }
}

/** As a resumable upload: what was received stays when the attempt ends. */
async function receiveInParts(
  deps: CarryDeps,
  carrying: Carrying,
  opened: OpenedVersion,
  parentId: string | null,
): Promise<File> {
  const { uploads, pool } = deps
  const { item, viewer } = carrying
  const { id, offset, fileId } = await findUpload(deps, carrying, opened, parentId)
  if (fileId === null && offset < opened.source.size) {
    await reading(carrying, opened, offset, (body) => uploads.append(viewer, id, offset, body))
  }
  const file = await uploads.finish(viewer, id)
  // The source checks its bytes only when they are read at once.
  const { hash } = opened
  if (offset === 0 || hash === null || (await digestOf(deps, viewer, file, hash.algorithm)) === hash.digest) return file
  await deps.files.remove(viewer, [file.id])
  await saveItemSession(pool, item.id, null, null)
  throw new ChecksumMismatchError(`“${file.name}” was not received as it is in its account.`)
}

/** Continues the upload of an earlier attempt, unless the original was changed since. */
async function findUpload(
  deps: CarryDeps,
  carrying: Carrying,
  opened: OpenedVersion,
  parentId: string | null,
): Promise<{ readonly id: string; readonly offset: number; readonly fileId: string | null }> {
  const { uploads, pool } = deps
  const { item, viewer } = carrying
  const saved = sessionOf(deps, item)
  if (saved) {
    const earlier = await uploads.get(viewer, saved.session).catch((error: unknown) => {
      if (error instanceof NotFoundError) return null
      throw error
    })
    if (earlier && item.version === opened.version && earlier.size === opened.source.size) return earlier
    if (earlier && earlier.fileId === null) await uploads.remove(viewer, saved.session)
  }
  const upload = await uploads.create(viewer, inputOf(carrying, opened, parentId))
  await saveItemSession(pool, item.id, encrypted(deps, item, { name: upload.name, session: upload.id }), opened.version)
  return upload
}

async function digestOf(
  { contents }: CarryDeps,
  viewer: Viewer,
  { id, size }: File,
  algorithm: Parameters<typeof createContentHash>[0],
): Promise<string> {
  const hash = createContentHash(algorithm)
  if (size === 0) return hash.digest()
  const { source } = await contents.openVersion(viewer, id)
  for await (const chunk of source.read(0, size - 1) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest()
}

/**
 * Stores the newest version of a file in an account as a protecting copy, unless that is no longer needed or the file is gone: the index
 * says so too. @throws as carryItem
 */
export async function toProtection(deps: CarryDeps, carrying: Carrying): Promise<Carried> {
  const { job, item, viewer } = carrying
  const nothing = { madeId: item.sourceId, version: null }
  const target = await findTarget(deps.pool, job.targetId)
  if (!target || !(await isWaiting(deps.pool, target, item.sourceId))) return nothing
  const opened = await deps.contents.openVersion(viewer, item.sourceId, { original: true }).catch(unlessGone)
  if (opened === null) return nothing
  const { groupCloudId, containerId, accountId, copies } = target
  const placed = { ...carrying, job: { ...job, groupCloudId }, protecting: { accountId, copies } }
  const carried = await toGroupCloud(deps, placed, opened, containerId)
  await attachContent(deps, viewer.userId, target, { fileId: item.sourceId, contentId: carried.madeId, opened })
  return carried
}

function unlessGone(error: unknown): null {
  const cause = error instanceof ContentUnavailableError ? error.cause : error
  if (cause instanceof NotFoundError || (cause instanceof ProviderError && cause.code === 'NotFound')) return null
  throw error
}
