import { CloudOff, Hourglass, Link2Off, RotateCw, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { sharedMessages } from '../../lib/messages.ts'
import { ServerError, UnreachableError } from '../../relay/errors.ts'
import brandStyles from '../../ui/Brand.module.css'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Logo } from '../../ui/Logo.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'
import { ShareFrame } from './ShareFrame.tsx'

/** In the shape of a file's page, which most links lead to. */
export function ShareSkeleton() {
  return (
    <div className={styles.page} aria-busy="true">
      <title>{messages.loadingTitle}</title>
      <div className={styles.top}>
        <Logo />
        <span className={`${brandStyles.brand} only-d`}>{sharedMessages.common.product}</span>
        <span className={`${styles.rule} only-d`} />
        <span className="grow grid gap-2">
          <Skeleton width="min(220px, 60%)" />
          <Skeleton width="min(140px, 40%)" height={8} />
        </span>
        <Skeleton width={112} height={32} />
      </div>
      <main className={styles.stage} aria-label={sharedMessages.common.loading}>
        <Skeleton className={styles.blank} height={320} />
      </main>
      <div className={styles.foot} />
    </div>
  )
}

/** Unknown, expired, used up and revoked links look the same, so that visitors cannot tell which it is. */
export function ShareEnded() {
  return (
    <ShareFrame isBrandHeading pageTitle={messages.endedPage}>
      <EmptyState icon={Link2Off} title={messages.endedTitle} text={messages.endedText} />
    </ShareFrame>
  )
}

type UnavailableProps = { readonly name: string; readonly isAsking: boolean; readonly onRetry: () => void }

/** The link works, but no account that holds the bytes can be read now. */
export function ShareUnavailable({ name, isAsking, onRetry }: UnavailableProps) {
  return (
    <ShareFrame isBrandHeading pageTitle={messages.pageTitle(name)}>
      <EmptyState icon={Hourglass} title={messages.unavailableTitle} text={messages.unavailableText(name)}>
        <Button variant="primary" icon={RotateCw} busy={isAsking} onClick={onRetry}>
          {messages.retry}
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
    <ShareFrame isBrandHeading pageTitle={messages.loadingTitle}>
      <EmptyState danger icon={icon} title={title} text={text}>
        <Button variant="primary" icon={RotateCw} onClick={onRetry}>
          {messages.retry}
        </Button>
      </EmptyState>
    </ShareFrame>
  )
}

function describe(error: unknown): readonly [title: string, text: string] {
  if (!navigator.onLine) return [messages.offlineTitle, messages.offlineText]
  if (error instanceof UnreachableError) return [messages.unreachableTitle, messages.unreachableText]
  const isThrottled = error instanceof ServerError && (error.code === 'TOO_MANY_REQUESTS' || error.status === 429)
  return isThrottled ? [messages.throttledTitle, messages.throttledText] : [messages.failedTitle, messages.failedText]
}
