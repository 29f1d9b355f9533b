import { CloudOff, Hourglass, Link2Off, RotateCw, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { messages } from '../../lib/messages.ts'
import { ServerError, UnreachableError } from '../../relay/errors.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Logo } from '../../ui/Logo.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ShareFrame } from './ShareFrame.tsx'
import { words } from './words.ts'

/** In the shape of a file's page, which most links lead to. */
export function ShareSkeleton() {
  return (
    <div className="share" aria-busy="true">
      <title>{words.loadingTitle}</title>
      <div className="share-top">
        <Logo />
        <span className="brand only-d">{messages.common.product}</span>
        <span className="share-rule only-d" />
        <span className="grow grid gap-2">
          <Skeleton width="min(220px, 60%)" />
          <Skeleton width="min(140px, 40%)" height={8} />
        </span>
        <Skeleton width={112} height={32} />
      </div>
      <main className="stage" aria-label={messages.common.loading}>
        <Skeleton className="share-blank" height={320} />
      </main>
      <div className="share-foot" />
    </div>
  )
}

/** Unknown, expired, used up and taken back look the same: nobody learns which. */
export function ShareEnded() {
  return (
    <ShareFrame isBrandHeading pageTitle={words.endedPage}>
      <EmptyState icon={Link2Off} title={words.endedTitle} text={words.endedText} />
    </ShareFrame>
  )
}

type UnavailableProps = { readonly name: string; readonly isAsking: boolean; readonly onRetry: () => void }

/** The link works, but no account that holds the bytes can be read now. */
export function ShareUnavailable({ name, isAsking, onRetry }: UnavailableProps) {
  return (
    <ShareFrame isBrandHeading pageTitle={words.pageTitle(name)}>
      <EmptyState icon={Hourglass} title={words.unavailableTitle} text={words.unavailableText(name)}>
        <Button variant="primary" icon={RotateCw} busy={isAsking} onClick={onRetry}>
          {words.retry}
        </Button>
      </EmptyState>
    </ShareFrame>
  )
}

type FailedProps = { readonly error: unknown; readonly onRetry: () => void }

/** The question could not be asked or answered. Asks again by itself once back online. */
export function ShareFailed({ error, onRetry }: FailedProps) {
  useEffect(() => {
    window.addEventListener('online', onRetry)
    return () => window.removeEventListener('online', onRetry)
  }, [onRetry])
  const [title, text] = describe(error)
  const icon = error instanceof UnreachableError || !navigator.onLine ? CloudOff : TriangleAlert
  return (
    <ShareFrame isBrandHeading pageTitle={words.loadingTitle}>
      <EmptyState danger icon={icon} title={title} text={text}>
        <Button variant="primary" icon={RotateCw} onClick={onRetry}>
          {words.retry}
        </Button>
      </EmptyState>
    </ShareFrame>
  )
}

function describe(error: unknown): readonly [title: string, text: string] {
  if (!navigator.onLine) return [words.offlineTitle, words.offlineText]
  if (error instanceof UnreachableError) return [words.unreachableTitle, words.unreachableText]
  const isThrottled = error instanceof ServerError && (error.code === 'TOO_MANY_REQUESTS' || error.status === 429)
  return isThrottled ? [words.throttledTitle, words.throttledText] : [words.failedTitle, words.failedText]
}
