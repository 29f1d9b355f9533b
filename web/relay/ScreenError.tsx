import { CloudOff, RotateCw, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { sharedMessages } from '../lib/messages.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ServerError, UnreachableError } from './errors.ts'
import { OUTDATED } from './request.ts'

const { errors, common } = sharedMessages

type Props = { error: unknown; onRetry: () => void }

/** Shown instead of a screen that failed: explains what happened and what to do. Retries once back online. */
export function ScreenError({ error, onRetry }: Props) {
  useEffect(() => {
    window.addEventListener('online', onRetry)
    return () => window.removeEventListener('online', onRetry)
  }, [onRetry])
  const { title, text, isNetwork, canRetry } = describe(error)
  return (
    <EmptyState title={title} text={text} icon={isNetwork ? CloudOff : TriangleAlert} danger>
      <Button variant="primary" icon={RotateCw} onClick={canRetry ? onRetry : () => window.location.reload()}>
        {canRetry ? common.retry : errors.reload}
      </Button>
    </EmptyState>
  )
}

/** Codes of refusals that say what to do: of a page from before an update, and of one that is open at another address than the server's. */
const EXPLAINED: ReadonlySet<string> = new Set([OUTDATED, 'FOREIGN_ORIGIN'])

/** Whether neither the connection nor the server is the cause. */
export function isProblemOfPage(error: unknown): boolean {
  return navigator.onLine && !(error instanceof UnreachableError) && !(error instanceof ServerError)
}

function describe(error: unknown) {
  if (!navigator.onLine)
    return { title: errors.offlineTitle, text: errors.offlineText, isNetwork: true, canRetry: true }
  if (error instanceof UnreachableError) {
    return { title: errors.unreachableTitle, text: errors.unreachableText, isNetwork: true, canRetry: true }
  }
  if (error instanceof ServerError) {
    const canRetry = error.code !== OUTDATED
    const text = EXPLAINED.has(error.code ?? '') ? error.message : errors.serverText
    return { title: errors.serverTitle, text, isNetwork: false, canRetry }
  }
  return { title: errors.appTitle, text: errors.appText, isNetwork: false, canRetry: false }
}
