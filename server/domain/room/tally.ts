import { eachWithPauses } from '../../lib/concurrency.ts'
import type { FileCategory } from '../files/contract.ts'

// Adds up a tree of folders and files. The same for a small folder, read at once, and for a whole account, read in batches: what is
// kept per file is bounded, what is kept per folder are a few numbers.

/** `entries`: number of its direct entries. The first folder given to `createTally` is the top; its `parentId` is ignored. */
export type TalliedFolder = { readonly id: string; readonly parentId: string | null; readonly entries: number }

/** `size` null: a document without a size. `changed`: milliseconds since 1970. */
export type TalliedFile = {
  readonly id: string
  readonly parentId: string
  readonly category: FileCategory
  readonly size: number | null
  readonly changed: number
}

/** An entry of a list, with everything below it. `changed` null: there are only folders below it. */
export type Item = {
  readonly id: string
  readonly bytes: number
  /** Number of files with a size; 1 for such a file itself. */
  readonly files: number
  readonly changed: number | null
}

/** What fills one folder, with everything below it. Entries without any counted file are left out of `children`. */
export type FolderSum = {
  readonly bytes: number
  readonly files: number
  readonly folders: number
  /** Documents without a size, which count nowhere else. */
  readonly unsized: number
  readonly changed: number | null
  readonly untouched: { readonly files: number; readonly bytes: number }
  /** Largest first. */
  readonly types: readonly { readonly category: FileCategory; readonly files: number; readonly bytes: number }[]
  /** Number of entries directly in it that contain counted files. */
  readonly count: number
  /** The largest of these, largest first; the first ones with their own largest entries. */
  readonly children: readonly (Item & { readonly children: readonly Item[] })[]
  /** Files, largest first. */
  readonly biggest: readonly Item[]
  /** Files, those that were unchanged longest first. */
  readonly oldest: readonly Item[]
}

/** Entries of a folder that its sum names. */
const MOST_CHILDREN = 100
/** How many of them come with their own largest entries, and how many of those. */
const NESTED_FOLDERS = 12
const NESTED_CHILDREN = 8
/** Files in each list of files. */
const MOST_FILES = 50

export type TallyOptions = {
  /** Folders with more entries than this, with all below, get a sum; so does the top. */
  readonly above: number
  /** Files that were last changed before (milliseconds since 1970) are untouched. */
  readonly untouchedBefore: number
}

export type Tally = {
  /** Files in folders that are not below the top are ignored. */
  add(file: TalliedFile): void
  /** The sums, by id of the folder. Call it once, after all files. */
  sums(): Promise<Map<string, FolderSum>>
}

export async function createTally(
  given: readonly TalliedFolder[],
  { above, untouchedBefore }: TallyOptions,
): Promise<Tally> {
  const tree = await createTree(given)
  const { order, parents } = tree
  const size = given.length
  const [bytes, files, direct] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)]
  const changed = new Float64Array(size).fill(Number.NEGATIVE_INFINITY)
  const [entries, folders] = [new Float64Array(size), new Float64Array(size)]
  const fromBelow = order.toReversed()
  await eachWithPauses(fromBelow, (index) => {
    entries[index] = at(entries, index) + (given[index]?.entries ?? 0)
    raise(entries, index, parents, at(entries, index))
    raise(folders, index, parents, at(folders, index) + 1)
  })
  /** For each folder: the nearest one at or above it that gets a sum. */
  const near = new Int32Array(size).fill(-1)
  const details = new Map<number, Details>()
  /** The largest files directly in folders that are named, or whose entries are. */
  const largest = new Map<number, Largest>()
  await eachWithPauses(order, (index) => {
    const parent = at(parents, index)
    const isWanted = parent < 0 || at(entries, index) > above
    near[index] = isWanted ? index : at(near, parent)
    if (isWanted) details.set(index, createDetails())
    if (isWanted) largest.set(index, createLargest(MOST_CHILDREN, bySize))
    else if (details.has(parent)) largest.set(index, createLargest(NESTED_CHILDREN, bySize))
  })

  function childrenOf(index: number, most: number): Item[] {
    const list = createLargest(most, bySize)
    for (const file of largest.get(index)?.items() ?? []) list.add(file)
    for (const child of tree.children(index)) if (at(files, child) > 0) list.add(itemOf(child))
    return list.items()
  }

  function itemOf(index: number): Item {
    const time = at(changed, index)
    return {
      id: given[index]?.id ?? '',
      bytes: at(bytes, index),
      files: at(files, index),
      changed: Number.isFinite(time) ? time : null,
    }
  }

  function sumOf(index: number, own: Details): FolderSum {
    const subfolders = tree.children(index).filter((child) => at(files, child) > 0).length
    const children = childrenOf(index, MOST_CHILDREN)
    return {
      ...withoutId(itemOf(index)),
      folders: at(folders, index),
      unsized: own.unsized,
      untouched: own.untouched,
      types: [...own.types.values()]
        .filter((type) => type.files > 0)
        .sort((a, b) => b.bytes - a.bytes || b.files - a.files),
      count: subfolders + at(direct, index),
      children: children.map((child, place) => {
        const folder = place < NESTED_FOLDERS ? tree.indexOf(child.id) : undefined
        return { ...child, children: folder === undefined ? [] : childrenOf(folder, NESTED_CHILDREN) }
      }),
      biggest: own.biggest.items(),
      oldest: own.oldest.items(),
    }
  }

  return {
    add(file) {
      const folder = tree.indexOf(file.parentId)
      const own = folder === undefined ? undefined : details.get(at(near, folder))
      if (folder === undefined || !own) return
      changed[folder] = Math.max(at(changed, folder), file.changed)
      if (file.size === null) {
        own.unsized += 1
        return
      }
      bytes[folder] = at(bytes, folder) + file.size
      files[folder] = at(files, folder) + 1
      direct[folder] = at(direct, folder) + 1
      const item = { id: file.id, bytes: file.size, files: 1, changed: file.changed }
      largest.get(folder)?.add(item)
      addToDetails(own, file.category, item, untouchedBefore)
    },
    async sums() {
      const sums = new Map<string, FolderSum>()
      await eachWithPauses(fromBelow, (index) => {
        const parent = at(parents, index)
        if (parent < 0) return
        const own = details.get(index)
        const above = details.get(at(near, parent))
        if (own && above) mergeDetails(above, own)
        raise(bytes, index, parents, at(bytes, index))
        raise(files, index, parents, at(files, index))
        changed[parent] = Math.max(at(changed, parent), at(changed, index))
      })
      await eachWithPauses([...details], ([index, own]) => sums.set(given[index]?.id ?? '', sumOf(index, own)), 50)
      return sums
    },
  }
}

