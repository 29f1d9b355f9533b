import type { DropEntry } from '../../lib/dropEntries.ts'
import type { Transfer, TransferState } from '../../lib/uploadQueue.ts'
import { FolderError, type FolderMaker } from './folderMaker.ts'
import { isSameFile, type Resumable, type ResumeStore } from './resumeStore.ts'
import type { TransfersStore } from './transfersStore.ts'
import type { TusJob, TusRun, UploadedFile } from './tusUpload.ts'
import { failureOf, type UploadFailure } from './uploadFailure.ts'
import { holdUpload } from './uploadHolds.ts'
import {
  type Batch,
  type ConflictAnswer,
  metadataOf,
  newBatch,
  newJob,
  ONE_REQUEST_BYTES,
  rowOf,
  type UploadJob,
  type UploadTarget,
} from './uploadJob.ts'

/** How many files are sent at the same time. */
const PARALLEL = 3
/** Delay before an upload retries after a lost connection. */
const RECONNECT_MS = 15_000

const RESUMABLE: readonly TransferState[] = ['paused', 'offline', 'failed']

/**
 * Called when no upload of a batch is open any more. `uploaded` counts the files that are durable on the server, `moved`
 * are those among them that are not in the folder that they were sent to.
 */
export type BatchEnd = {
  readonly batchId: string
  readonly uploaded: number
  readonly moved: readonly Transfer[]
  readonly failures: readonly Transfer[]
}

export type EngineDeps = {
  readonly store: TransfersStore
  readonly resumes: ResumeStore
  readonly folders: FolderMaker
  /** Absolute address of the tus endpoint. */
  readonly endpoint: string
  readonly newId: () => string
  /** More Upload-Metadata for every file. */
  readonly extraMetadata?: () => Readonly<Record<string, string>>
  /** Called with the first upload: the tus client is not part of the start bundle. */
  readonly loadTus: () => Promise<{
    readonly startTusUpload: (job: TusJob) => TusRun
    readonly discardTusUpload: (url: string) => Promise<void>
  }>
  readonly onUploaded: (transfer: Transfer, file: File) => void
  readonly onBatchEnd: (end: BatchEnd) => void
}

/**
 * Sends files, three at a time, in the order given; the store has the state of each. An interrupted upload resumes
 * where it stopped. Every method may be called at any time and ignores ids that it does not know or whose state does
 * not fit.
 */
export class UploadEngine {
  readonly #deps: EngineDeps
  readonly #jobs = new Map<string, UploadJob>()
  #waiting: string[] = []
  #active = 0
  #reconnecting: ReturnType<typeof setTimeout> | undefined

  constructor(deps: EngineDeps) {
    this.#deps = deps
  }

