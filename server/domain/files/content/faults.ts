import { ProviderError } from '../../../providers/errors.ts'
import { ObjectMissingError } from '../../../storage/errors.ts'
import { type Part, type ReadableCopy, ShortPartError } from './copyStream.ts'

/** Wrong bytes are read once more, in case it was the way and not the place; then the account is asked what it holds. */
const WRONG_READS = 2
/** A block that is wrong so often is not read again in this download; another copy is read before that. */
const MOST_WRONG_READS = 5
/** Attempts in a row at an account that breaks off, when no other copy is left. */
const ATTEMPTS = 5
const FIRST_PAUSE_MS = 200

/** The bytes of a block are not those that were stored. */
export class WrongBytesError extends Error {
  override readonly name = 'WrongBytesError'
}

/** WRONG: other bytes came than were stored, more than once. UNSEEN: the account says that nothing is there, which may not last. */
export type Finding = 'WRONG' | 'UNSEEN'

/** How to read next, and how long to wait before. `lastChance`: nobody else is left to be asked. */
export type Choice = { readonly copy: ReadableCopy; readonly pauseMs: number; readonly lastChance: boolean }

/** What has gone wrong in one download, and what can still be read. */
export type Faults = {
  /** The best copy for a position; null when none is left. */
  choose(position: number): Choice | null
  /** @returns what is to be written down of the copy, if anything */
  failed(copy: ReadableCopy, part: Part, position: number, error: unknown): Finding | null
  worked(part: Part): void
  /** This copy is not read any more. */
  drop(copy: ReadableCopy): void
  /** Copies that were made meanwhile. @returns whether there are any that were not known */
  learn(copies: readonly ReadableCopy[]): boolean
  /** Accounts that failed, with what they said last. */
  readonly errors: ReadonlyMap<string, unknown>
}

/** `lastChance`: accounts that were out of reach before, which get one attempt. */
export function createFaults(found: readonly ReadableCopy[], lastChance: ReadonlySet<string>): Faults {
  const copies = [...found]
  const errors = new Map<string, unknown>()
  const failures = new Map<string, number>([...lastChance].map((accountId) => [accountId, ATTEMPTS - 1]))
  const wrong = new Map<string, number>()
  const gone = new Set<string>()
  /** Copies that are read only where no other one is left. */
  const doubted = new Set(copies.filter(({ suspectBlock }) => suspectBlock !== null).map(({ id }) => id))
  /** Accounts that were not asked at all, because they had failed others before. */
  const unasked = new Set<string>()
  const insisted = new Set<string>()

  const accountAt = (copy: ReadableCopy, position: number): string | undefined =>
    copy.parts.find(({ offset, size }) => position < offset + size)?.accountId

  /** An account that was left alone may be well again: where no other one is left it is asked, once. */
  function insist(position: number): Choice | null {
    const isLeft = (accountId = '') => unasked.has(accountId) && !insisted.has(accountId)
    const copy = copies.find((other) => !gone.has(other.id) && isLeft(accountAt(other, position)))
    if (!copy) return null
    insisted.add(accountAt(copy, position) ?? '')
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
          return Number(doubted.has(left.copy.id)) - Number(doubted.has(right.copy.id)) || left.failed - right.failed
        })
      const [best] = usable
      if (!best) return insist(position)
      const failed = lastChance.has(best.copy.parts[0]?.accountId ?? '') ? 0 : best.failed
      const again = failed + Math.max(0, best.wrong - WRONG_READS + 1)
      return { copy: best.copy, pauseMs: again === 0 ? 0 : FIRST_PAUSE_MS * 2 ** (again - 1), lastChance: false }
    },
    failed(copy, part, position, error) {
      errors.set(part.accountId, error)
      if (wasNotAsked(error)) unasked.add(part.accountId)
      const kind = kindOf(error)
      if (kind === 'wrong') {
        if (countWrong(copy, position) !== WRONG_READS) return null
        doubted.add(copy.id)
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
    learn(others) {
      const fresh = others.filter(({ id }) => !copies.some((copy) => copy.id === id))
      copies.push(...fresh)
      return fresh.length > 0
    },
    drop: ({ id }) => void gone.add(id),
    worked({ accountId }) {
      failures.delete(accountId)
      insisted.delete(accountId)
      errors.delete(accountId)
    },
  }
}

function wasNotAsked(error: unknown): boolean {
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
  // Where the layers below have given up, this account is not asked again at once.
  return canRecover && error.detail.attempts === undefined ? 'again' : 'account'
}
