import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { TermsFields } from './TermsFields.tsx'
import { FREE_TERMS, type Terms, termsErrors } from './terms.ts'
import { words } from './words.ts'

type Props = {
  /** By this id a button elsewhere submits it. */
  readonly id: string
  /** Whose own link can be made too, by name; null where no copy can have one. */
  readonly provider: string | null
  readonly onSubmit: (terms: Terms) => void
}

/** Nothing needs to be filled in: Enter makes a link at once. */
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
            {words.alsoProvider(provider)}
          </label>
          <p className="hint" id={`${id}-hint`}>
            {isProviderRefused ? words.providerRefused : words.providerHint}
          </p>
        </div>
      )}
    </form>
  )
}
