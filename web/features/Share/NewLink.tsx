import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Checkbox } from '../../ui/Checkbox.tsx'
import inputStyles from '../../ui/Input.module.css'
import { messages } from './messages.ts'
import { TermsFields } from './TermsFields.tsx'
import { FREE_TERMS, type Terms, termsErrors } from './terms.ts'

type Props = {
  /** The form's id, for a submit button outside of it. */
  readonly id: string
  /** The provider that can create a link too, by name; null if no copy supports it. */
  readonly provider: string | null
  readonly onSubmit: (terms: Terms) => void
}

/** No field is required: Enter creates a link. */
export function NewLink({ id, provider, onSubmit }: Props) {
  const [terms, setTerms] = useState(FREE_TERMS)
  const [isTried, setTried] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const errors = termsErrors(terms)
  const isProviderRefused = terms.password !== '' || terms.limit !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (Object.keys(errors).length > 0) return
    onSubmit({ ...terms, hasProviderLink: terms.hasProviderLink && !isProviderRefused })
  }
  return (
    <form id={id} noValidate onSubmit={submit}>
      <TermsFields
        terms={terms}
        errors={isTried ? errors : {}}
        first={first}
        onChange={(change) => setTerms((now) => ({ ...now, ...change }))}
      />
      {provider !== null && (
        <div className="mt-4">
          <label className="hstack w-fit" htmlFor={`${id}-provider`}>
            <Checkbox
              id={`${id}-provider`}
              checked={terms.hasProviderLink && !isProviderRefused}
              disabled={isProviderRefused}
              aria-describedby={`${id}-hint`}
              onChange={(hasProviderLink) => setTerms((now) => ({ ...now, hasProviderLink }))}
            />
            {messages.alsoProvider(provider)}
          </label>
          <p className={inputStyles.hint} id={`${id}-hint`}>
            {isProviderRefused ? messages.providerRefused : messages.providerHint}
          </p>
        </div>
      )}
    </form>
  )
}
