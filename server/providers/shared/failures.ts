import { ProviderError, type ProviderErrorCode } from '../errors.ts'

/** For `catch`: this failure means that there is nothing to do; all others go on. */
export function nothingWhen(code: ProviderErrorCode): (error: unknown) => null {
  return (error) => {
    if (isFailure(error, code)) return null
    throw error
  }
}

export function isFailure(error: unknown, code: ProviderErrorCode): error is ProviderError {
  return error instanceof ProviderError && error.code === code
}