type Numbers = Float64Array | Int32Array

function at(numbers: Numbers, index: number): number {
  return numbers[index] ?? 0
}

function raise(numbers: Float64Array, index: number, parents: Int32Array, by: number): void {
  const parent = at(parents, index)
  if (parent >= 0) numbers[parent] = at(numbers, parent) + by
}

function withoutId({ id: _id, ...item }: Item): Omit<Item, 'id'> {
  return item
}

type Tree = {
  /** Indexes of the folders at or below the top, each after its parent. */
  readonly order: readonly number[]
  /** Index of each folder's parent; -1: the top. */
  readonly parents: Int32Array
  children(index: number): readonly number[]
  indexOf(id: string): number | undefined
}

async function createTree(given: readonly TalliedFolder[]): Promise<Tree> {
  const indexes = new Map<string, number>()
  await eachWithPauses(given, ({ id }) => indexes.set(id, indexes.size))
  const parents = new Int32Array(given.length).fill(-1)
  const children = new Map<number, number[]>()
  await eachWithPauses(given, ({ id, parentId }) => {
    const index = indexes.get(id) ?? 0
    const parent = index === 0 || parentId === null ? undefined : indexes.get(parentId)
    if (parent === undefined) return
    parents[index] = parent
    const siblings = children.get(parent)
    if (siblings) siblings.push(index)
    else children.set(parent, [index])
  })
  const order = given.length === 0 ? [] : [0]
  for (const index of order) for (const child of children.get(index) ?? []) order.push(child)
  return { order, parents, children: (index) => children.get(index) ?? [], indexOf: (id) => indexes.get(id) }
}

type Details = {
  unsized: number
  readonly untouched: { files: number; bytes: number }
  readonly types: Map<FileCategory, { readonly category: FileCategory; files: number; bytes: number }>
  readonly biggest: Largest
  readonly oldest: Largest
}

function createDetails(): Details {
  return {
    unsized: 0,
    untouched: { files: 0, bytes: 0 },
    types: new Map(),
    biggest: createLargest(MOST_FILES, bySize),
    oldest: createLargest(MOST_FILES, byAge),
  }
}

function addToDetails(own: Details, category: FileCategory, item: Item, untouchedBefore: number): void {
  addType(own, category, 1, item.bytes)
  // An empty file takes no room, however old it is.
  if (item.bytes === 0) return
  own.biggest.add(item)
  own.oldest.add(item)
  if (item.changed === null || item.changed >= untouchedBefore) return
  own.untouched.files += 1
  own.untouched.bytes += item.bytes
}

function addType({ types }: Details, category: FileCategory, files: number, bytes: number): void {
  const type = types.get(category)
  if (type) {
    type.files += files
    type.bytes += bytes
  } else types.set(category, { category, files, bytes })
}

function mergeDetails(above: Details, below: Details): void {
  above.unsized += below.unsized
  above.untouched.files += below.untouched.files
  above.untouched.bytes += below.untouched.bytes
  for (const { category, files, bytes } of below.types.values()) addType(above, category, files, bytes)
  for (const item of below.biggest.items()) above.biggest.add(item)
  for (const item of below.oldest.items()) above.oldest.add(item)
}

type Compare = (a: Item, b: Item) => number

// Equal ones in the order of their ids, so that the same tree always gives the same answer.
const byId: Compare = (a, b) => (a.id < b.id ? -1 : 1)
const bySize: Compare = (a, b) => b.bytes - a.bytes || byId(a, b)
const byAge: Compare = (a, b) => (a.changed ?? 0) - (b.changed ?? 0) || byId(a, b)

/** The first `most` items by an order, of any number that are added. */
type Largest = { add(item: Item): void; items(): Item[] }

function createLargest(most: number, compare: Compare): Largest {
  let kept: Item[] = []
  let last: Item | undefined
  const sort = () => {
    kept = kept.sort(compare).slice(0, most)
    last = kept.length === most ? kept[most - 1] : undefined
  }
  return {
    add(item) {
      if (last && compare(item, last) > 0) return
      kept.push(item)
      if (kept.length >= most * 4) sort()
    },
    items() {
      sort()
      return [...kept]
    },
  }
}
