import { describe, expect, it } from 'vitest'
import { createWindowCounts } from '../../server/lib/windowCounts.ts'

const WINDOW_MS = 60_000

function counts(mostKeys = 100) {
  const clock = { now: 1_000_000 }
  return { clock, counts: createWindowCounts(WINDOW_MS, mostKeys, () => clock.now) }
}

describe('counts by window', () => {
  it('refuses what is too much for as long as the window lasts, whenever others begin', () => {
    const { clock, counts: all } = counts()
    all.take('other', 3)
    clock.now += WINDOW_MS - 1_000
    expect([all.take('a', 2), all.take('a', 2), all.take('a', 2)]).toEqual([0, 0, 60])
    clock.now += 30_000
    expect(all.take('a', 2)).toBe(30)
    clock.now += 30_000
    expect([all.take('a', 2), all.take('a', 2), all.take('a', 2)]).toEqual([0, 0, 60])
  })

  it('gives back what did not count', () => {
    const { counts: all } = counts()
    all.take('a', 1)
    all.giveBack('a')
    all.giveBack('a')
    all.giveBack('unknown')
    expect([all.take('a', 1), all.take('a', 1)]).toEqual([0, 60])
  })

  it('begins anew with too many keys at once', () => {
    const { counts: all } = counts(3)
    for (const key of ['a', 'b', 'c']) all.take(key, 1)
    expect([all.take('a', 1), all.take('b', 1), all.take('a', 1)]).toEqual([0, 0, 60])
  })
})