  /** Adds the files and folders of one drop or dialog. Returns the ids of the transfers, in order. */
  upload(entries: readonly DropEntry[], target: UploadTarget): { batchId: string; ids: readonly string[] } {
    const batch = newBatch(this.#deps.newId(), target)
    const files = entries.flatMap((entry) => (entry.kind === 'FILE' ? [entry] : []))
    const jobs = files.map(({ file, folders }) => newJob(this.#deps.newId(), file, folders, batch))
    this.#take(jobs)
    for (const entry of entries) this.#takeOther(entry, batch)
    return { batchId: batch.id, ids: jobs.map(({ id }) => id) }
  }

  /** Resumes uploads of an earlier visit for which the user chose the same files again; the others are left out. */
  continueUploads(files: readonly File[], resumables: readonly Resumable[]): readonly Resumable[] {
    const found = resumables.flatMap((entry) => {
      const file = files.find((candidate) => isSameFile(candidate, entry))
      return file ? [{ entry, file }] : []
    })
    const jobs = found.map(({ entry, file }) => {
      const batch = newBatch(this.#deps.newId(), entry)
      return newJob(this.#deps.newId(), file, [], batch, entry.uploadUrl)
    })
    this.#take(jobs)
    return found.map(({ entry }) => entry)
  }

  pause(id: string): void {
    const job = this.#jobs.get(id)
    const state = this.#deps.store.get(id)?.state
    if (!job || (state !== 'running' && state !== 'queued')) return
    this.#halt(job)
    this.#deps.store.patch(id, job.uploadUrl ? { state: 'paused' } : { state: 'paused', sent: 0 })
    this.#pump()
  }

  /** For uploads that are paused, wait for the connection or have failed temporarily; they resume at the offset that the server has. */
  resume(id: string): void {
    const job = this.#jobs.get(id)
    const state = this.#deps.store.get(id)?.state
    if (!job || !state || !RESUMABLE.includes(state) || this.#deps.store.get(id)?.isFinal) return
    this.#enqueue([job])
  }

  /** Removes it from the list; the received part of an unfinished upload is deleted on the server. */
  cancel(id: string): void {
    const job = this.#jobs.get(id)
    this.#deps.store.remove([id])
    if (!job) return
    this.#halt(job)
    this.#discard(job)
    this.#jobs.delete(id)
    this.#close(job)
    this.#pump()
  }

  /** The user's answer for one file whose name is taken, or for all of its batch. */
  answerConflict(id: string, answer: ConflictAnswer, forAll: boolean): void {
    const asked = this.#jobs.get(id)
    if (!asked) return
    if (forAll) asked.batch.answer = answer
    const isMeant = (job: UploadJob) => job === asked || (forAll && job.batch === asked.batch)
    const jobs = [...this.#jobs.values()].filter(
      (job) => isMeant(job) && this.#deps.store.get(job.id)?.state === 'asking',
    )
    for (const job of jobs) job.answer = answer
    if (answer === 'SKIP') for (const job of jobs) this.#skip(job)
    else this.#enqueue(jobs)
  }

  /** The connection is back. */
  retryOffline = (): void => {
    this.#enqueue([...this.#jobs.values()].filter(({ offline }) => offline))
  }

  /** Stops all uploads silently; received parts stay on the server and can be resumed later. */
  stop(): void {
    clearTimeout(this.#reconnecting)
    for (const job of this.#jobs.values()) this.#halt(job)
    this.#waiting = []
    // No upload of a signed-out user may restart automatically.
    this.#jobs.clear()
  }

  #take(jobs: readonly UploadJob[]): void {
    for (const job of jobs) this.#jobs.set(job.id, job)
    this.#deps.store.add(jobs.map(rowOf))
    this.#enqueue(jobs)
  }

  /** Folders, including empty ones, and entries that the browser could not read. */
  #takeOther(entry: DropEntry, batch: Batch): void {
    if (entry.kind === 'FILE') return
    const { parentId } = batch.target
    const name = entry.kind === 'FOLDER' ? (entry.folders.at(-1) ?? '') : entry.name
    const row = rowOf(newJob(this.#deps.newId(), new File([], name), entry.folders, batch))
    const report = (error: string): void => this.#deps.store.add([{ ...row, state: 'failed', error }])
    if (entry.kind === 'UNREADABLE') report('Your browser could not read the file. Check that it still exists.')
    else this.#deps.folders.ensure(parentId, entry.folders).catch((error: unknown) => report(unexpected(error).message))
  }

  #enqueue(jobs: readonly UploadJob[]): void {
    for (const job of jobs) {
      job.offline = false
      job.batch.open.add(job.id)
      this.#deps.store.patch(job.id, { state: 'queued', error: null })
      this.#waiting.push(job.id)
    }
    this.#pump()
  }

  #pump(): void {
    while (this.#active < PARALLEL) {
      const id = this.#waiting.shift()
      if (id === undefined) return
      const job = this.#jobs.get(id)
      if (job && this.#deps.store.get(id)?.state === 'queued') void this.#send(job)
    }
  }

  async #send(job: UploadJob): Promise<void> {
    this.#active += 1
    job.active = true
    job.attempt += 1
    const { attempt } = job
    this.#deps.store.patch(job.id, { state: 'running' })
    try {
      const parentId = await this.#deps.folders.ensure(job.batch.target.parentId, job.folders)
      const { startTusUpload } = await this.#deps.loadTus()
      if (job.active && job.attempt === attempt) job.run = startTusUpload(this.#tusJob(job, parentId))
    } catch (error) {
      if (job.active && job.attempt === attempt) this.#stopped(job, unexpected(error))
    }
  }

  #tusJob(job: UploadJob, parentId: string | null): TusJob {
    const answer = job.answer ?? job.batch.answer
    const onConflict = answer === null || answer === 'SKIP' ? 'FAIL' : answer
    return {
      file: job.file,
      endpoint: this.#deps.endpoint,
      metadata: {
        ...metadataOf(job.file, job.batch.target.groupCloudId, parentId, onConflict),
        ...this.#deps.extraMetadata?.(),
      },
      uploadUrl: job.uploadUrl,
      idempotencyKey: `${job.id}-${job.attempt}`,
      onUrl: (url) => this.#remember(job, url, parentId),
      onProgress: (sent) => this.#deps.store.patch(job.id, { sent }),
      onDone: (file) => this.#finish(job, file, parentId),
      onFail: (failure) => {
        if (failure.code !== 'NAME_TAKEN' || onConflict !== 'FAIL') return this.#stopped(job, failure)
        if (answer === 'SKIP') return this.#skip(job)
        this.#ask(job)
      },
    }
  }

  #remember(job: UploadJob, uploadUrl: string, parentId: string | null): void {
    if (job.uploadUrl === uploadUrl && job.releaseHold) return
    job.uploadUrl = uploadUrl
    if (job.file.size <= ONE_REQUEST_BYTES) return
    job.releaseHold?.()
    job.releaseHold = holdUpload(uploadUrl)
    const { name, size, lastModified } = job.file
    const { groupCloudId, place } = job.batch.target
    this.#deps.resumes.remember({ uploadUrl, name, size, lastModified, parentId, groupCloudId, place })
  }

  /** `parentId`: the folder that it was sent to. */
  #finish(job: UploadJob, file: UploadedFile | null, parentId: string | null): void {
    this.#forget(job)
    const movedTo = file === null || file.parentId === parentId ? null : movedText(file)
    this.#deps.store.patch(job.id, { state: 'done', sent: job.file.size, fileId: file?.id ?? null, movedTo })
    job.batch.uploaded += 1
    const transfer = this.#deps.store.get(job.id)
    if (transfer) this.#deps.onUploaded(transfer, job.file)
    this.#release(job)
  }

  #stopped(job: UploadJob, failure: UploadFailure): void {
    if (failure.offline) this.#wait(job)
    else this.#fail(job, failure)
  }

  #fail(job: UploadJob, failure: UploadFailure): void {
    const { isFinal = false } = failure
    this.#deps.store.patch(job.id, { state: 'failed', error: failure.message, isFinal })
    // Otherwise a later visit would offer to resume it.
    if (isFinal) this.#discard(job)
    this.#release(job)
  }

  /** Until the connection is back. The batch stays open: the upload resumes by itself. */
  #wait(job: UploadJob): void {
    job.offline = true
    this.#deps.store.patch(job.id, { state: 'offline' })
    this.#halt(job)
    this.#pump()
    clearTimeout(this.#reconnecting)
    this.#reconnecting = setTimeout(this.retryOffline, RECONNECT_MS)
  }

  #skip(job: UploadJob): void {
    this.#deps.store.patch(job.id, { state: 'skipped', sent: 0 })
    this.#discard(job)
    this.#release(job)
  }

  /** The batch stays open: it ends when the user has answered. */
  #ask(job: UploadJob): void {
    this.#deps.store.patch(job.id, { state: 'asking', sent: 0 })
    this.#discard(job)
    this.#halt(job)
    this.#pump()
  }

