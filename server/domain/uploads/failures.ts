import { UnknownOutcomeError } from '../../db/transaction.ts'
import { DiskFullError } from '../../storage/errors.ts'
import { StorageFullError, UploadIncompleteError } from '../errors.ts'
import { isTotalQuotaError } from '../groupClouds/totalQuota.ts'

/** A full disk, or a full TOTAL_QUOTA that others filled meanwhile, in the words of the domain; every other error as it is. */
export function translate(error: unknown, neededBytes: number): unknown {
  if (isTotalQuotaError(error)) {
    return new StorageFullError(neededBytes, 0, 'There is no room left on this server for all of its users together.')
  }
  if (!(error instanceof DiskFullError)) return error
  const message = 'The disk of this server is full. Please try again later, or ask its administrator to make room.'
  return new StorageFullError(neededBytes, error.freeBytes, message)
}

/** Whether staged bytes may go after this error: not when a row that refers to them may have been committed. */
export function isUncommitted(error: unknown): boolean {
  return !(error instanceof UnknownOutcomeError)
}

/** Staged bytes are gone before they became a file: this server stood still so long that another one took it for dead and swept. */
export function bytesGone(): UploadIncompleteError {
  return new UploadIncompleteError('What had arrived was lost before it could be stored. Please try again.')
}
