import { FilePenLine, Link2, Pencil, Star } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { graphql, useFragment } from 'react-relay'
import type { PreviewActionButtons_file$key } from '../../__generated__/PreviewActionButtons_file.graphql.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { FileName } from '../../ui/FileName.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import inputStyles from '../../ui/Input.module.css'
import { isEditable } from '../Editor/editable.ts'
import { messages } from './messages.ts'
import styles from './Preview.module.css'

/** Actions on the previewed file, except its download. The screen that shows the preview carries them out. */
export type PreviewActions = {
  readonly edit: (id: string) => void
  readonly share: (file: { readonly id: string; readonly name: string }) => void
  readonly star: (id: string, isStarred: boolean) => void
  /** @throws MutationRefused, Error */
  readonly rename: (id: string, name: string) => Promise<void>
  /** The file whose name is a field now. */
  readonly renaming: string | null
  readonly setRenaming: (id: string | null) => void
}

type ButtonsProps = { readonly file: PreviewActionButtons_file$key; readonly actions: PreviewActions }

export function PreviewActionButtons({ file: key, actions }: ButtonsProps) {
  const file = useFragment(
    graphql`
      fragment PreviewActionButtons_file on File {
        id
        name
        kind
        category
        mimeType
        size
        starred
        trashedAt
        rights { rename }
      }
    `,
    key,
  )
  const { id, name, starred } = file
  if (file.trashedAt) return null
  return (
    <>
      {isEditable(file) && <IconButton label={messages.edit} icon={FilePenLine} onClick={() => actions.edit(id)} />}
      <IconButton label={messages.share} icon={Link2} onClick={() => actions.share({ id, name })} />
      <IconButton
        label={starred ? messages.removeStar : messages.addStar}
        icon={Star}
        filled={starred}
        onClick={() => actions.star(id, !starred)}
      />
      {file.rights?.rename !== false && (
        <IconButton label={messages.rename} icon={Pencil} data-preview-rename onClick={() => actions.setRenaming(id)} />
      )}
    </>
  )
}

type TitleProps = {
  readonly id: string
  readonly name: string
  readonly actions: PreviewActions
  /** Next to the name: the size. */
  readonly children: ReactNode
}

/** The name, or the field in which it is changed. */
export function PreviewTitle({ id, name, actions, children }: TitleProps) {
  if (actions.renaming === id) return <NameField id={id} name={name} actions={actions} />
  return (
    <>
      <h2 className="min-w-0 font-medium">
        <FileName name={name} />
      </h2>
      <span className="meta subtle num grow">
        <span className="only-d">{children}</span>
      </span>
    </>
  )
}

/** Enter or leaving the field saves, Escape cancels. A name that is refused stays in the field, with the reason. */
function NameField({ id, name, actions }: Omit<TitleProps, 'children'>) {
  const [text, setText] = useState(name)
  const [problem, setProblem] = useState<string | null>(null)
  const state = useRef<'open' | 'saving' | 'closed'>('open')
  const noteId = useId()
  const close = () => {
    state.current = 'closed'
    // The button is there again as soon as the field is gone, so that the next key goes to the preview.
    flushSync(() => actions.setRenaming(null))
    document.querySelector<HTMLElement>('[data-preview-rename]')?.focus()
  }
  const save = async () => {
    const wanted = text.trim()
    if (state.current !== 'open') return
    if (wanted === '' || wanted === name) return close()
    state.current = 'saving'
    try {
      await actions.rename(id, wanted)
      close()
    } catch (error) {
      state.current = 'open'
      setProblem(reasonOf(error))
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    // Escape ends renaming, not the preview.
    event.stopPropagation()
    if (event.key === 'Enter') void save()
    else close()
  }
  return (
    <span className={styles.rename}>
      <input
        className={inputStyles.input}
        aria-label={messages.renameLabel}
        aria-invalid={problem !== null}
        aria-describedby={problem ? noteId : undefined}
        value={text}
        maxLength={255}
        spellCheck={false}
        ref={(input) => {
          if (!input || input.dataset.ready) return
          input.dataset.ready = 'yes'
          input.focus()
          input.setSelectionRange(0, stemLength(name))
        }}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setProblem(null)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => problem === null && void save()}
      />
      {problem && (
        <span className={styles.renameProblem} id={noteId} role="alert">
          {problem}
        </span>
      )}
    </span>
  )
}

/** The name without its ending. */
function stemLength(name: string): number {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? dot : name.length
}
