import type { Cursor } from './cursor.ts'
import { deletedMetadata, metadataOf } from './metadata.ts'
import type { Change, Entry, User } from './model.ts'
import { fold, isInside, parentOf } from './paths.ts'
import type { Tagged } from './tags.ts'
import { childrenOf, descendantsOf } from './tree.ts'

export type Page = { readonly entries: readonly Tagged[]; readonly next: Cursor; readonly hasMore: boolean }

/** The next entries, or else the next changes. */
export function pageAt(user: User, cursor: Cursor): Page {
  return cursor.after === null ? changesAt(user, cursor) : entriesAt(user, cursor, cursor.after)
}

function entriesAt(user: User, cursor: Cursor, after: string): Page {
  const all = presentIn(user, cursor)
  const from = firstAfter(all, after)
  const shown = all.slice(from, from + cursor.limit)
  const last = shown.at(-1)
  const hasMore = all.length > from + shown.length
  return {
    entries: shown.map(({ describe }) => describe()),
    next: { ...cursor, after: hasMore && last ? last.key : null },
    hasMore,
  }
}

type Present = { readonly key: string; readonly describe: () => Tagged }

/** How many have a key up to `after`. */
function firstAfter(sorted: readonly Present[], after: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.key ?? '') > after) high = middle
    else low = middle + 1
  }
  return low
}

/** The last listing of each user, for its next page: it is the same while nothing has changed. */
const latest = new WeakMap<User, { readonly id: string; readonly present: readonly Present[] }>()

function presentIn(user: User, cursor: Cursor): readonly Present[] {
  const { folder, recursive, includeDeleted } = cursor
  const id = JSON.stringify([user.changes.length, folder, recursive, includeDeleted])
  const known = latest.get(user)
  if (known?.id === id) return known.present
  const present = sortedPresent(user, cursor)
  latest.set(user, { id, present })
  return present
}

/** In the order of their folded paths, so that a folder comes before what it holds. */
function sortedPresent(user: User, cursor: Cursor): Present[] {
  const entries = cursor.recursive ? withFolder(user, cursor.folder) : childrenOf(user, cursor.folder)
  const present = entries.map((entry) => ({ key: fold(entry.path), describe: () => metadataOf(entry) }))
  const gone = cursor.includeDeleted ? [...user.formerPaths].filter(([key]) => isListed(key, cursor)) : []
  const deleted = gone.map(([key, path]) => ({ key, describe: () => deletedMetadata(path) }))
  return [...present, ...deleted].sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** A recursive listing gives the folder itself too, unless it is the root. */
function withFolder(user: User, folder: string): Entry[] {
  const self = user.entries.get(folder)
  return [...(self ? [self] : []), ...descendantsOf(user, folder)]
}

function changesAt(user: User, cursor: Cursor): Page {
  const end = Math.min(user.changes.length, cursor.known + cursor.limit)
  const entries: Tagged[] = []
  for (let at = cursor.known; at < end; at += 1) {
    const change = user.changes[at]
    if (change && isListed(change.key, cursor)) entries.push(...reported(user, change, at))
  }
  return { entries, next: { ...cursor, known: end }, hasMore: end < user.changes.length }
}

/** Of several writes at one path the last is told, as it is now; every deletion is told. */
function reported(user: User, change: Change, at: number): Tagged[] {
  if (!change.exists) return [deletedMetadata(change.path)]
  const entry = user.entries.get(change.key)
  return entry && user.lastWrite.get(change.key) === at ? [metadataOf(entry)] : []
}

function isListed(key: string, { folder, recursive }: Cursor): boolean {
  return recursive ? key === folder || isInside(key, folder) : parentOf(key) === folder
}

/** What a watcher of this cursor would get now. */
export function hasChanges(user: User, cursor: Cursor): boolean {
  return user.changes.slice(cursor.known).some(({ key }) => isListed(key, cursor))
}
