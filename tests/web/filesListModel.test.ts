import { describe, expect, test } from 'vitest'
import { ListModel } from '../../web/screens/Files/list/listModel.ts'
import { needsNext, pagesToKeep, rowsAhead } from '../../web/screens/Files/list/pageWindow.ts'

type Row = { id: string }
const rows = (...ids: string[]): Row[] => ids.map((id) => ({ id }))
const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, step) => ({ id: `r${from + step}` }))

function threePages(): ListModel<Row> {
  const model = new ListModel<Row>()
  model.append({ rows: rows('a', 'b', 'c'), endCursor: 'c', hasNext: true })
  model.append({ rows: rows('d', 'e'), endCursor: 'e', hasNext: true })
  model.append({ rows: rows('f'), endCursor: 'f', hasNext: false })
  return model
}

const all = (model: ListModel<Row>) => model.idsBetween(0, model.count - 1).join('')

describe('reading rows', () => {
  test('a row is found by index and by id over all pages', () => {
    const model = threePages()
    expect(model.count).toBe(6)
    expect(model.rowAt(3)?.id).toBe('d')
    expect(model.indexOf('f')).toBe(5)
    expect(model.rowAt(6)).toBeUndefined()
    expect(model.indexOf('z')).toBe(-1)
  })

  test('a range of ids goes over page borders, in either direction', () => {
    const model = threePages()
    expect(model.idsBetween(4, 1)).toEqual(['b', 'c', 'd', 'e'])
    expect(model.idsBetween(5, 99)).toEqual(['f'])
  })

  test('the last page says that nothing follows', () => {
    const model = new ListModel<Row>()
    expect(model.hasNext).toBe(true)
    model.append({ rows: rows('a'), endCursor: 'a', hasNext: true })
    expect(model.nextAfter).toBe('a')
    model.append({ rows: [], endCursor: null, hasNext: false })
    expect(model.hasNext).toBe(false)
  })
})

describe('reading a range again', () => {
  test('rows that came and went are in their places, and the pages behind move along', () => {
    const model = threePages()
    const page = model.pages[0]
    if (!page) throw new Error('no page')
    model.replace(page, { rows: rows('a', 'x', 'y', 'c'), endCursor: 'c', hasNext: false })
    expect(all(model)).toBe('axycdef')
    expect(model.indexOf('d')).toBe(4)
  })

  test('a row that moved to another page is not seen twice', () => {
    const model = threePages()
    const page = model.pages[0]
    if (!page) throw new Error('no page')
    model.replace(page, { rows: rows('f', 'a', 'b', 'c'), endCursor: 'c', hasNext: false })
    expect(all(model)).toBe('fabcde')
    expect(model.indexOf('f')).toBe(0)
  })

  test('what one answer cannot hold becomes a page of its own, read next', () => {
    const model = threePages()
    const page = model.pages[0]
    if (!page) throw new Error('no page')
    const rest = model.replace(page, { rows: rows('a', 'a1'), endCursor: 'a1', hasNext: true })
    expect(rest).toMatchObject({ after: 'a1', until: 'c', rows: [] })
    if (rest) model.replace(rest, { rows: rows('b', 'c'), endCursor: 'c', hasNext: false })
    expect(all(model)).toBe('aa1bcdef')
  })

  test('the last page may learn that there is more after all', () => {
    const model = threePages()
    const last = model.pages.at(-1)
    if (!last) throw new Error('no page')
    expect(model.replace(last, { rows: rows('f', 'g'), endCursor: 'g', hasNext: true })).toBeNull()
    expect(model.nextAfter).toBe('g')
  })

  test('an answer for a page that is no more changes nothing', () => {
    const model = threePages()
    const before = model.version
    const stray = { after: null, until: null, all: [], rows: [], start: 0 }
    expect(model.replace(stray, { rows: rows('q'), endCursor: null, hasNext: false })).toBeNull()
    expect(model.version).toBe(before)
  })
})

describe('rows out of sight', () => {
  test('hidden rows come back to the same place', () => {
    const model = threePages()
    model.hide(['b', 'e'])
    expect(all(model)).toBe('acdf')
    expect(model.indexOf('b')).toBe(-1)
    model.show(['b', 'e'])
    expect(all(model)).toBe('abcdef')
  })

  test('a hidden row stays hidden when its page is read again', () => {
    const model = threePages()
    model.hide(['b'])
    const page = model.pages[0]
    if (!page) throw new Error('no page')
    model.replace(page, { rows: rows('a', 'b', 'c'), endCursor: 'c', hasNext: false })
    expect(all(model)).toBe('acdef')
  })

  test('removed rows do not come back', () => {
    const model = threePages()
    model.hide(['b'])
    model.remove(['b', 'f', 'unknown'])
    model.show(['b'])
    expect(all(model)).toBe('acde')
    expect(model.get('f')).toBeUndefined()
  })

  test('everyone who looks hears of each change', () => {
    const model = threePages()
    let heard = 0
    const stop = model.subscribe(() => {
      heard += 1
    })
    model.hide(['a'])
    model.remove(['a'])
    stop()
    model.show(['a'])
    expect(heard).toBe(2)
  })
})

describe('the window', () => {
  function long(pages: number): ListModel<Row> {
    const model = new ListModel<Row>()
    for (let page = 0; page < pages; page += 1) {
      model.append({ rows: numbered(page * 100, 100), endCursor: `c${page}`, hasNext: true })
    }
    return model
  }

  test('more is loaded ahead of a fast scroll, and only downwards', () => {
    expect(rowsAhead(0)).toBe(300)
    expect(rowsAhead(-5000)).toBe(300)
    expect(rowsAhead(600)).toBe(900)
    expect(rowsAhead(50_000)).toBe(1200)
  })

  test('the next page is wanted when the end comes near', () => {
    const model = long(10)
    expect(needsNext(model, { first: 0, last: 40, velocity: 0 })).toBe(false)
    expect(needsNext(model, { first: 680, last: 720, velocity: 0 })).toBe(true)
    expect(needsNext(model, { first: 100, last: 140, velocity: 700 })).toBe(true)
  })

  test('only the pages around what is seen are kept', () => {
    const kept = pagesToKeep(long(100), { first: 5000, last: 5040, velocity: 0 })
    expect(kept.length).toBe(25)
    expect(kept[0]?.start).toBe(3800)
  })

  test('finding one of 100,000 rows does not walk them', () => {
    const model = long(1000)
    const before = process.cpuUsage()
    for (let index = 0; index < 100_000; index += 7) model.rowAt(index)
    // Time of this process alone: a busy machine does not add to it.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(200)
  })
})
