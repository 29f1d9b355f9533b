import { describe, expect, it } from 'vitest'
import { compareTexts, countChanges, hunksOf } from '../../web/features/Versions/diff.ts'

const shown = (before: string, after: string) =>
  compareTexts(before, after).map(({ kind, words }) => {
    const sign = { same: ' ', added: '+', removed: '-' }[kind]
    return sign + words.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('')
  })
/** One of the texts again, from the comparison. */
const rebuilt = (before: string, after: string, without: 'added' | 'removed') =>
  compareTexts(before, after)
    .filter(({ kind }) => kind !== without)
    .map(({ words }) => words.map(({ text }) => text).join(''))
    .join('\n')

describe('comparing texts', () => {
  it('marks the changed words of replaced lines', () => {
    expect(shown('a\nopens in April 2027\nz', 'a\nopens in March 2027\nz')).toEqual([
      ' a',
      '-opens in [April] 2027',
      '+opens in [March] 2027',
      ' z',
    ])
  })

  it('finds added and removed lines, and counts them', () => {
    expect(shown('1\n2\n3', '0\n1\n3\n4')).toEqual(['+0', ' 1', '-2', ' 3', '+4'])
    expect(countChanges(compareTexts('1\n2\n3', '0\n1\n3\n4'))).toEqual({ added: 2, removed: 1 })
    expect(shown('', 'new')).toEqual(['+new'])
    expect(shown('old\n', '')).toEqual(['-old'])
    expect(shown('same\r\ntext\r\n', 'same\ntext')).toEqual([' same', ' text'])
  })

  it('gives both texts again, whatever they are', () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31
      return seed % below
    }
    const text = () => Array.from({ length: 1 + random(12) }, () => 'abc d'.slice(random(5))).join('\n')
    for (let round = 0; round < 300; round += 1) {
      const [before, after] = [text(), text()]
      expect(rebuilt(before, after, 'added')).toBe(before)
      expect(rebuilt(before, after, 'removed')).toBe(after)
    }
  })

  it('leaves out what is far from a change', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)
    const changed = lines.map((line, index) => (index === 5 || index === 30 ? `${line} new` : line))
    const hunks = hunksOf(compareTexts(lines.join('\n'), changed.join('\n')))
    expect(hunks.map(({ lines: { length } }) => length)).toEqual([8, 8])
    expect(hunksOf(compareTexts('same', 'same'))).toEqual([])
  })
})
