import { describe, expect, test } from 'vitest'
import { columnsIn, countLeading, gridLayout, lineAtTop, topOfLine } from '../../web/lib/gridLayout.ts'
import { UndoStack } from '../../web/screens/Files/actions/undoStack.ts'
import { bringsFiles, dropProblem, ROWS_TYPE } from '../../web/screens/Files/dragAndDrop/dropRules.ts'
import { stemLength, things } from '../../web/screens/Files/messages.ts'
import { commandOf, moveIndex } from '../../web/screens/Files/selection/keyboard.ts'
import {
  allState,
  clear,
  commandTargets,
  drop,
  extendTo,
  NOTHING,
  pointerSelect,
  selectAll,
  selectOnly,
  targetsOf,
  toggle,
} from '../../web/screens/Files/selection/selection.ts'
import { findByPrefix, TypeAhead } from '../../web/screens/Files/selection/typeAhead.ts'
import {
  ANYWHERE,
  defaultSort,
  folderPath,
  hasFilters,
  nextSort,
  rangesOf,
  readUrlState,
  viewOfPath,
  writeUrlState,
} from '../../web/screens/Files/urlState.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
const order = {
  indexOf: (id: string) => NAMES.indexOf(id),
  idsBetween: (from: number, to: number) => NAMES.slice(Math.min(from, to), Math.max(from, to) + 1),
}
const idsOf = (selection: { ids: ReadonlySet<string> }) => [...selection.ids].sort().join('')

describe('selection', () => {
  test('Shift extends from the anchor, both ways, without moving it', () => {
    const down = extendTo(selectOnly('c'), 'e', order)
    expect(idsOf(down)).toBe('cde')
    const up = extendTo(down, 'a', order)
    expect(idsOf(up)).toBe('abc')
    expect(up.anchor).toBe('c')
    expect(up.focus).toBe('a')
  })

  test('Ctrl adds and takes away, and begins a new range there', () => {
    const two = toggle(selectOnly('a'), 'c')
    expect(idsOf(two)).toBe('ac')
    expect(idsOf(pointerSelect(two, 'e', { shift: true, ctrl: true }, order))).toBe('acde')
    expect(idsOf(toggle(two, 'a'))).toBe('c')
  })

  test('a plain press selects one', () => {
    const many = selectAll(NOTHING, NAMES)
    expect(idsOf(pointerSelect(many, 'b', { shift: false, ctrl: false }, order))).toBe('b')
  })

  test('a range whose anchor is gone becomes a single row', () => {
    expect(idsOf(extendTo({ ...NOTHING, anchor: 'gone' }, 'b', order))).toBe('b')
  })

  test('an action means the selection when its row is part of it', () => {
    const some = selectAll(NOTHING, ['a', 'b'])
    expect(targetsOf(some, 'b')).toEqual(['a', 'b'])
    expect(targetsOf(some, 'f')).toEqual(['f'])
    expect(commandTargets(clear(selectOnly('d')))).toEqual(['d'])
  })

  test('rows that are gone leave it', () => {
    const some = selectAll(NOTHING, ['a', 'b'])
    expect(idsOf(drop(some, ['a', 'x']))).toBe('b')
    expect(drop(some, ['x'])).toBe(some)
  })

  test('the header checkbox knows none, some and all', () => {
    expect(allState(NOTHING, { count: 2, hasNext: false })).toBe('none')
    expect(allState(selectOnly('a'), { count: 2, hasNext: false })).toBe('some')
    expect(allState(selectAll(NOTHING, ['a', 'b']), { count: 2, hasNext: false })).toBe('all')
  })
})

