import { lazy, Suspense, useCallback, useDeferredValue, useRef, useState } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import type { FilesScreenQuery, FilesScreenQuery$data } from '../../__generated__/FilesScreenQuery.graphql.ts'
import { cx } from '../../lib/cx.ts'
import { useLetterKeys } from '../../lib/letterKeys.ts'
import { nameText } from '../../lib/nameText.ts'
import { isMobileNow } from '../../lib/useMediaQuery.ts'
import { DropOverlay } from './DropOverlay.tsx'
import { FileList } from './FileList.tsx'
import { type FileManager, FilesContext, useFileManager } from './FilesContext.ts'
import { FilesDialogs } from './FilesDialogs.tsx'
import { EmptyList, FolderGone, ListFailed, ListSkeleton, OfflineNotice } from './FilesStates.tsx'
import { FilesToolbar } from './FilesToolbar.tsx'
import { FilesTopBar } from './FilesTopBar.tsx'
import { selectionOf } from './filesPage.ts'
import type { GridLayout } from './gridLayout.ts'
import { Preview } from './Preview.tsx'
import { clear, isEmpty } from './selection.ts'
import { UploadButton } from './UploadButton.tsx'
import { useFileDrag } from './useFileDrag.ts'
import { useFileKeys } from './useFileKeys.ts'
import { useFileManagerState } from './useFileManagerState.ts'
import { useKeepFocus } from './useFocusRow.ts'
import { usePasteFiles } from './usePasteFiles.ts'
import { VIEW_NAMES } from './words.ts'

const DetailsPanel = lazy(() =>
  import('../../features/Details/DetailsPanel.tsx').then((file) => ({ default: file.DetailsPanel })),
)

const FileGrid = lazy(() => import('./FileGrid.tsx').then((file) => ({ default: file.FileGrid })))
const FileMenu = lazy(() => import('./FileMenu.tsx').then((file) => ({ default: file.FileMenu })))
const SelectionBar = lazy(() => import('./SelectionBar.tsx').then((file) => ({ default: file.SelectionBar })))

type Viewer = NonNullable<FilesScreenQuery$data['viewer']>

/** One of the five views, as the address says. */
export function FilesScreen({ queryRef }: { queryRef: PreloadedQuery<FilesScreenQuery> }) {
  const { viewer } = usePreloadedQuery<FilesScreenQuery>(
    graphql`
      query FilesScreenQuery {
        viewer {
          quota {
            freeBytes
          }
          groupClouds {
            id
            name
          }
          accounts {
            provider
            providerName
          }
          ...PoolSummary_viewer
        }
      }
    `,
    queryRef,
  )
  // Without a viewer the layout is on its way to the login page.
  return viewer && <Files viewer={viewer} />
}

function Files({ viewer }: { viewer: Viewer }) {
  const names = new Map(viewer.accounts.map(({ provider, providerName }) => [provider, providerName]))
  const providers = [...names].map(([id, name]) => ({ id, name }))
  const { manager, isGone } = useFileManagerState(viewer.groupClouds, providers)
  const scroller = useRef<HTMLDivElement>(null)
  const pane = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const [grid, setGrid] = useState<GridLayout | null>(null)
  const [letters] = useLetterKeys()
  const focusSearch = useCallback(() => search.current?.focus(), [])
  useFileKeys({ manager, letters, scroller, grid: manager.layout === 'grid' ? grid : null, focusSearch })
  useKeepFocus(pane, scroller, manager.selection.focus)
  usePasteFiles(manager)
  const fileTarget = useFileDrag(manager)
  const { isDetailsOpen, setDetails, detailsTab, setDetailsTab } = manager.panels
  const closeDetails = () => {
    setDetails(false)
    // Where the panel is a sheet, it was asked for by the menu, and the next tap is to open something.
    if (isMobileNow()) manager.setSelection(clear)
  }

  return (
    <FilesContext value={manager}>
      <title>{pageTitle(manager)}</title>
      <FilesTopBar search={search} />
      <div className="body">
        <div ref={pane} className={cx('pane', !isDetailsOpen && 'wide')} tabIndex={-1}>
          <FilesToolbar />
          <OfflineNotice />
          {isGone ? (
            <FolderGone />
          ) : (
            <Rows scroller={scroller} onLayout={setGrid} freeBytes={viewer.quota.freeBytes ?? null} />
          )}
          <Suspense>{!isEmpty(manager.selection) && <SelectionBar />}</Suspense>
        </div>
        <Suspense>
          {isDetailsOpen && (
            <DetailsPanel
              fileIds={[...manager.selection.ids]}
              selection={wholeOf(manager)}
              onClose={closeDetails}
              tab={detailsTab}
              onTab={setDetailsTab}
            />
          )}
        </Suspense>
      </div>
      <UploadButton />
      <Suspense>{manager.panels.menu && <FileMenu />}</Suspense>
      <FilesDialogs />
      <Preview scroller={scroller} />
      <DropOverlay place={fileTarget} />
    </FilesContext>
  )
}

/** "Reports · Skypool"; the previewed file while there is one, what is searched for while something is. */
function pageTitle({ url, list, folder, view }: FileManager): string {
  const previewed = url.preview === null ? undefined : list.model.get(url.preview)
  const place = folder ? nameText(folder.name) : VIEW_NAMES[view]
  const title = previewed ? nameText(previewed.name) : url.query ? `“${url.query}” in ${place}` : place
  return `${title} · Skypool`
}

type RowsProps = {
  scroller: React.RefObject<HTMLDivElement | null>
  onLayout: (layout: GridLayout) => void
  freeBytes: number | null
}

function Rows({ scroller, onLayout, freeBytes }: RowsProps) {
  const { list, layout: chosen } = useFileManager()
  // The list stays until the code of the grid is there.
  const layout = useDeferredValue(chosen)
  if (list.status === 'failed') return <ListFailed />
  if (list.status === 'loading') return <ListSkeleton />
  if (list.model.count === 0 && !list.model.hasNext) return <EmptyList freeBytes={freeBytes} />
  return (
    <Suspense>
      {layout === 'list' ? <FileList scroller={scroller} /> : <FileGrid scroller={scroller} onLayout={onLayout} />}
    </Suspense>
  )
}

/** What the panel is about while everything in the list is selected. */
function wholeOf({ selection: { all }, listKey }: FileManager) {
  if (!all?.counted) return null
  return { ...selectionOf(listKey), asOf: all.counted.asOf, exceptIds: [...all.except] }
}
