import { ProviderError } from '../../providers/errors.ts'
import { ObjectMissingError } from '../../storage/errors.ts'
import { type Part, type ReadableCopy, ShortPartError } from './copyStream.ts'

/** Wrong bytes are read once more, in case it was the way and not the place. */
const WRONG_READS = 2
/** Attempts in a row at an account that breaks off, when no other copy is left. */
const ATTEMPTS = 5
const FIRST_PAUSE_MS = 200

/** The bytes of a block are not those that were stored. */
export class WrongBytesError extends Error {
  override readonly name = 'WrongBytesError'
}

/** DAMAGED: other bytes are there than were stored. UNSEEN: the account says that nothing is there, which may not last. */
export type Finding = 'DAMAGED' | 'UNSEEN'

/** How to read next, and how long to wait before. `lastChance`: nobody else is left to be asked. */
export type Choice = { readonly copy: ReadableCopy; readonly pauseMs: number; readonly lastChance: boolean }

/** What has gone wrong in one download, and what can still be read. */
export type Faults = {
  /** The best copy for a position; null when none is left. */
  choose(position: number): Choice | null
  /** @returns what is to be written down of the copy, if anything */
  failed(copy: ReadableCopy, part: Part, position: number, error: unknown): Finding | null
  worked(part: Part): void
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

  function isWrong(copy: ReadableCopy, position: number): boolean {
    const key = `${copy.id} ${position}`
    const times = (wrong.get(key) ?? 0) + 1
    wrong.set(key, times)
    return times >= WRONG_READS
  }

  return {
    errors,
    choose(position) {
      const usable = copies
        .filter(({ id }) => !gone.has(id))
        .map((copy) => ({ copy, failed: failuresAt(copy, position) }))
        .filter(({ failed }) => failed < ATTEMPTS)
        .sort((left, right) => left.failed - right.failed)
      const [best] = usable
      if (!best) return insist(position)
      const again = lastChance.has(best.copy.parts[0]?.accountId ?? '') ? 0 : best.failed
      return { copy: best.copy, pauseMs: again === 0 ? 0 : FIRST_PAUSE_MS * 2 ** (again - 1), lastChance: false }
    },
    failed(copy, part, position, error) {
      errors.set(part.accountId, error)
      if (wasNotAsked(error)) unasked.add(part.accountId)
      const kind = kindOf(error)
      if (kind === 'wrong' || kind === 'unseen') {
        if (!isWrong(copy, position)) return null
        gone.add(copy.id)
        return kind === 'wrong' ? 'DAMAGED' : 'UNSEEN'
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
