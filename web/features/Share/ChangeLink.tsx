import { type FormEvent, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { messages } from '../../lib/messages.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { TermsFields } from './TermsFields.tsx'
import { expiryOf, limitOf, type Terms, termsErrors, termsOf } from './terms.ts'
import { updateShare } from './updateShare.ts'
import { words } from './words.ts'

type Changed = {
  readonly id: string
  readonly hasPassword: boolean
  readonly expiresAt?: string | null | undefined
  readonly maxDownloads?: number | null | undefined
}

/** New terms for a link that people have already. */
export function ChangeLink({ share, onClose }: { share: Changed; onClose: () => void }) {
  const environment = useRelayEnvironment()
  const [terms, setTerms] = useState(() => termsOf(share))
  const [isBusy, setBusy] = useState(false)
  const errors = termsErrors(terms)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (Object.keys(errors).length > 0) return
    setBusy(true)
    try {
      await updateShare(environment, { id: share.id, ...changesOf(share, terms) })
      toast.success(words.changed)
      onClose()
    } catch (error) {
      toast.error(words.changeFailed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return (
    <form className="mt-4" noValidate onSubmit={submit}>
      <TermsFields
        terms={terms}
        errors={errors}
        hasPassword={share.hasPassword}
        onChange={(change) => setTerms((now) => ({ ...now, ...change }))}
      />
      <div className="hstack mt-4 justify-end">
        <Button onClick={onClose}>{messages.common.cancel}</Button>
        <Button type="submit" variant="primary" busy={isBusy}>
          {words.save}
        </Button>
      </div>
    </form>
  )
}

/** Only what is different: what is not named stays as it is. */
function changesOf(share: Changed, terms: Terms) {
  const before = termsOf(share)
  const isExpiryNew = terms.expiry !== before.expiry || terms.date !== before.date
  return {
    ...(terms.isPasswordRemoved ? { password: null } : terms.password !== '' && { password: terms.password }),
    ...(isExpiryNew && { expiresAt: expiryOf(terms) }),
    ...(terms.limit !== before.limit && { maxDownloads: limitOf(terms) }),
  }
}
