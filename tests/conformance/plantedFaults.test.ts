import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Driver, Entry } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { CASES, runCase } from './driverSuite.ts'
import type { Case } from './harness.ts'
import { contentOf, everythingPage } from './kit.ts'
import { memoryHarness } from './memoryHarness.ts'

/** Mistakes that a driver can have, each of which is right in all else. */
const MISTAKES: Readonly<Record<string, (driver: Driver) => Partial<Driver>>> = {
  'takes the end of a range for exclusive': (driver) => ({
    get: (call, ref, range) =>
      driver.get(call, ref, range && { start: range.start, end: Math.max(range.start, range.end - 1) }),
  }),
  'drops the last page of a list': (driver) => ({
    async list(call, folder, cursor) {
      const page = await driver.list(call, folder, cursor)
      return cursor !== null && page.cursor === null ? { items: [], cursor: null } : page
    },
  }),
  'gives the first entry of a page twice': (driver) => ({
    async list(call, folder, cursor) {
      const page = await driver.list(call, folder, cursor)
      return cursor === null ? page : { ...page, items: [...page.items.slice(0, 1), ...page.items] }
    },
  }),
  'takes a content that ends early': (driver) => ({
    async put(call, entry, content, progress) {
      const bytes = Buffer.concat(await content.open(0).toArray())
      return driver.put(call, { ...entry, size: bytes.length }, contentOf(bytes), progress)
    },
  }),
  'believes the answer when less is kept': (driver) => ({
    put: (call, entry, content, progress) =>
      driver.put(call, entry, content, progress).catch((error: unknown): Entry => {
        if (!(error instanceof ProviderError) || !error.message.includes('other bytes than were sent')) throw error
        const { name, size } = entry
        return { ref: driver.root, name, kind: 'file', size, modifiedAt: null, hash: null }
      }),
  }),
  'fails to delete what is gone': (driver) => ({
    async delete(call, ref) {
      await driver.stat(call, ref)
      await driver.delete(call, ref)
    },
  }),
  'gives what has the name already for what was sent': (driver) => ({
    put: (call, entry, content, progress) =>
      driver.put(call, entry, content, progress).catch(async (error: unknown) => {
        const { items } = await driver.list(call, entry.parent, null)
        const taken = items.find(({ name }) => name === entry.name)
        if (error instanceof ProviderError && error.code === 'Conflict' && taken) return taken
        throw error
      }),
  }),
  'forgets sessions': (driver) => ({
    put: (call, entry, content, progress) => driver.put(call, entry, content, { ...progress, session: null }),
  }),
  'takes ended access for a failing service': (driver) => ({
    stat: (call, ref) =>
      driver.stat(call, ref).catch((error: unknown) => {
        if (!(error instanceof ProviderError) || error.code !== 'AuthExpired') throw error
        throw new ProviderError('Transient', error.where, error.detail)
      }),
  }),
  'forgets how long to wait': (driver) => ({
    list: (call, folder, cursor) =>
      driver.list(call, folder, cursor).catch((error: unknown) => {
        if (!(error instanceof ProviderError)) throw error
        throw new ProviderError(error.code, error.where, { message: error.detail.message })
      }),
  }),
  'goes on when it is called off': (driver) => ({
    put: (call, ...rest) => driver.put({ ...call, signal: new AbortController().signal }, ...rest),
    delete: (call, ...rest) => driver.delete({ ...call, signal: new AbortController().signal }, ...rest),
  }),
  'stores no empty file': (driver) => ({
    async put(call, entry, content, progress) {
      if (content.size > 0) return driver.put(call, entry, content, progress)
      throw new ProviderError('Permanent', { provider: driver.kind, operation: 'put' }, { message: 'No content.' })
    },
  }),
  'says the hash of something else': (driver) => ({
    async stat(call, ref) {
      const entry = await driver.stat(call, ref)
      return { ...entry, hash: entry.hash && [...entry.hash].reverse().join('') }
    },
  }),
  'makes a folder each time': (driver) => ({
    ensureFolder: async (call, parent, name) => {
      const { items } = await driver.list(call, parent, null)
      const twin = items.some((entry) => entry.name === name) ? `${name} (2)` : name
      return driver.ensureFolder(call, parent, twin)
    },
  }),
  'ends a download that was cut as if it were whole': (driver) => ({
    async get(call, ref, range) {
      const { body } = await driver.get(call, ref, range)
      return { body: Readable.from(untilBroken(body), { objectMode: false }) }
    },
  }),
  'drops the last page of a listing of everything': (driver) => ({
    async listAll(call, cursor) {
      const page = await everythingPage(driver, cursor, call)
      return cursor !== null && page.cursor === null ? { items: [], cursor: null } : page
    },
  }),
  'lists the trash with everything else': (driver) => {
    const stored: Entry[] = []
    return {
      async put(...request) {
        const entry = await driver.put(...request)
        stored.push(entry)
        return entry
      },
      async listAll(call, cursor) {
        const page = await everythingPage(driver, cursor, call)
        if (page.cursor !== null) return page
        const there = await Promise.all(stored.map(({ ref }) => driver.stat(call, ref).catch(() => null)))
        return { ...page, items: [...page.items, ...stored.filter((_, index) => there[index] === null)] }
      },
    }
  },
  'breaks a name that is not ASCII': (driver) => ({
    put: (call, entry, ...rest) =>
      driver.put(call, { ...entry, name: Buffer.from(entry.name, 'latin1').toString('latin1') }, ...rest),
  }),
}

