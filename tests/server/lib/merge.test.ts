import { expect, test } from 'vitest'
import { merge } from '../../../server/lib/merge.ts'

async function* source(values: readonly string[], every: Promise<void>[]): AsyncGenerator<string, void> {
  for (const [index, value] of values.entries()) {
    await every[index]
    yield value
  }
}

test('items come in the order in which the sources say them, until all have ended', async () => {
  let open = () => {}
  const later = new Promise<void>((resolve) => (open = resolve))
  const merged = merge([source(['a', 'd'], [Promise.resolve(), later]), source(['b', 'c'], [])])
  const first = [await merged.next(), await merged.next(), await merged.next()].map(({ value }) => value)
  expect(first.toSorted()).toEqual(['a', 'b', 'c'])
  open()
  expect((await merged.next()).value).toBe('d')
  expect((await merged.next()).done).toBe(true)
  expect((await merge([]).next()).done).toBe(true)
})

test('what a source throws is thrown', async () => {
  const broken = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('gone')) }),
  }
  await expect(merge([broken]).next()).rejects.toThrow('gone')
})
