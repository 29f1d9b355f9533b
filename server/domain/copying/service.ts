import { newId } from '../../lib/ids.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import { ChecksumMismatchError, ContentUnavailableError, StorageFullError, UploadIncompleteError } from '../errors.ts'
import type { Contents } from '../files/content/content.ts'
import type { CopyFiles, File, FilesService } from '../files/contract.ts'
import { type ChangeDeps, changeTree, requireTargetFolder } from '../files/tree/change.ts'
import { requireFile, requireFiles } from '../files/tree/entries.ts'
import { insertFolder } from '../files/tree/folders.ts'
import { freeName, nameKey, takenKeys } from '../files/tree/names.ts'
import type { AccountLabel } from '../groupClouds/members.ts'
import { claimKey, fingerprintOf } from '../idempotency/keys.ts'
import type { UploadsService } from '../uploads/contract.ts'
import type { Viewer } from '../viewer.ts'
import { copiesOf, openProgress, type Progress, planCopy, requireRoom, type Tree } from './plan.ts'

export type CopyingDeps = ChangeDeps & {
  readonly contents: Pick<Contents, 'open'>
  readonly receive: UploadsService['receive']
  /** How refusals name accounts; by default without the provider. */
  readonly accountLabel?: AccountLabel
  /** Called at the end with the new entries in the target folder, also after a call that failed half-way. */
  readonly onCopied: (viewer: Viewer, copies: readonly File[], parentId: string | null) => void
}

export type Copying = Pick<FilesService, 'copy'> & {
  /** Aborts running copies after the current chunk; new ones are refused. */
  stop(): Promise<void>
}

/**
 * Copies files and folders: bytes are read like a download and received like an upload, one file after another, in constant memory,
 * until the server closes. After a crash copied files are complete, but folders may lack files.
 */
export function createCopying(deps: CopyingDeps): Copying {
  const { pool, contents, receive, onCopied } = deps
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()

  async function run(viewer: Viewer, input: CopyFiles, key: string | undefined): Promise<File[]> {
    const progress = await openProgress(pool, viewer, input, key)
    const tops = [...new Set(input.ids)].map((id) => ({ id }))
    if (progress.isDone) return requireFiles(pool, viewer, copiesOf(progress, tops))
    const trees = await planCopy(deps, viewer, input)
    const rest = trees.flatMap(({ top, entries }) => {
      return entries.filter((file) => file.kind === 'FILE' && progress.copyOf(top.id, file.id) === undefined)
    })
    await requireRoom(deps, viewer, rest, input.groupCloudId)
    for (const file of rest) await open(viewer, file)
    await progress.begin()
    const copies = await makeAll(viewer, input, trees, progress, rest.length)
    await progress.end()
    return requireFiles(pool, viewer, copies)
  }

  /** @returns the ids of the copies of the tops */
  async function makeAll(
    viewer: Viewer,
    { parentId, groupCloudId }: CopyFiles,
    trees: readonly Tree[],
    progress: Progress,
    all: number,
  ): Promise<string[]> {
    const made: { tops: string[]; fresh: File[]; files: number } = { tops: [], fresh: [], files: 0 }
    try {
      for (const { top, entries } of trees) {
        const folders = new Map<string | null, string>()
        for (const file of entries) {
          if (closing.signal.aborted) throw closingError()
          const into = file === top ? parentId : (folders.get(file.parentId) ?? null)
          let id = progress.copyOf(top.id, file.id)
          if (id === undefined) {
            const key = progress.keyOf(top.id, file.id)
            const isFolder = file.kind === 'FOLDER'
            const copy = isFolder
              ? await copyFolder(deps, viewer, file, into, key)
              : await copyFile(viewer, file, { parentId: into, groupCloudId }, key)
            id = copy.id
            if (!isFolder) made.files += 1
            if (file === top) made.fresh.push(copy)
          }
          if (file.kind === 'FOLDER') folders.set(file.id, id)
          if (file === top) made.tops.push(id)
        }
      }
      return made.tops
    } catch (error) {
      throw afterSome(error, made.files, all)
    } finally {
      onCopied(viewer, made.fresh, parentId)
    }
  }

  async function copyFile(
    viewer: Viewer,
    file: File,
    { parentId, groupCloudId = file.groupCloudId ?? undefined }: Pick<CopyFiles, 'parentId' | 'groupCloudId'>,
    key: string | undefined,
  ): Promise<File> {
    const { id: copiedFrom, name, size, sha256 } = file
    const source = await open(viewer, file)
    const body = source.read(0, size - 1)
    const stop = () => body.destroy(closingError())
    closing.signal.addEventListener('abort', stop, { once: true })
    try {
      const bytes = { name, size, sha256: sha256 ?? undefined, copiedFrom }
      const input = { ...bytes, parentId, groupCloudId, onConflict: 'RENAME' } as const
      return await receive(viewer, input, body, key)
    } catch (error) {
      throw closing.signal.aborted ? closingError() : copyError(error, name)
    } finally {
      closing.signal.removeEventListener('abort', stop)
      body.destroy()
    }
  }

  /** @throws ContentUnavailableError that names it */
  async function open(viewer: Viewer, { id, name }: File): Promise<ByteSource> {
    const { source } = await contents.open(viewer, id).catch((error: unknown) => {
      throw copyError(error, name)
    })
    return source
  }

  return {
    copy(viewer, input, idempotencyKey) {
      const work = run(viewer, input, idempotencyKey).finally(() => running.delete(work))
      running.add(work)
      return work
    },
    async stop() {
      closing.abort()
      await Promise.allSettled(running)
    },
  }
}

