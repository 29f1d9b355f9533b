import { expect, it } from 'vitest'
import type { Driver } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { CASES, runCase } from './driverSuite.ts'
import { oneDriveHarness } from './oneDriveHarness.ts'

// Mistakes that are likely with OneDrive, and the case that finds each. Those inside an upload are in tests/server/providers/oneDriveUpload.test.ts.

type Mistake = { readonly make: (driver: Driver) => Partial<Driver>; readonly foundBy: string }

const asOther = (code: ProviderError['code'], other: ProviderError['code']) => (error: unknown) => {
  if (!(error instanceof ProviderError) || error.code !== code) throw error
  throw new ProviderError(other, error.where, error.detail)
}

const MISTAKES: Readonly<Record<string, Mistake>> = {
  'asks for the content of an empty file by a range that it has not': {
    make: (driver) => ({ get: (given, ref, range) => driver.get(given, ref, range ?? { start: 0, end: 0 }) }),
    foundBy: 'keeps no bytes',
  },
  'believes the end of the range that it asked for to be exclusive': {
    make: (driver) => ({
      get: (given, ref, range) => driver.get(given, ref, range && { start: range.start, end: range.end + 1 }),
    }),
    foundBy: 'reads ranges, both ends included',
  },
  'reports the hash in base64': {
    make: (driver) => ({
      async stat(given, ref) {
        const entry = await driver.stat(given, ref)
        return { ...entry, hash: entry.hash && Buffer.from(entry.hash, 'hex').toString('base64') }
      },
    }),
    foundBy: 'says the hash of what is there',
  },
  'reads the first page of children only': {
    make: (driver) => ({
      list: async (given, folder) => ({ ...(await driver.list(given, folder, null)), cursor: null }),
    }),
    foundBy: 'lists every entry once, over more than two pages',
  },
  'lists the root with everything else': {
    make: (driver) => ({
      async listAll(given, cursor) {
        const page = (await driver.listAll?.(given, cursor)) ?? { items: [], cursor: null }
        return cursor === null ? { ...page, items: [await driver.stat(given, driver.root), ...page.items] } : page
      },
    }),
    foundBy: 'says of everything where it is, up to the root, and does not list the root',
  },
  'names the alias of the root as the parent': {
    make: (driver) => ({
      async listAll(given, cursor) {
        const { ref } = await driver.stat(given, driver.root)
        const page = (await driver.listAll?.(given, cursor)) ?? { items: [], cursor: null }
        const items = page.items.map((entry) =>
          entry.details?.parent === ref ? { ...entry, details: { ...entry.details, parent: driver.root } } : entry,
        )
        return { ...page, items }
      },
    }),
    foundBy: 'says of everything where it is, up to the root, and does not list the root',
  },
  'repeats what a list of changes repeats': {
    make: (driver) => ({
      async listAll(given, cursor) {
        const page = (await driver.listAll?.(given, cursor)) ?? { items: [], cursor: null }
        return { ...page, items: [...page.items, ...page.items.slice(-1)] }
      },
    }),
    foundBy: 'lists everything in the account once, over several pages',
  },
  'takes 410 for something that is gone': {
    make: (driver) => ({
      changes: (given, cursor) =>
        driver.changes?.(given, cursor).catch(asOther('CursorReset', 'NotFound')) ?? Promise.reject(new Error()),
    }),
    foundBy: 'says CursorReset of a cursor that it does not know',
  },
  'drops deleted items from the changes': {
    make: (driver) => ({
      async changes(given, cursor) {
        const page = await driver.changes?.(given, cursor)
        if (!page) throw new Error('There are no changes.')
        return { ...page, changes: page.changes.filter(({ entry }) => entry !== null) }
      },
    }),
    foundBy: 'tells what changed since a cursor',
  },
  'starts the changes with everything that there is': {
    make: (driver) => ({
      async changes(given, cursor) {
        const page = await driver.changes?.(given, cursor)
        if (!page) throw new Error('There are no changes.')
        if (cursor !== null) return page
        const all = await driver.listAll?.(given, null)
        return { ...page, changes: all?.items.map((entry) => ({ ref: entry.ref, entry })) ?? [] }
      },
    }),
    foundBy: 'tells what changed since a cursor',
  },
  'replaces a file with the same name': {
    make: (driver) => ({
      async put(given, entry, content, progress) {
        const { items } = await driver.list(given, entry.parent, null)
        const there = items.find(({ name, kind }) => kind === 'file' && name.toLowerCase() === entry.name.toLowerCase())
        if (there) await driver.delete(given, there.ref)
        return driver.put(given, entry, content, progress)
      },
    }),
    foundBy: 'replaces nothing: an equal name is a Conflict, or a second entry',
  },
  'takes the acceptance of a copy for the copy': {
    make: (driver) => ({
      async copy(given, ref, entry, progress) {
        const copied = await driver.copy?.(given, ref, entry, progress).catch(() => null)
        const { name, size } = entry
        return copied ?? { ref, name, kind: 'file', size, modifiedAt: null, hash: progress.hash }
      },
    }),
    foundBy: 'copies without the bytes',
  },
  'waits for no pause that the service asks for': {
    make: (driver) => ({
      put: (given, entry, content, progress) =>
        driver.put(given, entry, content, progress).catch(asOther('RateLimited', 'Transient')),
    }),
    foundBy: 'says RateLimited, and for how long',
  },
  'takes a full account for a service that fails': {
    make: (driver) => ({
      put: (given, entry, content, progress) =>
        driver.put(given, entry, content, progress).catch(asOther('QuotaExceeded', 'Transient')),
    }),
    foundBy: 'says QuotaExceeded when the account is full',
  },
  'leaves the link of a file when it should end': {
    make: () => ({
      unshare: async () => {
        throw new ProviderError('NotFound', { provider: 'onedrive', operation: 'unshare' }, { message: 'No link.' })
      },
    }),
    foundBy: 'shares by a link, and ends it',
  },
  'does not send the uploaded part from where the service is': {
    make: (driver) => ({
      put: (given, entry, content, progress) => driver.put(given, entry, content, { ...progress, session: null }),
    }),
    foundBy: 'continues an upload in another process, from what was confirmed',
  },
}

it.each(Object.entries(MISTAKES))('the suite finds a driver of OneDrive that %s', async (_words, { make, foundBy }) => {
  const test = CASES.find(({ name }) => name === foundBy)
  if (!test) throw new Error('The case is gone.')
  await runCase(test, () => oneDriveHarness(), {})
  const wrap = (driver: Driver): Driver => ({ ...driver, ...make(driver) })
  await expect(runCase(test, () => oneDriveHarness({ wrap }), {})).rejects.toThrow()
})
