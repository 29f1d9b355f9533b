import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { batch } from '../../server/graphql/loaders.ts'
import { coalesce } from '../../server/graphql/subscriptions/live.ts'

describe('batch', () => {
  test('lookups of one level become one call, each id once, and are remembered', async () => {
    const calls: (readonly string[])[] = []
    const look = batch<string | null>(async (ids) => {
      calls.push(ids)
      return new Map(ids.filter((id) => id !== 'gone').map((id) => [id, id.toUpperCase()]))
    }, null)
    // As resolvers do: some ask at once, some after a few promises.
    const later = Promise.resolve().then(() => Promise.resolve().then(() => look('c')))
    expect(await Promise.all([look('a'), look('b'), look('a'), look('gone'), later])).toEqual([
      'A',
      'B',
      'A',
      null,
      'C',
    ])
    expect(await look('b')).toBe('B')
    expect(calls).toEqual([['a', 'b', 'gone', 'c']])
    await look('d')
    expect(calls).toHaveLength(2)
  })

  test('a failure reaches everyone who asked', async () => {
    const look = batch<null>(() => Promise.reject(new Error('down')), null)
    const results = await Promise.allSettled([look('a'), look('b')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

describe('coalesce', () => {
  const sum = (left: number, right: number) => left + right

  test('a burst is one value, what comes after the window another, and the end keeps what was gathered', async () => {
    async function* source() {
      yield 1
      yield 2
      yield 3
      await sleep(80)
      yield 10
      yield 20
    }
    const values: number[] = []
    for await (const value of coalesce(source(), 30, sum)) values.push(value)
    expect(values).toEqual([6, 30])
  })

  test('a reader that leaves ends the source', async () => {
    let ended = false
    async function* source() {
      try {
        for (;;) {
          yield 1
          await sleep(5)
        }
      } finally {
        ended = true
      }
    }
    for await (const _ of coalesce(source(), 10, sum)) break
    expect(ended).toBe(true)
  })
})
