import { describe, expect, it } from 'vitest'
import { type Box, layOut, neighbour, tilesOf } from '../../web/screens/Room/treemapLayout.ts'

/** The boxes of the treemap that shows what fills an account. */
const AREA: Box = { x: 10, y: 20, width: 800, height: 336 }
const size = ({ width, height }: Box) => width * height
const total = (weights: readonly number[]) => weights.reduce((sum, weight) => sum + weight, 0)
const descending = (weights: number[]) => weights.sort((a, b) => b - a)

/** Numbers that are the same in every run. */
function numbers(count: number, seed: number): number[] {
  let state = seed
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.exp((state / 2 ** 31) * 12)
  })
}

const CASES: readonly (readonly [string, number[]])[] = [
  ['one', [5]],
  ['two equal ones', [1, 1]],
  ['those of the paper', [6, 6, 4, 3, 2, 2, 1]],
  ['a huge one and very small ones', [1e15, 3, 2, 1]],
  ['a hundred equal ones', Array.from({ length: 100 }, () => 7)],
  ...[1, 2, 3, 4, 5].map((seed) => [`100 of very different sizes (${seed})`, descending(numbers(100, seed))] as const),
]

describe.each(CASES)('%s', (_what, weights) => {
  const boxes = layOut(weights, AREA)

  it('have areas in proportion', () => {
    expect(boxes).toHaveLength(weights.length)
    for (const [index, box] of boxes.entries()) {
      const share = (weights[index] ?? 0) / total(weights)
      expect(Math.abs(size(box) / size(AREA) - share)).toBeLessThan(1e-9)
    }
  })

  it('lie inside, without overlaps', () => {
    const near = 1e-6
    for (const [index, { x, y, width, height }] of boxes.entries()) {
      expect(x).toBeGreaterThanOrEqual(AREA.x - near)
      expect(y).toBeGreaterThanOrEqual(AREA.y - near)
      expect(x + width).toBeLessThanOrEqual(AREA.x + AREA.width + near)
      expect(y + height).toBeLessThanOrEqual(AREA.y + AREA.height + near)
      for (const other of boxes.slice(index + 1)) {
        const across = Math.min(x + width, other.x + other.width) - Math.max(x, other.x)
        const down = Math.min(y + height, other.y + other.height) - Math.max(y, other.y)
        expect(Math.min(across, down)).toBeLessThan(near)
      }
    }
  })

  it('are the same each time', () => {
    expect(layOut(weights, AREA)).toEqual(boxes)
  })
})

it('are as square as in the paper', () => {
  const boxes = layOut([6, 6, 4, 3, 2, 2, 1], { x: 0, y: 0, width: 6, height: 4 })
  expect(boxes.slice(0, 3)).toEqual([
    { x: 0, y: 0, width: 3, height: 2 },
    { x: 0, y: 2, width: 3, height: 2 },
    expect.objectContaining({ x: 3, y: 0 }),
  ])
  const ratios = boxes.map(({ width, height }) => Math.max(width / height, height / width))
  expect(Math.max(...ratios)).toBeLessThan(3)
})

it('are none for nothing', () => {
  expect(layOut([], AREA)).toEqual([])
  expect(tilesOf([], 0, AREA)).toEqual([])
  expect(tilesOf([{ bytes: 0 }], 0, AREA)).toEqual([])
  expect(tilesOf([{ bytes: 5 }], 0, { ...AREA, width: 0 })).toEqual([])
})

describe('tiles', () => {
  it('add up what is too small to be shown', () => {
    const items = [1_000_000, 500_000, 3, 2, 1, 0].map((bytes) => ({ bytes }))
    const tiles = tilesOf(items, 10, AREA)
    expect(tiles.map(({ item, bytes }) => [item, bytes])).toEqual([
      [items[0], 1_000_000],
      [items[1], 500_000],
      [null, 16],
    ])
  })

  it('keep the order of the items where the rest is the largest', () => {
    const items = [{ bytes: 20 }, { bytes: 10 }]
    const tiles = tilesOf(items, 100, AREA)
    expect(tiles.map(({ item }) => item)).toEqual([...items, null])
    for (const { box, bytes } of tiles) expect(size(box) / size(AREA)).toBeCloseTo(bytes / 130, 9)
  })

  it('show a single item, however small', () => {
    const [tile, ...others] = tilesOf([{ bytes: 1 }], 0, AREA)
    expect([tile?.box, others]).toEqual([AREA, []])
  })
})

describe('arrow keys', () => {
  // a | b
  //   | c
  const boxes: Box[] = [
    { x: 0, y: 0, width: 100, height: 100 },
    { x: 100, y: 0, width: 50, height: 50 },
    { x: 100, y: 50, width: 50, height: 50 },
  ]

  it('from the name of a folder to its first entry, and back', () => {
    const name: Box = { x: 0, y: 0, width: 380, height: 27 }
    const inside: Box[] = [
      { x: 5, y: 27, width: 170, height: 300 },
      { x: 175, y: 27, width: 200, height: 140 },
    ]
    expect(neighbour([name, ...inside], 0, 'down')).toBe(1)
    expect(neighbour([name, ...inside], 2, 'back')).toBe(1)
    expect(neighbour([name, ...inside], 2, 'up')).toBe(0)
  })

  it.each([
    [0, 'forth', 1],
    [1, 'down', 2],
    [2, 'up', 1],
    [2, 'back', 0],
    [0, 'back', null],
    [2, 'down', null],
  ] as const)('from %i with %s to %s', (from, key, to) => {
    expect(neighbour(boxes, from, key)).toBe(to)
  })
})
