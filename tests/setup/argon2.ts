import { createRequire } from 'node:module'

type Argon2 = typeof import('@node-rs/argon2')

/** What people get who are made for a test that is not about passwords (tests/factories/user.ts). */
export const USUAL_PASSWORD = 'correct horse battery'

/** Past the alias of tests/vitest.config.ts, which leads here. */
const real: Argon2 = createRequire(import.meta.url)('@node-rs/argon2')
const made = new Map<string, Promise<string>>()

export const verify: Argon2['verify'] = real.verify

/**
 * Stands for `@node-rs/argon2` in tests of the server. The hash of the usual password is a real one, but made once in each process:
 * thousands of people have it, and each hash takes 20 ms of a core. All other passwords are hashed each time.
 */
export const hash: Argon2['hash'] = async (password, options, signal) => {
  if (password !== USUAL_PASSWORD) return real.hash(password, options, signal)
  const parameters = JSON.stringify(options)
  const first = made.get(parameters) ?? real.hash(password, options, signal)
  made.set(parameters, first)
  return first
}
