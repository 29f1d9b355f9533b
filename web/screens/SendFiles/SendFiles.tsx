import { CloudOff, Link2Off, RotateCw } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { LinkPasswordForm } from '../../features/LinkPassword/LinkPasswordForm.tsx'
import { sharedMessages } from '../../lib/messages.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { messages } from './messages.ts'
import styles from './SendFiles.module.css'
import { SendFrame } from './SendFrame.tsx'
import { SendPage } from './SendPage.tsx'
import { type LinkAnswer, readLink, unlockLink } from './uploadLink.ts'

/** Where visitors send files through an upload link. Shows nothing of the folder, and never asks who is signed in. */
export function SendFiles() {
  const { pathname } = useLocation()
  const id = pathname.split('/')[2] ?? ''
  const [answer, setAnswer] = useState<LinkAnswer | null>(null)
  const read = useCallback(() => {
    setAnswer(null)
    void readLink(id).then(setAnswer)
  }, [id])
  useEffect(read, [read])
  return (
    <>
      <meta name="robots" content="noindex, nofollow" />
      <Page key={id} id={id} answer={answer} onAnswer={setAnswer} onRetry={read} />
    </>
  )
}

type Props = {
  readonly id: string
  readonly answer: LinkAnswer | null
  readonly onAnswer: (answer: LinkAnswer) => void
  readonly onRetry: () => void
}

function Page({ id, answer, onAnswer, onRetry }: Props) {
  const [isUnlocked, setUnlocked] = useState(false)
  if (answer === null) return <Waiting />
  if (answer.kind === 'open') return <SendPage link={answer.link} takesFocus={isUnlocked} />
  if (answer.kind === 'locked') {
    return (
      <SendFrame pageTitle={messages.protectedPage} isPlain>
        <LinkPasswordForm
          className={styles.password}
          unlock={async (password) => {
            const next = await unlockLink(id, password)
            if (next.kind === 'wrong') return next.text
            setUnlocked(true)
            onAnswer(next)
            return null
          }}
        />
      </SendFrame>
    )
  }
  if (answer.kind === 'failed') return <Failed text={answer.text} onRetry={onRetry} />
  return (
    <SendFrame pageTitle={messages.endedPage} isPlain isBrandHeading>
      <EmptyState icon={Link2Off} title={messages.endedTitle} text={messages.endedText} />
    </SendFrame>
  )
}

function Failed({ text, onRetry }: { readonly text: string; readonly onRetry: () => void }) {
  return (
    <SendFrame pageTitle={messages.loadingTitle} isPlain isBrandHeading>
      <EmptyState danger icon={CloudOff} title={messages.failedTitle} text={text}>
        <Button variant="primary" icon={RotateCw} onClick={onRetry}>
          {messages.retryShort}
        </Button>
      </EmptyState>
    </SendFrame>
  )
}

/** In the shape of the form, which most links lead to. */
function Waiting() {
  return (
    <SendFrame pageTitle={messages.loadingTitle} isBrandHeading>
      <div className="grid gap-4 p-6" role="status" aria-label={sharedMessages.common.loading}>
        <Skeleton width="40%" />
        <Skeleton width="70%" height={20} />
        <Skeleton height={120} />
      </div>
    </SendFrame>
  )
}
