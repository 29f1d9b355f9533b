/** All expected errors of the domain. `code` is stable and public; REST (rest/errors.ts) and GraphQL (types/Error.ts) map it. */
export type ErrorCode =
  | 'INVALID_INPUT'
  | 'UNAUTHENTICATED'
  | 'NOT_FOUND'
  | 'NAME_TAKEN'
  | 'EMAIL_TAKEN'
  | 'FOLDER_CYCLE'
  | 'PRECONDITION_FAILED'
  | 'CONFLICT'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'TOO_LARGE'
  | 'TYPE_REFUSED'
  | 'STORAGE_FULL'
  | 'TOO_MANY_REQUESTS'
  | 'UPLOAD_INCOMPLETE'
  | 'UPLOAD_OFFSET_MISMATCH'
  | 'CHECKSUM_MISMATCH'
  | 'PROVIDER_UNAVAILABLE'
  | 'PROVIDER_FAILED'
  | 'AUTHORIZATION_FAILED'
  | 'ACCOUNT_CONNECTED'
  | 'OTHER_LOGIN'
  | 'FILES_WOULD_BE_LOST'
  | 'CONTENT_UNAVAILABLE'
  | 'NO_THUMBNAIL'
  | 'KEY_REFUSED'
  | 'PASSWORD_REQUIRED'
  | 'WRONG_PASSWORD'
  | 'INVALID_TOKEN'
  | 'NOT_READY'
  | 'REGISTRATION_CLOSED'
  | 'NOT_ADMINISTRATOR'

export abstract class DomainError extends Error {
  abstract readonly code: ErrorCode
  override get name(): string {
    return this.constructor.name
  }
}

export type FieldError = { readonly path: string; readonly message: string }

/** One or more invalid fields. `path`: path in the request's body, with dots. */
export class InvalidInputError extends DomainError {
  readonly code = 'INVALID_INPUT'
  constructor(
    readonly fields: readonly FieldError[],
    message = fields
      .map((field, index) => (index < fields.length - 1 ? withFullStop(field.message) : field.message))
      .join(' '),
  ) {
    super(message)
  }
}

