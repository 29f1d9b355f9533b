import { Suspense, useCallback, useDeferredValue, useRef, useState } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import type { FilesScreenQuery, FilesScreenQuery$data } from '../../__generated__/FilesScreenQuery.graphql.ts'
import { cx } from '../../lib/cx.ts'
import type { GridLayout } from '../../lib/gridLayout.ts'
import { late, useLoadedAhead } from '../../lib/lateCode.ts'
import { useLetterKeys } from '../../lib/letterKeys.ts'
import { nameText } from '../../lib/nameText.ts'
import { isMobileNow, useIsMobile } from '../../lib/useMediaQuery.ts'
import { FilesDialogs } from './dialogs/FilesDialogs.tsx'
import { useFileDrag } from './dragAndDrop/useFileDrag.ts'
import { usePasteFiles } from './dragAndDrop/usePasteFiles.ts'
import styles from './Files.module.css'
import { type FileManager, FilesContext, useFileManager } from './FilesContext.ts'
import { useColumns } from './list/columns.ts'
import { FileList } from './list/FileList.tsx'
import { selectionOf } from './list/filesPage.ts'
import listStyles from './list/List.module.css'
import { EmptyList, ListFailed, ListSkeleton, OfflineNotice } from './list/ListStates.tsx'
import { useKeepFocus } from './list/useFocusRow.ts'
import { VIEW_NAMES } from './messages.ts'
import { Preview } from './Preview.tsx'
import { clear, isEmpty } from './selection/selection.ts'
import { useFileKeys } from './selection/useFileKeys.ts'
import { FilesToolbar } from './toolbar/FilesToolbar.tsx'
import { FilesTopBar } from './toolbar/FilesTopBar.tsx'
import { hasFilters } from './urlState.ts'
import { useFileManagerState } from './useFileManagerState.ts'

const DetailsPanel = late(() => import('../../features/Details/DetailsPanel.tsx').then((file) => file.DetailsPanel))

const UploadButton = late(() => import('./toolbar/UploadButton.tsx').then((file) => file.UploadButton))
const DropOverlay = late(() => import('./dragAndDrop/DropOverlay.tsx').then((file) => file.DropOverlay))
const FolderGone = late(() => import('./list/EmptyView.tsx').then((file) => file.FolderGone))
const FileGrid = late(() => import('./list/FileGrid.tsx').then((file) => file.FileGrid))
const PhotosView = late(() => import('./photos/PhotosView.tsx').then((file) => file.PhotosView))
const NoPhotos = late(() => import('./photos/PhotosView.tsx').then((file) => file.NoPhotos))
const FileMenu = late(() => import('./actions/FileMenu.tsx').then((file) => file.FileMenu))
const HeldNotices = late(() => import('./list/HeldNotices.tsx').then((file) => file.HeldNotices))
const SearchNotice = late(() => import('./list/SearchNotice.tsx').then((file) => file.SearchNotice))
const ContentMatches = late(() => import('./search/ContentMatches.tsx').then((file) => file.ContentMatches))
const SelectionBar = late(() => import('./selection/SelectionBar.tsx').then((file) => file.SelectionBar))

