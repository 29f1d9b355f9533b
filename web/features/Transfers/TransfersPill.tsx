import { ChevronUp } from 'lucide-react'
import type { Summary } from '../../lib/uploadQueue.ts'
import { Icon } from '../../ui/Icon.tsx'
import { ProgressRing } from '../../ui/Progress.tsx'

type Props = {
  readonly title: string
  readonly pace: string
  readonly summary: Summary
  readonly onOpen: () => void
}

/** The panel of a narrow screen, folded up beside the Upload button. */
export function TransfersPill({ title, pace, summary, onOpen }: Props) {
  return (
    <button type="button" className="trpill" aria-haspopup="dialog" onClick={onOpen}>
      {summary.open > 0 && <ProgressRing value={summary.percent} label="Progress" />}
      <span className="grow text-start">
        <b className="ell block">{title}</b>
        {pace && <span className="meta subtle num ell block">{pace}</span>}
      </span>
      <Icon icon={ChevronUp} />
    </button>
  )
}
