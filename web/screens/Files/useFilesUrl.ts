import { useCallback, useMemo, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { useFoldersFirst } from '../../lib/listChoices.ts'
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

const NOTHING_SHOWN = { preview: null, edit: null } as const

/** The state in the URL, and functions that change it. */
export function useFilesUrl() {
  const location = useLocation()
  const navigate = useNavigate()
  const [params, setParams] = useSearchParams()
  const [preferredLayout, keepLayout] = useStoredChoice<FilesLayout>('files-layout', 'list', ['list', 'grid'])
  const view = viewOfPath(location.pathname)
  const [foldersFirst] = useFoldersFirst()
  // What was closed at this step of the history, although the address still says it: the browser goes back only some time after the
  // call, and the next key is for the list.
  const [closed, setClosed] = useState<string | null>(null)
  if (closed !== null && closed !== location.key) setClosed(null)
  const isClosed = closed === location.key
  const url = useMemo(() => {
    const state = readUrlState(params)
    return isClosed ? { ...state, ...NOTHING_SHOWN } : state
  }, [params, isClosed])
  const sort = url.sort ?? defaultSort(view)

  /** `replace` for what is not a step to go back to: a letter more in the search, another order. */
  const setUrl = useCallback(
    (patch: Partial<UrlState>, options: { replace?: boolean } = {}) =>
      setParams((now) => writeUrlState(now, isClosed ? { ...NOTHING_SHOWN, ...patch } : patch), {
        replace: options.replace ?? false,
        preventScrollReset: true,
      }),
    [setParams, isClosed],
  )
  // A preview or the editor is one step from its list, however many neighbours were looked at: closing it is that step back, so that
  // Back never opens it again. One that came by its address has no list behind it.
  const isStep = (location.state as { isPreview?: boolean } | null)?.isPreview === true
  const isShowing = (url.preview ?? url.edit) !== null
  const show = useCallback(
    (patch: Pick<UrlState, 'preview' | 'edit'>) => {
      const options = isShowing ? { replace: true, state: location.state } : { state: { isPreview: true } }
      setParams((now) => writeUrlState(now, patch), { ...options, preventScrollReset: true })
    },
    [setParams, isShowing, location.state],
  )
  const showPreview = useCallback((id: string) => show({ preview: id, edit: null }), [show])
  const edit = useCallback((id: string) => show({ preview: null, edit: id }), [show])
  /** Closes the editor too. */
  const closePreview = useCallback(() => {
    if (isClosed) return
    setClosed(location.key)
    if (isStep) void navigate(-1)
    else setUrl(NOTHING_SHOWN, { replace: true })
  }, [isStep, isClosed, location.key, navigate, setUrl])
  const setLayout = useCallback(
    (layout: FilesLayout) => {
      // In every other folder it would hide whatever is not a photo.
      if (layout !== 'photos') keepLayout(layout)
      setUrl({ layout }, { replace: true })
    },
    [keepLayout, setUrl],
  )
  const listKey = useMemo(() => listKeyOf(view, url, foldersFirst), [view, url, foldersFirst])
  return {
    view,
    url,
    /** The text inside files is searched: the list of names is not shown. */
    isInside: url.isInside && url.query !== '' && view !== 'TRASH',
    sort,
    layout: url.layout ?? preferredLayout,
    listKey,
    setUrl,
    setLayout,
    showPreview,
    edit,
    closePreview,
  }
}

export type FilesUrl = ReturnType<typeof useFilesUrl>
