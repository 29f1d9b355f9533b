import { GitCompare, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './Editor.module.css'
import type { Editing, EditingState } from './editing.ts'
import { messages, timeText } from './messages.ts'
import { isWritable } from './textFormat.ts'

type Props = {
  readonly editing: Editing
  readonly state: EditingState
  readonly onCompare: () => void
  readonly onCopy: () => void
}

/** What needs a decision before anything is saved, or why nothing can be. */
export function EditorNotices({ editing, state, onCompare, onCopy }: Props) {
  const { offered, theirs, problem, format } = state
  if (!isWritable(format)) return <Bar title={messages.notUtf8} />
  if (offered) {
    return (
      <Bar title={messages.offered(timeText(offered.at))} text={messages.offeredHint}>
        <Button size="sm" onClick={editing.takeOffered}>
          {messages.take}
        </Button>
        <Button size="sm" variant="ghost" onClick={editing.discardOffered}>
          {messages.discardOffered}
        </Button>
      </Bar>
    )
  }
  if (theirs) return <Conflict {...{ editing, state, onCompare, onCopy }} />
  if (!problem) return null
  return (
    <Bar title={messages.refused(problem)} text={state.isKept ? messages.mineKept : undefined}>
      <Button size="sm" onClick={onCopy}>
        {messages.saveCopy}
      </Button>
    </Bar>
  )
}

function Conflict({ editing, state, onCompare, onCopy }: Props) {
  const { theirs, isSaving, isKept } = state
  const writtenAt = theirs?.writtenAt ?? null
  const isDirty = editing.isDirty()
  const mine = isKept ? messages.mineKept : messages.mineNotKept
  const acts = { size: 'sm', disabled: isSaving } as const
  return (
    <Bar
      title={messages.theirs(writtenAt === null ? null : timeText(writtenAt))}
      text={isDirty ? mine : messages.nothingMine}
    >
      <Button {...acts} icon={GitCompare} onClick={onCompare}>
        {messages.compare}
      </Button>
      {isDirty && (
        <>
          <Button {...acts} onClick={onCopy}>
            {messages.saveCopy}
          </Button>
          <Button {...acts} onClick={() => void editing.saveOverTheirs()}>
            {messages.saveOver}
          </Button>
        </>
      )}
      <Button {...acts} variant={isDirty ? 'ghost' : 'default'} onClick={editing.useTheirs}>
        {isDirty ? messages.useTheirs : messages.showTheirs}
      </Button>
    </Bar>
  )
}

function Bar({ title, text, children }: { title: string; text?: string | undefined; children?: ReactNode }) {
  return (
    <div className={styles.notice} role="alert">
      <span className={styles.noticeText}>
        <Icon icon={TriangleAlert} />
        <span>
          <b>{title}</b> {text}
        </span>
      </span>
      {children && <span className={styles.choices}>{children}</span>}
    </div>
  )
}
