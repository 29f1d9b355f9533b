import { useState } from 'react'
import { graphql, useRelayEnvironment } from 'react-relay'
import type { ReportDialogMutation, ReportReason } from '../../__generated__/ReportDialogMutation.graphql.ts'
import { messages } from '../../lib/messages.ts'
import { reasonOf, runMutation } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toast.ts'
import { words } from './words.ts'

const mutation = graphql`
  mutation ReportDialogMutation($input: ReportShareInput!) {
    reportShare(input: $input) {
      __typename
      ... on Error {
        code
        message
      }
    }
  }
`

const REASONS = Object.entries(words.reportReasons) as [ReportReason, string][]

/** A visitor says what is wrong with a link; its owner finds it in the activity log and in a mail. Import it lazily, as Dialog. */
export function ReportDialog({ shareId, onClose }: { shareId: string; onClose: () => void }) {
  const environment = useRelayEnvironment()
  const [reason, setReason] = useState<ReportReason | null>(null)
  const [busy, setBusy] = useState(false)
  const send = async () => {
    if (!reason) return
    setBusy(true)
    try {
      await runMutation<ReportDialogMutation>(environment, {
        mutation,
        variables: { input: { id: shareId, reason } },
        outcome: (answer) => answer.reportShare,
      })
      toast.success(words.reported)
      onClose()
    } catch (error) {
      toast.error(words.reportFailed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{messages.common.cancel}</Button>
      <Button variant="primary" disabled={reason === null} busy={busy} onClick={send}>
        {words.reportSend}
      </Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} size="sm" title={words.reportTitle} description={words.reportText} footer={footer}>
      <fieldset>
        <legend className="label">{words.reportReason}</legend>
        {REASONS.map(([value, text]) => (
          <label key={value} className="pickrow">
            <input
              type="radio"
              className="radio"
              name="reason"
              checked={reason === value}
              onChange={() => setReason(value)}
            />
            <span className="grow">{text}</span>
          </label>
        ))}
      </fieldset>
    </Dialog>
  )
}
