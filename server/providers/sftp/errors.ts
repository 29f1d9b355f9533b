import { ProviderError, type ProviderErrorCode } from '../errors.ts'
import { HostRefused } from '../shared/hostGuard.ts'
import { KIND } from './login.ts'

/** Status codes of SFTP (draft-ietf-secsh-filexfer). Version 3, which all servers speak, has those up to 8. */
export const STATUS = {
  EOF: 1,
  NO_SUCH_FILE: 2,
  PERMISSION_DENIED: 3,
  FAILURE: 4,
  CONNECTION_LOST: 7,
  UNSUPPORTED: 8,
} as const

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  [STATUS.NO_SUCH_FILE]: 'NotFound',
  [STATUS.PERMISSION_DENIED]: 'Forbidden',
  // Everything that has no separate code, such as a full disk or a failing one.
  [STATUS.FAILURE]: 'Transient',
  6: 'Transient',
  [STATUS.CONNECTION_LOST]: 'Transient',
  [STATUS.UNSUPPORTED]: 'Permanent',
  // Some servers use codes of later versions.
  10: 'NotFound',
  11: 'Conflict',
  12: 'Forbidden',
  13: 'Transient',
  14: 'QuotaExceeded',
  15: 'QuotaExceeded',
  17: 'Transient',
  20: 'BadName',
}

/** An error of a request or of a connection, as ssh2 reports it. */
export type SftpFailure = {
  /** A status code of SFTP, or a code of the network such as ECONNREFUSED. */
  readonly code?: unknown
  /** What failed, for connections. */
  readonly level?: unknown
  readonly message?: unknown
}

/** Maps an error of ssh2 to a ProviderError code. Failed connections are Transient, unless the login is refused. */
export function sftpErrorCode({ code, level, message }: SftpFailure): ProviderErrorCode {
  if (level === 'client-authentication') return 'AuthExpired'
  if (typeof code !== 'number') return 'Transient'
  // Servers that pass on the messages of their system.
  if (code === STATUS.FAILURE && /no space left|quota/i.test(String(message))) return 'QuotaExceeded'
  if (code === STATUS.FAILURE && /name too long/i.test(String(message))) return 'BadName'
  return BY_STATUS[code] ?? 'Permanent'
}

const MESSAGES: Partial<Readonly<Record<ProviderErrorCode, string>>> = {
  AuthExpired: 'The server does not accept the login.',
  NotFound: 'It does not exist on the server.',
  Forbidden: 'The server does not allow this to the user.',
  QuotaExceeded: 'The disk of the server or the quota of the user is full.',
  Conflict: 'Something with this name is there.',
  BadName: 'The server does not accept this name.',
}

/** Without the server's messages, which may contain paths. A ProviderError is returned as it is. */
export function sftpError(operation: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error
  if (error instanceof HostRefused) {
    const detail = { message: error.message, isHostRefused: true }
    return new ProviderError('Forbidden', { provider: KIND, operation }, detail)
  }
  const failure: SftpFailure = typeof error === 'object' && error !== null ? error : {}
  const code = sftpErrorCode(failure)
  return failed(operation, code, MESSAGES[code] ?? messageOf(failure), error)
}

function messageOf({ code, level }: SftpFailure): string {
  if (typeof code === 'number') return `The server answered with status ${code}.`
  if (typeof code === 'string') return `The connection failed: ${code}.`
  return level === 'handshake' ? 'The server and Skypool have no encryption in common.' : 'The connection was lost.'
}

export function failed(operation: string, code: ProviderErrorCode, message: string, cause?: unknown): ProviderError {
  return new ProviderError(code, { provider: KIND, operation }, { message, cause })
}

/** Whether a request failed with one of these codes of SFTP. */
export function hasStatus(error: unknown, ...codes: readonly number[]): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null
  return typeof code === 'number' && codes.includes(code)
}

/** The server shows another host key than the confirmed one, or none has been confirmed yet. */
export class HostKeyError extends Error {
  override readonly name = 'HostKeyError'
  constructor(
    /** Of the key that the server shows. */
    readonly seen: string,
    readonly confirmed: string | null,
  ) {
    super('The host key is not the confirmed one.')
  }
}
