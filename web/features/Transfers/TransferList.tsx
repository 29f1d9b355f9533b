import { panelOrder, type Transfer } from '../../lib/uploadQueue.ts'
import { Button } from '../../ui/Button.tsx'
import { files } from './messages.ts'
import { TransferRow } from './TransferRow.tsx'
import styles from './Transfers.module.css'
import { useTransfers } from './transfersContext.ts'

/** A drop may contain 10,000 files; more rows than this are not useful. */
const MOST_ROWS = 100

type Props = { readonly transfers: readonly Transfer[]; readonly onAsk: (id: string) => void }

export function TransferList({ transfers, onAsk }: Props) {
  const { shown, hidden } = panelOrder(transfers, MOST_ROWS)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <ul className={styles.list} tabIndex={0} aria-label="Transfers">
        {shown.map((transfer) => (
          <TransferRow key={transfer.id} transfer={transfer} onAsk={onAsk} />
        ))}
        {hidden > 0 && <li className={`${styles.row} meta subtle`}>and {files(hidden)} more</li>}
      </ul>
      <ListActions transfers={transfers} />
    </>
  )
}

function ListActions({ transfers }: { transfers: readonly Transfer[] }) {
  const { control } = useTransfers()
  const failed = transfers.filter(({ state, isFinal }) => state === 'failed' && !isFinal)
  const hasFinished = transfers.some(({ state }) => state === 'done' || state === 'skipped')
  const retryAll = () => {
    for (const { id } of failed) control.resume(id)
  }
  if (failed.length < 2 && !hasFinished) return null
  return (
    <footer className={styles.foot}>
      {failed.length > 1 && (
        <Button size="sm" variant="accent" onClick={retryAll}>
          Retry all
        </Button>
      )}
      {hasFinished && (
        <Button size="sm" variant="ghost" onClick={control.clearFinished}>
          Clear finished
        </Button>
      )}
    </footer>
  )
}
