import { ChecksumMismatchError, ContentUnavailableError, StorageFullError, UploadIncompleteError } from '../errors.ts'

/** A call that ends because the server does. */
export function closingError(): ContentUnavailableError {
  return new ContentUnavailableError('The server is being stopped. What was copied stays; please copy the rest later.')
}

/** What stopped the copy of a file, in words for whoever asked for it: that its bytes were received here is no matter of theirs. */
export function copyError(error: unknown, name: string): unknown {
  const said = error instanceof UploadIncompleteError ? error.cause : error
  const failed = (reason: string, retryAfterSeconds: number | null = null) =>
    new ContentUnavailableError(`“${name}” could not be copied. ${reason}`, { cause: error, retryAfterSeconds })
  if (said instanceof ContentUnavailableError) return failed(said.message, said.retryAfterSeconds)
  if (said instanceof ChecksumMismatchError) return failed('What was read is not what was stored.')
  if (error instanceof UploadIncompleteError) return failed('It could not be read to its end. Please try again.')
  return error
}

/** The same refusal, with what there is already: a call that fails late has made something. */
export function afterSome(error: unknown, done: number, all: number): unknown {
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
