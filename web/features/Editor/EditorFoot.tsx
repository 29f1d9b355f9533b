import { useDeferredValue, useMemo } from 'react'
import styles from './Editor.module.css'
import type { EditingState } from './editing.ts'
import { messages } from './messages.ts'
import type { Cursor } from './textView.ts'

type Props = { readonly state: EditingState; readonly cursor: Cursor; readonly isMarkdown: boolean }

/** Facts about the text, below it on wide screens. */
export function EditorFoot({ state: { text, format }, cursor, isMarkdown }: Props) {
  const counted = useDeferredValue(text)
  const words = useMemo(() => counted.match(/[\p{L}\p{N}]+(?:['’.,-][\p{L}\p{N}]+)*/gu)?.length ?? 0, [counted])
  const encoding = format.encoding === 'other' ? messages.readOnly : format.encoding
  return (
    <footer className={styles.foot}>
      <span>{isMarkdown ? messages.markdown : messages.plainText}</span>
      <span>
        {encoding}, {format.lineEnd === 'mixed' ? messages.mixedLines : format.lineEnd}
      </span>
      <span>{messages.words(words)}</span>
      <span className="grow" />
      <span>{messages.keepsVersions}</span>
      <span>{messages.leavesText}</span>
      <span>{messages.position(cursor.line, cursor.column)}</span>
    </footer>
  )
}
