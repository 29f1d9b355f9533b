import { useEffect, useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { AUTHORIZATION_CHANNEL, readAuthorization } from '../../lib/authorizationMessage.ts'
import loadingPageStyles from '../../ui/LoadingPage.module.css'
import { messages } from './messages.ts'

/** The redirect target of a provider: passes code and state to the page that opened it, and closes. */
export function OAuthCallback() {
  const { service = '' } = useParams()
  const [query] = useSearchParams()
  const [open, setOpen] = useState(false)

  useEffect(() => {
    handOver(service, query)
    // A code is a credential until it is used: it does not stay in the address or the history.
    window.history.replaceState(null, '', window.location.pathname)
    window.close()
    // Browsers close only windows that a script has opened.
    const timer = setTimeout(() => setOpen(true), 1000)
    return () => clearTimeout(timer)
  }, [service, query])

  return (
    <main className={loadingPageStyles.loading} role="status">
      <title>{messages.title}</title>
      {open ? messages.mayClose : messages.processing(service)}
    </main>
  )
}

function handOver(service: string, query: URLSearchParams): void {
  const message = readAuthorization(service, query)
  if (!message) {
    console.error('The authorization came back without code or state.')
    return
  }
  const opener = window.opener as Window | null
  opener?.postMessage(message, window.location.origin)
  const channel = new BroadcastChannel(AUTHORIZATION_CHANNEL)
  channel.postMessage(message)
  channel.close()
}
