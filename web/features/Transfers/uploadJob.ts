import type { Transfer } from '../../lib/uploadQueue.ts'
import type { TusRun } from './tusUpload.ts'

/** Up to this size, creation and bytes are sent in one request, so there is nothing to resume. */
export const ONE_REQUEST_BYTES = 8 * 1024 * 1024

/** The user's answer when the name is taken. */
export type ConflictAnswer = 'RENAME' | 'REPLACE' | 'SKIP'

export type UploadTarget = {
  /** The folder that receives the entries; null is the root. */
  readonly parentId: string | null
  /** Null: the default group cloud. */
  readonly groupCloudId: string | null
  /** The folder's name, for the panel. */
  readonly place: string
}

/** Uploads that were started together. `open` holds the ids that are neither finished nor failed. */
export type Batch = {
  readonly id: string
  readonly target: UploadTarget
  readonly open: Set<string>
  uploaded: number
  /** The user's answer for all of them. */
  answer: ConflictAnswer | null
}

/** What the engine keeps about one file in addition to the row that is shown. */
export type UploadJob = {
  readonly id: string
  readonly file: File
  readonly folders: readonly string[]
  readonly batch: Batch
  answer: ConflictAnswer | null
  /** Where the server keeps what arrived so far. */
  uploadUrl: string | null
  /** Number of starts; detects callbacks of a start that a pause or a retry has superseded. */
  attempt: number
  /** Takes one of the parallel slots. */
  active: boolean
  run: TusRun | null
  /** Waits for the connection. */
  offline: boolean
  releaseHold: (() => void) | null
}

export function newBatch(id: string, target: UploadTarget): Batch {
  return { id, target, open: new Set(), uploaded: 0, answer: null }
}

export function newJob(
  id: string,
  file: File,
  folders: readonly string[],
  batch: Batch,
  uploadUrl: string | null = null,
): UploadJob {
  const idle = { answer: null, attempt: 0, active: false, run: null, offline: false, releaseHold: null }
  return { id, file, folders, batch, uploadUrl, ...idle }
}

export function rowOf(job: UploadJob): Transfer {
  return {
    id: job.id,
    direction: 'up',
    name: job.file.name,
    mimeType: job.file.type,
    size: job.file.size,
    sent: 0,
    state: 'queued',
    error: null,
    fileId: null,
    batchId: job.batch.id,
    place: job.folders.at(-1) ?? job.batch.target.place,
  }
}

/** Upload-Metadata by the server's contract; absent keys mean its defaults. */
export function metadataOf(
  file: File,
  groupCloudId: string | null,
  parentId: string | null,
  onConflict: string,
): Record<string, string> {
  return {
    filename: file.name,
    ...(file.type && { filetype: file.type }),
    ...(groupCloudId && { groupCloudId }),
    ...(parentId && { parentId }),
    onConflict,
  }
}
