import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { reasonOf } from '../../relay/runMutation.ts'

type Props = {
  label: string
  initial: string
  placeholder?: string
  /** How many of the first characters are selected at the start. */
  selected: number
  /** Its failure is shown under the field, which keeps what was typed. */
  save: (text: string) => Promise<unknown>
  /** `isSaved` false: given up. */
  onClose: (isSaved: boolean) => void
}

/** A name being typed in its place: Enter or leaving saves, Escape gives up. An unchanged or empty name is not saved. */
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
    <span className="namefield">
      <input
        className="rename"
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
        <span className="namefield-error" id={noteId} role="alert">
          {problem}
        </span>
      )}
    </span>
  )
}
