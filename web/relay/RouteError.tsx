import { CloudOff, RotateCw, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { isRouteErrorResponse, useRevalidator, useRouteError } from 'react-router'
import { messages } from '../lib/messages.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { NotFoundState } from '../ui/NotFoundState.tsx'
import { ServerError, UnreachableError } from './errors.ts'

const { errors, common } = messages

/** What a route shows when its data or its code could not be had: says what happened, what is safe, what to do. */
export function RouteError() {
  const error = useRouteError()
  const { revalidate, state } = useRevalidator()
  useEffect(() => {
    const retry = () => void revalidate()
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [revalidate])

  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundState />
  const { title, text, retry } = describe(error)
  const busy = state === 'loading'
  const act = retry ? () => void revalidate() : () => window.location.reload()
  return (
    <EmptyState title={title} text={text} icon={error instanceof UnreachableError ? CloudOff : TriangleAlert} danger>
      <Button variant="primary" icon={RotateCw} busy={busy} onClick={act}>
        {retry ? common.retry : errors.reload}
      </Button>
    </EmptyState>
  )
}

function describe(error: unknown): { title: string; text: string; retry: boolean } {
  if (error instanceof UnreachableError && !navigator.onLine) {
    return { title: errors.offlineTitle, text: errors.offlineText, retry: true }
  }
  if (error instanceof UnreachableError) {
    return { title: errors.unreachableTitle, text: errors.unreachableText, retry: true }
  }
  if (error instanceof ServerError) return { title: errors.serverTitle, text: errors.serverText, retry: true }
  return { title: errors.appTitle, text: errors.appText, retry: false }
}
