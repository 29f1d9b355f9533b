import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useRelayEnvironment } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { ListKey } from '../urlState.ts'
import { FileListStore } from './fileListStore.ts'
import { keyText } from './filesPage.ts'

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

/** After missed changes: all lists are fetched again when they are next visible. */
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

/** The list of `key`, kept up to date while the component is mounted. */
export function useListOf(key: ListKey): FileListStore {
  const environment = useRelayEnvironment()
  const text = keyText(key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: two keys with the same text are the same list
  const list = useMemo(() => openList(environment, key), [environment, text])
  useSyncExternalStore(list.model.subscribe, list.model.getVersion)
  useEffect(() => list.show(), [list])
  return list
}
