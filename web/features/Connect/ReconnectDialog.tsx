import { Suspense } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { ReconnectDialogQuery } from '../../__generated__/ReconnectDialogQuery.graphql.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { toast } from '../../ui/toast.ts'
import { reconnectByForm } from './connectByForm.ts'
import { reconnectOnce } from './lostAnswer.ts'
import { messages } from './messages.ts'
import { SignInForm } from './SignInForm.tsx'

type Props = { accountId: string; provider: string; name: string; onClose: () => void }

/** Connects an account again whose provider has a form. Import it lazily, like Dialog. */
export function ReconnectDialog(props: Props) {
  return (
    <RetryBoundary fallback={(error) => error}>
      <Suspense fallback={null}>
        <Form {...props} />
      </Suspense>
    </RetryBoundary>
  )
}

function Form({ accountId, provider: id, name, onClose }: Props) {
  const { viewer, node } = useLazyLoadQuery<ReconnectDialogQuery>(
    graphql`
      query ReconnectDialogQuery($id: ID!) {
        node(id: $id) {
          ... on Account {
            formValues {
              name
              value
            }
          }
        }
        viewer {
          providers {
            id
            ...SignInForm_provider
          }
        }
      }
    `,
    { id: accountId },
    { fetchPolicy: 'network-only', fetchKey: useRetryKey() },
  )
  const provider = viewer?.providers.find((one) => one.id === id)
  if (!provider) return null
  const values = Object.fromEntries((node?.formValues ?? []).map(({ name: field, value }) => [field, value]))
  return (
    <SignInForm
      provider={provider}
      title={messages.reconnectTo(name)}
      withName={false}
      account={{ id: accountId, values }}
      submitLabel={messages.reconnect}
      failed={messages.reconnectFailed}
      onClose={onClose}
      onSubmit={async (environment, _name, values) => {
        await reconnectOnce(environment, accountId, () => reconnectByForm(environment, accountId, values))
        toast.success(messages.reconnected)
        onClose()
      }}
    />
  )
}
