import { DiskFullError, ObjectMissingError } from '../../storage/errors.ts'
import { ProviderError, type ProviderErrorCode } from '../errors.ts'

/** What the disk says, in the words of providers. */
export function localError(operation: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error
  if (error instanceof ObjectMissingError) return failed(operation, 'NotFound', 'The object is not here.', error)
  if (error instanceof DiskFullError)
    return failed(operation, 'QuotaExceeded', 'The disk of this server is full.', error)
  return failed(operation, 'Transient', 'The disk of this server does not answer as it should.', error)
}

export function failed(operation: string, code: ProviderErrorCode, message: string, cause?: unknown): ProviderError {
  return new ProviderError(code, { provider: 'local', operation }, { message, cause })
}
