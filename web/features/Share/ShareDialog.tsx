import { Suspense, useId, useState } from 'react'
import { sharedMessages } from '../../lib/messages.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { DialogBody } from './DialogBody.tsx'
import { messages } from './messages.ts'
import styles from './ShareDialog.module.css'

type Props = { readonly fileId: string; readonly name: string; readonly onClose: () => void }

/** What the buttons in the dialog's footer need from its body. */
export type ShareMode = 'loading' | 'form' | 'making' | 'links'

/** The links of a file or folder, and a new one. Import it lazily, like Dialog. */
export function ShareDialog({ fileId, name, onClose }: Props) {
  const formId = useId()
  const [mode, setMode] = useState<ShareMode>('loading')
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
    <Dialog
      open
      onClose={onClose}
      className={styles.links}
      title={messages.title(name)}
      description={messages.intro}
      footer={footer}
    >
      <RetryBoundary>
        <Suspense fallback={<Waiting />}>
          <DialogBody fileId={fileId} formId={formId} mode={mode} onMode={setMode} />
        </Suspense>
      </RetryBoundary>
    </Dialog>
  )
}

/** A skeleton in the shape of the form, the most common content. */
function Waiting() {
  return (
    <div className={styles.terms} role="status" aria-label={sharedMessages.common.loading}>
      <Skeleton className={styles.whole} height={36} />
      <Skeleton height={36} />
      <Skeleton height={36} />
    </div>
  )
}
