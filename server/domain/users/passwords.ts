import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { createSemaphore } from '../../lib/semaphore.ts'

/** OWASP's floor: 19 MiB, two passes, one lane; argon2id is the library's default. */
const PARAMETERS = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }
const CURRENT = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`
/** Hashing takes 12 ms of a core and 19 MiB: without a bound a burst of logins would starve everything else. */
const PARALLEL_HASHES = 2

export type Passwords = {
  hash(password: string): Promise<string>
  /** With `stored` null (no such user) it does the same work against a decoy and answers false. */
  verify(stored: string | null, password: string): Promise<boolean>
  /** Whether the hash was made with other parameters than today's. */
  isOutdated(stored: string): boolean
}

export function createPasswords(): Passwords {
  const inTurn = createSemaphore(PARALLEL_HASHES)
  const hashNow = (password: string) => inTurn(() => hash(password.normalize('NFKC'), PARAMETERS))
  let decoy: Promise<string> | undefined
  return {
    hash: hashNow,
    async verify(stored, password) {
      decoy ??= hashNow(randomBytes(32).toString('hex'))
      const target = stored ?? (await decoy)
      const matches = await inTurn(() => verify(target, password.normalize('NFKC')))
      return matches && stored !== null
    },
    isOutdated: (stored) => !stored.startsWith(CURRENT),
  }
}
