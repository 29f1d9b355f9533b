import { describe, expect, it } from 'vitest'
import { createMessageQueue } from '../../../server/db/events.ts'
import { merge } from '../../../server/graphql/subscriptions/live.ts'

function open() {
  const leaving = new AbortController()
  let ends = 0
  const queue = createMessageQueue<number[]>({
    signal: leaving.signal,
    combine: (older, newer) => [...older, ...newer],
    onEnd: () => (ends += 1),
  })
  return { leaving, queue, ends: () => ends }
}

describe('a queue', () => {
  it('hands messages over in order, also to a reader that waits', async () => {
    const { queue } = open()
    const first = queue.next()
    queue.put([1])
    queue.put([2])
    expect(await first).toEqual({ done: false, value: [1] })
    expect(await queue.next()).toEqual({ done: false, value: [2] })
  })

  it('is bounded: what does not fit goes into the newest message', async () => {
    const { queue } = open()
    for (let message = 1; message <= 1000; message += 1) queue.put([message])
    const read: number[][] = []
    queue.put([1001])
    while (read.flat().length < 1001) read.push((await queue.next()).value ?? [])
    expect(read.length).toBeLessThan(100)
    expect(read.flat()).toEqual(Array.from({ length: 1001 }, (_, index) => index + 1))
  })

  it.each(['abort', 'return'] as const)('ends once by %s, with what was left unread', async (way) => {
    const { leaving, queue, ends } = open()
    const waiting = queue.next()
    if (way === 'abort') leaving.abort()
    else await queue.return?.()
    queue.put([1])
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await queue.next()).toEqual({ done: true, value: undefined })
    leaving.abort()
    expect(ends()).toBe(1)
  })
})

async function* source(values: readonly string[], every: Promise<void>[]): AsyncGenerator<string, void> {
  for (const [index, value] of values.entries()) {
    await every[index]
    yield value
  }
}

it('items come in the order in which the sources say them, until all have ended', async () => {
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

it('what a source throws is thrown', async () => {
  const broken = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('gone')) }),
  }
  await expect(merge([broken]).next()).rejects.toThrow('gone')
})