async function* untilBroken(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>
  } catch {
    // The mistake.
  }
}

/** The case that is there to find each mistake. */
const FOUND_BY: Readonly<Record<keyof typeof MISTAKES, string>> = {
  'takes the end of a range for exclusive': 'reads ranges, both ends included',
  'drops the last page of a list': 'lists every entry once, over more than two pages',
  'gives the first entry of a page twice': 'lists every entry once, over more than two pages',
  'takes a content that ends early': 'takes no content that ends one byte early',
  'believes the answer when less is kept': 'notices that the service kept less than was sent',
  'fails to delete what is gone': 'deletes what is there, and what is gone already',
  'gives what has the name already for what was sent':
    'replaces nothing: an equal name is a Conflict, or a second entry',
  'forgets sessions': 'continues an upload in another process, from what was confirmed',
  'takes ended access for a failing service': 'says AuthExpired when access has ended',
  'forgets how long to wait': 'says RateLimited, and for how long',
  'goes on when it is called off': 'does nothing for a call that is aborted',
  'stores no empty file': 'keeps no bytes',
  'says the hash of something else': 'says the hash of what is there',
  'makes a folder each time': 'makes a folder once',
  'ends a download that was cut as if it were whole': 'breaks the body when the download is cut',
  'drops the last page of a listing of everything': 'lists everything in the account once, over several pages',
  'lists the trash with everything else': 'lists nothing that was deleted or is in the trash',
  'breaks a name that is not ASCII': 'keeps odd names',
}

/** Services whose differences decide which mistakes can be seen. */
const SERVICES = [
  { capabilities: {} },
  { capabilities: { duplicateNames: false, caseSensitive: false, maxObjectBytes: 10_000_000 } },
] as const

/** The cases of `tried` that a driver fails. */
async function failuresOf(wrap: (driver: Driver) => Driver, tried: readonly Case[]): Promise<string[]> {
  const failed: string[] = []
  for (const service of SERVICES) {
    const plain = memoryHarness(service)
    for (const test of tried.filter((one) => (one.lacks?.(plain) ?? null) === null)) {
      const running = runCase(test, () => memoryHarness(service, wrap), {})
      const tooLong = new Promise((_resolve, reject) => setTimeout(reject, 1_000, new Error('It hangs.')).unref())
      await Promise.race([running, tooLong]).catch(() => failed.push(test.name))
    }
  }
  return failed
}

describe('the suite of all drivers', () => {
  it('finds nothing wrong with a driver that is right', async () => {
    expect(await failuresOf((driver) => ({ ...driver }), CASES)).toEqual([])
  })

  it.each(Object.entries(MISTAKES))('finds a driver that %s', async (words, mistake) => {
    const tried = CASES.filter(({ name }) => name === FOUND_BY[words])
    const failed = await failuresOf((driver) => ({ ...driver, ...mistake(driver) }), tried)
    expect(new Set(failed)).toEqual(new Set([FOUND_BY[words]]))
  })

  it('refuses a skip that is not listed, and a listed one that could run', async () => {
    const [test] = CASES.filter(({ name }) => name === 'moves and renames')
    if (!test) throw new Error('The case is gone.')
    const lacking = () => memoryHarness({}, ({ move: _move, ...driver }) => driver)
    await expect(runCase(test, lacking, {})).rejects.toThrow('not listed')
    await expect(runCase(test, memoryHarness, { [test.name]: 'No reason.' })).rejects.toThrow('could run')
    expect(await runCase(test, lacking, { [test.name]: 'It cannot.' })).toEqual({ skipped: 'It cannot.' })
  })
})
