import { expect } from 'vitest'
import { type Case, type Harness, needsNames } from '../harness.ts'
import { bytesOf, call, expectSame, listAll, put, read, rejection } from '../kit.ts'

async function pages({ driver, manyEntries, keepsNames }: Harness): Promise<void> {
  const refs = new Map<string, string>()
  const names = Array.from({ length: manyEntries ?? 0 }, (_, index) => `entry ${index}.txt`)
  while (names.length > 0) {
    const batch = names.splice(0, 8)
    const entries = await Promise.all(batch.map((name) => put(driver, name, Buffer.from(name))))
    for (const [index, { ref }] of entries.entries()) refs.set(ref, batch[index] ?? '')
  }
  const first = await driver.list(call(), driver.root, null)
  expect(first.cursor).not.toBeNull()
  const second = await driver.list(call(), driver.root, first.cursor)
  expect(second.cursor).not.toBeNull()
  const listed = await listAll(driver)
  expect(listed.map(({ ref }) => ref).toSorted()).toEqual([...refs.keys()].toSorted())
  if (keepsNames) for (const { ref, name } of listed) expect(name).toBe(refs.get(ref))
}

async function misses({ driver }: Harness): Promise<void> {
  const { ref } = await put(driver, 'gone.txt', bytesOf(5))
  await driver.delete(call(), ref)
  await rejection(driver.stat(call(), ref), 'NotFound')
  await rejection(read(driver, ref), 'NotFound')
  await rejection(read(driver, ref, { start: 0, end: 1 }), 'NotFound')
}

export const ENTRIES: readonly Case[] = [
  {
    name: 'knows who it is, the same in every process',
    async run({ driver, reopen }) {
      const identity = await driver.identity(call())
      expect(identity.subject).not.toBe('')
      expect(await reopen().identity(call())).toEqual(identity)
    },
  },
  {
    name: 'says how much room there is, or that it does not know',
    async run({ driver }) {
      const before = await driver.quota(call())
      expect(before.totalBytes !== null).toBe(before.state === 'KNOWN')
      await put(driver, 'content.bin', bytesOf(5000))
      const after = await driver.quota(call())
      if (before.usedBytes !== null) expect(after.usedBytes).toBeGreaterThanOrEqual(before.usedBytes + 5000)
    },
  },
  {
    name: 'lists every entry once, over more than two pages',
    lacks: ({ manyEntries }) => (manyEntries === null ? 'Its lists have one page.' : null),
    run: pages,
  },
  {
    name: 'lists nothing where nothing is',
    async run({ driver }) {
      expect(await listAll(driver)).toEqual([])
      expect(await listAll(driver, await driver.ensureFolder(call(), driver.root, 'Empty'))).toEqual([])
    },
  },
  { name: 'says NotFound of what is gone', run: misses },
  {
    name: 'says NotFound of a folder that is gone',
    lacks: needsNames,
    async run({ driver }) {
      const folder = await driver.ensureFolder(call(), driver.root, 'Gone')
      await driver.delete(call(), folder)
      await rejection(listAll(driver, folder), 'NotFound')
      await rejection(put(driver, 'content.bin', bytesOf(5), { parent: folder }), 'NotFound')
    },
  },
  {
    name: 'deletes what is there, and what is gone already',
    async run({ driver }) {
      const [kept, gone] = [await put(driver, 'kept.txt', bytesOf(5)), await put(driver, 'gone.txt', bytesOf(6))]
      await driver.delete(call(), gone.ref)
      await driver.delete(call(), gone.ref)
      expect((await listAll(driver)).map(({ ref }) => ref)).toEqual([kept.ref])
      expectSame(await read(driver, kept.ref), bytesOf(5))
    },
  },
  {
    name: 'makes a folder once',
    async run({ driver, reopen }) {
      const odd = `Skypool's "folder"`
      const name = driver.capabilities.refusesName?.(odd) ? `Skypool's folder` : odd
      const folder = await driver.ensureFolder(call(), driver.root, name)
      expect(await driver.ensureFolder(call(), driver.root, name)).toBe(folder)
      expect(await reopen().ensureFolder(call(), driver.root, name)).toBe(folder)
    },
  },
  {
    name: 'keeps folders apart',
    lacks: needsNames,
    async run({ driver }) {
      const outer = await driver.ensureFolder(call(), driver.root, 'Outer')
      const inner = await driver.ensureFolder(call(), outer, 'Outer')
      expect(inner).not.toBe(outer)
      const { ref } = await put(driver, 'content.bin', bytesOf(5), { parent: inner })
      expect((await listAll(driver)).map((entry) => entry.ref)).toEqual([outer])
      expect(await listAll(driver, outer)).toMatchObject([{ ref: inner, kind: 'folder', name: 'Outer', size: null }])
      expect((await listAll(driver, inner)).map((entry) => entry.ref)).toEqual([ref])
    },
  },
]
