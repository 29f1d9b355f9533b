import { type FormEvent, Suspense, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { sharedMessages } from '../../lib/messages.ts'
import { fieldErrorsOf, reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Input.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { ColorChoice } from './ColorChoice.tsx'
import { type Color, messages } from './labels.ts'
import styles from './Tags.module.css'
import { deleteTag, updateTag } from './tagChanges.ts'

const ConfirmDialog = lateDialog(() => import('../../ui/ConfirmDialog.tsx').then((file) => file.ConfirmDialog))

export type EditedTag = {
  readonly id: string
  readonly name: string
  readonly color: Color
}

type Props = { readonly tag: EditedTag; readonly onClose: () => void }

/** Name and colour of a tag; also deletes it, after a question. */
export function TagForm({ tag, onClose }: Props) {
  const environment = useRelayEnvironment()
  const [name, setName] = useState(tag.name)
  const [color, setColor] = useState(tag.color)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const run = async (act: () => Promise<void>) => {
    setBusy(true)
    try {
      await act()
      onClose()
    } catch (error) {
      setBusy(false)
      setAsking(false)
      setProblem(fieldErrorsOf(error).name ?? reasonOf(error))
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(() => updateTag(environment, { id: tag.id, name, color }))
  }
  return (
    <form className={styles.form} noValidate onSubmit={submit}>
      <TextField
        label={messages.name}
        error={problem}
        value={name}
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        autoFocus
        onChange={(event) => {
          setName(event.currentTarget.value)
          setProblem(undefined)
        }}
      />
      <ColorChoice value={color} onChange={setColor} />
      <span className="hstack">
        <Button variant="danger" size="sm" onClick={() => setAsking(true)}>
          {messages.remove}
        </Button>
        <span className="push" />
        <Button size="sm" onClick={onClose}>
          {sharedMessages.common.cancel}
        </Button>
        <Button size="sm" variant="primary" type="submit" busy={isBusy}>
          {messages.save}
        </Button>
      </span>
      <Suspense>
        {isAsking && (
          <ConfirmDialog
            open
            title={messages.removeTitle(tag.name)}
            confirmLabel={messages.remove}
            busy={isBusy}
            onClose={() => setAsking(false)}
            onConfirm={() => void run(() => deleteTag(environment, tag.id))}
          >
            {messages.removeText}
          </ConfirmDialog>
        )}
      </Suspense>
    </form>
  )
}
