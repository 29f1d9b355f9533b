import { Download, RotateCcw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { formatDay } from '../../lib/formatDate.ts'
import { nameText } from '../../lib/nameText.ts'
import buttonStyles from '../../ui/Button.module.css'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { fetchText, type TextPart } from '../Preview/fetchText.ts'
import { Comparison } from './Comparison.tsx'
import { messages, originOf } from './messages.ts'
import type { Version } from './VersionItem.tsx'

type Props = {
  readonly name: string
  readonly old: Version
  readonly current: Version
  readonly onClose: () => void
  /** Absent: it cannot be restored now. */
  readonly onRestore: (() => void) | undefined
}

/** The changes from an earlier version to the current one, line by line. Import it lazily. */
export function CompareDialog({ name, old, current, onClose, onRestore }: Props) {
  const texts = useTexts(old, current)
  const origin = originOf({ ...old, by: nameText(old.by) }, (iso) => formatDay(iso))
  const restore = () => {
    onRestore?.()
    onClose()
  }
  const footer = (
    <>
      {onRestore && (
        <Button className="push" onClick={restore}>
          <Icon icon={RotateCcw} size={16} />
          {messages.restoreThis}
        </Button>
      )}
      <a className={cx(buttonStyles.btn)} href={old.downloadUrl} download="">
        <Icon icon={Download} size={16} />
        {messages.download}
      </a>
      <Button variant="primary" onClick={onClose}>
        {messages.done}
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title={messages.compareTitle(nameText(name))}
      description={messages.compareText(`${formatDay(old.createdAt)}: ${origin}`, formatDay(current.createdAt))}
      footer={footer}
    >
      {texts.failed && <p role="alert">{messages.failed}</p>}
      {!texts.failed && !texts.both && <p role="status">{messages.loading}</p>}
      {texts.both && (
        <Comparison
          before={texts.both[0].text}
          after={texts.both[1].text}
          isCut={texts.both.some(({ isCut }) => isCut)}
        />
      )}
    </Dialog>
  )
}

type Texts = { readonly both: readonly [TextPart, TextPart] | null; readonly failed: boolean }

function useTexts(old: Version, current: Version): Texts {
  const [texts, setTexts] = useState<Texts>({ both: null, failed: false })
  useEffect(() => {
    const abort = new AbortController()
    const load = ({ downloadUrl, size }: Version) =>
      fetchText(`${downloadUrl}?disposition=inline`, Number(size), abort.signal)
    Promise.all([load(old), load(current)]).then(
      (both) => setTexts({ both, failed: false }),
      () => !abort.signal.aborted && setTexts({ both: null, failed: true }),
    )
    return () => abort.abort()
  }, [old, current])
  return texts
}