/** Another sentence follows. */
const withFullStop = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`)

export class UnauthenticatedError extends DomainError {
  readonly code = 'UNAUTHENTICATED'
  constructor(message = 'Please sign in first.') {
    super(message)
  }
}

/** Also thrown for objects of other users: callers must not be able to distinguish the two. */
export class NotFoundError extends DomainError {
  readonly code = 'NOT_FOUND'
  constructor(message = 'This does not exist, or you do not have access to it.') {
    super(message)
  }
}

export class NameTakenError extends DomainError {
  readonly code = 'NAME_TAKEN'
  constructor(readonly taken: string) {
    super(`There is already something named “${taken}” here.`)
  }
}

export class FolderCycleError extends DomainError {
  readonly code = 'FOLDER_CYCLE'
  constructor(verb: 'moved' | 'copied' = 'moved') {
    super(`A folder cannot be ${verb} into itself or into a folder below it.`)
  }
}

/** The entry has changed since the ETag in `If-Match`. */
export class PreconditionFailedError extends DomainError {
  readonly code = 'PRECONDITION_FAILED'
  constructor() {
    super('It was changed since you read it. Please read it again, and repeat the change if it still makes sense.')
  }
}

export class ConflictError extends DomainError {
  readonly code: 'CONFLICT' | 'EMAIL_TAKEN' | 'ACCOUNT_CONNECTED' | 'OTHER_LOGIN' | 'FILES_WOULD_BE_LOST' = 'CONFLICT'
}

/** A registration cannot avoid revealing that the address is taken; the message does not say so explicitly. */
export class EmailTakenError extends ConflictError {
  override readonly code = 'EMAIL_TAKEN'
  constructor() {
    super('An account with this email address cannot be created.')
  }
}

export class IdempotencyKeyReusedError extends DomainError {
  readonly code = 'IDEMPOTENCY_KEY_REUSED'
  constructor() {
    super('This Idempotency-Key was used before for a different request.')
  }
}

export class TooLargeError extends DomainError {
  readonly code = 'TOO_LARGE'
}

export class TypeRefusedError extends DomainError {
  readonly code = 'TYPE_REFUSED'
}

export class StorageFullError extends DomainError {
  readonly code = 'STORAGE_FULL'
  constructor(
    readonly neededBytes: number,
    readonly freeBytes: number,
    message: string,
  ) {
    super(message)
  }
}

export class TooManyRequestsError extends DomainError {
  readonly code = 'TOO_MANY_REQUESTS'
  constructor(
    readonly retryAfterSeconds: number,
    what = 'Too many attempts.',
    /** The exceeded limit in calls per minute, for API keys. */
    readonly limit: number | null = null,
  ) {
    super(`${what} Please try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}.`)
  }
}

/** The server is overloaded and refuses early instead of responding late. */
export class BusyError extends DomainError {
  readonly code = 'NOT_READY'
  constructor(readonly retryAfterSeconds: number) {
    super('This server is busy at the moment. Please try again in a few seconds.')
  }
}

/** Fewer bytes arrived than declared; nothing was stored. */
export class UploadIncompleteError extends DomainError {
  readonly code = 'UPLOAD_INCOMPLETE'
}

export class UploadOffsetMismatchError extends DomainError {
  readonly code = 'UPLOAD_OFFSET_MISMATCH'
  constructor(readonly offset: number) {
    super(`The upload continues at byte ${offset}.`)
  }
}

export class ChecksumMismatchError extends DomainError {
  readonly code = 'CHECKSUM_MISMATCH'
}

/** This server cannot connect accounts of the provider; the message says what the administrator has to set. */
export class ProviderUnavailableError extends DomainError {
  readonly code = 'PROVIDER_UNAVAILABLE'
}

/** The provider returned an error or did not respond; a retry may help. */
export class ProviderFailedError extends DomainError {
  readonly code = 'PROVIDER_FAILED'
}

/** The authorization is not valid: its state is unknown, used, expired or another session's, or the provider refused the code. */
export class AuthorizationFailedError extends DomainError {
  readonly code = 'AUTHORIZATION_FAILED'
}

/** This login of the provider is connected already. */
export class AccountConnectedError extends ConflictError {
  override readonly code = 'ACCOUNT_CONNECTED'
}

/** A reconnect with a different login than the account's; nothing was changed. */
export class OtherLoginError extends ConflictError {
  override readonly code = 'OTHER_LOGIN'
}

/** Repeat with `force` to accept the loss. */
export class FilesWouldBeLostError extends ConflictError {
  override readonly code = 'FILES_WOULD_BE_LOST'
  constructor(
    readonly lostFiles: number,
    readonly lostBytes: number,
    message: string,
  ) {
    super(message)
  }
}

/** No copy of the content can be read now; the message says which account is missing. */
export class ContentUnavailableError extends DomainError {
  readonly code = 'CONTENT_UNAVAILABLE'
  /** Seconds until a retry can succeed; null when unknown. */
  readonly retryAfterSeconds: number | null
  constructor(message: string, { retryAfterSeconds = null, cause }: UnavailableOptions = {}) {
    super(message, { cause })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** There is no picture of this file, and a later request will not find one either. */
export class NoThumbnailError extends DomainError {
  readonly code = 'NO_THUMBNAIL'
}

type UnavailableOptions = { readonly retryAfterSeconds?: number | null; readonly cause?: unknown }

/** An API key without the required scope, or an operation that no API key can call. */
export class KeyRefusedError extends DomainError {
  readonly code = 'KEY_REFUSED'
  constructor(message = 'No API key may do this. Please sign in instead.') {
    super(message)
  }
}

/** The share has a password and was not unlocked. */
export class PasswordRequiredError extends DomainError {
  readonly code = 'PASSWORD_REQUIRED'
  constructor() {
    super('This link needs a password.')
  }
}

export class WrongPasswordError extends DomainError {
  readonly code = 'WRONG_PASSWORD'
  constructor() {
    super('That password is not right. Please try again.')
  }
}

/** The token of a password reset is unknown, used or older than a day; or that of an invitation, then with another message. */
export class InvalidTokenError extends DomainError {
  readonly code = 'INVALID_TOKEN'
  constructor(message = 'Invalid or expired token') {
    super(message)
  }
}

/** Registration is closed (`CLOSED`), or needs an invitation (`INVITE`). */
export class RegistrationClosedError extends DomainError {
  readonly code = 'REGISTRATION_CLOSED'
  constructor(mode: 'INVITE' | 'CLOSED') {
    super(
      mode === 'CLOSED'
        ? 'Registration is closed on this server.'
        : 'Registration on this server needs an invitation. Please ask its administrator for a link.',
    )
  }
}

export class NotAdministratorError extends DomainError {
  readonly code = 'NOT_ADMINISTRATOR'
  constructor() {
    super('Only the administrator of this server may do this.')
  }
}
