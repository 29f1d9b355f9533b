import { X } from 'lucide-react'
import { type ReactNode, Suspense, useDeferredValue } from 'react'
import type { FileSelection } from '../../__generated__/ManyDetailsQuery.graphql.ts'
import { late } from '../../lib/lateCode.ts'
import { useIsMobile } from '../../lib/useMediaQuery.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { TransfersDock } from '../Transfers/TransfersDock.tsx'
import styles from './Details.module.css'
import { DetailsSkeleton } from './DetailsSkeleton.tsx'
import { ManyDetails } from './ManyDetails.tsx'
import { OneDetails } from './OneDetails.tsx'
import type { TabChoice } from './tabs.ts'

const Sheet = late(() => import('../../ui/Sheet.tsx').then((file) => file.Sheet))

type Props = TabChoice & {
  /** The selected files; the panel follows the selection. */
  readonly fileIds: readonly string[]
  /** Set while everything in a list is selected: `fileIds` are part of it then. */
  readonly selection?: FileSelection | null
  readonly onClose: () => void
}

/** Next to the list, with the transfers below it; a bottom sheet on a narrow screen. */
export function DetailsPanel({ fileIds, selection = null, onClose, tab, onTab }: Props) {
  const isMobile = useIsMobile()
  // The last file stays until the next one is loaded: no skeleton on every arrow key.
  const shownIds = useDeferredValue(fileIds)
  const close = <IconButton size="sm" label="Close details" icon={X} onClick={onClose} />
  const content = (
    <aside className={styles.details} aria-label="Details">
      <RetryBoundary
        about={selection ? JSON.stringify(selection) : shownIds.join()}
        fallback={(error) => <Framed close={close}>{error}</Framed>}
      >
        <Suspense fallback={<DetailsSkeleton close={close} />}>
          <Content ids={shownIds} selection={selection} close={close} tab={tab} onTab={onTab} />
        </Suspense>
      </RetryBoundary>
    </aside>
  )
  if (!isMobile) {
    return (
      <div className={styles.rail}>
        {content}
        <TransfersDock />
      </div>
    )
  }
  return (
    <Suspense>
      <Sheet label="Details" onClose={onClose}>
        {content}
      </Sheet>
    </Suspense>
  )
}

type ContentProps = TabChoice & { ids: readonly string[]; selection: FileSelection | null; close: ReactNode }

function Content({ ids, selection, close, ...choice }: ContentProps) {
  const [id] = ids
  if (selection || ids.length > 1) return <ManyDetails ids={ids} selection={selection} close={close} />
  if (id) return <OneDetails key={id} id={id} close={close} {...choice} />
  return (
    <Framed close={close}>
      <EmptyState title="Nothing selected" text="Select a file or a folder to see its details here." />
    </Framed>
  )
}

function Framed({ close, children }: { close: ReactNode; children: ReactNode }) {
  return (
    <>
      <header className={styles.head}>
        <h2 className="h3 grow">Details</h2>
        {close}
      </header>
      <div className={styles.section}>{children}</div>
    </>
  )
}
