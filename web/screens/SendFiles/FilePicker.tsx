import { Upload } from 'lucide-react'
import { type ChangeEvent, type DragEvent, type RefObject, useId, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { type DropEntry, fileEntries, readDrop } from '../../lib/dropEntries.ts'
import { useIsMobile } from '../../lib/useMediaQuery.ts'
import dropZoneStyles from '../../ui/DropZone.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { messages } from './messages.ts'

type Props = {
  /** For a button elsewhere that opens the same chooser. */
  readonly input: RefObject<HTMLInputElement | null>
  readonly limits: readonly string[]
  readonly onEntries: (entries: readonly DropEntry[]) => void
}

/** Takes files by drop, click or keyboard. */
export function FilePicker({ input, limits, onEntries }: Props) {
  const [isOver, setOver] = useState(false)
  const hintId = useId()
  // Nothing is dragged on a phone.
  const isMobile = useIsMobile()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void readDrop(event.dataTransfer).then(onEntries)
  }
  const drag = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = [...(event.target.files ?? [])]
    event.target.value = ''
    if (chosen.length > 0) onEntries(fileEntries(chosen))
  }
  const title = isOver ? messages.dropNow : isMobile ? messages.tap : messages.drop
  return (
    <>
      <button
        type="button"
        className={cx(`${dropZoneStyles.zone} mt-4 w-full`, isOver && dropZoneStyles.over)}
        aria-label={messages.dropLabel}
        aria-describedby={hintId}
        onClick={() => input.current?.click()}
        onDragEnter={drag}
        onDragOver={drag}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Icon icon={Upload} size={24} />
        <span className="font-medium">{title}</span>
        <span className="meta muted num" id={hintId}>
          {messages.limits([...(isMobile ? [] : [messages.or]), ...limits])}
        </span>
      </button>
      <input ref={input} type="file" multiple hidden aria-label={messages.dropLabel} onChange={choose} />
    </>
  )
}