/** What the next click or key shows: it is there without a connection, too. */
const loadNext = () =>
  Promise.all([
    import('./actions/FileMenu.tsx'),
    import('./selection/SelectionBar.tsx'),
    import('./dialogs/OpenDialog.tsx'),
    import('../../features/Details/DetailsPanel.tsx'),
    import('../../features/Preview/PreviewOverlay.tsx'),
  ])

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
            id
            name
            provider
            providerName
            glyph
            hue
            status
            statusReason
            unreachableSince
            index { phase entries asOf problem heldDeletions rootFileId }
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
  const { manager, isGone } = useFileManagerState({
    groupClouds: viewer.groupClouds,
    providers,
    accounts: viewer.accounts,
  })
  const isMobile = useIsMobile()
  const scroller = useRef<HTMLDivElement>(null)
  const pane = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const [grid, setGrid] = useState<GridLayout | null>(null)
  const [letters] = useLetterKeys()
  const focusSearch = useCallback(() => search.current?.focus(), [])
  useFileKeys({ manager, letters, scroller, grid: manager.layout === 'list' ? null : grid, focusSearch })
  useKeepFocus(pane, scroller, manager.selection.focus)
  usePasteFiles(manager)
  useLoadedAhead(loadNext)
  const fileTarget = useFileDrag(manager)
  const columns = useColumns()
  const { isDetailsOpen, setDetails, detailsTab, setDetailsTab } = manager.panels
  const closeDetails = () => {
    setDetails(false)
    // A sheet is opened from the menu; the selection is cleared, so that the next tap opens an item.
    if (isMobileNow()) manager.setSelection(clear)
  }

  return (
    <FilesContext value={manager}>
      <title>{pageTitle(manager)}</title>
      <FilesTopBar search={search} />
      <div className={styles.body}>
        <div
          ref={pane}
          data-list-focus="pane"
          className={cx(styles.pane, !isDetailsOpen && listStyles.wide)}
          tabIndex={-1}
          {...columns}
        >
          <FilesToolbar />
          <OfflineNotice />
          <Suspense>{viewer.accounts.some(({ index }) => index?.heldDeletions) && <HeldNotices />}</Suspense>
          <Suspense fallback={<SearchSpace manager={manager} />}>
            {hasFilters(manager.url) && <SearchNotice />}
          </Suspense>
          {manager.isInside ? (
            <Suspense>
              <ContentMatches />
            </Suspense>
          ) : isGone ? (
            <Suspense>
              <FolderGone />
            </Suspense>
          ) : (
            <Rows scroller={scroller} onLayout={setGrid} freeBytes={viewer.quota.freeBytes ?? null} />
          )}
          <Suspense>{!isEmpty(manager.selection) && !manager.isInside && <SelectionBar />}</Suspense>
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
      <Suspense>{isMobile && <UploadButton />}</Suspense>
      <Suspense>{manager.panels.menu && <FileMenu />}</Suspense>
      <FilesDialogs />
      <Preview scroller={scroller} />
      <Suspense>{fileTarget !== null && <DropOverlay text={fileTarget} />}</Suspense>
    </FilesContext>
  )
}

/** "Reports · Skypool"; the file that is shown or edited while there is one, what is searched for while something is. */
function pageTitle({ url, list, folder, view }: FileManager): string {
  const shown = url.preview ?? url.edit
  const previewed = shown === null ? undefined : list.model.get(shown)
  const place = folder ? nameText(folder.name) : VIEW_NAMES[view]
  const title = previewed ? nameText(previewed.name) : url.query ? `“${url.query}” in ${place}` : place
  return `${title} · Skypool`
}

/** Keeps the rows at their place while the code of the notice is loaded. */
function SearchSpace({ manager: { url, view } }: { manager: FileManager }) {
  return url.query !== '' && view !== 'TRASH' && <div className={listStyles.searchSpace} />
}

type RowsProps = {
  scroller: React.RefObject<HTMLDivElement | null>
  onLayout: (layout: GridLayout) => void
  freeBytes: number | null
}

function Rows({ scroller, onLayout, freeBytes }: RowsProps) {
  const { list, layout: chosen } = useFileManager()
  // The list stays until the code of the grid is there. Photos are another list, which it could not draw.
  const deferred = useDeferredValue(chosen)
  const isPhotos = chosen === 'photos'
  if (list.status === 'failed') return <ListFailed />
  if (list.status === 'loading') return <ListSkeleton />
  if (list.model.count === 0 && !list.model.hasNext)
    return isPhotos ? (
      <Suspense>
        <NoPhotos />
      </Suspense>
    ) : (
      <EmptyList freeBytes={freeBytes} />
    )
  return (
    <Suspense>
      {isPhotos ? (
        <PhotosView scroller={scroller} onLayout={onLayout} />
      ) : deferred === 'grid' ? (
        <FileGrid scroller={scroller} onLayout={onLayout} />
      ) : (
        <FileList scroller={scroller} />
      )}
    </Suspense>
  )
}

/** The selection that the panel shows while everything in the list is selected. */
function wholeOf({ selection: { all }, listKey }: FileManager) {
  if (!all?.counted) return null
  return { ...selectionOf(listKey), asOf: all.counted.asOf, exceptIds: [...all.except] }
}
