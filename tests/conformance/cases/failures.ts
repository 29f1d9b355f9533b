import { expect } from 'vitest'
import type { Driver } from '../../../server/providers/driver.ts'
import { type Case, type Harness, needsFault } from '../harness.ts'
import {
  brokenContent,
  bytesOf,
  call,
  collect,
  contentOf,
  expectSame,
  failure,
  listAll,
  put,
  read,
  rejection,
} from '../kit.ts'

/** The content says `size` and yields what `yields` makes of it. */
const endsEarly = (words: string, left: (size: number) => number): Case => ({
  name: `takes no content that ends ${words}`,
  async run({ driver, chunkBytes }) {
    for (const size of [10, chunkBytes, 2 * chunkBytes + 1]) {
      const bytes = bytesOf(size)
      const content = contentOf(bytes, bytes.subarray(0, left(size)))
      await rejection(put(driver, 'short.bin', bytes, { content }), 'Corrupt')
    }
    expect(await listAll(driver)).toEqual([])
  },
})

async function endsWhenAborted({ driver, chunkBytes }: Harness): Promise<void> {
  const bytes = bytesOf(2 * chunkBytes)
  const { ref } = await put(driver, 'content.bin', bytes)
  const controller = new AbortController()
  const reason = new Error('The user went away.')
  const content = brokenContent(bytes.length, bytes.subarray(0, chunkBytes + 1), 'silence')
  const entry = { parent: driver.root, name: 'aborted.bin', size: bytes.length, mimeType: null }
  const progress = { session: null, save: async () => undefined, onProgress: () => undefined }
  const putting = failure(driver.put(call(controller.signal), entry, content, progress))
  const { body } = await driver.get(call(controller.signal), ref)
  setTimeout(() => controller.abort(reason), 20)
  expect(await putting).toBe(reason)
  expect(await failure(collect(body))).toBe(reason)
  expect((await listAll(driver)).map((listed) => listed.ref)).toEqual([ref])
}

async function refusesAborted({ driver }: Harness): Promise<void> {
  const reason = new Error('The user was never there.')
  const aborted = call(AbortSignal.abort(reason))
  const { ref } = await put(driver, 'content.bin', bytesOf(5))
  const entry = { parent: driver.root, name: 'aborted.bin', size: 3, mimeType: null }
  const progress = { session: null, save: async () => undefined, onProgress: () => undefined }
  const calls: Promise<unknown>[] = [
    driver.stat(aborted, ref),
    driver.list(aborted, driver.root, null),
    driver.get(aborted, ref),
    driver.put(aborted, entry, contentOf(bytesOf(3)), progress),
    driver.delete(aborted, ref),
  ]
  for (const error of await Promise.all(calls.map(failure))) expect(error).toBe(reason)
  expect((await listAll(driver)).map((listed) => listed.ref)).toEqual([ref])
}

/** Every kind of call, each of which must say so. */
async function expectEach(driver: Driver, plan: () => void | Promise<void>, code: 'AuthExpired' | 'Transient') {
  const content = bytesOf(10)
  const { ref } = await put(driver, 'content.bin', content)
  const calls: (() => Promise<unknown>)[] = [
    () => driver.identity(call()),
    () => driver.quota(call()),
    () => driver.stat(call(), ref),
    () => driver.list(call(), driver.root, null),
    () => read(driver, ref),
    () => put(driver, 'other.bin', content),
    () => driver.ensureFolder(call(), driver.root, 'Folder'),
    () => driver.delete(call(), ref),
  ]
  for (const attempt of calls) {
    await plan()
    await rejection(attempt(), code)
  }
}

