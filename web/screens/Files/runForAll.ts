import { MutationRefused, reasonOf } from '../../relay/runMutation.ts'

/** As many ids as one request carries. */
export const CHUNK = 500

/** Stands for one that failed and is not named. */
export const FAILED_MORE = ''

export type Failure = { readonly ids: readonly string[]; readonly reason: string }

/** What a change of many entries could not change. */
export function failuresOf({
  failures = [],
}: {
  readonly failures?: readonly { readonly id: string; readonly message: string }[]
}): Failure[] {
  return failures.map(({ id, message }) => ({ ids: [id], reason: message }))
}

/**
 * Runs `act` for many ids, a chunk at a time; it may answer with those that it could not change. A chunk that is refused is tried id by id, so that one bad file does not
 * stop the others; what could not be done is in the answer, nothing is thrown.
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
