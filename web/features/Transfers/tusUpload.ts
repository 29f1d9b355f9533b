import { type DetailedError, type HttpRequest, type HttpResponse, Upload } from 'tus-js-client'
import { type FailedAnswer, failureOf, isWorthRetrying, type UploadFailure } from './uploadFailure.ts'
import { ONE_REQUEST_BYTES } from './uploadJob.ts'

/** A PATCH is at most 64 MiB on the server; half of it limits what a lost connection costs. */
const CHUNK_BYTES = 32 * 1024 * 1024
const RETRY_DELAYS_MS = [500, 1_000, 3_000, 8_000, 20_000]

export type TusJob = {
  readonly file: File
  /** Absolute address of the tus endpoint. */
  readonly endpoint: string
  readonly metadata: Record<string, string>
  /** URL of an earlier attempt that can be resumed. */
  readonly uploadUrl: string | null
  /** The same for every retry of one attempt, so that a creation whose response was lost is not repeated. */
  readonly idempotencyKey: string
  /** The upload can be resumed at this URL. */
  readonly onUrl: (url: string) => void
  readonly onProgress: (sentBytes: number) => void
  /** Durable on the server; null only if the server returns no file. */
  readonly onDone: (file: UploadedFile | null) => void
  readonly onFail: (failure: UploadFailure) => void
}

/** `parentId`: the folder that it is in; null is the root. */
export type UploadedFile = { readonly id: string; readonly parentId: string | null }

export type TusRun = {
  /** Stops sending; received bytes stay on the server. No callback is called afterwards. */
  readonly stop: () => void
}

/** Starts immediately. Retries errors that may be temporary; `onFail` is final. */
export function startTusUpload(job: TusJob): TusRun {
  const upload = new Upload(job.file, {
    endpoint: job.endpoint,
    uploadUrl: job.uploadUrl,
    metadata: job.metadata,
    chunkSize: CHUNK_BYTES,
    uploadDataDuringCreation: job.file.size <= ONE_REQUEST_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    storeFingerprintForResuming: false,
    onBeforeRequest: (request) => markCreation(request, job.idempotencyKey),
    onShouldRetry: (error) => navigator.onLine && isWorthRetrying(answerOf(error)),
    onUploadUrlAvailable: () => upload.url && job.onUrl(upload.url),
    onProgress: job.onProgress,
    onSuccess: ({ lastResponse }) => job.onDone(fileOf(lastResponse)),
    onError: (error) => void explain(job.file, answerOf(error)).then(job.onFail),
  })
  upload.start()
  return { stop: () => void upload.abort() }
}

/** Ends an unfinished upload on the server and frees what it reserved. Does nothing when it no longer exists. */
export async function discardTusUpload(url: string): Promise<void> {
  const answer = await fetch(url, { method: 'DELETE', headers: { 'Tus-Resumable': '1.0.0' } })
  if (!answer.ok && answer.status !== 404 && answer.status !== 410) throw new Error(`Discard failed: ${answer.status}`)
}

function markCreation(request: HttpRequest, key: string): void {
  if (request.getMethod() === 'POST') request.setHeader('Idempotency-Key', key)
}

/** No response means either a lost connection or a file that changed on disk during the upload. */
async function explain(file: File, answer: FailedAnswer): Promise<UploadFailure> {
  if (answer.status !== 0) return failureOf(answer)
  try {
    await file.slice(0, 1).arrayBuffer()
    return failureOf(answer)
  } catch {
    return { code: 'FILE_CHANGED', message: 'The file changed or moved on your disk. Choose it again.', offline: false }
  }
}

function fileOf(response: HttpResponse): UploadedFile | null {
  const id = response.getHeader('Skypool-File-Id')
  return id ? { id, parentId: response.getHeader('Skypool-Parent-Id') ?? null } : null
}

function answerOf(error: Error | DetailedError): FailedAnswer {
  const response = 'originalResponse' in error ? error.originalResponse : null
  return { status: response?.getStatus() ?? 0, body: response?.getBody() ?? '' }
}
