import { commitMutation } from 'react-relay'
import type { GraphQLTaggedNode, IEnvironment, MutationParameters, SelectorStoreUpdater } from 'relay-runtime'

import { ServerError, UnreachableError } from './errors.ts'

/** The error that a mutation returned, with a message for users. */
export class MutationRefused extends Error {
  constructor(
    message: string,
    readonly code: string,
    /** Errors of single fields of the input, by path. */
    readonly fields: Readonly<Record<string, string | undefined>> = {},
  ) {
    super(message)
  }
}

type Outcome = {
  readonly __typename: string
  readonly code?: string
  readonly message?: string
  readonly fields?: readonly { readonly path: string; readonly message: string }[]
}

type Request<M extends MutationParameters> = {
  readonly mutation: GraphQLTaggedNode
  readonly variables: M['variables']
  readonly optimisticUpdater?: SelectorStoreUpdater<M['response']>
  /** The union that the mutation answered with. */
  readonly outcome: (response: M['response']) => Outcome
  /** Done twice, it does the same: it is sent again after a lost answer, because it may have been done. */
  readonly repeats?: boolean
}

/** After these times a mutation is sent again: while a server restarts, or because its answer was lost. */
export const REPEATED_AFTER_MS = [500, 1500, 4000]
/** The server is stopping, or a proxy has lost it. */
const RESTARTING: ReadonlySet<number> = new Set([502, 503, 504])

/**
 * Runs a mutation to its end. @throws MutationRefused for an expected error of its union, Error when the server could
 * not be reached or failed.
 */
export async function runMutation<M extends MutationParameters>(
  environment: IEnvironment,
  request: Request<M>,
): Promise<M['response']> {
  for (const wait of request.repeats ? REPEATED_AFTER_MS : []) {
    try {
      return await send(environment, request)
    } catch (error) {
      if (!navigator.onLine || !isWorthRepeating(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
  return send(environment, request)
}

/** Whether there was no answer, although the server may have done what it was asked for. */
export const isWorthRepeating = (error: unknown): boolean =>
  error instanceof UnreachableError || (error instanceof ServerError && RESTARTING.has(error.status))

function send<M extends MutationParameters>(environment: IEnvironment, request: Request<M>): Promise<M['response']> {
  return new Promise((resolve, reject) => {
    commitMutation<M>(environment, {
      mutation: request.mutation,
      variables: request.variables,
      ...(request.optimisticUpdater ? { optimisticUpdater: request.optimisticUpdater } : {}),
      onCompleted: (response, errors) => {
        if (errors && errors.length > 0) return reject(new Error(errors[0]?.message))
        const outcome = request.outcome(response)
        if (outcome.message === undefined) return resolve(response)
        const fields = Object.fromEntries(outcome.fields?.map(({ path, message }) => [path, message]) ?? [])
        reject(new MutationRefused(outcome.message, outcome.code ?? 'UNKNOWN', fields))
      },
      onError: reject,
    })
  })
}

/**
 * The answer to a mutation that removes something; null when it is not there any more, because the answer of an earlier attempt was
 * lost, or it was removed in another tab. @throws as runMutation for any other reason
 */
export function unlessGone<Answer>(removal: Promise<Answer>): Promise<Answer | null> {
  return removal.catch((error: unknown) => {
    if (error instanceof MutationRefused && error.code === 'NOT_FOUND') return null
    throw error
  })
}

/** As many ids as one request carries. */
export const CHUNK = 500

export type Failure = { readonly ids: readonly string[]; readonly reason: string }

/** The failures of a change of many entries. */
export function failuresOf({
  failures = [],
}: {
  readonly failures?: readonly { readonly id: string; readonly message: string }[]
}): Failure[] {
  return failures.map(({ id, message }) => ({ ids: [id], reason: message }))
}

/**
 * Runs `act` for many ids, a chunk at a time; it may return those that it could not change. A chunk that is refused is
 * tried id by id, so that one bad file does not stop the others; what could not be done is in the answer, nothing is
 * thrown.
 */
export async function runForAll(
  ids: readonly string[],
  act: (ids: readonly string[]) => Promise<unknown>,
): Promise<{ done: string[]; failures: Failure[] }> {
  const done: string[] = []
  const failures: Failure[] = []
  const tryOne = async (part: readonly string[]): Promise<void> => {
    try {
      const refused = await act(part)
      if (!Array.isArray(refused)) return void done.push(...part)
      failures.push(...refused)
      const stayed = new Set(refused.flatMap((failure: Failure) => failure.ids))
      done.push(...part.filter((id) => !stayed.has(id)))
    } catch (error) {
      const isSplittable = error instanceof MutationRefused && part.length > 1
      if (!isSplittable) return void failures.push({ ids: part, reason: reasonOf(error) })
      for (const id of part) await tryOne([id])
    }
  }
  for (let start = 0; start < ids.length; start += CHUNK) await tryOne(ids.slice(start, start + CHUNK))
  return { done, failures }
}

/** The server's errors of single fields, by path; empty without any. */
export function fieldErrorsOf(error: unknown): MutationRefused['fields'] {
  return error instanceof MutationRefused ? error.fields : {}
}

/** The reason for a failure, as a message for users. */
export function reasonOf(error: unknown): string {
  if (error instanceof MutationRefused || error instanceof ServerError) return error.message
  return 'The server could not be reached. Check your connection and try again.'
}
