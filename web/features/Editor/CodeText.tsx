import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { nameText } from '../../lib/nameText.ts'
import { messages } from './messages.ts'
import { type Cursor, createTextView, type TextView } from './textView.ts'

type Props = {
  readonly ref: RefObject<TextView | null>
  readonly name: string
  readonly text: string
  /** Increases each time that the field has to show `text` instead of what was typed. */
  readonly replaced: number
  readonly hasMixedLines: boolean
  readonly readOnly: boolean
  readonly className: string
  readonly onChange: (text: string) => void
  readonly onCursor: (cursor: Cursor) => void
}

/** The text field of the editor; it takes the focus. It keeps what is typed, and reads `text` at first and when `replaced` increases. */
export function CodeText({ ref, name, text, replaced, hasMixedLines, readOnly, className, ...on }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const change = useEffectEvent(on.onChange)
  const move = useEffectEvent(on.onCursor)
  const label = messages.textOf(nameText(name))
  const begin = useEffectEvent((element: HTMLElement) =>
    createTextView(element, {
      ...{ name, label, text, hasMixedLines, readOnly },
      onChange: (next) => change(next),
      onCursor: (cursor) => move(cursor),
    }),
  )
  const current = useEffectEvent(() => text)
  useEffect(() => {
    if (!host.current) return
    const field = begin(host.current)
    ref.current = field
    field.view.focus()
    return () => {
      ref.current = null
      field.destroy()
    }
  }, [ref])
  useEffect(() => ref.current?.setReadOnly(readOnly), [ref, readOnly])
  useEffect(() => {
    if (replaced > 0) ref.current?.replace(current())
  }, [ref, replaced])
  return <div ref={host} className={className} />
}
