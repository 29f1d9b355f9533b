import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { useNavigate } from 'react-router'
import { useTransfers } from '../../features/Transfers/transfersContext.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'
import type { AllWorld } from './actions/allActions.ts'
import { downloadSelected, useDownload } from './actions/useDownload.ts'
import { type FileActions, useFileActions } from './actions/useFileActions.ts'
import type { FileManager, OpenFolder } from './FilesContext.ts'
import { rootsOf } from './list/accountGroup.ts'
import type { FileListStore } from './list/fileListStore.ts'
import { useListOf } from './list/listCache.ts'
import { tellLostName } from './list/lostName.ts'
import { useFilesChanged } from './list/useFilesChanged.ts'
import { fetchSummary } from './selection/filesSummary.ts'
import {
  clear,
  counted,
  drop,
  inherit,
  NOTHING,
  type Selection,
  selectAll,
  selectOnly,
  selectWhole,
} from './selection/selection.ts'
import { folderPath } from './urlState.ts'
import { type FilesPanels, useFilesPanels } from './useFilesPanels.ts'
import { useFilesUrl } from './useFilesUrl.ts'
import { useOpenFolder } from './useOpenFolder.ts'

/** The state that all parts of the file manager share, put together. Suspends while the folder is unknown. */
export function useFileManagerState(places: Pick<FileManager, 'groupClouds' | 'providers' | 'accounts'>) {
  const navigate = useNavigate()
  const url = useFilesUrl()
  const list = useListOf(url.listKey)
  const opened = useOpenFolder(url.listKey.folder)
  const folder = opened === 'gone' ? null : opened
  const [selection, setSelection] = useSelection(
    `${url.view} ${url.listKey.folder} ${url.url.query} ${url.isInside}`,
    url.url.file,
  )
  const panels = useFilesPanels()
  const downloadRows = useDownload(list)
  const { download: downloadFile } = useTransfers()
  useUploadFolder(folder)
  useFilesChanged(useCallback((gone) => setSelection((now) => drop(now, gone)), [setSelection]))
  useDropMissing(list, selection, setSelection, panels)

  const { view, showPreview } = url
  const environment = useRelayEnvironment()
  const open = useCallback(
    (id: string) => {
      const row = list.model.get(id)
      if (!row || view === 'TRASH') return
      if (row.nativeKind === 'SHORTCUT') {
        const show = (to: { readonly id: string; readonly kind: string }) =>
          to.kind === 'FOLDER' ? void navigate(folderPath(to.id)) : showPreview(to.id)
        void import('./actions/shortcuts.ts').then((module) => module.followShortcut(environment, id, show))
      } else if (row.kind === 'FOLDER') void navigate(folderPath(id))
      else showPreview(id)
    },
    [environment, list, navigate, showPreview, view],
  )
  const openLocation = useCallback(
    (id: string) => {
      const parent = list.model.get(id)?.path?.at(-1)?.id ?? null
      void navigate(`${folderPath(parent)}${parent ? '&' : '?'}file=${encodeURIComponent(id)}`)
    },
    [list, navigate],
  )
  const selectEverything = useCallback(() => {
    const loaded = list.model.idsBetween(0, list.model.count - 1)
    if (list.isWhole) return setSelection((now) => selectAll(now, loaded))
    // What is not loaded is selected by what it has in common; the server counts it.
    const summary = fetchSummary(environment, list.key)
    setSelection((now) => selectWhole(now, loaded, summary))
    summary.then(
      (result) => setSelection((now) => counted(now, summary, result)),
      (error: unknown) => {
        setSelection((now) => (now.all?.summary === summary ? clear(now) : now))
        toast.error('Could not select everything', { description: reasonOf(error) })
      },
    )
  }, [environment, list, setSelection])
  const listActions = useFileActions(list)
  const actions = useMemo(
    () =>
      withAllActions({
        environment,
        list,
        actions: listActions,
        selection,
        clear: () => setSelection(clear),
      }),
    [environment, list, listActions, selection, setSelection],
  )

  const roots = useMemo(() => rootsOf(places.accounts), [places.accounts])
  const manager: FileManager = {
    ...url,
    list,
    folder,
    ...places,
    roots,
    selection,
    setSelection,
    actions,
    panels,
    open,
    openLocation,
    download: (ids, type) =>
      type
        ? downloadRows(ids, type)
        : void downloadSelected(ids, { selection, list, folder, download: downloadRows, downloadFile }),
    selectAll: selectEverything,
  }
  return { manager, isGone: opened === 'gone' }
}

