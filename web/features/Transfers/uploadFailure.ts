import { serverText } from '../../lib/serverText.ts'

/** Why an upload stopped. `code` is the server's stable error code, or one of ours; `message` is shown to users. */
export type UploadFailure = {
  readonly code: string
  readonly message: string
  /** The server cannot be reached: `message` is not shown, the upload resumes by itself when it can. */
  readonly offline: boolean
  /** The same file will always be refused there: a retry is not offered. */
  readonly isFinal?: boolean
}

/** A response of the server; `status` 0 means that there was none. `body` is its text. */
export type FailedAnswer = { readonly status: number; readonly body: string }

/** The folder is gone, the file is too large, or its type is not accepted: waiting changes none of it. */
const FINAL = [404, 413, 415]

const MESSAGES: Record<number, string> = {
  401: 'You are signed out. Sign in again, then retry.',
  403: 'This server refused the upload. Reload the page, then retry.',
  404: 'The folder no longer exists. Choose another one and upload again.',
  413: 'The file is larger than this server accepts.',
  415: 'This type of file is not accepted here.',
  429: 'Too many uploads at once. Wait a moment, then retry.',
  507: 'There is not enough free space left.',
}

/** The server's message if it sent problem+json, otherwise a message by status. */
export function failureOf({ status, body }: FailedAnswer): UploadFailure {
  if (status === 0) return lostConnection()
  const problem = problemOf(body)
  const message =
    (problem?.detail && serverText(problem.detail)) ||
    MESSAGES[status] ||
    'The server could not take the file. Retry in a moment.'
  return { code: problem?.code ?? `HTTP_${status}`, message, offline: false, isFinal: FINAL.includes(status) }
}

const lostConnection = (): UploadFailure => ({
  code: 'OFFLINE',
  message: 'The connection was lost. The upload resumes when you are back online.',
  offline: true,
})

/** Whether a retry can help: no response, a busy or failing server, or a wrong offset. */
export function isWorthRetrying(answer: FailedAnswer): boolean {
  if (answer.status === 409) return problemOf(answer.body)?.code !== 'NAME_TAKEN'
  return answer.status === 0 || answer.status === 423 || answer.status === 429 || isServerTrouble(answer.status)
}

/** 507 means that the quota is used up, which is not temporary. */
const isServerTrouble = (status: number): boolean => status >= 500 && status !== 507

function problemOf(body: string): { code?: string; detail?: string } | null {
  if (!body.trimStart().startsWith('{')) return null
  try {
    return JSON.parse(body) as { code?: string; detail?: string }
  } catch {
    // A truncated response: its status is enough.
    return null
  }
}
