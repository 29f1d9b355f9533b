import type { RequestParameters, Variables } from 'relay-runtime'
import { ServerError, UnreachableError } from './errors.ts'

/** For so long, a mutation that is sent again after its answer was lost is the same attempt. */
const SAME_MS = 5 * 60_000

/** Keys of mutations without an answer, which the server may have carried out, and when they were sent. */
const unanswered = new Map<string, { readonly key: string; readonly at: number }>()

/**
 * Sends a mutation with an Idempotency-Key. After a lost answer, the same mutation is sent with the same key when the user tries again:
 * then the server creates nothing twice, and answers with what is there. @throws what `send` throws
 */
export async function withMutationKey<Result>(
  { id, name }: RequestParameters,
  variables: Variables,
  send: (key: string) => Promise<Result>,
): Promise<Result> {
  const same = JSON.stringify([id ?? name, variables])
  const before = unanswered.get(same)
  unanswered.delete(same)
  const key = before && before.at > Date.now() - SAME_MS ? before.key : newKey()
  try {
    return await send(key)
  } catch (error) {
    if (isLost(error)) unanswered.set(same, { key, at: Date.now() })
    throw error
  }
}

/** Unlike randomUUID, this also works without HTTPS. */
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

const isLost = (error: unknown): boolean =>
  error instanceof UnreachableError || (error instanceof ServerError && error.status >= 500)