describe('keys', () => {
  const press = (
    key: string,
    modifiers: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>> = {},
  ) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    ...modifiers,
  })
  const nameOf = (key: string, modifiers = {}, letters = true, typing = false) =>
    commandOf(press(key, modifiers), letters, typing)?.name

  test.each([
    ['F2', {}, 'rename'],
    ['Delete', {}, 'trash'],
    ['Delete', { shiftKey: true }, 'deleteForever'],
    ['Enter', {}, 'open'],
    ['Backspace', {}, 'parent'],
    ['ArrowUp', { altKey: true }, 'parent'],
    ['a', { ctrlKey: true }, 'selectAll'],
    ['c', { ctrlKey: true }, 'copy'],
    ['c', { metaKey: true }, 'copy'],
    ['z', { metaKey: true }, 'undo'],
    ['F10', { shiftKey: true }, 'menu'],
    ['?', { shiftKey: true }, 'shortcuts'],
    ['s', {}, 'star'],
    ['Escape', {}, 'clear'],
  ])('%s with %o is %s', (key, modifiers, name) => {
    expect(nameOf(key, modifiers)).toBe(name)
  })

  test('arrows extend with Shift and only move the focus with Ctrl', () => {
    expect(commandOf(press('ArrowDown', { shiftKey: true }), true)).toMatchObject({ motion: 'down', mode: 'extend' })
    expect(commandOf(press('ArrowDown', { ctrlKey: true }), true)).toMatchObject({ mode: 'focus' })
    expect(commandOf(press('End'), true)).toMatchObject({ motion: 'end', mode: 'plain' })
  })

  test('letters are typed into a name when they are turned off, or a name is being typed', () => {
    expect(nameOf('s', {}, false)).toBe('type')
    expect(nameOf('s', {}, true, true)).toBe('type')
    expect(nameOf('S', { shiftKey: true })).toBe('type')
  })

  test('keys with further modifiers are left alone', () => {
    expect(nameOf('a', { ctrlKey: true, shiftKey: true })).toBeUndefined()
    expect(nameOf('ArrowLeft', { altKey: true })).toBeUndefined()
    expect(nameOf('q', { ctrlKey: true })).toBeUndefined()
    expect(nameOf('c', { ctrlKey: true, shiftKey: true })).toBeUndefined()
  })

  test('a list moves within its ends', () => {
    expect(moveIndex(0, 'up', 10, 5)).toBe(0)
    expect(moveIndex(3, 'pageDown', 10, 5)).toBe(8)
    expect(moveIndex(3, 'end', 10, 5)).toBe(9)
  })
})

describe('type-ahead', () => {
  const names = ['Alpha', 'beta', 'Bravo', 'Café', 'bravo 2']
  const find = (text: string, from: number) => findByPrefix(text, from, names.length, (index) => names[index])

  test('one letter goes on to the next, more letters may stay', () => {
    expect(find('b', 0)).toBe(1)
    expect(find('b', 1)).toBe(2)
    expect(find('br', 2)).toBe(2)
    expect(find('a', 3)).toBe(0)
    expect(find('cafe', 0)).toBe(3)
    expect(find('zz', 0)).toBe(-1)
  })

  test('a pause begins a new word', () => {
    const typed = new TypeAhead()
    expect(typed.push('b', 0)).toBe('b')
    expect(typed.push('r', 300)).toBe('br')
    expect(typed.isActive(900)).toBe(true)
    expect(typed.push('c', 2000)).toBe('c')
    typed.end()
    expect(typed.isActive(2100)).toBe(false)
    expect(typed.push('d', 2200)).toBe('d')
  })
})

describe('the grid', () => {
  const layout = gridLayout({ count: 12, folders: 5, folderColumns: 3, fileColumns: 4 })

  test('folders and files stand in lines under their headings', () => {
    expect(layout.lineCount).toBe(6)
    expect(layout.lineAt(0)).toEqual({ kind: 'heading', from: 0, to: 5 })
    expect(layout.lineAt(2)).toEqual({ kind: 'folders', from: 3, to: 5 })
    expect(layout.lineAt(4)).toEqual({ kind: 'files', from: 5, to: 9 })
    expect(layout.lineOf(11)).toBe(5)
  })

  test('up and down keep the column, skip headings and stop at short lines', () => {
    expect(layout.move(1, 'down', 2)).toBe(4)
    expect(layout.move(2, 'down', 2)).toBe(4)
    expect(layout.move(4, 'down', 2)).toBe(6)
    expect(layout.move(8, 'up', 2)).toBe(4)
    expect(layout.move(11, 'down', 2)).toBe(11)
    expect(layout.move(0, 'left', 2)).toBe(0)
    expect(layout.move(0, 'pageDown', 2)).toBe(5)
  })

  test('without folders there is no heading', () => {
    expect(gridLayout({ count: 5, folders: 0, folderColumns: 3, fileColumns: 4 }).lineCount).toBe(2)
  })

  test('lines are found by their pixels', () => {
    const heights = { heading: 40, folders: 56, files: 200 }
    const tops = [0, 40, 96, 152, 192, 392]
    expect(tops.map((_, line) => topOfLine(layout, heights, line))).toEqual(tops)
    expect(lineAtTop(layout, heights, 391)).toBe(4)
    expect(lineAtTop(layout, heights, 0)).toBe(0)
  })

  test('columns and leading folders are counted', () => {
    expect(columnsIn(1000, 192, 16)).toBe(4)
    expect(columnsIn(100, 192, 16)).toBe(1)
    expect(countLeading(6, (index) => index < 4)).toBe(4)
    expect(countLeading(6, () => false)).toBe(0)
  })
})

