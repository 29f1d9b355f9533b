import { Suspense, useId, useState } from 'react'
import { messages } from '../../lib/messages.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { DialogBody } from './DialogBody.tsx'
import { words } from './words.ts'

type Props = { readonly fileId: string; readonly name: string; readonly onClose: () => void }

/** What the buttons at the dialog's foot need to know of its body. */
export type ShareMode = 'loading' | 'form' | 'making' | 'links'

/** The links of a file or folder, and a new one. Import it lazily, as Dialog. */
export function ShareDialog({ fileId, name, onClose }: Props) {
  const formId = useId()
  const [mode, setMode] = useState<ShareMode>('loading')
  const footer =
    mode === 'links' ? (
      <>
        <Button className="push" onClick={() => setMode('form')}>
          {words.newLink}
        </Button>
        <Button variant="primary" onClick={onClose}>
          {words.done}
        </Button>
      </>
    ) : (
      <>
        <span className="push" />
        <Button onClick={onClose}>{messages.common.cancel}</Button>
        <Button type="submit" form={formId} variant="primary" disabled={mode === 'loading'} busy={mode === 'making'}>
          {words.create}
        </Button>
      </>
    )
  return (
    <Dialog
      open
      onClose={onClose}
      className="links"
      title={words.title(name)}
      description={words.intro}
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

/** In the shape of the form, which most files come with. */
function Waiting() {
  return (
    <div className="terms" role="status" aria-label={messages.common.loading}>
      <Skeleton className="whole" height={36} />
      <Skeleton height={36} />
      <Skeleton height={36} />
    </div>
  )
}
