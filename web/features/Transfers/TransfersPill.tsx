import { ChevronUp } from 'lucide-react'
import type { Summary } from '../../lib/uploadQueue.ts'
import { Icon } from '../../ui/Icon.tsx'
import { ProgressRing } from '../../ui/Progress.tsx'
import styles from './Transfers.module.css'

type Props = {
  readonly title: string
  readonly pace: string
  readonly summary: Summary
  readonly onOpen: () => void
}

/** The collapsed panel of a narrow screen, next to the Upload button. */
export function TransfersPill({ title, pace, summary, onOpen }: Props) {
  return (
    <button type="button" className={styles.pill} aria-haspopup="dialog" onClick={onOpen}>
      {summary.open > 0 && <ProgressRing value={summary.percent} label="Progress" />}
      <span className="grow text-start">
        <b className="ell block">{title}</b>
        {pace && <span className="meta subtle num ell block">{pace}</span>}
      </span>
      <Icon icon={ChevronUp} />
    </button>
  )
}
