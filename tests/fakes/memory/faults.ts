import type { Driver, EntryRef, OAuth } from '../../../server/providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../../server/providers/errors.ts'

type MethodsOf<Type> = {
  [Key in keyof Type]-?: NonNullable<Type[Key]> extends (...args: never) => unknown ? Key : never
}
export type Operation = MethodsOf<Driver>[keyof Driver] | Exclude<MethodsOf<OAuth>[keyof OAuth], 'authorizationUrl'>

/** What goes wrong with one call. What a fault does not concern (a `flipped` quota) goes well. */
export type Fault =
  /** The service, the network or the account says no: before anything is done or, of a content, after so many bytes of this call. */
  | {
      readonly kind: 'refused'
      readonly code: ProviderErrorCode
      readonly status?: number
      readonly retryAfterMs?: number
      readonly afterBytes?: number
    }
  | { readonly kind: 'delayed'; readonly ms: number }
  /** No answer, until patience or the call ends. */
  | { readonly kind: 'silent' }
  /** Done, but the answer is lost. */
  | { readonly kind: 'lostReply' }
  /** Accepted, and fewer bytes are there. `admitted`: the answer says so. */
  | { readonly kind: 'truncated'; readonly bytes: number; readonly admitted: boolean }
  /** Accepted, and nothing is there. */
  | { readonly kind: 'vanished' }
  /** Stored twice. Of put, where names may be equal. */
  | { readonly kind: 'duplicated' }
  /** What is stored appears in lists that much later. */
  | { readonly kind: 'hidden'; readonly ms: number }
  /** One bit of the answer is another, in its byte `at`. */
  | { readonly kind: 'flipped'; readonly at: number }
  /** The bytes of another content of the account. */
  | { readonly kind: 'otherObject' }
  /** The answer ends after so many bytes, without an error. */
  | { readonly kind: 'shortened'; readonly bytes: number }
  /** The whole content instead of the range. */
  | { readonly kind: 'rangeIgnored' }
  /** The content is packed, which was not asked for. */
  | { readonly kind: 'packed' }

/** Asked once at the start of each call. `ref`: the entry, the folder that a put or a list is for, or null; `account`: its subject. */
export type FaultHook = (operation: Operation, ref: EntryRef | null, account: string) => Fault | null

/** Milliseconds since 1970, and a pause that rejects with the signal's reason once that is aborted. */
export type MemoryClock = { now(): number; sleep(ms: number, signal: AbortSignal): Promise<void> }

const PATIENCE_MS = 60_000

/** Rejects where the fault keeps the call from beginning. */
export async function suffer(
  fault: Fault | null,
  clock: MemoryClock,
  signal: AbortSignal,
  where: { provider: string; operation: string },
): Promise<void> {
  if (fault?.kind === 'delayed') await clock.sleep(fault.ms, signal)
  if (fault?.kind === 'silent') {
    await clock.sleep(PATIENCE_MS, signal)
    throw new ProviderError('Transient', where, { message: 'The service did not answer.' })
  }
  if (fault?.kind === 'refused' && fault.afterBytes === undefined) throw refusal(fault, where)
}

export function refusal(
  fault: Extract<Fault, { kind: 'refused' }>,
  { provider, operation }: { provider: string; operation: string },
): ProviderError {
  const { code, status, retryAfterMs } = fault
  const where = { provider, operation, ...(status === undefined ? {} : { status }) }
  const message = `The service answers with ${code}.`
  return new ProviderError(code, where, { message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
}
