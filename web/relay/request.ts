import type { RequestParameters, Variables } from 'relay-runtime'
import { sharedMessages } from '../lib/messages.ts'
import { inPageLanguage } from '../lib/serverText.ts'
import { ServerError, UnreachableError } from './errors.ts'

const ENDPOINT = '/graphql'
/** The error for an operation that the server does not know: sent by pages that were opened before an update. */
export const OUTDATED = 'PERSISTED_QUERY_NOT_SUPPORTED'

/** One GraphQL response, unprocessed. */
export type Answer = {
  data?: Record<string, unknown> | null
  errors?: readonly { message: string; path?: readonly (string | number)[]; extensions?: { code?: string } }[]
}

type How = {
  readonly signal?: AbortSignal
  /** The Idempotency-Key of a mutation. */
  readonly key?: string
}

/** Posts one operation by its persisted id. @throws UnreachableError, or signal's reason */
export async function post(
  params: RequestParameters,
  variables: Variables,
  accept: string,
  { signal, key }: How = {},
): Promise<Response> {
  const body = JSON.stringify({
    operationName: params.name,
    variables,
    extensions: { persistedQuery: { version: 1, sha256Hash: params.id } },
  })
  const headers = { 'content-type': 'application/json', accept, ...(key && { 'idempotency-key': key }) }
  try {
    return await fetch(ENDPOINT, {
      method: 'POST',
      headers,
      body,
      credentials: 'same-origin',
      // What can be ended stays open, and nothing on the page waits for it: what is shown goes first.
      ...(signal && { signal, priority: 'low' }),
    })
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    throw new UnreachableError('The server cannot be reached.', { cause })
  }
}

/** Reads the answer's JSON. @throws ServerError when it is none, UnreachableError when the connection is lost before its end */
export async function readAnswer(response: Response): Promise<Answer> {
  const body = (await inPageLanguage(await response.json().catch(noJson))) as Answer | null
  if (body?.data !== undefined || body?.errors) return body
  // A refusal of the request as a whole is a problem of RFC 9457.
  const { code = null, detail } = (body ?? {}) as { code?: string; detail?: string }
  throw new ServerError(response.status, code, detail ?? `The server answered with status ${response.status}.`)
}

function noJson(cause: unknown): null {
  if (cause instanceof SyntaxError) return null
  throw new UnreachableError('The server cannot be reached.', { cause })
}

/**
 * An answer without data is a failure. So is one in which the error of a field has emptied the field at the top: the
 * store must not learn from a folder that is gone that there is no viewer. @throws ServerError
 */
export function failWithoutData({ data, errors }: Answer, status: number): void {
  if (!errors?.length) return
  const isEmptied = ({ path = [] }: { path?: readonly (string | number)[] }) =>
    path.length > 0 && data?.[String(path[0])] === null
  const first = data ? errors.find(isEmptied) : errors[0]
  if (data && !first) return
  const code = first?.extensions?.code ?? null
  const message = code === OUTDATED ? sharedMessages.errors.outdatedText : first?.message
  throw new ServerError(status, code, message ?? 'The server could not answer.')
}

/** True when the response says that no one is signed in. */
export function saysSignedOut({ errors }: Answer, status: number): boolean {
  return status === 401 || Boolean(errors?.some((error) => error.extensions?.code === 'UNAUTHENTICATED'))
}
