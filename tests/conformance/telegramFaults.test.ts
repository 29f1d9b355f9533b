import { describe, expect, it } from 'vitest'
import type { Driver, Entry } from '../../server/providers/driver.ts'
import { isFailure, ProviderError } from '../../server/providers/errors.ts'
import { readRef, refText } from '../../server/providers/telegram/objects.ts'
import { readSession, sessionText } from '../../server/providers/telegram/session.ts'
import { CASES, runCase } from './driverSuite.ts'
import { TELEGRAM_CASES } from './telegramCases.ts'
import { telegramHarness, telegramStage } from './telegramStage.ts'

type Mistake = { readonly foundBy: string; wrap(driver: Driver): Partial<Driver> }

/** Mistakes that a driver for a channel can have, and the case that is there to find each. */
const MISTAKES: Readonly<Record<string, Mistake>> = {
  'deletes the head and not the parts': {
    foundBy: 'leaves nothing in the channel of what is deleted',
    wrap: ({ delete: remove }) => ({
      delete(by, ref) {
        const object = readRef(ref)
        return remove(by, object ? refText({ ...object, isWhole: true }) : ref)
      },
    }),
  },
  'forgets that a document may have been stored without an answer': {
    foundBy: 'does not send a document again that was stored without an answer',
    wrap: ({ put }) => ({
      put(by, entry, content, progress) {
        const session = readSession(progress.session)
        const text = session && sessionText({ ...session, pending: null })
        return put(by, entry, content, { ...progress, session: text })
      },
    }),
  },
  'abandons only what it knows of': {
    foundBy: 'leaves nothing of an upload that is abandoned, nor of what was lost',
    wrap: ({ abandon }) => ({
      abandon(by, text, isNeeded) {
        const session = readSession(text)
        return abandon(by, session ? sessionText({ ...session, pending: null }) : text, isNeeded)
      },
    }),
  },
  'forgets what may be stored late': {
    foundBy: 'deletes what Telegram stores only after it was looked for',
    wrap: ({ put }) => ({
      put(by, entry, content, progress) {
        const session = readSession(progress.session)
        const text = session && sessionText({ ...session, lateAfter: null })
        return put(by, entry, content, { ...progress, session: text })
      },
    }),
  },
  'loses the ref of a complete upload': {
    foundBy: 'returns one ref for one upload, also when it is asked again',
    wrap: ({ put }) => ({
      put: (by, entry, content, progress) => put(by, entry, content, { ...progress, session: null }),
    }),
  },
  'takes a channel without the bot for one without objects': {
    foundBy: 'takes nothing for gone when the bot or the channel is',
    wrap: ({ stat }) => ({
      stat: (by, ref) =>
        stat(by, ref).catch((error: unknown) => {
          if (!isFailure(error, 'AuthExpired')) throw error
          throw new ProviderError('NotFound', error.where, error.detail)
        }),
    }),
  },
  'takes a channel that cannot be reached for an empty one': {
    foundBy: 'takes nothing for gone when the bot or the channel is',
    wrap: () => ({ list: async () => ({ items: [], cursor: null }) }),
  },
  'sees messages that were deleted': {
    foundBy: 'says NotFound of what is gone',
    wrap: () => ({
      async stat(_call, ref) {
        return { ref, name: '', kind: 'file', size: readRef(ref)?.size ?? 0, modifiedAt: null, hash: null }
      },
    }),
  },
  'does not look at the size that Telegram reports': {
    foundBy: 'notices that the service kept less than was sent',
    wrap: ({ put, root }) => ({
      put: (by, entry, content, progress) =>
        put(by, entry, content, progress).catch((error: unknown): Entry => {
          if (!isFailure(error, 'Corrupt')) throw error
          return { ref: root, name: entry.name, kind: 'file', size: entry.size, modifiedAt: null, hash: null }
        }),
    }),
  },
  'forgets how long to wait': {
    foundBy: 'says RateLimited, and for how long',
    wrap: ({ put }) => ({
      put: (by, entry, content, progress) =>
        put(by, entry, content, progress).catch((error: unknown) => {
          if (!isFailure(error, 'RateLimited')) throw error
          throw new ProviderError(error.code, error.where, { message: error.detail.message })
        }),
    }),
  },
  'saves its session after it has sent': {
    foundBy: 'saves its session before it sends',
    wrap: ({ put }) => ({
      put: (by, entry, content, progress) => put(by, entry, content, { ...progress, save: async () => undefined }),
    }),
  },
  'reads a range without its last byte': {
    foundBy: 'reads ranges, both ends included',
    wrap: ({ get }) => ({
      get: (by, ref, range) => get(by, ref, range && { ...range, end: Math.max(range.start, range.end - 1) }),
    }),
  },
  'deletes without a word where it may not': {
    foundBy: 'says that it may not delete',
    wrap: ({ delete: remove }) => ({ delete: (by, ref) => remove(by, ref).catch(() => undefined) }),
  },
}

async function run(name: string, wrap: (driver: Driver) => Driver): Promise<void> {
  const own = TELEGRAM_CASES[name]
  if (!own) {
    const test = CASES.find((one) => one.name === name)
    if (!test) throw new Error(`There is no case “${name}”.`)
    await runCase(test, () => telegramHarness(wrap), {})
    return
  }
  const stage = await telegramStage()
  try {
    await own({ ...stage, open: (credentials) => wrap(stage.open(credentials)) })
  } finally {
    await stage.emulators.close()
  }
}

describe('the cases of a channel', () => {
  it.each(Object.entries(MISTAKES))('find a driver that %s', async (_words, { foundBy, wrap }) => {
    await run(foundBy, (driver) => ({ ...driver }))
    await expect(run(foundBy, (driver) => ({ ...driver, ...wrap(driver) }))).rejects.toThrow()
  })
})
