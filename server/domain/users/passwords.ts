import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { createRankedSemaphore } from '../../lib/semaphore.ts'
import { BusyError } from '../errors.ts'

/** OWASP's floor: 19 MiB, two passes, one lane; argon2id is the library's default. */
const PARAMETERS = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }
const CURRENT = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`
/** Hashing takes 12 ms of a core and 19 MiB: without a bound a burst of logins would starve everything else. */
const PARALLEL_HASHES = 2
/** Whoever signs in goes before whoever signs up or sets a password: what is refused of the second kind locks nobody out. */
const CHECK = 0
const MAKE = 1
/** Two seconds and one of work on a core that is free. */
const MOST_WAITING = [160, 80] as const
const RETRY_AFTER_SECONDS = 5

export type Passwords = {
  /** @throws BusyError when too many wait, as `verify` */
  hash(password: string): Promise<string>
  /** With `stored` null (no such user) it does the same work against a decoy and answers false. */
  verify(stored: string | null, password: string): Promise<boolean>
  /** Whether the hash was made with other parameters than today's. */
  isOutdated(stored: string): boolean
}

export function createPasswords(): Passwords {
  const inTurn = createRankedSemaphore(PARALLEL_HASHES, MOST_WAITING, () => new BusyError(RETRY_AFTER_SECONDS))
  const hashNow = (password: string) => inTurn(MAKE, () => hash(password.normalize('NFKC'), PARAMETERS))
  let decoy: Promise<string> | undefined
  return {
    hash: hashNow,
    async verify(stored, password) {
      decoy ??= hash(randomBytes(32).toString('hex'), PARAMETERS)
      const target = stored ?? (await decoy)
      const matches = await inTurn(CHECK, () => verify(target, password.normalize('NFKC')))
      return matches && stored !== null
    },
    isOutdated: (stored) => !stored.startsWith(CURRENT),
  }
}
