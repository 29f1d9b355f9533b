import { Suspense } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import { Link } from 'react-router'
import type { SetupHintQuery } from '../../__generated__/SetupHintQuery.graphql.ts'
import { BLOCKED, CLOSED, DENIED } from '../../lib/authorizationPopup.ts'
import { Notice } from '../../ui/Notice.tsx'
import { messages } from './messages.ts'
import type { ProviderChoice } from './ProviderRows.tsx'
import type { ConnectFailure } from './useConnect.ts'

type Props = { provider: ProviderChoice; onLeave: () => void }

/** Why a provider cannot be connected, and for administrators the way to the page that explains how to set it up. */
export function SetupHint({ provider, onLeave }: Props) {
  if (provider.availability === 'UNAVAILABLE')
    return <Notice tone="warning">{messages.notInThisVersion(provider.name)}</Notice>
  return (
    <Suspense fallback={<Notice tone="warning">{messages.notSetUp(provider.name)}</Notice>}>
      <ByRole provider={provider} onLeave={onLeave} />
    </Suspense>
  )
}

/** Why connecting failed, and what to do about it. */
export function FailedConnection({ provider, failure }: Pick<Props, 'provider'> & { failure: ConnectFailure }) {
  const { message, code } = failure
  // The provider's own error is seen only in its window.
  const isUnexplained = failure.in === 'WINDOW' && message !== BLOCKED && message !== DENIED
  return (
    <>
      <p>{WINDOW_TEXTS[message] ?? message}</p>
      {isUnexplained && <WindowError provider={provider} />}
      {code === 'PROVIDER_UNAVAILABLE' && (
        <Suspense>
          <StepsLink provider={provider} />
        </Suspense>
      )}
    </>
  )
}

/** In place of the short messages of toasts. */
const WINDOW_TEXTS: Readonly<Record<string, string>> = {
  [BLOCKED]: messages.windowBlocked,
  [CLOSED]: messages.windowClosed,
  [DENIED]: messages.windowDenied,
}

function StepsLink({ provider: { id, name } }: Pick<Props, 'provider'>) {
  if (!useIsAdministrator()) return null
  return (
    <a className="link" href={setupPath(id)} target="_blank" rel="noreferrer">
      {messages.setUp(name)}
    </a>
  )
}

/** What to do about an error that only the provider's window shows, such as of the redirect address. */
export function WindowError({ provider }: Pick<Props, 'provider'>) {
  return (
    <Suspense>
      <WindowErrorByRole provider={provider} />
    </Suspense>
  )
}

function WindowErrorByRole({ provider: { id, name } }: Pick<Props, 'provider'>) {
  const isAdministrator = useIsAdministrator()
  if (!isAdministrator) return <p className="my-2">{messages.windowError}</p>
  return (
    <p className="my-2">
      {messages.windowErrorOfAdministrator}{' '}
      <a className="link" href={setupPath(id)} target="_blank" rel="noreferrer">
        {messages.setUp(name)}
      </a>
    </p>
  )
}

function useIsAdministrator(): boolean {
  const { viewer } = useLazyLoadQuery<SetupHintQuery>(
    graphql`
      query SetupHintQuery {
        viewer {
          id
          role
        }
      }
    `,
    {},
    { fetchPolicy: 'store-or-network' },
  )
  return viewer?.role === 'ADMINISTRATOR'
}

function ByRole({ provider: { id, name }, onLeave }: Props) {
  const isAdministrator = useIsAdministrator()
  if (!isAdministrator) return <Notice tone="warning">{messages.askAdministrator(name)}</Notice>
  return (
    <Notice
      tone="warning"
      action={
        <Link className="link" to={setupPath(id)} onClick={onLeave}>
          {messages.setUp(name)}
        </Link>
      }
    >
      {messages.notSetUp(name)}
    </Notice>
  )
}

/** The page that explains how to set a provider up. */
function setupPath(providerId: string): string {
  return `/cloud-integration?setup=${encodeURIComponent(providerId)}`
}
