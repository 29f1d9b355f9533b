import { describe, expect, it } from 'vitest'
import { isoTime } from '../../../server/lib/format.ts'

describe('isoTime', () => {
  it.each([
    0,
    -1,
    86_399_999,
    86_400_000,
    Date.UTC(2024, 1, 29, 23, 59, 59, 999),
    Date.UTC(9999, 11, 31, 23, 59, 59, 999),
    Date.UTC(12_026, 0, 1),
    Date.UTC(-1, 0, 1),
    -62_135_596_800_001,
  ])('says of %d what Date says', (ms) => {
    const date = new Date(ms)
    expect([isoTime(date), isoTime(date)]).toEqual([date.toISOString(), date.toISOString()])
  })

  it('is right on more days than it keeps', () => {
    const dates = Array.from(
      { length: 2500 },
      (_, day) => new Date(Date.UTC(2020, 0, day, day % 24, day % 60, 0, day % 1000)),
    )
    for (const date of [...dates, ...dates.toReversed()]) expect(isoTime(date)).toBe(date.toISOString())
  })

  it('refuses what is no time', () => {
    expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError)
  })
})
