/** Why an upload stopped. `code` is the server's stable error code, or one of ours; `message` is for people. */
export type UploadFailure = {
  readonly code: string
  readonly message: string
  /** The way to the server is gone; the upload goes on by itself when it is back. */
  readonly offline: boolean
  /** The same file will never be taken there: sending it again is not offered. */
  readonly isFinal?: boolean
}

/** What an answer of the server looked like; `status` 0 means that there was none. `body` is what it sent, as text. */
export type FailedAnswer = { readonly status: number; readonly body: string }

/** The folder is gone, the file is too large, or its type is not accepted: waiting changes none of it. */
const FINAL = [404, 413, 415]

const WORDS: Record<number, string> = {
  401: 'You are signed out. Sign in again, then retry.',
  403: 'This server refused the upload. Reload the page, then retry.',
  404: 'The folder is gone. Choose another one and upload again.',
  413: 'The file is larger than this server accepts.',
  415: 'This type of file is not accepted here.',
  429: 'Too many uploads at once. Wait a moment, then retry.',
  507: 'There is not enough free space left.',
}

/** The server's own words where it sent problem+json, else words by status. */
export function failureOf({ status, body }: FailedAnswer): UploadFailure {
  if (status === 0) return lostConnection()
  const problem = problemOf(body)
  const message = problem?.detail ?? WORDS[status] ?? 'The server could not take the file. Retry in a moment.'
  return { code: problem?.code ?? `HTTP_${status}`, message, offline: false, isFinal: FINAL.includes(status) }
}

const lostConnection = (): UploadFailure => ({
  code: 'OFFLINE',
  message: 'The connection was lost. The upload goes on as soon as it is back.',
  offline: true,
})

/** Whether sending again can help: no answer, a busy or broken server, or bytes that arrived out of step. */
export function isWorthRetrying(answer: FailedAnswer): boolean {
  if (answer.status === 409) return problemOf(answer.body)?.code !== 'NAME_TAKEN'
  return answer.status === 0 || answer.status === 423 || answer.status === 429 || isServerTrouble(answer.status)
}

/** 507 is the quota: it does not pass by waiting. */
const isServerTrouble = (status: number): boolean => status >= 500 && status !== 507

function problemOf(body: string): { code?: string; detail?: string } | null {
  if (!body.trimStart().startsWith('{')) return null
  try {
    return JSON.parse(body) as { code?: string; detail?: string }
  } catch {
    // A cut answer: its status still says enough.
    return null
  }
}