  #release(job: UploadJob): void {
    this.#halt(job)
    this.#close(job)
    this.#pump()
  }

  /** Frees the slot. */
  #halt(job: UploadJob): void {
    job.run?.stop()
    job.run = null
    job.releaseHold?.()
    job.releaseHold = null
    if (job.active) this.#active -= 1
    job.active = false
  }

  #close({ id, batch }: UploadJob): void {
    if (!batch.open.delete(id) || batch.open.size > 0) return
    const rows = this.#deps.store.all().filter(({ batchId }) => batchId === batch.id)
    const failures = rows.filter(({ state }) => state === 'failed')
    const moved = rows.filter(({ movedTo }) => movedTo)
    this.#deps.onBatchEnd({ batchId: batch.id, uploaded: batch.uploaded, moved, failures })
  }

  #forget(job: UploadJob): void {
    if (job.uploadUrl) this.#deps.resumes.forget(job.uploadUrl)
    job.uploadUrl = null
  }

  #discard(job: UploadJob): void {
    const { uploadUrl } = job
    this.#forget(job)
    if (!uploadUrl) return
    this.#deps
      .loadTus()
      .then(({ discardTusUpload }) => discardTusUpload(uploadUrl))
      // Nothing is lost: the server deletes unfinished uploads by itself when they expire.
      .catch((error: unknown) => console.warn('An unfinished upload could not be deleted on the server', error))
  }
}

/** Where the server puts a file whose folder is gone by the time it has arrived. */
function movedText({ parentId }: UploadedFile): string {
  return parentId === null ? 'My Drive' : 'the top folder of the account'
}

function unexpected(error: unknown): UploadFailure {
  if (error instanceof FolderError) return { code: 'FOLDER', message: error.message, offline: false }
  console.error('An upload could not be started', error)
  return failureOf({ status: 0, body: '' })
}
