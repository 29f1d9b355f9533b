import { FolderX, Plus, SearchX, Star, Trash2, Upload, Users } from 'lucide-react'
import { Link } from 'react-router'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import { formatBytes } from '../../../lib/formatBytes.ts'
import { nameText } from '../../../lib/nameText.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import dropZoneStyles from '../../../ui/DropZone.module.css'
import emptyStateStyles from '../../../ui/EmptyState.module.css'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { type AccountChoice, useFileManager } from '../FilesContext.ts'
import { VIEW_NAMES } from '../messages.ts'
import { openPlaceMenu } from '../selection/useRowEvents.ts'
import { filterText } from '../toolbar/filterText.ts'
import { hasFilters, NO_FILTERS, viewPath } from '../urlState.ts'

type Props = { readonly freeBytes: number | null }

/** Shown instead of rows: no results, no files yet, or a view that is empty until it is used. */
export function EmptyView({ freeBytes }: Props) {
  const { view, url, folder } = useFileManager()
  if (hasFilters(url)) return <NothingFound />
  if (folder || view === 'DRIVE') return <EmptyFolder freeBytes={freeBytes} />
  if (view === 'STARRED') {
    return <EmptyState icon={Star} title="Nothing is starred" text="Star a file or folder to find it here quickly." />
  }
  if (view === 'SHARED') {
    return <EmptyState icon={Users} title="Nothing is shared" text="Files that you share are listed here." />
  }
  if (view === 'TRASH') {
    return (
      <EmptyState
        icon={Trash2}
        title="The trash is empty"
        text="Deleted items stay here for 30 days, or until you empty the trash."
      />
    )
  }
  return <FirstRun freeBytes={freeBytes} />
}

function NothingFound() {
  const manager = useFileManager()
  const { view, url, setUrl } = manager
  const filters = filterText(url, manager)
  const title = url.query ? `No files match “${url.query}”` : 'No files match these filters'
  const place = filters ? `${VIEW_NAMES[view]} with ${filters}` : VIEW_NAMES[view]
  const tips = [...(url.query ? ['Check the spelling.'] : []), ...(filters ? ['Remove a filter to find more.'] : [])]
  return (
    <EmptyState
      icon={SearchX}
      title={title}
      text={`Searched in ${place}. ${tips.join(' ')}${ownOnly(manager.accounts)}`}
    >
      <Button onClick={() => setUrl(NO_FILTERS)}>{filters ? 'Clear filters' : 'Clear search'}</Button>
      {url.query && view !== 'TRASH' && (
        <Link className={buttonClass('ghost')} to={`${viewPath('TRASH')}?q=${encodeURIComponent(url.query)}`}>
          Search in Trash
        </Link>
      )}
    </EmptyState>
  )
}

/** Why files that a person knows to be in an account are not here. */
function ownOnly(accounts: readonly AccountChoice[]): string {
  const names = accounts.flatMap(({ provider, name, index }) =>
    provider === 'local' || index ? [] : [`“${nameText(name)}”`],
  )
  if (names.length === 0) return ''
  return ` Of ${new Intl.ListFormat('en').format(names)}, only what Skypool stores there is shown.`
}

function FirstRun({ freeBytes }: Props) {
  const { providers, accounts } = useFileManager()
  const { openUploadDialog } = useTransfers()
  if (!providers.some(({ id }) => id !== 'local')) return <FirstAccount freeBytes={freeBytes} />
  const room = freeBytes === null ? '' : ` Skypool can store ${formatBytes(freeBytes)} on this server right away.`
  return (
    <EmptyState
      title="Upload your first files"
      text={`Drop files or folders anywhere on this page.${room}${ownOnly(accounts)}`}
    >
      <Button variant="primary" icon={Upload} onClick={openUploadDialog}>
        Upload Files
      </Button>
    </EmptyState>
  )
}

/** Before the first account: offers to connect one, or to use this server's space. */
function FirstAccount({ freeBytes }: Props) {
  const { openUploadDialog } = useTransfers()
  const room = freeBytes === null ? '' : ` Until then, ${formatBytes(freeBytes)} are available on this server.`
  return (
    <EmptyState
      title="Connect your first account"
      text={`The free space of your Google Drive, Dropbox and other accounts becomes your storage. Files already there are not touched.${room}`}
    >
      <Link className={buttonClass('primary')} to="/cloud-integration?add">
        <Icon icon={Plus} />
        Connect storage
      </Link>
      <Button icon={Upload} onClick={openUploadDialog}>
        Upload to this server
      </Button>
    </EmptyState>
  )
}

/** While this code was loading, the pane stood in for the list. */
function takeFocusOfList(element: HTMLElement | null): void {
  if (document.activeElement?.matches('[data-list-focus="pane"]')) element?.focus({ preventScroll: true })
}

function EmptyFolder({ freeBytes }: { freeBytes: number | null }) {
  const manager = useFileManager()
  const { folder, panels, accounts } = manager
  const { openUploadDialog } = useTransfers()
  // Its account is being listed for the first time.
  const isListing = folder?.childCount === null
  if (folder?.canCreate === false) return <EmptyReadOnly isListing={isListing} />
  // The space of an account is shown when files are chosen.
  const room = freeBytes === null || folder?.inPlace ? '' : ` ${formatBytes(freeBytes)} available.`
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the menu has the same actions as the buttons and the toolbar
    <div
      className={`${emptyStateStyles.empty} ${emptyStateStyles.fill}`}
      data-list-focus="empty"
      tabIndex={-1}
      ref={takeFocusOfList}
      onContextMenu={(event) => openPlaceMenu(manager, event)}
    >
      <div className={dropZoneStyles.zone}>
        <Icon icon={Upload} size={24} />
        <h2 className={emptyStateStyles.near}>{folder ? emptyTitle(isListing) : 'My Drive is empty'}</h2>
        <p>
          Drop files or folders here.{room}
          {!folder && ownOnly(accounts)}
        </p>
        <div className="hstack flex-wrap justify-center">
          <Button icon={Upload} onClick={openUploadDialog}>
            Upload Files
          </Button>
          <Button variant="ghost" onClick={() => panels.set({ isCreating: true })}>
            New folder
          </Button>
          {!folder?.inPlace && (
            <Button variant="ghost" onClick={() => panels.set({ dialog: { kind: 'newDocument', ending: '.md' } })}>
              New document
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

const emptyTitle = (isListing: boolean) =>
  isListing ? 'Files in this account are still being listed' : 'This folder is empty'

/** The account does not allow adding to it. */
function EmptyReadOnly({ isListing }: { isListing: boolean }) {
  return (
    <div className={emptyStateStyles.empty} data-list-focus="empty" tabIndex={-1} ref={takeFocusOfList}>
      <h2 className={emptyStateStyles.near}>{emptyTitle(isListing)}</h2>
      <p>Its account does not allow putting anything into it.</p>
    </div>
  )
}

export function FolderGone() {
  return (
    <EmptyState
      icon={FolderX}
      title="This folder no longer exists"
      text="It may have been deleted or moved to the trash."
    >
      <Link className={buttonClass('primary')} to={viewPath('DRIVE')}>
        Go to My Drive
      </Link>
      <Link className={buttonClass('ghost')} to={viewPath('TRASH')}>
        Open Trash
      </Link>
    </EmptyState>
  )
}
