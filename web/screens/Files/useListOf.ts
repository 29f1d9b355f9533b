import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useRelayEnvironment } from 'react-relay'
import type { FileListStore } from './fileListStore.ts'
import { keyText } from './filesPage.ts'
import { openList } from './listCache.ts'
import type { ListKey } from './urlState.ts'

/** The list of `key`, kept up to date while the component stands. */
export function useListOf(key: ListKey): FileListStore {
  const environment = useRelayEnvironment()
  const text = keyText(key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: two keys with the same text are the same list
  const list = useMemo(() => openList(environment, key), [environment, text])
  useSyncExternalStore(list.model.subscribe, list.model.getVersion)
  useEffect(() => list.show(), [list])
  return list
}
