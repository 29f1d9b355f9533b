import { Plus, SearchX, Star, Trash2, Upload, Users } from 'lucide-react'
import { Link } from 'react-router'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import { formatBytes } from '../../../lib/formatBytes.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { useFileManager } from '../FilesContext.ts'
import { filterText, nameOf, VIEW_NAMES } from '../messages.ts'
import { hasFilters, NO_FILTERS, viewPath } from '../urlState.ts'

type Props = { readonly freeBytes: number | null }

/** Shown instead of rows: no results, no files yet, or a view that is empty until it is used. */
export function EmptyView({ freeBytes }: Props) {
  const { view, url } = useFileManager()
  if (hasFilters(url)) return <NothingFound />
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
  const { view, url, setUrl, groupClouds, providers } = useFileManager()
  const filters = filterText(url, nameOf(groupClouds, url.groupCloud), nameOf(providers, url.provider))
  const title = url.query ? `No files match “${url.query}”` : 'No files match these filters'
  const place = filters ? `${VIEW_NAMES[view]} with ${filters}` : VIEW_NAMES[view]
  return (
    <EmptyState icon={SearchX} title={title} text={`Searched in ${place}. Check the spelling or remove a filter.`}>
      <Button onClick={() => setUrl(NO_FILTERS)}>{filters ? 'Clear filters' : 'Clear search'}</Button>
      {url.query && view !== 'TRASH' && (
        <Link className={buttonClass('ghost')} to={`${viewPath('TRASH')}?q=${encodeURIComponent(url.query)}`}>
          Search in Trash
        </Link>
      )}
    </EmptyState>
  )
}

function FirstRun({ freeBytes }: Props) {
  const { providers } = useFileManager()
  const { openUploadDialog } = useTransfers()
  if (!providers.some(({ id }) => id !== 'local')) return <FirstAccount freeBytes={freeBytes} />
  const room = freeBytes === null ? '' : ` Skypool can store ${formatBytes(freeBytes)} on this server right away.`
  return (
    <EmptyState title="Upload your first files" text={`Drop files or folders anywhere on this page.${room}`}>
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
