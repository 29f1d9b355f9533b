import { type ReactNode, Suspense, useId, useState } from 'react'
import { sharedMessages } from '../../lib/messages.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { messages } from './messages.ts'
import styles from './ShareDialog.module.css'

/** What the buttons in the dialog's footer need from its body. */
export type LinkDialogMode = 'loading' | 'form' | 'making' | 'links'

/** What a body needs of its dialog: the id for its form, and the mode, which it sets. */
export type LinkDialogBody = {
  readonly formId: string
  readonly mode: LinkDialogMode
  readonly onMode: (mode: LinkDialogMode) => void
}

type Props = {
  readonly title: string
  readonly description: string
  readonly mark?: ReactNode
  /** A skeleton in the shape of the form, the most common content. */
  readonly waiting: ReactNode
  readonly onClose: () => void
  readonly children: (body: LinkDialogBody) => ReactNode
}

/** The links of one file or folder, and the form for a new one. Import it lazily, like Dialog. */
export function LinkDialog({ waiting, onClose, children, ...head }: Props) {
  const formId = useId()
  const [mode, setMode] = useState<LinkDialogMode>('loading')
  const footer =
    mode === 'links' ? (
      <>
        <Button className="push" onClick={() => setMode('form')}>
          {messages.newLink}
        </Button>
        <Button variant="primary" onClick={onClose}>
          {messages.done}
        </Button>
      </>
    ) : (
      <>
        <span className="push" />
        <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
        <Button type="submit" form={formId} variant="primary" disabled={mode === 'loading'} busy={mode === 'making'}>
          {messages.create}
        </Button>
      </>
    )
  return (
    <Dialog open onClose={onClose} className={styles.links} footer={footer} {...head}>
      <RetryBoundary>
        <Suspense
          fallback={
            <div aria-label={sharedMessages.common.loading} role="status">
              {waiting}
            </div>
          }
        >
          {children({ formId, mode, onMode: setMode })}
        </Suspense>
      </RetryBoundary>
    </Dialog>
  )
}
