import { type FormEvent, useRef, useState } from 'react'
import { graphql, useRelayEnvironment } from 'react-relay'
import type { CapacityDialogMutation } from '../../__generated__/CapacityDialogMutation.graphql.ts'
import { sharedMessages } from '../../lib/messages.ts'
import { reasonOf, runMutation } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'

const mutation = graphql`
  mutation CapacityDialogMutation($input: UpdateAccountInput!) {
    updateAccount(input: $input) {
      __typename
      ... on UpdateAccountPayload {
        account {
          id
          ...AccountCard_account
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

const GB = 1024 ** 3
const MOST_GB = 8_000_000

type Props = { accountId: string; name: string; bytes: number | null; onClose: () => void }

/** The size of an account whose provider reports none. Import it lazily, like Dialog. */
export function CapacityDialog({ accountId, name, bytes, onClose }: Props) {
  const environment = useRelayEnvironment()
  const [text, setText] = useState(bytes === null ? '' : String(Math.round((bytes / GB) * 100) / 100))
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const size = text.trim() === '' ? 0 : Number(text.replace(',', '.'))
    const isSize = size === 0 ? text.trim() === '' : size > 0 && size <= MOST_GB
    if (!isSize) return setError(messages.capacity.invalid)
    setBusy(true)
    try {
      await runMutation<CapacityDialogMutation>(environment, {
        mutation,
        variables: { input: { id: accountId, capacityBytes: Math.round(size * GB) } },
        outcome: (answer) => answer.updateAccount,
      })
      onClose()
    } catch (failure) {
      toast.error(messages.capacity.failed, { description: reasonOf(failure) })
      setBusy(false)
    }
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
      <Button variant="primary" type="submit" form="capacity" busy={busy}>
        {messages.capacity.save}
      </Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} title={messages.capacity.title(name)} size="sm" initialFocus={field} footer={footer}>
      <form id="capacity" noValidate onSubmit={submit}>
        <TextField
          label={messages.capacity.label}
          hint={messages.capacity.hint}
          ref={field}
          value={text}
          inputMode="decimal"
          autoComplete="off"
          error={error}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </Dialog>
  )
}