/** Actions that also work while everything in the list is selected; the code of those is loaded when it is needed. */
function withAllActions(world: AllWorld): FileActions {
  const { actions, selection } = world
  if (selection.all === null) return actions
  const all = async () => (await import('./actions/allActions.ts')).createAllActions(world)
  return {
    ...actions,
    trash: async (ids) => (await all()).trash(ids),
    restore: async (ids) => (await all()).restore(ids),
    deleteForever: async (ids) => (await all()).deleteForever(ids),
    move: async (ids, ...where) => (await all()).move(ids, ...where),
    moveToGroupCloud: async (ids, target) => (await all()).moveToGroupCloud(ids, target),
    star: async (ids, starred) => (await all()).star(ids, starred),
    copy: async (ids, ...where) => (await all()).copy(ids, ...where),
    duplicate: async (ids) => (await all()).duplicate(ids),
  }
}

/** Kept while the order changes, empty again in another place. `first` is selected when the place is entered. */
function useSelection(place: string, first: string | null) {
  const start = () => ({ place, selection: first ? selectOnly(first) : NOTHING })
  const [state, setState] = useState(start)
  if (state.place !== place) setState(start())
  const change = useCallback(
    (by: (selection: Selection) => Selection) => setState((now) => ({ ...now, selection: by(now.selection) })),
    [],
  )
  return [state.place === place ? state.selection : start().selection, change] as const
}

/**
 * Rows that an action removed from the list are deselected; keyboard focus moves to the row after them. Where the row's name was being
 * typed, no other row takes its place: the keys that follow were meant for the name.
 */
function useDropMissing(
  list: FileListStore,
  selection: Selection,
  setSelection: (by: (selection: Selection) => Selection) => void,
  { renaming, set }: FilesPanels,
): void {
  const { version } = list.model
  const watched = renaming ?? selection.focus
  const name = useRef('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is what may have taken the row away
  useEffect(() => {
    list.model.watch(watched)
    list.pinned = renaming
    if (watched === null) return
    name.current = list.model.get(watched)?.name ?? name.current
    const place = list.lostPlace
    if (place === null) return
    if (renaming !== null) set({ renaming: null })
    // Hidden by what the person did here: that is known already.
    if (renaming !== null && !list.model.isHidden(renaming)) {
      setSelection(() => NOTHING)
      tellLostName(name.current)
      return
    }
    const heir = list.model.rowAt(Math.min(place, list.model.count - 1))?.id ?? null
    setSelection((now) => inherit(now, watched, heir))
  }, [list, version, watched, renaming, setSelection])
  // In another list, nothing is being renamed.
  useEffect(() => {
    return () => {
      list.pinned = null
      set({ renaming: null })
    }
  }, [list, set])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is what may have taken rows away
  useEffect(() => {
    if (selection.ids.size === 0 || list.status !== 'ready') return
    const gone = [...selection.ids].filter((id) => list.model.isHidden(id))
    if (gone.length > 0) setSelection((now) => drop(now, gone))
  }, [list, version, setSelection])
}

/** The upload dialog uploads into the folder that is open; into My Drive if nothing can be put into that one. */
function useUploadFolder(folder: OpenFolder | null): void {
  const { setUploadFolder } = useTransfers()
  const open = folder?.canCreate ? folder : null
  const id = open?.id
  const name = open?.name
  const isInAccount = open?.inPlace === true
  useEffect(() => {
    if (id === undefined || name === undefined) return
    setUploadFolder({ id, name, isInAccount })
    return () => setUploadFolder(null)
  }, [id, name, isInAccount, setUploadFolder])
}
