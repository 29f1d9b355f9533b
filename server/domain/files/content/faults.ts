import { ProviderError } from '../../../providers/errors.ts'
import { ObjectMissingError } from '../../../storage/errors.ts'
import { type Part, type ReadableCopy, ShortPartError } from './copyStream.ts'

/**
 * Wrong bytes are read once more, as the error may be in transit; then the account is asked for the size and hash of
 * the object.
 */
const WRONG_READS = 2
/** A block that was wrong this often is not read again in this download; other copies are tried first. */
const MOST_WRONG_READS = 5
/** Consecutive attempts at an account that breaks off, when no other copy is left. */
const ATTEMPTS = 5
const FIRST_PAUSE_MS = 200

/** The bytes of a block do not match their sum. */
export class WrongBytesError extends Error {
  override readonly name = 'WrongBytesError'
}

/**
 * WRONG: a block was read with wrong bytes more than once. UNSEEN: the account reports no such object, which may be
 * temporary.
 */
export type Finding = 'WRONG' | 'UNSEEN'

/** The copy to read next, and a pause before. `lastChance`: no other account is left. */
export type Choice = { readonly copy: ReadableCopy; readonly pauseMs: number; readonly lastChance: boolean }

/** The errors of one download, and which copies can still be read. */
export type Faults = {
  /** The best copy for a position; null when none is left. */
  choose(position: number): Choice | null
  /** @returns what is to be recorded of the copy, if anything */
  failed(copy: ReadableCopy, part: Part, position: number, error: unknown): Finding | null
  worked(part: Part): void
  /** The copy is not read any more in this download. */
  drop(copy: ReadableCopy): void
  /** Adds copies that were made meanwhile. @returns whether there are any new ones */
  addCopies(copies: readonly ReadableCopy[]): boolean
  /** The last error of each account that failed. */
  readonly errors: ReadonlyMap<string, unknown>
}

/** `lastChance`: accounts that were unreachable before; they get one attempt. */
export function createFaults(found: readonly ReadableCopy[], lastChance: ReadonlySet<string>): Faults {
  const copies = [...found]
  const errors = new Map<string, unknown>()
  const failures = new Map<string, number>([...lastChance].map((accountId) => [accountId, ATTEMPTS - 1]))
  const wrong = new Map<string, number>()
  const gone = new Set<string>()
  /** Copies that are read only if no other one is left. */
  const suspects = new Set(copies.filter(({ suspectBlock }) => suspectBlock !== null).map(({ id }) => id))
  /** Accounts that got no request, because the layers below skipped them after earlier failures. */
  const skipped = new Set<string>()
  const retried = new Set<string>()

  const accountAt = (copy: ReadableCopy, position: number): string | undefined =>
    copy.parts.find(({ offset, size }) => position < offset + size)?.accountId

  /** An account that was skipped may have recovered: if no other one is left, it is tried once. */
  function retrySkipped(position: number): Choice | null {
    const isLeft = (accountId = '') => skipped.has(accountId) && !retried.has(accountId)
    const copy = copies.find((other) => !gone.has(other.id) && isLeft(accountAt(other, position)))
    if (!copy) return null
    retried.add(accountAt(copy, position) ?? '')
    return { copy, pauseMs: 0, lastChance: true }
  }

  function failuresAt(copy: ReadableCopy, position: number): number {
    const accountId = accountAt(copy, position)
    return accountId ? (failures.get(accountId) ?? 0) : ATTEMPTS
  }

  const wrongReads = ({ id }: ReadableCopy, position: number): number => wrong.get(`${id} ${position}`) ?? 0

  function countWrong(copy: ReadableCopy, position: number): number {
    const times = wrongReads(copy, position) + 1
    wrong.set(`${copy.id} ${position}`, times)
    return times
  }

  return {
    errors,
    choose(position) {
      const usable = copies
        .filter(({ id }) => !gone.has(id))
        .map((copy) => ({ copy, failed: failuresAt(copy, position), wrong: wrongReads(copy, position) }))
        .filter(({ failed, wrong }) => failed < ATTEMPTS && wrong < MOST_WRONG_READS)
        .sort((left, right) => {
          return Number(suspects.has(left.copy.id)) - Number(suspects.has(right.copy.id)) || left.failed - right.failed
        })
      const [best] = usable
      if (!best) return retrySkipped(position)
      const failed = lastChance.has(best.copy.parts[0]?.accountId ?? '') ? 0 : best.failed
      const again = failed + Math.max(0, best.wrong - WRONG_READS + 1)
      return { copy: best.copy, pauseMs: again === 0 ? 0 : FIRST_PAUSE_MS * 2 ** (again - 1), lastChance: false }
    },
    failed(copy, part, position, error) {
      errors.set(part.accountId, error)
      if (wasSkipped(error)) skipped.add(part.accountId)
      const kind = kindOf(error)
      if (kind === 'wrong') {
        if (countWrong(copy, position) !== WRONG_READS) return null
        suspects.add(copy.id)
        return 'WRONG'
      }
      if (kind === 'unseen') {
        if (countWrong(copy, position) < WRONG_READS) return null
        gone.add(copy.id)
        return 'UNSEEN'
      }
      if (kind === 'again') failures.set(part.accountId, (failures.get(part.accountId) ?? 0) + 1)
      else if (kind === 'account') failures.set(part.accountId, ATTEMPTS)
      else gone.add(copy.id)
      return null
    },
    addCopies(others) {
      const fresh = others.filter(({ id }) => !copies.some((copy) => copy.id === id))
      copies.push(...fresh)
      return fresh.length > 0
    },
    drop: ({ id }) => void gone.add(id),
    worked({ accountId }) {
      failures.delete(accountId)
      retried.delete(accountId)
      errors.delete(accountId)
    },
  }
}

function wasSkipped(error: unknown): boolean {
  return error instanceof ProviderError && error.code === 'Transient' && error.detail.attempts === 0
}

type Kind = 'wrong' | 'unseen' | 'again' | 'account' | 'copy'

function kindOf(error: unknown): Kind {
  if (error instanceof WrongBytesError || error instanceof ShortPartError) return 'wrong'
  if (error instanceof ObjectMissingError) return 'copy'
  if (!(error instanceof ProviderError)) return 'again'
  if (error.code === 'NotFound') return 'unseen'
  if (error.code === 'Corrupt') return 'wrong'
  const canRecover = error.code === 'Transient' || error.code === 'RateLimited'
  // If the layers below have given up, this account is not retried at once.
  return canRecover && error.detail.attempts === undefined ? 'again' : 'account'
}
