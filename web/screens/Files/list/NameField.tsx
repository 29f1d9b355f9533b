import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { reasonOf } from '../../../relay/runMutation.ts'
import { useFileManager } from '../FilesContext.ts'
import { stemLength } from '../messages.ts'
import styles from './List.module.css'

type Props = {
  label: string
  initial: string
  placeholder?: string
  /** How many of the first characters are selected at the start. */
  selected: number
  /** Its error is shown under the field, which keeps the text. */
  save: (text: string) => Promise<unknown>
  /** `isSaved` false: given up. */
  onClose: (isSaved: boolean) => void
}

/** An inline name field: Enter or leaving the field saves, Escape cancels. An unchanged or empty name is not saved. */
export function NameField({ label, initial, placeholder, selected, save, onClose }: Props) {
  const [text, setText] = useState(initial)
  const [problem, setProblem] = useState<string | null>(null)
  const state = useRef<'open' | 'saving' | 'closed'>('open')
  const noteId = useId()

  const close = (isSaved: boolean) => {
    state.current = 'closed'
    onClose(isSaved)
  }
  const finish = async () => {
    const name = text.trim()
    if (state.current !== 'open') return
    if (name === '' || name === initial.trim()) return close(false)
    state.current = 'saving'
    try {
      await save(name)
      close(true)
    } catch (error) {
      state.current = 'open'
      setProblem(reasonOf(error))
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Enter') void finish()
    if (event.key === 'Escape') close(false)
  }
  return (
    <span className={styles.namefield}>
      <input
        className={styles.rename}
        aria-label={label}
        aria-invalid={problem !== null}
        aria-describedby={problem ? noteId : undefined}
        value={text}
        placeholder={placeholder}
        maxLength={255}
        spellCheck={false}
        ref={(input) => {
          if (!input || input.dataset.ready) return
          input.dataset.ready = 'yes'
          input.focus({ preventScroll: true })
          input.setSelectionRange(0, selected)
        }}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setProblem(null)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => problem === null && void finish()}
      />
      {problem && (
        <span className={styles.namefieldError} id={noteId} role="alert">
          {problem}
        </span>
      )}
    </span>
  )
}

/** The name of a row as a field, its stem selected. Enter and leaving the field save, Escape cancels. */
export function RenameField({ id, name, isFolder }: { id: string; name: string; isFolder: boolean }) {
  const { actions, panels } = useFileManager()
  return (
    <NameField
      label="New name"
      initial={name}
      selected={stemLength(name, isFolder)}
      save={(text) => actions.rename(id, text)}
      onClose={() => panels.set({ renaming: null })}
    />
  )
}
