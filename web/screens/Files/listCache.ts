import type { IEnvironment } from 'relay-runtime'
import { FileListStore } from './fileListStore.ts'
import { keyText } from './filesPage.ts'
import type { ListKey } from './urlState.ts'

/** A list that was read less than this long ago is shown as it is. */
const FRESH_MS = 5 * 60_000
const LISTS_KEPT = 6

const caches = new WeakMap<IEnvironment, Map<string, FileListStore>>()

/** The list of this key: the one read before, else a new one that begins to load at once. */
export function openList(environment: IEnvironment, key: ListKey, now: () => number = Date.now): FileListStore {
  const lists = listsOf(environment)
  const text = keyText(key)
  const known = lists.get(text)
  lists.delete(text)
  const list = known ?? new FileListStore(environment, key, now)
  lists.set(text, list)
  if (known && (now() - known.readAt > FRESH_MS || known.failure)) known.refresh()
  forgetOldest(lists)
  return list
}

/** Every list kept, the one on the screen included. */
export function keptLists(environment: IEnvironment): Iterable<FileListStore> {
  return listsOf(environment).values()
}

/** For changes that were not heard of: all lists are read again when they are next seen. */
export function distrustLists(environment: IEnvironment): void {
  for (const list of keptLists(environment)) list.refresh()
}

function listsOf(environment: IEnvironment): Map<string, FileListStore> {
  const lists = caches.get(environment) ?? new Map<string, FileListStore>()
  caches.set(environment, lists)
  return lists
}

function forgetOldest(lists: Map<string, FileListStore>): void {
  for (const [text, list] of lists) {
    if (lists.size <= LISTS_KEPT) return
    lists.delete(text)
    list.dispose()
  }
}