export const FAILURES: readonly Case[] = [
  endsEarly('one byte early', (size) => size - 1),
  endsEarly('half-way', (size) => Math.floor(size / 2)),
  endsEarly('before it begins', () => 0),
  {
    name: 'takes no content that is longer than it says',
    async run({ driver }) {
      await rejection(put(driver, 'long.bin', bytesOf(10), { content: contentOf(bytesOf(10), bytesOf(11)) }), 'Corrupt')
      expect(await listAll(driver)).toEqual([])
    },
  },
  {
    name: 'shows nothing of a content that breaks',
    async run({ driver, chunkBytes }) {
      const content = brokenContent(2 * chunkBytes, bytesOf(chunkBytes + 1), new Error('The disk broke.'))
      // Another reading may go well.
      await rejection(put(driver, 'broken.bin', bytesOf(0), { content }), 'Transient')
      expect(await listAll(driver)).toEqual([])
    },
  },
  { name: 'does nothing for a call that is aborted', run: refusesAborted },
  { name: 'ends a call that is aborted, with the reason', run: endsWhenAborted },
  {
    name: 'says AuthExpired when access has ended',
    lacks: ({ expireAccess }) => (expireAccess ? null : 'Access does not end.'),
    run: ({ driver, expireAccess }) => expectEach(driver, () => expireAccess?.(), 'AuthExpired'),
  },
  {
    name: 'says RateLimited, and for how long',
    lacks: needsFault('rateLimit'),
    async run({ driver, plan }) {
      await plan({ kind: 'rateLimit', retryAfterMs: 7000 })
      const error = await rejection(driver.list(call(), driver.root, null), 'RateLimited')
      expect(error.detail.retryAfterMs).toBe(7000)
      await plan({ kind: 'rateLimit', retryAfterMs: 3000 })
      expect((await rejection(put(driver, 'a.bin', bytesOf(5)), 'RateLimited')).detail.retryAfterMs).toBe(3000)
    },
  },
  {
    name: 'says Transient when the service fails',
    lacks: needsFault('serverError'),
    run: ({ driver, plan }) => expectEach(driver, () => plan({ kind: 'serverError' }), 'Transient'),
  },
  {
    name: 'says Transient when the connection ends',
    lacks: needsFault('reset'),
    run: ({ driver, plan }) => expectEach(driver, () => plan({ kind: 'reset' }), 'Transient'),
  },
  {
    name: 'says QuotaExceeded when the account is full',
    lacks: ({ fillQuota }) => (fillQuota ? null : 'The account has no end.'),
    async run({ driver, fillQuota, chunkBytes }) {
      await fillQuota?.()
      for (const size of [1, 2 * chunkBytes]) await rejection(put(driver, 'full.bin', bytesOf(size)), 'QuotaExceeded')
      expect((await listAll(driver)).filter(({ name }) => name === 'full.bin')).toEqual([])
    },
  },
  {
    name: 'says TooLarge before it reads a content that no account takes',
    lacks: ({ driver }) => (driver.capabilities.maxObjectBytes === null ? 'There is no largest content.' : null),
    async run({ driver }) {
      const content = { ...contentOf(Buffer.alloc(0)), size: (driver.capabilities.maxObjectBytes ?? 0) + 1 }
      await rejection(put(driver, 'large.bin', Buffer.alloc(0), { content }), 'TooLarge')
      expect(content.opened).toEqual([])
    },
  },
  {
    name: 'breaks the body when the download is cut',
    lacks: needsFault('cutDown'),
    run: (harness) => breaksShort(harness, () => harness.plan({ kind: 'cutDown', afterBytes: 70_000 })),
  },
  {
    name: 'breaks the body when the download ends early',
    lacks: needsFault('shortBody'),
    run: (harness) => breaksShort(harness, () => harness.plan({ kind: 'shortBody', bytes: 70_000 })),
  },
]

async function breaksShort({ driver }: Harness, plan: () => void | Promise<void>): Promise<void> {
  const bytes = bytesOf(200_000)
  const { ref } = await put(driver, 'content.bin', bytes)
  for (const range of [undefined, { start: 100, end: bytes.length - 1 }]) {
    await plan()
    await rejection(read(driver, ref, range), 'Transient')
  }
  expectSame(await read(driver, ref), bytes)
}
