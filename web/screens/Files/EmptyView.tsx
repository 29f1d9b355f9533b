import { Plus, SearchX, Star, Trash2, Upload, Users } from 'lucide-react'
import { Link } from 'react-router'
import { useTransfers } from '../../features/Transfers/transfersContext.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useFileManager } from './FilesContext.ts'
import { hasFilters, NO_FILTERS, viewPath } from './urlState.ts'
import { filterWords, nameOf, VIEW_NAMES } from './words.ts'

type Props = { readonly freeBytes: number | null }

/** In place of rows where nothing was found, nothing is there yet, or a view stays empty until it is used. */
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
        text="What you delete stays here for 30 days, or until you empty the trash."
      />
    )
  }
  return <FirstRun freeBytes={freeBytes} />
}

function NothingFound() {
  const { view, url, setUrl, groupClouds, providers } = useFileManager()
  const filters = filterWords(url, nameOf(groupClouds, url.groupCloud), nameOf(providers, url.provider))
  const title = url.query ? `No files match “${url.query}”` : 'No files match these filters'
  const place = filters ? `${VIEW_NAMES[view]} with ${filters}` : VIEW_NAMES[view]
  return (
    <EmptyState icon={SearchX} title={title} text={`Looked in ${place}. Check the spelling or remove a filter.`}>
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

/** Before the first account: more room is one step away, and this server's own is there already. */
function FirstAccount({ freeBytes }: Props) {
  const { openUploadDialog } = useTransfers()
  const room = freeBytes === null ? '' : ` This server has room for ${formatBytes(freeBytes)} until then.`
  return (
    <EmptyState
      title="Connect your first account"
      text={`The free space of your Google Drive, Dropbox and other accounts becomes your storage. What is there already stays as it is.${room}`}
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
