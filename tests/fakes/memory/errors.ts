import { ProviderError, type ProviderErrorCode } from '../../../server/providers/errors.ts'
import type { MemoryService } from './account.ts'

export type Fail = (code: ProviderErrorCode, message: string, cause?: unknown) => ProviderError

/** Errors of one operation. */
export function failing({ kind }: Pick<MemoryService, 'kind'>, operation: string): Fail {
  return (code, message, cause) => new ProviderError(code, { provider: kind, operation }, { message, cause })
}
