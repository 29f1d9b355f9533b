import { type ChangeEvent, useRef, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { files } from './messages.ts'
import styles from './Transfers.module.css'
import type { Resumables } from './useResumables.ts'

/** After a reload: the server still has the first part, but the user must choose the files again. */
export function ResumeNotice({ resumables }: { resumables: Resumables }) {
  const input = useRef<HTMLInputElement>(null)
  const [isMismatch, setMismatch] = useState(false)
  const { left } = resumables
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = [...(event.target.files ?? [])]
    event.target.value = ''
    if (chosen.length > 0) setMismatch(resumables.resume(chosen) === 0)
  }
  return (
    <div className={styles.resume}>
      <p>
        {files(left.length)} did not finish: <span className="muted">{left.map(({ name }) => name).join(', ')}</span>
      </p>
      <p className={isMismatch ? 't-danger' : 'subtle'} role={isMismatch ? 'alert' : undefined}>
        {isMismatch
          ? 'None of the selected files matches. Choose the same, unchanged files.'
          : 'Choose the same files again to resume.'}
      </p>
      <input ref={input} type="file" multiple hidden aria-label="Files of the unfinished uploads" onChange={choose} />
      <div className="hstack">
        <Button size="sm" onClick={() => input.current?.click()}>
          Resume {left.length} {left.length === 1 ? 'upload' : 'uploads'}
        </Button>
        <Button size="sm" variant="ghost" onClick={resumables.forget}>
          Discard
        </Button>
      </div>
    </div>
  )
}
