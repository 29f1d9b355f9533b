import { useState } from 'react'
import { graphql, useRelayEnvironment } from 'react-relay'
import type { ReportDialogMutation, ReportReason } from '../../__generated__/ReportDialogMutation.graphql.ts'
import { sharedMessages } from '../../lib/messages.ts'
import { reasonOf, runMutation } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import inputStyles from '../../ui/Input.module.css'
import pickerStyles from '../../ui/Picker.module.css'
import radioStyles from '../../ui/Radio.module.css'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'

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

const REASONS = Object.entries(messages.reportReasons) as [ReportReason, string][]

/**
 * A visitor says what is wrong with a link; its owner finds it in the activity log and in a mail. Import it lazily,
 * like Dialog.
 */
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
      toast.success(messages.reported)
      onClose()
    } catch (error) {
      toast.error(messages.reportFailed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
      <Button variant="primary" disabled={reason === null} busy={busy} onClick={send}>
        {messages.reportSend}
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={messages.reportTitle}
      description={messages.reportText}
      footer={footer}
    >
      <fieldset>
        <legend className={inputStyles.label}>{messages.reportReason}</legend>
        {REASONS.map(([value, text]) => (
          <label key={value} className={pickerStyles.row}>
            <input
              type="radio"
              className={radioStyles.radio}
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