/** Creates an empty folder with the name of the original, numbered if that is taken. @throws NotFoundError */
function copyFolder(
  deps: ChangeDeps,
  viewer: Viewer,
  original: File,
  parentId: string | null,
  key: string | undefined,
): Promise<File> {
  return changeTree(deps, viewer, async (change) => {
    const { tx, userId } = change
    const id = newId()
    if (key !== undefined) {
      const sql = async (text: string, values: readonly unknown[]) => (await tx.query(text, [...values])).rows
      const claim = { userId, key, operation: 'copyFolder', fingerprint: fingerprintOf([parentId]), resultId: id }
      const earlier = await claimKey(sql, claim)
      if (earlier) return requireFile(tx, viewer, earlier)
    }
    await requireTargetFolder(change, parentId)
    const space = { userId, parentId }
    const isTaken = (await takenKeys(tx, space, [nameKey(original.name)])).size > 0
    const name = isTaken ? await freeName(tx, space, original.name, 'FOLDER') : original.name
    await insertFolder(change, { id, name, parentId })
    return requireFile(tx, viewer, id)
  })
}

/** The error of a call that ends because the server is closing. */
function closingError(): ContentUnavailableError {
  return new ContentUnavailableError('The server is being stopped. What was copied stays; please copy the rest later.')
}

/** The error of a failed copy for the caller, who need not know that the bytes were received like an upload. */
function copyError(error: unknown, name: string): unknown {
  const cause = error instanceof UploadIncompleteError ? error.cause : error
  const failed = (reason: string, retryAfterSeconds: number | null = null) =>
    new ContentUnavailableError(`“${name}” could not be copied. ${reason}`, { cause: error, retryAfterSeconds })
  if (cause instanceof ContentUnavailableError) return failed(cause.message, cause.retryAfterSeconds)
  if (cause instanceof ChecksumMismatchError) return failed('What was read is not what was stored.')
  if (error instanceof UploadIncompleteError) return failed('It could not be read to its end. Please try again.')
  return error
}

/** The error with the number of files that were copied before it. */
function afterSome(error: unknown, done: number, all: number): unknown {
  if (done === 0) return error
  const stays = `${done} of ${all} files were copied before and stay.`
  if (error instanceof ContentUnavailableError) {
    return new ContentUnavailableError(`${error.message} ${stays}`, {
      cause: error,
      retryAfterSeconds: error.retryAfterSeconds,
    })
  }
  if (error instanceof StorageFullError) {
    return new StorageFullError(error.neededBytes, error.freeBytes, `${error.message} ${stays}`)
  }
  return error
}