describe('the address', () => {
  test('is read and written without losing what is not ours', () => {
    const params = new URLSearchParams('folder=file_1&sort=-modified&q=tax&type=pdf,image&x=1')
    const state = readUrlState(params)
    expect(state).toMatchObject({ folder: 'file_1', query: 'tax', sort: { field: 'MODIFIED', direction: 'DESC' } })
    expect(state.categories).toEqual(['IMAGE', 'PDF'])
    const next = writeUrlState(params, { query: '', categories: [], sort: { field: 'SIZE', direction: 'ASC' } })
    expect(next.toString()).toBe('folder=file_1&sort=size&x=1')
  })

  test('has the filters of place, time and size', () => {
    const params = new URLSearchParams('account=acct_1&home=pool&changed=older&size=tiny')
    const state = readUrlState(params)
    expect(state).toMatchObject({ account: 'acct_1', home: 'POOL', changed: 'older', size: 'tiny' })
    expect(hasFilters(state)).toBe(true)
    expect(writeUrlState(params, { ...ANYWHERE, changed: null, size: 'huge' }).toString()).toBe('size=huge')
    expect(writeUrlState(params, { home: 'ACCOUNT' }).get('home')).toBe('account')
    const { modifiedAfter, modifiedBefore, minSize, maxSize } = rangesOf(state)
    expect([modifiedAfter, minSize, maxSize]).toEqual([null, 0, 1024 ** 2 - 1])
    const days = (Date.now() - Date.parse(modifiedBefore ?? '')) / 86_400_000
    expect(Math.floor(days)).toBeGreaterThanOrEqual(364)
    expect(readUrlState(new URLSearchParams('home=moon&changed=never&size=XL'))).toMatchObject({
      home: null,
      changed: null,
      size: null,
    })
  })

  test('nonsense is left out', () => {
    const state = readUrlState(new URLSearchParams('sort=colour&type=cake&layout=spiral'))
    expect(state).toMatchObject({ sort: null, categories: [], layout: null })
    expect(hasFilters(state)).toBe(false)
    const orders = ['constructor', '-toString', '__proto__'].map((sort) => readUrlState(new URLSearchParams({ sort })))
    expect(orders.map(({ sort }) => sort)).toEqual([null, null, null])
  })

  test('views, folders and orders have their addresses', () => {
    expect(viewOfPath('/file-manager/my-drive/')).toBe('DRIVE')
    expect(viewOfPath('/file-manager')).toBe('ALL')
    expect(folderPath('file_9')).toBe('/file-manager/my-drive?folder=file_9')
    expect(defaultSort('ALL')).toEqual({ field: 'MODIFIED', direction: 'DESC' })
    expect(nextSort({ field: 'NAME', direction: 'ASC' }, 'NAME').direction).toBe('DESC')
    expect(nextSort({ field: 'NAME', direction: 'ASC' }, 'SIZE')).toEqual({ field: 'SIZE', direction: 'DESC' })
  })
})

describe('dropping', () => {
  const here = { currentFolder: 'file_1', isDrive: true }
  const folder = (id: string | null) => ({ kind: 'folder', id, name: 'F' }) as const

  test('a folder goes anywhere but into itself and where it is', () => {
    expect(dropProblem(['file_2'], folder('file_3'), here)).toBeNull()
    expect(dropProblem(['file_2'], folder(null), here)).toBeNull()
    expect(dropProblem(['file_2'], folder('file_2'), here)).toContain('itself')
    expect(dropProblem(['file_2'], folder('file_1'), here)).toContain('already')
    expect(dropProblem(['file_2'], { kind: 'trash' }, here)).toBeNull()
    expect(dropProblem([], folder(null), here)).not.toBeNull()
  })

  test('files of the desktop are told from our own rows', () => {
    expect(bringsFiles({ types: ['Files'] })).toBe(true)
    expect(bringsFiles({ types: ['Files', ROWS_TYPE] })).toBe(false)
    expect(bringsFiles(null)).toBe(false)
  })
})

describe('words and undo', () => {
  test('one thing has a name, several have a number', () => {
    expect(things(['Plan.pdf'])).toBe('“Plan.pdf”')
    expect(things(['a', 'b'])).toBe('2 items')
  })

  test('renaming begins with the stem', () => {
    expect(stemLength('Plan.final.pdf', false)).toBe(10)
    expect(stemLength('.env', false)).toBe(4)
    expect(stemLength('v1.2', true)).toBe(4)
  })

  test('each step is taken back once, the last one first', async () => {
    const done: string[] = []
    const stack = new UndoStack()
    stack.push(() => done.push('first'))
    const second = stack.push(() => done.push('second'))
    second()
    second()
    expect(await stack.undo()).toBe(true)
    expect(await stack.undo()).toBe(false)
    expect(done).toEqual(['second', 'first'])
  })

  test('waits for what is still under way', async () => {
    const stack = new UndoStack()
    const done: string[] = []
    stack.push(() => done.push('the older'))
    void stack.track(
      Promise.resolve().then(() => {
        stack.push(() => done.push('the newer'))
      }),
    )
    expect(await stack.undo()).toBe(true)
    expect(done).toEqual(['the newer'])
  })
})
