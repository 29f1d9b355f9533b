import { describe, expect, test } from 'vitest'
import {
  afterPause,
  afterScroll,
  grownLines,
  range,
  rangeWith,
  type ScrollState,
  shownLines,
} from '../../web/lib/useLines.ts'
import { CHUNK, MutationRefused, reasonOf, runForAll } from '../../web/relay/runMutation.ts'

const refusal = () => new MutationRefused('It is gone.', 'NOT_FOUND')

describe('acting on many', () => {
  test('one bad file does not stop the others, and is named with its reason', async () => {
    const act = (ids: readonly string[]) => (ids.includes('b') ? Promise.reject(refusal()) : Promise.resolve())
    const { done, failures } = await runForAll(['a', 'b', 'c'], act)
    expect(done).toEqual(['a', 'c'])
    expect(failures).toEqual([{ ids: ['b'], reason: 'It is gone.' }])
  })

  test('large numbers go in several requests', async () => {
    const sizes: number[] = []
    const ids = Array.from({ length: CHUNK * 2 + 1 }, (_, number) => `file_${number}`)
    const { done } = await runForAll(ids, (part) => Promise.resolve(sizes.push(part.length)))
    expect(sizes).toEqual([CHUNK, CHUNK, 1])
    expect(done).toHaveLength(ids.length)
  })

  test('without a connection nothing is tried file by file', async () => {
    let tries = 0
    const { failures } = await runForAll(['a', 'b'], () => {
      tries += 1
      return Promise.reject(new TypeError('Failed to fetch'))
    })
    expect(tries).toBe(1)
    expect(failures[0]?.ids).toEqual(['a', 'b'])
    expect(failures[0]?.reason).toContain('connection')
  })

  test('a refusal speaks for itself', () => {
    expect(reasonOf(refusal())).toBe('It is gone.')
  })
})

describe('which lines are drawn', () => {
  const lines = (count: number) => ({
    count,
    topOf: (line: number) => line * 40,
    lineAt: (top: number) => Math.floor(top / 40),
  })

  test('those in scroll and a margin, never more than there are', () => {
    expect(shownLines(lines(1000), { top: 4000, height: 400, margin: 80 })).toEqual({ first: 98, last: 112 })
    expect(shownLines(lines(5), { top: 0, height: 400, margin: 80 })).toEqual({ first: 0, last: 4 })
  })

  test('one that must stay comes with them, in order and once', () => {
    const shown = { first: 5, last: 7 }
    expect(rangeWith(shown, 2)).toEqual([2, 5, 6, 7])
    expect(rangeWith(shown, 6)).toEqual([5, 6, 7])
    expect(rangeWith(shown, 9)).toEqual([5, 6, 7, 9])
    expect(rangeWith(shown, -1)).toEqual([5, 6, 7])
  })

  test('nothing of an empty list', () => {
    expect(range(shownLines(lines(0), { top: 0, height: 400, margin: 80 }))).toEqual([])
  })

  test('a list that became shorter while it was scrolled shows its end', () => {
    expect(shownLines(lines(10), { top: 4000, height: 400, margin: 80 })).toEqual({ first: 9, last: 9 })
  })
})

describe('the pace of a list', () => {
  const calm: ScrollState = { top: 0, height: 800, pace: 'CALM', jumpedAt: Number.NEGATIVE_INFINITY }

  test('a turn of the wheel changes nothing until the margin is used up', () => {
    expect(afterScroll(calm, { top: 100, height: 800, at: 0 })).toBe(calm)
    expect(afterScroll(calm, { top: 200, height: 800, at: 0 })).toMatchObject({ top: 200, pace: 'CALM' })
    expect(afterScroll(calm, { top: 0, height: 500, at: 0 })).toMatchObject({ height: 500, pace: 'CALM' })
  })

  test('one jump draws whole rows, one right after another a glance of them', () => {
    const jumped = afterScroll(calm, { top: 1000, height: 800, at: 50 })
    expect(jumped).toMatchObject({ top: 1000, pace: 'JUMP' })
    expect(afterScroll(jumped, { top: 2000, height: 800, at: 300 }).pace).toBe('JUMP')
    const rushing = afterScroll(jumped, { top: 2000, height: 800, at: 100 })
    expect(rushing.pace).toBe('RUSH')
    expect(afterScroll(rushing, { top: 2100, height: 800, at: 110 })).toMatchObject({ top: 2100, pace: 'RUSH' })
    expect(afterScroll(rushing, { top: 3000, height: 800, at: 400 }).pace).toBe('RUSH')
  })

  test('it settles step by step', () => {
    const rushing: ScrollState = { ...calm, pace: 'RUSH' }
    expect(afterPause(rushing).pace).toBe('JUMP')
    expect(afterPause(afterPause(rushing)).pace).toBe('CALM')
    expect(afterPause(calm)).toBe(calm)
  })

  const none = { first: 0, last: -1 }
  /** How the drawn lines grow, frame by frame, until nothing is missing. */
  function frames(from: { first: number; last: number }, goal: Omit<Parameters<typeof grownLines>[1], 'most'>) {
    const all: [number, number][] = []
    for (let drawn = from; all.length < 20; ) {
      drawn = grownLines(drawn, { ...goal, most: 2 })
      all.push([drawn.first, drawn.last])
      if (drawn.first === goal.wanted.first && drawn.last === goal.wanted.last) break
    }
    return all
  }

  test('lines of many elements come a few at a time, those in sight first', () => {
    const goal = { wanted: { first: 8, last: 15 }, seen: { first: 10, last: 13 } }
    expect(frames(none, goal), 'after a jump').toEqual([
      [10, 11],
      [10, 13],
      [10, 15],
      [8, 15],
    ])
    expect(frames({ first: 2, last: 11 }, goal), 'downwards').toEqual([
      [8, 13],
      [8, 15],
    ])
    expect(frames({ first: 13, last: 19 }, goal), 'upwards').toEqual([
      [11, 15],
      [9, 15],
      [8, 15],
    ])
    expect(frames({ first: 8, last: 8 }, goal)[0], 'what is drawn far from sight is left').toEqual([10, 11])
  })

  test('without a bound all lines come at once, and none when there are none', () => {
    const goal = { wanted: { first: 8, last: 15 }, seen: { first: 10, last: 13 } }
    expect(grownLines(none, { ...goal, most: Number.POSITIVE_INFINITY })).toEqual(goal.wanted)
    expect(grownLines({ first: 3, last: 5 }, { wanted: none, seen: none, most: 2 })).toEqual(none)
  })
})
