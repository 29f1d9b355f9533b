import { type FormEvent, useId, useRef, useState } from 'react'
import { ContentRefused, createFile } from '../../../features/Editor/fileContent.ts'
import { sharedMessages } from '../../../lib/messages.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { TextField } from '../../../ui/Input.tsx'
import { useFileManager } from '../FilesContext.ts'

type Ending = '.md' | '.txt'

const TITLES: Readonly<Record<Ending, string>> = { '.md': 'New Markdown document', '.txt': 'New text document' }
const ENDING = /\.[a-z0-9]{1,8}$/i
const CONFLICT = 409

/** Asks for a name, creates an empty text in the open folder, and opens the editor. Import it lazily. */
export function NewDocumentDialog({ ending, onClose }: { ending: Ending; onClose: () => void }) {
  const { folder, list, edit } = useFileManager()
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const formId = useId()
  const field = useRef<HTMLInputElement>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const wanted = documentName(name, ending)
    if (wanted === null) return setProblem('Please enter a name.')
    setBusy(true)
    try {
      const parentId = folder?.id ?? null
      const { id } = await createFile({ name: wanted, parentId, bytes: new Uint8Array(), onConflict: 'fail' })
      list.refresh()
      onClose()
      edit(id)
    } catch (error) {
      setBusy(false)
      setProblem(problemText(error, wanted))
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={TITLES[ending]}
      description={folder ? `In “${folder.name}”` : 'In My Drive'}
      initialFocus={field}
      footer={
        <>
          <span className="push" />
          <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
          <Button variant="primary" type="submit" form={formId} busy={isBusy}>
            Create
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit}>
        <TextField
          ref={field}
          label="Name"
          hint={`Without an ending it gets ${ending}.`}
          error={problem}
          value={name}
          maxLength={255}
          placeholder={`Notes${ending}`}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
      </form>
    </Dialog>
  )
}

/** With an ending; null: there is no name. */
function documentName(typed: string, ending: Ending): string | null {
  const name = typed.trim()
  if (name === '') return null
  return ENDING.test(name) ? name : `${name}${ending}`
}

function problemText(error: unknown, name: string): string {
  if (!(error instanceof ContentRefused)) return sharedMessages.errors.unreachableTitle
  return error.status === CONFLICT ? `“${name}” already exists here.` : error.message
}
