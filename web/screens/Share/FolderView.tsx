import { Images, LayoutGrid, List } from 'lucide-react'
import { Suspense, useDeferredValue, useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { cx } from '../../lib/cx.ts'
import { late } from '../../lib/lateCode.ts'
import { useStoredChoice } from '../../lib/storedChoice.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import segmentedControlStyles from '../../ui/SegmentedControl.module.css'
import { entryUrl } from './addresses.ts'
import { DownloadNotice } from './DownloadNotice.tsx'
import { FolderPath } from './FolderPath.tsx'
import { type EntryProps, FolderRow, folderParams } from './FolderRow.tsx'
import { EmptyFolder, FolderGone } from './FolderStates.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'
import { type Folder, type SharedEntry, useFolder } from './useFolder.ts'
import type { ShareDownload } from './useShareDownload.ts'

const FolderTile = late(() => import('./FolderTile.tsx').then((file) => file.FolderTile))
const FolderPhotos = late(() => import('./FolderPhotos.tsx').then((file) => file.FolderPhotos))
const EntryPreview = late(() => import('./EntryPreview.tsx').then((file) => file.EntryPreview))

/** So many files before the last one that is known, more are read. */
const PREVIEW_AHEAD = 3

type Props = {
  readonly share: { readonly id: string; readonly name: string; readonly isLimited: boolean }
  /** Null: the shared folder itself. */
  readonly folderId: string | null
  readonly isUsedUp: boolean
  readonly download: ShareDownload
  /** Once, with what can take the focus. */
  readonly onShown: (view: HTMLElement) => void
}

export function FolderView({ share, folderId, isUsedUp, download, onShown }: Props) {
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (root.current) onShown(root.current)
  }, [onShown])
  const [chosen, setLayout] = useStoredChoice<Layout>('share-layout', 'list', ['list', 'grid', 'photos'])
  const layout = chosen === 'photos' && share.isLimited ? 'list' : chosen
  // What is shown stays, with the focus, until the other order was read.
  const view = useDeferredValue(layout)
  const isPhotos = view === 'photos'
  const folder = useFolder(share.id, folderId, isPhotos)
  const [params, setParams] = useSearchParams()
  if (!folder) return <FolderGone />
  const { entries, path } = folder
  const files = entries.filter(({ kind }) => kind === 'FILE')
  const at = files.findIndex(({ id }) => id === params.get('file'))
  const shown = files[at]
  const fetchIt = ({ id, name, kind, size }: SharedEntry) =>
    void download.start({ url: entryUrl(share.id, id), name, size: kind === 'FOLDER' ? null : size })
  const look = (file: string | null, replace = true) => {
    // The large view continues beyond what was read.
    if (file && files.slice(-PREVIEW_AHEAD).some(({ id }) => id === file)) folder.readAhead()
    setParams(folderParams(folderId, file), { replace })
  }
  return (
    <div ref={root} tabIndex={-1} className={cx(styles.folder, isPhotos && styles.ofPhotos)}>
      <div className={styles.tools}>
        <FolderPath name={share.name} path={path} />
        <LayoutSwitch layout={layout} isLimited={share.isLimited} onLayout={setLayout} />
      </div>
      <Suspense>
        {isPhotos ? (
          <FolderPhotos shareId={share.id} onList={() => setLayout('list')} {...{ folderId, folder }} />
        ) : (
          <Entries
            isGrid={view === 'grid'}
            onDownload={fetchIt}
            {...{ shareId: share.id, folderId, folder, isUsedUp }}
          />
        )}
      </Suspense>
      <Suspense>
        {shown && (
          <EntryPreview
            shareId={share.id}
            isLimited={share.isLimited}
            entry={shown}
            prevId={files[at - 1]?.id ?? null}
            nextId={files[at + 1]?.id ?? null}
            isUsedUp={isUsedUp}
            onNavigate={look}
            onDownload={() => fetchIt(shown)}
            onClose={() => look(null)}
            notice={<DownloadNotice download={download} />}
          />
        )}
      </Suspense>
    </div>
  )
}

type EntriesProps = Omit<EntryProps, 'entry' | 'onDownload'> & {
  readonly folder: Folder
  readonly isGrid: boolean
  readonly onDownload: (entry: SharedEntry) => void
}

/** As lines or as tiles, folders first. */
function Entries({ folder: { entries, hasMore, isLoading, showMore }, isGrid, onDownload, ...about }: EntriesProps) {
  const Entry = isGrid ? FolderTile : FolderRow
  return (
    <>
      {entries.length === 0 && <EmptyFolder />}
      <ul className={isGrid ? styles.tiles : undefined} aria-label={messages.folderLabel}>
        {entries.map((entry) => (
          <Entry key={entry.id} {...{ entry, ...about }} onDownload={() => onDownload(entry)} />
        ))}
      </ul>
      {hasMore && (
        <Button busy={isLoading} onClick={showMore} className="mt-4">
          {messages.showMore}
        </Button>
      )}
    </>
  )
}

type Layout = 'list' | 'grid' | 'photos'

const LAYOUTS = [
  { layout: 'list', label: messages.list, icon: List },
  { layout: 'grid', label: messages.grid, icon: LayoutGrid },
  { layout: 'photos', label: messages.photos, icon: Images },
] as const

type SwitchProps = {
  readonly layout: Layout
  /** A link with a limit has no pictures. */
  readonly isLimited: boolean
  readonly onLayout: (layout: Layout) => void
}

function LayoutSwitch({ layout: current, isLimited, onLayout }: SwitchProps) {
  return (
    <fieldset className={`${segmentedControlStyles.control} ${styles.layouts}`} aria-label={messages.view}>
      {LAYOUTS.filter(({ layout }) => layout !== 'photos' || !isLimited).map(({ layout, label, icon }) => (
        <button
          key={layout}
          type="button"
          aria-label={label}
          title={label}
          aria-pressed={layout === current}
          onClick={() => onLayout(layout)}
        >
          <Icon icon={icon} />
        </button>
      ))}
    </fieldset>
  )
}
