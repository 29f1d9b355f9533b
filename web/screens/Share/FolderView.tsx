import { LayoutGrid, List } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { useStoredChoice } from '../../lib/storedChoice.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import segmentedControlStyles from '../../ui/SegmentedControl.module.css'
import { entryUrl } from './addresses.ts'
import { DownloadNotice } from './DownloadNotice.tsx'
import { FolderPath } from './FolderPath.tsx'
import { FolderRow, folderParams } from './FolderRow.tsx'
import { EmptyFolder, FolderGone } from './FolderStates.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'
import { type SharedEntry, useFolder } from './useFolder.ts'
import type { ShareDownload } from './useShareDownload.ts'

const FolderTile = lazy(() => import('./FolderTile.tsx').then((file) => ({ default: file.FolderTile })))
const EntryPreview = lazy(() => import('./EntryPreview.tsx').then((file) => ({ default: file.EntryPreview })))

type Props = {
  readonly share: { readonly id: string; readonly name: string; readonly isLimited: boolean }
  /** Null: the shared folder itself. */
  readonly folderId: string | null
  readonly isUsedUp: boolean
  readonly download: ShareDownload
}

export function FolderView({ share, folderId, isUsedUp, download }: Props) {
  const folder = useFolder(share.id, folderId)
  const [params, setParams] = useSearchParams()
  const [layout, setLayout] = useStoredChoice<Layout>('share-layout', 'list', ['list', 'grid'])
  if (!folder) return <FolderGone />
  const { entries, path, hasMore, isLoading, showMore } = folder
  const Entry = layout === 'grid' ? FolderTile : FolderRow
  const files = entries.filter(({ kind }) => kind === 'FILE')
  const at = files.findIndex(({ id }) => id === params.get('file'))
  const shown = files[at]
  const fetchIt = ({ id, name, kind, size }: SharedEntry) =>
    void download.start({ url: entryUrl(share.id, id), name, size: kind === 'FOLDER' ? null : size })
  const look = (file: string | null, replace = true) => setParams(folderParams(folderId, file), { replace })
  return (
    <div className={styles.folder}>
      <div className={styles.tools}>
        <FolderPath name={share.name} path={path} />
        <LayoutSwitch layout={layout} onLayout={setLayout} />
      </div>
      {entries.length === 0 && <EmptyFolder />}
      <Suspense>
        <ul className={layout === 'grid' ? styles.tiles : undefined} aria-label={messages.folderLabel}>
          {entries.map((entry) => (
            <Entry
              key={entry.id}
              {...{ shareId: share.id, entry, folderId, isUsedUp }}
              onDownload={() => fetchIt(entry)}
            />
          ))}
        </ul>
      </Suspense>
      {hasMore && (
        <Button busy={isLoading} onClick={showMore} className="mt-4">
          {messages.showMore}
        </Button>
      )}
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

type Layout = 'list' | 'grid'

const LAYOUTS = [
  { layout: 'list', label: messages.list, icon: List },
  { layout: 'grid', label: messages.grid, icon: LayoutGrid },
] as const

function LayoutSwitch({ layout: current, onLayout }: { layout: Layout; onLayout: (layout: Layout) => void }) {
  return (
    <fieldset className={`${segmentedControlStyles.control} ${styles.layouts}`} aria-label={messages.view}>
      {LAYOUTS.map(({ layout, label, icon }) => (
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
