import { type FormEvent, type ReactNode, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { sharedMessages } from '../../lib/messages.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'
import { TermsFields } from './TermsFields.tsx'
import { expiryOf, limitOf, type Terms, termsErrors, termsOf } from './terms.ts'
import { updateShare } from './updateShare.ts'

type Changed = {
  readonly id: string
  readonly hasPassword: boolean
  readonly expiresAt?: string | null | undefined
  readonly maxDownloads?: number | null | undefined
}

/** Changes the terms of an existing link. */
export function ChangeLink({ share, onClose }: { share: Changed; onClose: () => void }) {
  const environment = useRelayEnvironment()
  const [terms, setTerms] = useState(() => termsOf(share))
  const errors = termsErrors(terms)
  return (
    <ChangeForm
      errors={errors}
      save={() => updateShare(environment, { id: share.id, ...changesOf(share, terms) })}
      onClose={onClose}
    >
      <TermsFields
        terms={terms}
        errors={errors}
        hasPassword={share.hasPassword}
        onChange={(change) => setTerms((now) => ({ ...now, ...change }))}
      />
    </ChangeForm>
  )
}

type ChangeFormProps = {
  /** Nothing is saved while there are any. */
  readonly errors: object
  /** @throws MutationRefused, Error */
  readonly save: () => Promise<unknown>
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The form around the settings of an existing link of any kind. */
export function ChangeForm({ errors, save, onClose, children }: ChangeFormProps) {
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (Object.keys(errors).length > 0) return
    setBusy(true)
    try {
      await save()
      toast.success(messages.changed)
      onClose()
    } catch (error) {
      toast.error(messages.changeFailed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return (
    <form className="mt-4" noValidate onSubmit={submit}>
      {children}
      <div className="hstack mt-4 justify-end">
        <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
        <Button type="submit" variant="primary" busy={isBusy}>
          {messages.save}
        </Button>
      </div>
    </form>
  )
}

/** Only the changed terms; omitted ones stay as they are. */
function changesOf(share: Changed, terms: Terms) {
  const before = termsOf(share)
  const isExpiryNew = terms.expiry !== before.expiry || terms.date !== before.date
  return {
    ...(terms.isPasswordRemoved ? { password: null } : terms.password !== '' && { password: terms.password }),
    ...(isExpiryNew && { expiresAt: expiryOf(terms) }),
    ...(terms.limit !== before.limit && { maxDownloads: limitOf(terms) }),
  }
}
