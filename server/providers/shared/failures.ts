import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'

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

/** Credentials without an access token are as good as ended: a refresh may give one. */
export function checkToken(accessToken: string, where: ProviderErrorWhere): void {
  if (accessToken === '') throw new ProviderError('AuthExpired', where, { message: 'There is no access token.' })
}
