import { expect } from 'vitest'
import type { Case, Harness } from '../harness.ts'
import { bytesOf, call, expectSame, hashOf, progressFrom, put, read } from '../kit.ts'

const SIZES: Readonly<Record<string, (chunk: number) => number>> = {
  'no bytes': () => 0,
  'one byte': () => 1,
  'a chunk less one byte': (chunk) => chunk - 1,
  'a chunk': (chunk) => chunk,
  'a chunk and one byte': (chunk) => chunk + 1,
  'three chunks': (chunk) => 3 * chunk,
}

const keeps = (words: string, sizeOf: (chunk: number) => number): Case => ({
  name: `keeps ${words}`,
  async run({ driver, chunkBytes }) {
    const bytes = bytesOf(sizeOf(chunkBytes))
    const progress = progressFrom()
    const entry = await put(driver, 'content.bin', bytes, { progress })
    expect(entry).toMatchObject({ kind: 'file', size: bytes.length, hash: hashOf(driver, bytes) })
    const seen = await driver.stat(call(), entry.ref)
    expect(seen).toMatchObject({ ref: entry.ref, kind: 'file', size: bytes.length })
    expectSame(await read(driver, entry.ref), bytes)
    const { confirmed } = progress
    expect(confirmed).toEqual(confirmed.toSorted((a, b) => a - b))
    expect(confirmed.at(-1) ?? 0).toBeLessThanOrEqual(bytes.length)
  },
})

async function readsRanges({ driver, chunkBytes }: Harness): Promise<void> {
  const bytes = bytesOf(2 * chunkBytes + 10)
  const { ref } = await put(driver, 'content.bin', bytes)
  const last = bytes.length - 1
  const ranges = [
    [0, 0],
    [0, last],
    [last, last],
    [1, 1],
    [7, chunkBytes],
    [chunkBytes - 1, chunkBytes + 1],
    [chunkBytes, last],
  ] as const
  for (const [start, end] of ranges) {
    expectSame(await read(driver, ref, { start, end }), bytes.subarray(start, end + 1))
  }
}

export const BYTES: readonly Case[] = [
  ...Object.entries(SIZES).map(([words, sizeOf]) => keeps(words, sizeOf)),
  { name: 'reads ranges, both ends included', run: readsRanges },
  {
    name: 'says the hash of what is there',
    lacks({ driver, keepsHash }) {
      if (driver.capabilities.hash === null) return 'The service has no hash.'
      return keepsHash ? null : 'The hash is not kept.'
    },
    async run({ driver, chunkBytes }) {
      const bytes = bytesOf(chunkBytes + 5)
      const { ref } = await put(driver, 'content.bin', bytes)
      expect((await driver.stat(call(), ref)).hash).toBe(hashOf(driver, bytes))
    },
  },
  {
    name: 'keeps many contents apart, written and read side by side',
    async run({ driver }) {
      const contents = Array.from({ length: 6 }, (_, index) => bytesOf(1000 + index, index + 1))
      const entries = await Promise.all(contents.map((bytes, index) => put(driver, `content ${index}.bin`, bytes)))
      expect(new Set(entries.map(({ ref }) => ref)).size).toBe(contents.length)
      await Promise.all(
        entries.map(async ({ ref }, index) => expectSame(await read(driver, ref), contents[index] ?? Buffer.alloc(0))),
      )
    },
  },
]
