import { Suspense } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import { Link } from 'react-router'
import type { SetupHintQuery } from '../../__generated__/SetupHintQuery.graphql.ts'
import { Notice } from '../../ui/Notice.tsx'
import { messages } from './messages.ts'
import type { ProviderChoice } from './ProviderRows.tsx'

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
