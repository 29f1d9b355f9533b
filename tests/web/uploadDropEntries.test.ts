import { expect, test } from 'vitest'
import { fileEntries, readDrop } from '../../web/lib/dropEntries.ts'

type Tree = File | { readonly name: string; readonly children: readonly Tree[] } | { readonly broken: string }

/** What a browser hands to a drop handler, with Chromium's habit of answering 100 entries at a time. */
function entryOf(tree: Tree): FileSystemEntry {
  if (tree instanceof File) return fileEntry(tree.name, (resolve) => resolve(tree))
  if ('broken' in tree) return fileEntry(tree.broken, (_resolve, reject) => reject(new DOMException('gone')))
  const portions = [tree.children.slice(0, 100), tree.children.slice(100), []]
  const readEntries = (resolve: (entries: FileSystemEntry[]) => void) => resolve((portions.shift() ?? []).map(entryOf))
  return { name: tree.name, isDirectory: true, createReader: () => ({ readEntries }) } as unknown as FileSystemEntry
}

function fileEntry(name: string, file: (resolve: (file: File) => void, reject: (error: unknown) => void) => void) {
  return { name, isDirectory: false, file } as unknown as FileSystemEntry
}

function transferOf(trees: readonly Tree[]): DataTransfer {
  const items = trees.map((tree) => ({ kind: 'file', webkitGetAsEntry: () => entryOf(tree), getAsFile: () => null }))
  return { items: [...items, { kind: 'string' }] } as unknown as DataTransfer
}

const file = (name: string) => new File(['x'], name)

test('a dropped folder keeps its structure and its empty folders', async () => {
  const tree = { name: 'Trip', children: [file('map.pdf'), { name: 'Day 1', children: [] }] }
  const entries = await readDrop(transferOf([tree, file('loose.txt')]))
  expect(entries.map((entry) => [entry.kind, entry.folders.join('/'), 'file' in entry ? entry.file.name : ''])).toEqual(
    [
      ['FOLDER', 'Trip', ''],
      ['FILE', 'Trip', 'map.pdf'],
      ['FOLDER', 'Trip/Day 1', ''],
      ['FILE', '', 'loose.txt'],
    ],
  )
})

test('reads a folder to its end, however many portions it comes in', async () => {
  const children = Array.from({ length: 150 }, (_, index) => file(`${index}.txt`))
  const entries = await readDrop(transferOf([{ name: 'Many', children }]))
  expect(entries).toHaveLength(151)
})

test('names what the browser cannot read instead of losing it', async () => {
  const entries = await readDrop(transferOf([{ name: 'Old', children: [{ broken: 'locked.doc' }, file('ok.txt')] }]))
  expect(entries).toContainEqual({ kind: 'UNREADABLE', name: 'locked.doc', folders: ['Old'] })
  expect(entries).toHaveLength(3)
})

test('a browser without entries still hands over its files', async () => {
  const item = { kind: 'file', getAsFile: () => file('a.txt') }
  const entries = await readDrop({ items: [item] } as unknown as DataTransfer)
  expect(entries).toMatchObject([{ kind: 'FILE', folders: [] }])
})

test('a folder chosen in a dialog becomes the same structure', () => {
  const chosen = Object.assign(file('b.txt'), {})
  Object.defineProperty(chosen, 'webkitRelativePath', { value: 'Trip/Day 1/b.txt' })
  expect(fileEntries([chosen])).toMatchObject([{ kind: 'FILE', folders: ['Trip', 'Day 1'] }])
})
