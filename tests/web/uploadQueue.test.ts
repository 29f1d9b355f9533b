import { describe, expect, test } from 'vitest'
import { paceText } from '../../web/features/Transfers/messages.ts'
import { advanceSpeed, durationText, type Speed, secondsLeft } from '../../web/lib/speed.ts'
import { panelOrder, summarise, type Transfer, transferPercent } from '../../web/lib/uploadQueue.ts'

const transfer = (overrides: Partial<Transfer>): Transfer => ({
  id: 'a',
  direction: 'up',
  name: 'a.txt',
  mimeType: 'text/plain',
  size: 100,
  sent: 0,
  state: 'queued',
  error: null,
  fileId: null,
  batchId: 'b',
  place: 'My Drive',
  ...overrides,
})

describe('summarise', () => {
  test('counts bytes, not files, and holds at 99 until the last is durable', () => {
    const summary = summarise([
      transfer({ state: 'done', size: 900 }),
      transfer({ state: 'running', size: 100, sent: 100 }),
    ])
    expect(summary).toMatchObject({ total: 2, finished: 1, running: 1, open: 1, percent: 99 })
  })

  test('reaches 100 when all is through, also for empty files', () => {
    expect(summarise([transfer({ state: 'done', size: 0 })]).percent).toBe(100)
  })

  test('counts files where there are no bytes', () => {
    expect(summarise([transfer({ state: 'done', size: 0 }), transfer({ size: 0 })]).percent).toBe(50)
  })

  test('leaves skipped files out of the bytes', () => {
    const summary = summarise([transfer({ state: 'skipped', size: 900 }), transfer({ state: 'running', sent: 50 })])
    expect(summary).toMatchObject({ finished: 1, totalBytes: 100, percent: 50 })
  })

  test('a failed file keeps it from 100', () => {
    expect(summarise([transfer({ state: 'done' }), transfer({ state: 'failed', sent: 0 })]).percent).toBe(50)
  })
})

test('one transfer is at 100 only when it is durable', () => {
  expect(transferPercent(transfer({ state: 'running', sent: 100 }))).toBe(99)
  expect(transferPercent(transfer({ state: 'done' }))).toBe(100)
})

test('the panel shows what needs a look first and says how many it hides', () => {
  const rows = [
    transfer({ id: 'done', state: 'done' }),
    transfer({ id: 'queued' }),
    transfer({ id: 'running', state: 'running' }),
    transfer({ id: 'failed', state: 'failed' }),
  ]
  const { shown, hidden } = panelOrder(rows, 3)
  expect(shown.map(({ id }) => id)).toEqual(['failed', 'running', 'queued'])
  expect(hidden).toBe(1)
})

describe('speed', () => {
  const readings = (totals: readonly number[]): Speed | null =>
    totals.reduce<Speed | null>((speed, bytes, second) => advanceSpeed(speed, bytes, second * 1000), null)

  test('is unknown before the second reading', () => {
    expect(readings([5])?.perSecond).toBeNull()
    expect(secondsLeft(readings([5]), 100)).toBeNull()
  })

  test('a steady pace is that pace', () => {
    expect(readings([0, 100, 200, 300])?.perSecond).toBeCloseTo(100)
    expect(secondsLeft(readings([0, 100, 200, 300]), 1000)).toBe(10)
  })

  test('one stalled second slows it without stopping it', () => {
    const speed = readings([0, 100, 200, 200])?.perSecond ?? 0
    expect(speed).toBeGreaterThan(50)
    expect(speed).toBeLessThan(100)
  })

  test('a cancelled upload does not run it backwards', () => {
    expect(readings([0, 100, 20])?.perSecond).toBeGreaterThanOrEqual(0)
  })

  test.each([
    [0, '1 s'],
    [40, '40 s'],
    [120, '2 min'],
    [3600, '1 h'],
    [3900, '1 h 5 min'],
    [400_000, '5 days'],
  ])('%i seconds read %s', (seconds, words) => expect(durationText(seconds)).toBe(words))
})

test('the pace is said in short, and only while something moves', () => {
  const moving = summarise([transfer({ state: 'running', sent: 46 })])
  expect(paceText(moving, 12.42 * 1024 ** 2, 120)).toBe('46% · 12.4 MB/s · 2 min')
  expect(paceText(moving, null, null)).toBe('46%')
  expect(paceText(summarise([transfer({ state: 'paused', sent: 46 })]), 500, 10)).toBe('46%')
  expect(paceText(summarise([transfer({ state: 'done' })]), 500, 10)).toBe('')
})
