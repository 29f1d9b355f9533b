import { useCallback, useMemo } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { useStoredChoice } from '../../lib/storedChoice.ts'
import {
  defaultSort,
  type FilesLayout,
  listKeyOf,
  readUrlState,
  type UrlState,
  viewOfPath,
  writeUrlState,
} from './urlState.ts'

/** What the address says, and the ways to change it. */
export function useFilesUrl() {
  const { pathname } = useLocation()
  const [params, setParams] = useSearchParams()
  const [preferredLayout, keepLayout] = useStoredChoice<FilesLayout>('files-layout', 'list', ['list', 'grid'])
  const view = viewOfPath(pathname)
  const url = useMemo(() => readUrlState(params), [params])
  const sort = url.sort ?? defaultSort(view)

  /** `replace` for what is not a step to go back to: a letter more in the search, another order. */
  const setUrl = useCallback(
    (patch: Partial<UrlState>, options: { replace?: boolean } = {}) =>
      setParams((now) => writeUrlState(now, patch), { replace: options.replace ?? false, preventScrollReset: true }),
    [setParams],
  )
  const setLayout = useCallback(
    (layout: FilesLayout) => {
      keepLayout(layout)
      setUrl({ layout }, { replace: true })
    },
    [keepLayout, setUrl],
  )
  const listKey = useMemo(() => listKeyOf(view, url), [view, url])
  return { view, url, sort, layout: url.layout ?? preferredLayout, listKey, setUrl, setLayout }
}

export type FilesUrl = ReturnType<typeof useFilesUrl>
