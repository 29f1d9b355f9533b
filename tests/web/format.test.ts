import { describe, expect, test } from 'vitest'
import { formatBytes, formatExactBytes } from '../../web/lib/formatBytes.ts'
import { formatDay, formatRelative } from '../../web/lib/formatDate.ts'
import { splitName } from '../../web/lib/splitName.ts'
import { initials } from '../../web/ui/Avatar.tsx'
import { placeMenu } from '../../web/ui/placeMenu.ts'
import { describeSegment } from '../../web/ui/poolText.ts'

test.each([
  [0, '0 Bytes'],
  [-1, '0 Bytes'],
  [Number.NaN, '0 Bytes'],
  [512, '512 Bytes'],
  [1024, '1.00 KB'],
  [1536, '1.50 KB'],
  [1_048_575, '1.00 MB'],
  [5 * 1024 ** 3, '5.00 GB'],
  [2048 * 1024 ** 4, '2048.00 TB'],
])('%d bytes read %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test('the exact number of bytes', () => {
  expect(formatExactBytes(1)).toBe('1 byte')
  expect(formatExactBytes(1536).replace(/\D/g, '')).toBe('1536')
})

describe('dates', () => {
  const now = new Date(2026, 10, 21, 12, 0)
  const at = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString()

  test.each([
    [at(2026, 10, 21, 10, 15), 'Today, 10:15'],
    [at(2026, 10, 20, 23, 59), 'Yesterday, 23:59'],
    [at(2026, 10, 8, 9, 0), '8 Nov'],
    [at(2024, 9, 21, 9, 0), '21 Oct 2024'],
  ])('%s in a list', (iso, text) => {
    expect(formatDay(iso, now, 'en-GB')).toBe(text)
  })

  test.each([
    [at(2026, 10, 21, 11, 59), '1 minute ago'],
    [new Date(now.getTime() - 30_000).toISOString(), 'just now'],
    [at(2026, 10, 18, 12, 0), '3 days ago'],
    [at(2026, 10, 21, 14, 0), 'in 2 hours'],
  ])('%s relative to now', (iso, text) => {
    expect(formatRelative(iso, now, 'en')).toBe(text)
  })
})

test.each([
  ['Harbour walkthrough 4K.mov', 'gh 4K.mov'],
  ['Planning statement.docx', 'ement.docx'],
  ['short.txt', ''],
  ['.gitignore', ''],
  ['a name without an ending at all', 't all'],
  ['👩‍👩‍👧 family at the sea 👨‍👩‍👧.jpg', ''],
])('%s keeps its end', (name, tail) => {
  const split = splitName(name)
  expect(split.head + split.tail).toBe(name)
  if (tail) expect(split.tail).toBe(tail)
})

test('initials are the first letters of the first and the last word', () => {
  expect(initials('Maren van der Holt')).toBe('MH')
  expect(initials('cher')).toBe('C')
  expect(initials('  ')).toBe('')
})

describe('a menu', () => {
  const view = { width: 400, height: 300 }
  const menu = { width: 200, height: 100 }
  const point = (x: number, y: number) => ({ left: x, right: x, top: y, bottom: y })

  test('opens under its anchor, or above it where there is no room', () => {
    expect(placeMenu(point(20, 50), menu, view, 'start', 4)).toEqual({ left: 20, top: 54 })
    expect(placeMenu(point(20, 250), menu, view, 'start', 4)).toEqual({ left: 20, top: 146 })
  })

  test('never leaves the window', () => {
    expect(placeMenu(point(390, 50), menu, view, 'start', 0)).toEqual({ left: 192, top: 50 })
    expect(placeMenu(point(10, 50), menu, view, 'end', 0)).toEqual({ left: 8, top: 50 })
    expect(placeMenu(point(20, 150), { width: 200, height: 280 }, view, 'start', 0).top).toBe(12)
  })
})

test('a segment of the pool in words', () => {
  const GB = 1024 ** 3
  const base = { id: '1', name: 'Drive', hue: 1, usedBytes: GB, totalBytes: 4 * GB }
  expect(describeSegment({ ...base, reservedBytes: GB })).toBe('Drive: 1.00 GB used, 2.00 GB free of 4.00 GB')
  expect(describeSegment({ ...base, totalBytes: null })).toBe('Drive: 1.00 GB used, size unknown')
  expect(describeSegment({ ...base, state: 'expired' })).toBe('Drive: connection expired')
})
