import { useState } from 'react'
import { graphql, useRelayEnvironment } from 'react-relay'
import type { DeleteDialogMutation } from '../../__generated__/DeleteDialogMutation.graphql.ts'
import { formatDay } from '../../lib/formatDate.ts'
import { reasonOf, runMutation } from '../../relay/runMutation.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'

const mutation = graphql`
  mutation DeleteDialogMutation($input: DeleteVersionInput!) {
    deleteVersion(input: $input) {
      __typename
      ... on DeleteVersionPayload {
        file {
          id
          versions { id isCurrent size sha256 createdAt source by byKey restoredFrom downloadUrl }
        }
      }
      ... on Error { code message }
    }
  }
`

type Props = { readonly version: { readonly id: string; readonly createdAt: string }; readonly onClose: () => void }

/** Asks before an earlier version is deleted permanently. Import it lazily. */
export function DeleteDialog({ version: { id, createdAt }, onClose }: Props) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)

  async function remove(): Promise<void> {
    setBusy(true)
    try {
      const outcome = (answer: DeleteDialogMutation['response']) => answer.deleteVersion
      await runMutation<DeleteDialogMutation>(environment, { mutation, variables: { input: { id } }, outcome })
      toast.success(messages.deleted)
    } catch (error) {
      toast.error(messages.notDeleted, { description: reasonOf(error) })
    }
    onClose()
  }

  return (
    <ConfirmDialog
      open
      title={messages.deleteTitle(formatDay(createdAt))}
      confirmLabel={messages.delete}
      onConfirm={() => void remove()}
      onClose={onClose}
      busy={busy}
    >
      {messages.deleteText}
    </ConfirmDialog>
  )
}
