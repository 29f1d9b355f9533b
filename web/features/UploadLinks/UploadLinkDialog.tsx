import { Inbox } from 'lucide-react'
import { Suspense, useId, useState } from 'react'
import { sharedMessages } from '../../lib/messages.ts'
import accountMarkStyles from '../../ui/AccountMark.module.css'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { messages } from './messages.ts'
import { UploadLinkDialogBody } from './UploadLinkDialogBody.tsx'
import styles from './UploadLinks.module.css'

type Props = { readonly folderId: string; readonly name: string; readonly onClose: () => void }

/** What the buttons in the dialog's footer need from its body. */
export type DialogMode = 'loading' | 'form' | 'making' | 'links'

/** The upload links of a folder, and a new one. Import it lazily, like Dialog. */
export function UploadLinkDialog({ folderId, name, onClose }: Props) {
  const formId = useId()
  const [mode, setMode] = useState<DialogMode>('loading')
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
      className={styles.dialog}
      title={messages.title}
      description={messages.intro}
      mark={
        <span className={`${accountMarkStyles.mark} ${accountMarkStyles.size40} ${accountMarkStyles.off}`}>
          <Icon icon={Inbox} size={20} />
        </span>
      }
      footer={footer}
    >
      <RetryBoundary>
        <Suspense fallback={<Waiting />}>
          <UploadLinkDialogBody folderId={folderId} name={name} formId={formId} mode={mode} onMode={setMode} />
        </Suspense>
      </RetryBoundary>
    </Dialog>
  )
}

/** A skeleton in the shape of the form, the most common content. */
function Waiting() {
  return (
    <div className={styles.fields} role="status" aria-label={sharedMessages.common.loading}>
      <Skeleton className={styles.whole} height={36} />
      <Skeleton className={styles.whole} height={60} />
      <Skeleton height={36} />
      <Skeleton height={36} />
    </div>
  )
}
